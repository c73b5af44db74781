//! Records of finished games as they are sent: made one at a time, kept for those who ask next, and only so many wait.
//!
//! A record is the journal of a room played again. Made anew for each who asks, a hundred at once would take the memory of a
//! hundred games.

use crate::RoomCode;
use crate::shared::Shared;
use crate::turns::Turns;
use axum::body::Bytes;
use game::Commitment;
use protocol::{RoomPhase, RoomView};
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

/// What a room's last record depends on: which game is next or was played, and whether it is over. None is asked for during a game.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    code: RoomCode,
    commitment: Commitment,
    phase: RoomPhase,
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
    ) -> Result<Option<Bytes>, NotMade> {
        let key = Key { code, commitment: view.fair.commitment, phase: view.phase };
        if let Some(made) = self.kept.find(&key) {
            return Ok(made);
        }
        let turn = self.turns.turn_unless(WAITING).await.ok_or(NotMade::Busy)?;
        // Whoever waited most likely waited for the same.
        if let Some(made) = self.kept.find(&key) {
            return Ok(made);
        }
        let lines = shared.journal.read(code.as_str()).await.map_err(|error| {
            tracing::debug!(%error, "cannot read a room for its record");
            NotMade::Failed
        })?;
        let kept = self.kept.clone();
        let make = move || {
            let record = room::last_record(&lines.unwrap_or_default())?;
            let json = |record| Bytes::from(serde_json::to_vec(&record).expect("a record is JSON"));
            let made = record.map(json);
            // Before the turn is over, or whoever has the next would find nothing and make it again.
            kept.keep(key, made.clone());
            Ok::<_, room::Misfit>(made)
        };
        turn.work(make).await.map_err(|_| NotMade::Failed)?.map_err(|error| {
            tracing::error!(room = %code, %error, "cannot make the record of a room");
            NotMade::Failed
        })
    }
}

impl Kept {
    fn find(&self, key: &Key) -> Option<Option<Bytes>> {
        self.held().iter().find(|(kept, _)| kept == key).map(|(_, made)| made.clone())
    }

    fn keep(&self, key: Key, made: Option<Bytes>) {
        let mut kept = self.held();
        kept.retain(|(other, _)| other.code != key.code);
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
        Key { code, commitment: Commitment([0; 32]), phase: RoomPhase::Finished }
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
