//! A journal that does not outlive the process, for tests and for hosts who want no files.

use crate::{AppendError, Cursor, Journal, JournalError, Lines, Opened, Pending};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::future::ready;
use std::sync::atomic::{AtomicU64, Ordering};

/// An in-memory journal with the semantics of a durable one.
#[derive(Debug)]
pub struct Memory {
    /// `None` once closed.
    rooms: Mutex<Option<HashMap<String, Written>>>,
    running_ms: AtomicU64,
}

#[derive(Debug, Default)]
struct Written {
    entries: Vec<String>,
    /// Number of entries before the last checkpoint.
    before: usize,
    notes: BTreeMap<u8, String>,
    opened_ms: u64,
}

impl Written {
    fn end(&self) -> Cursor {
        Cursor::alone(self.entries.len() as u64)
    }
}

impl Memory {
    /// Creates an empty journal.
    pub fn new() -> Memory {
        Memory { rooms: Mutex::new(Some(HashMap::new())), running_ms: AtomicU64::new(0) }
    }

    fn with<T>(&self, act: impl FnOnce(&mut HashMap<String, Written>) -> T) -> Result<T, JournalError> {
        // No code here panics in the middle of a change, so the data of a poisoned lock is consistent.
        let mut rooms = self.rooms.lock();
        rooms.as_mut().map(act).ok_or(JournalError::Closed)
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

impl Journal for Memory {
    fn append_lines<'a>(
        &'a self,
        room: &'a str,
        after: Cursor,
        lines: Lines,
        running_ms: u64,
    ) -> Pending<'a, Result<Cursor, AppendError>> {
        let appended = self.with(|rooms| {
            let actual = rooms.get(room).map_or(Cursor::START, Written::end);
            if actual != after {
                return Err(AppendError::Conflict { after, actual });
            }
            if lines.entries.is_empty() {
                return Ok(actual);
            }
            let written = rooms.entry(room.to_owned()).or_default();
            written.entries.extend(lines.entries);
            if lines.checkpoint {
                written.before = written.entries.len() - 1;
            }
            written.opened_ms = written.opened_ms.max(running_ms);
            Ok(written.end())
        });
        Box::pin(ready(appended.unwrap_or_else(|closed| Err(closed.into()))))
    }

    fn note<'a>(
        &'a self,
        room: &'a str,
        at: Cursor,
        slot: u8,
        note: String,
        running_ms: u64,
    ) -> Pending<'a, Result<(), AppendError>> {
        let noted = self.with(|rooms| match rooms.get_mut(room) {
            Some(written) if written.end() == at => {
                written.notes.insert(slot, note);
                written.opened_ms = written.opened_ms.max(running_ms);
                Ok(())
            }
            other => {
                let actual = other.map_or(Cursor::START, |written| written.end());
                Err(AppendError::Conflict { after: at, actual })
            }
        });
        Box::pin(ready(noted.unwrap_or_else(|closed| Err(closed.into()))))
    }

    fn open<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<Option<Opened>, JournalError>> {
        Box::pin(ready(self.with(|rooms| {
            let written = rooms.get_mut(room)?;
            written.opened_ms = written.opened_ms.max(running_ms);
            let entries = written.entries[written.before..].to_vec();
            let notes = written.notes.values().cloned().collect();
            Some(Opened { cursor: written.end(), before: written.before as u64, entries, notes })
        })))
    }

    fn read<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Vec<String>>, JournalError>> {
        Box::pin(ready(self.with(|rooms| rooms.get(room).map(|written| written.entries.clone()))))
    }

    fn exists<'a>(&'a self, room: &'a str) -> Pending<'a, Result<bool, JournalError>> {
        Box::pin(ready(self.with(|rooms| rooms.contains_key(room))))
    }

    fn touch<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<(), JournalError>> {
        Box::pin(ready(self.with(|rooms| {
            if let Some(written) = rooms.get_mut(room) {
                written.opened_ms = written.opened_ms.max(running_ms);
            }
        })))
    }

    fn forget_unopened<'a>(
        &'a self,
        before_ms: u64,
        keep: Vec<String>,
    ) -> Pending<'a, Result<Vec<String>, JournalError>> {
        let keep: HashSet<String> = keep.into_iter().collect();
        Box::pin(ready(self.with(|rooms| {
            rooms
                .extract_if(|room, written| written.opened_ms < before_ms && !keep.contains(room))
                .map(|(room, _)| room)
                .collect()
        })))
    }

    fn running_ms(&self) -> u64 {
        self.running_ms.load(Ordering::Relaxed)
    }

    fn ran(&self, running_ms: u64) -> Pending<'_, Result<(), JournalError>> {
        Box::pin(ready(self.with(|_| {
            self.running_ms.fetch_max(running_ms, Ordering::Relaxed);
        })))
    }

    fn probe(&self) -> Pending<'_, Result<(), JournalError>> {
        Box::pin(ready(self.with(|_| ())))
    }

    fn close(&self) -> Pending<'_, ()> {
        *self.rooms.lock() = None;
        Box::pin(ready(()))
    }
}
