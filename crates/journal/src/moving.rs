//! Copies all rooms with all their data from one journal into another, empty one, and verifies the copy.

use crate::{AppendError, Cursor, Journal, JournalError, Lines, Pending};
use std::collections::VecDeque;
use tokio::task::JoinSet;

/// Number of rooms copied concurrently, so that they share commits.
const AT_ONCE: usize = 64;

/// A journal whose rooms can be listed and exported.
pub trait Shelf: Journal {
    /// Returns the codes of all rooms, sorted.
    fn rooms(&self) -> Pending<'_, Result<Vec<String>, JournalError>>;

    /// Returns all data of a room. Records nothing.
    fn kept<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Kept>, JournalError>>;
}

/// All data of a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// All entries from the very first.
    pub entries: Vec<String>,
    /// The number of its last checkpoint, counted from 1, or 0 if it has none.
    pub checkpoint: u64,
    /// Its notes with their slots.
    pub notes: Vec<(u8, String)>,
    /// The running time at which it was last opened.
    pub opened_ms: u64,
}

/// Why rooms were not moved. Earlier data is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The target already has rooms.
    #[error("the target already has {0} rooms; name an empty one")]
    NotEmpty(usize),
    /// A room in the target differs from the source.
    #[error("room {0} differs in the target; nothing was left there, and the source is unchanged")]
    Differs(String),
    /// The source cannot be read.
    #[error("cannot read the source: {0}")]
    Source(JournalError),
    /// The target cannot be written.
    #[error("cannot write the target: {0}; nothing was left there, and the source is unchanged")]
    Target(JournalError),
}

/// Stage of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Rooms are being written.
    Copying,
    /// The written data is being compared with the source.
    Checking,
}

/// Result of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Number of rooms.
    pub rooms: u64,
    /// Number of their entries, without notes.
    pub entries: u64,
}

/// Copies all rooms and the running time, and then compares every entry. `progress` receives the number of finished
/// rooms and the total. If anything fails, nothing is left in the target.
///
/// # Errors
/// See [`MoveError`].
pub async fn move_all<From: Shelf, To: Shelf>(
    from: std::sync::Arc<From>,
    to: std::sync::Arc<To>,
    mut progress: impl FnMut(Stage, u64, u64),
) -> Result<Moved, MoveError> {
    let there = to.rooms().await.map_err(MoveError::Target)?;
    if !there.is_empty() {
        return Err(MoveError::NotEmpty(there.len()));
    }
    let rooms = from.rooms().await.map_err(MoveError::Source)?;
    let moved = async {
        let entries = for_each(&rooms, Stage::Copying, &mut progress, |room| {
            let (from, to) = (from.clone(), to.clone());
            async move { copy(&*from, &*to, &room).await }
        });
        let entries = entries.await?;
        // This also writes the times at which the rooms were opened.
        to.ran(from.running_ms()).await.map_err(MoveError::Target)?;
        let checked = for_each(&rooms, Stage::Checking, &mut progress, |room| {
            let (from, to) = (from.clone(), to.clone());
            async move { compare(&*from, &*to, &room).await }
        });
        checked.await?;
        let there = to.rooms().await.map_err(MoveError::Target)?;
        if there != rooms {
            let other = rooms.iter().zip(&there).find(|(here, there)| here != there);
            return Err(MoveError::Differs(other.map(|(here, _)| here.clone()).unwrap_or_default()));
        }
        Ok(Moved { rooms: rooms.len() as u64, entries })
    };
    let moved = moved.await;
    if moved.is_err() {
        // A partial copy could later be mistaken for a complete one.
        let _ = to.forget_unopened(u64::MAX, Vec::new()).await;
    }
    moved
}

/// Runs `act` for all rooms, several at a time, and returns the sum of the results.
async fn for_each<Done>(
    rooms: &[String],
    stage: Stage,
    progress: &mut impl FnMut(Stage, u64, u64),
    mut act: impl FnMut(String) -> Done,
) -> Result<u64, MoveError>
where
    Done: Future<Output = Result<u64, MoveError>> + Send + 'static,
{
    let mut waiting: VecDeque<String> = rooms.iter().cloned().collect();
    let mut under_way = JoinSet::new();
    let (mut done, mut sum) = (0, 0);
    progress(stage, 0, rooms.len() as u64);
    loop {
        while under_way.len() < AT_ONCE
            && let Some(room) = waiting.pop_front()
        {
            under_way.spawn(act(room));
        }
        let Some(ended) = under_way.join_next().await else { return Ok(sum) };
        sum += ended.map_err(|error| MoveError::Target(JournalError::Storage(error.to_string())))??;
        done += 1;
        progress(stage, done, rooms.len() as u64);
    }
}

async fn taken(from: &impl Shelf, room: &str) -> Result<Kept, MoveError> {
    let kept = from.kept(room).await.map_err(MoveError::Source)?;
    kept.ok_or_else(|| {
        MoveError::Source(JournalError::Storage(format!("room {room} was deleted during the move; stop its server")))
    })
}

async fn copy(from: &impl Shelf, to: &impl Shelf, room: &str) -> Result<u64, MoveError> {
    let Kept { mut entries, checkpoint, notes, opened_ms } = taken(from, room).await?;
    let count = entries.len() as u64;
    let after_checkpoint = entries.split_off((checkpoint as usize).min(entries.len()));
    let mut at = Cursor::START;
    for lines in [Lines::with_checkpoint(entries), Lines::from(after_checkpoint)] {
        at = to.append_lines(room, at, lines, opened_ms).await.map_err(not_written)?;
    }
    for (slot, note) in notes {
        to.note(room, at, slot, note, opened_ms).await.map_err(not_written)?;
    }
    Ok(count)
}

async fn compare(from: &impl Shelf, to: &impl Shelf, room: &str) -> Result<u64, MoveError> {
    let (here, there) = (taken(from, room).await?, to.kept(room).await.map_err(MoveError::Target)?);
    if there.as_ref() == Some(&here) { Ok(1) } else { Err(MoveError::Differs(room.to_owned())) }
}

fn not_written(error: AppendError) -> MoveError {
    MoveError::Target(match error {
        AppendError::Failed(error) | AppendError::Unknown(error) => error,
        other => JournalError::Storage(format!("another process writes to it ({other})")),
    })
}
