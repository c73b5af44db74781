//! Records of finished games and lists of games as they are sent: made one at a time, kept for those who ask next, and only so
//! many wait.
//!
//! A record is the journal of a room played again. Made anew for each who asks, a hundred at once would take the memory of a
//! hundred games.

use crate::RoomCode;
use crate::address::Source;
use crate::shared::Shared;
use crate::turns::{Turn, Turns};
use axum::body::Bytes;
use game::Commitment;
use protocol::{RoomPhase, RoomView};
use room::{Misfit, NoRecord, Which};
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many may wait for a record to be made.
const WAITING: usize = 16;
/// How many bytes of records are kept.
const KEPT: usize = 8 << 20;
/// How many records are kept; rooms without one have an empty record.
const KEPT_RECORDS: usize = 64;

/// The records that were asked for last.
pub struct Records {
    turns: Turns,
    kept: Arc<Kept>,
}

#[derive(Default)]
struct Kept(Mutex<VecDeque<(Key, Option<Bytes>)>>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    code: RoomCode,
    what: What,
}

/// What is kept of a room, named by what it depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    /// The last record: which game is next or was played, and whether it is over. None is asked for during a game.
    Last { commitment: Commitment, phase: RoomPhase },
    /// The record of a game that is over, which stays as it is.
    Game(Which),
    /// The list of games after so many entries of the journal.
    Games { entries: usize },
    /// The book after so many entries, as JSON or as a table.
    Book { entries: usize, form: BookForm },
}

/// How a book is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookForm {
    Json,
    Csv,
}

impl What {
    /// Whether the one is of no use any more when the other is there.
    fn replaces(&self, other: &What) -> bool {
        match (self, other) {
            (What::Game(which), What::Game(other)) => which == other,
            (What::Book { form, .. }, What::Book { form: other, .. }) => form == other,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotMade {
    /// Too many wait already.
    Busy,
    /// It cannot be read now.
    Failed,
}

impl Default for Records {
    fn default() -> Records {
        Records { turns: Turns::new(1), kept: Arc::default() }
    }
}

impl Records {
    /// The record of the room's last finished game as JSON; none if no game was played to its end.
    pub async fn last(
        &self,
        shared: &Shared,
        code: RoomCode,
        view: &RoomView,
        source: Option<Source>,
    ) -> Result<Option<Bytes>, NotMade> {
        let what = What::Last { commitment: view.fair.commitment, phase: view.phase };
        let key = Key { code, what };
        if let Some(made) = self.kept.find(&key) {
            return Ok(made);
        }
        let turn = self.turn_unless_many().await.ok_or(NotMade::Busy)?;
        // Whoever waited most likely waited for the same.
        if let Some(made) = self.kept.find(&key) {
            return Ok(made);
        }
        let kept = self.kept.clone();
        let make = move |lines: Vec<String>| {
            let made = room::last_record(&lines)?.map(|record| json(&record));
            // Before the turn is over, or whoever has the next would find nothing and make it again.
            kept.keep(key, made.clone());
            Ok(made)
        };
        read(shared, code, turn, source, make).await
    }

    /// The record of one game as JSON.
    pub async fn of(
        &self,
        shared: &Shared,
        code: RoomCode,
        which: Which,
        source: Source,
    ) -> Result<Result<Bytes, NoRecord>, NotMade> {
        let key = Key { code, what: What::Game(which) };
        if let Some(Some(made)) = self.kept.find(&key) {
            return Ok(Ok(made));
        }
        let kept = self.kept.clone();
        let make = move |lines: Vec<String>| {
            let made = room::record_of(&lines, which)?.map(|record| json(&record));
            // Another may be the last by the next time.
            if let (Ok(made), Which::Number(_)) = (&made, which) {
                kept.keep(key, Some(made.clone()));
            }
            Ok(made)
        };
        self.read(shared, code, Some(source), make).await
    }

    /// The list of all games of a room as JSON.
    pub async fn games(&self, shared: &Shared, code: RoomCode, source: Source) -> Result<Bytes, NotMade> {
        let kept = self.kept.clone();
        let make = move |lines: Vec<String>| {
            let key = Key { code, what: What::Games { entries: lines.len() } };
            if let Some(Some(made)) = kept.find(&key) {
                return Ok(made);
            }
            let made = json(&room::games_played(&lines)?);
            kept.keep(key, Some(made.clone()));
            Ok(made)
        };
        self.read(shared, code, Some(source), make).await
    }

    /// The book of a room.
    pub async fn book(
        &self,
        shared: &Shared,
        code: RoomCode,
        form: BookForm,
        source: Source,
    ) -> Result<Bytes, NotMade> {
        let kept = self.kept.clone();
        let make = move |lines: Vec<String>| {
            let key = Key { code, what: What::Book { entries: lines.len(), form } };
            if let Some(Some(made)) = kept.find(&key) {
                return Ok(made);
            }
            let book = room::book_of(&lines)?;
            let made = match form {
                BookForm::Json => json(&book),
                BookForm::Csv => Bytes::from(room::csv_of(&book)),
            };
            kept.keep(key, Some(made.clone()));
            Ok(made)
        };
        self.read(shared, code, Some(source), make).await
    }

    /// Makes something of all the lines of a room's journal, in turn and counted for whoever asked.
    pub async fn read<T: Send + 'static>(
        &self,
        shared: &Shared,
        code: RoomCode,
        source: Option<Source>,
        make: impl FnOnce(Vec<String>) -> Result<T, Misfit> + Send + 'static,
    ) -> Result<T, NotMade> {
        let turn = self.turn_unless_many().await.ok_or(NotMade::Busy)?;
        read(shared, code, turn, source, make).await
    }

    /// A turn for work of this kind, unless too many wait already.
    pub async fn turn_unless_many(&self) -> Option<Turn> {
        self.turns.turn_unless(WAITING).await
    }

    /// A turn for who goes on with what they have begun.
    pub async fn turn(&self) -> Turn {
        self.turns.turn().await
    }
}

async fn read<T: Send + 'static>(
    shared: &Shared,
    code: RoomCode,
    turn: Turn,
    source: Option<Source>,
    make: impl FnOnce(Vec<String>) -> Result<T, Misfit> + Send + 'static,
) -> Result<T, NotMade> {
    let lines = shared.journal.read(code.as_str()).await.map_err(|error| {
        tracing::debug!(%error, "cannot read a room for what was played in it");
        NotMade::Failed
    })?;
    let lines = lines.unwrap_or_default();
    turn.work(shared.paid_by(source, move || make(lines))).await.map_err(|_| NotMade::Failed)?.map_err(
        |error| {
            tracing::error!(room = %code, %error, "cannot play the games of a room again");
            NotMade::Failed
        },
    )
}

fn json(made: &impl Serialize) -> Bytes {
    Bytes::from(serde_json::to_vec(made).expect("it has string keys only"))
}

impl Kept {
    fn find(&self, key: &Key) -> Option<Option<Bytes>> {
        self.held().iter().find(|(kept, _)| kept == key).map(|(_, made)| made.clone())
    }

