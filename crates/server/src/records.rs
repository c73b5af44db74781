//! Records of finished games, lists of games and books, in the form in which they are sent. They are made one at a time
//! and cached, and the number of waiting requests is limited.
//!
//! Making a record replays the journal of a room. Without this limit, a hundred requests at once would use the memory
//! of a hundred games.

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

/// Maximum number of requests waiting for a record to be made.
const WAITING: usize = 16;
/// Maximum size of the cache in bytes.
const KEPT: usize = 8 << 20;
/// Maximum number of cached results. A room without a record has an empty one.
const KEPT_RECORDS: usize = 64;

/// The most recently requested records.
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

/// A cached result, identified by what it depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    /// The last record. It depends on the commitment, which names the next or finished game, and on the room's phase.
    /// It is never requested during a game.
    Last { commitment: Commitment, phase: RoomPhase },
    /// The record of a finished game, which never changes.
    Game(Which),
    /// The list of games after this many journal entries.
    Games { entries: usize },
    /// The book after this many journal entries, as JSON or CSV.
    Book { entries: usize, form: BookForm },
}

/// The format of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookForm {
    Json,
    Csv,
}

impl What {
    /// Returns whether `self` makes `other` obsolete.
    fn replaces(&self, other: &What) -> bool {
        match (self, other) {
            (What::Game(which), What::Game(other)) => which == other,
            (What::Book { form, .. }, What::Book { form: other, .. }) => form == other,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

/// Why a result was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotMade {
    /// Too many requests are waiting.
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
    /// Returns the record of the room's last finished game as JSON, or `None` if no game was finished.
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
        // Requests that had to wait mostly waited for the same record.
        if let Some(made) = self.kept.find(&key) {
            return Ok(made);
        }
        let kept = self.kept.clone();
        let make = move |lines: Vec<String>| {
            let made = room::last_record(&lines)?.map(|record| json(&record));
            // Cache it before the turn ends; otherwise the next request would find nothing and make it again.
            kept.keep(key, made.clone());
            Ok(made)
        };
        read(shared, code, turn, source, make).await
    }

    /// Returns the record of one game as JSON.
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
            // The last game may be another one next time.
            if let (Ok(made), Which::Number(_)) = (&made, which) {
                kept.keep(key, Some(made.clone()));
            }
            Ok(made)
        };
        self.read(shared, code, Some(source), make).await
    }

    /// Returns the list of all games of a room as JSON.
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

    /// Returns the book of a room.
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

    /// Makes a result from all journal entries of a room, when a turn is free. The time is charged to the client
    /// address.
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

    /// Waits for a turn, unless too many requests are waiting.
    pub async fn turn_unless_many(&self) -> Option<Turn> {
        self.turns.turn_unless(WAITING).await
    }

    /// Waits for a turn to continue work that was already begun.
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
