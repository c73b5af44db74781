//! Which entries of which rooms are in the log, in memory. The log itself has no index in the file, because that would
//! add a page write for each room.

use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// An entry of the log: its number in its room, its position in the log, and its text. The log is small, so the texts
/// are kept in memory too. Reading each entry from the file again would be half the work of compaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogEntry {
    pub(super) n: u64,
    pub(super) seq: u64,
    pub(super) entry: Arc<str>,
}

/// The entries of the log by room, in order. Only the writer changes it, and readers share it.
#[derive(Debug, Default)]
pub(super) struct LogIndex {
    rooms: Mutex<HashMap<String, Vec<LogEntry>>>,
}

impl LogIndex {
    pub(super) fn new(rooms: HashMap<String, Vec<LogEntry>>) -> LogIndex {
        LogIndex { rooms: Mutex::new(rooms) }
    }

    /// Returns the entries of one room.
    pub(super) fn of(&self, room: &str) -> Vec<LogEntry> {
        self.rooms.lock().get(room).cloned().unwrap_or_default()
    }

    /// Returns the number of the last entry of a room, if it has any in the log.
    pub(super) fn end(&self, room: &str) -> Option<u64> {
        self.rooms.lock().get(room)?.last().map(|place| place.n)
    }

    /// Returns the rooms that have entries in the log.
    pub(super) fn rooms(&self) -> Vec<String> {
        self.rooms.lock().keys().cloned().collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rooms.lock().is_empty()
    }

    /// Removes everything up to this position, which is no longer in the log.
    pub(super) fn drop_up_to(&self, seq: u64) {
        self.rooms.lock().retain(|_, places| {
            let gone = places.partition_point(|place| place.seq <= seq);
            places.drain(..gone);
            // Frees memory taken by a burst.
            places.shrink_to(places.len() * 2);
            !places.is_empty()
        });
    }

    /// Applies a committed transaction: removes the deleted rooms, then adds the appended entries.
    pub(super) fn apply(&self, deleted: HashSet<String>, appended: HashMap<String, Vec<LogEntry>>) {
        let mut rooms = self.rooms.lock();
        for room in deleted {
            rooms.remove(&room);
        }
        for (room, places) in appended {
            match rooms.get_mut(&room) {
                Some(before) => before.extend(places),
                None => drop(rooms.insert(room, places)),
            }
        }
    }
}