    fn keep(&self, key: Key, made: Option<Bytes>) {
        let mut kept = self.held();
        kept.retain(|(other, _)| other.code != key.code || !key.what.replaces(&other.what));
        kept.push_back((key, made));
        let size = |kept: &VecDeque<(Key, Option<Bytes>)>| -> usize {
            kept.iter().filter_map(|(_, made)| made.as_ref()).map(Bytes::len).sum()
        };
        while kept.len() > KEPT_RECORDS || size(&kept) > KEPT {
            kept.pop_front();
        }
    }

    fn held(&self) -> MutexGuard<'_, VecDeque<(Key, Option<Bytes>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: RoomCode) -> Key {
        Key { code, what: What::Last { commitment: Commitment([0; 32]), phase: RoomPhase::Finished } }
    }

    #[test]
    fn so_many_records_are_kept_and_no_more() {
        let records = Kept::default();
        let codes: Vec<RoomCode> = (0..3).map(|_| RoomCode::random()).collect();
        for code in &codes {
            records.keep(key(*code), Some(Bytes::from(vec![0; KEPT / 2])));
        }
        let found: Vec<bool> = codes.iter().map(|code| records.find(&key(*code)).is_some()).collect();
        assert_eq!(found, [false, true, true]);
        records.keep(key(codes[0]), Some(Bytes::from(vec![0; KEPT + 1])));
        assert!(records.held().is_empty(), "one that is too large is not kept, nor anything in its place");
        for _ in 0..2 * KEPT_RECORDS {
            records.keep(key(RoomCode::random()), None);
        }
        assert_eq!(records.held().len(), KEPT_RECORDS);
    }
}
