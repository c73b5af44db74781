//! Reads a room. Its entries may be in the log, in runs and in the format of earlier versions, and are merged by their
//! numbers.
//!
//! The index is read before the file (a snapshot). Entries acknowledged before are therefore in that index or already
//! in the runs of the snapshot, whatever the writer compacts in the meantime.

use super::index::{LogEntry, LogIndex};
use super::{bring_over, runs};
use crate::sqlite::notes;
use crate::{Cursor, JournalError, Opened};
use rusqlite::{Connection, OptionalExtension};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Maximum number of attempts when the writer interferes.
const TRIES: usize = 10;

/// Where reading starts.
#[derive(Clone, Copy, Debug)]
pub(in crate::sqlite) enum Start {
    First,
    LastCheckpoint,
}

/// What readers know about the file before they read it.
#[derive(Clone, Debug)]
pub(in crate::sqlite) struct LogReader {
    pub(super) index: Arc<LogIndex>,
    pub(super) has_old: Arc<AtomicBool>,
}

impl LogReader {
    /// Reads a room.
    pub(in crate::sqlite) fn read(
        &self,
        connection: &Connection,
        room: &str,
        start: Start,
    ) -> Result<Option<Opened>, JournalError> {
        let mut places = self.index.of(room);
        for _ in 1..TRIES {
            let read = self.read_once(connection, room, start, &places);
            let Err(JournalError::Damaged { .. }) = read else { return read };
            // A room that got a checkpoint, or was deleted and recreated, between reading the index and the file
            // appears to have a gap.
            let now = self.index.of(room);
            if now == places {
                return read;
            }
            places = now;
        }
        self.read_once(connection, room, start, &places)
    }

    fn read_once(
        &self,
        connection: &Connection,
        room: &str,
        start: Start,
        places: &[LogEntry],
    ) -> Result<Option<Opened>, JournalError> {
        // Once the old format is gone from the file it never returns, so this is checked before the snapshot.
        let has_old = self.has_old.load(Ordering::Acquire);
        let snapshot = connection.unchecked_transaction()?;
        let checkpoint: Option<u64> = snapshot
            .prepare_cached("SELECT checkpoint FROM rooms WHERE code = ?1")?
            .query_row([room], |row| row.get(0))
            .optional()?;
        let Some(checkpoint) = checkpoint else { return Ok(None) };
        let first = match start {
            Start::First => 1,
            Start::LastCheckpoint => checkpoint.max(1),
        };

        let mut pieces: Vec<(u64, Vec<String>)> = Vec::new();
        runs::read(&snapshot, room, first, |first, entries| pieces.push((first, entries)))?;
        if has_old && bring_over::is_needed(&snapshot)? {
            bring_over::read(&snapshot, room, first, |n, entry| pieces.push((n, vec![entry])))?;
            pieces.sort_by_key(|(first, _)| *first);
        }
        let end = pieces.last().map_or(0, |(first, entries)| first + entries.len() as u64 - 1);
        for place in places.iter().filter(|place| place.n > end && place.n >= first) {
            pieces.push((place.n, vec![place.entry.to_string()]));
        }
        let entries =
            put_together(first, pieces).map_err(|missing| JournalError::Damaged { room: room.to_owned(), missing })?;
        let before = first - 1;
        let cursor = Cursor::alone(before + entries.len() as u64);
        // A complete read is for history, which does not include notes.
        let notes = match start {
            Start::First => Vec::new(),
            Start::LastCheckpoint => notes::read(&snapshot, room)?,
        };
        Ok(Some(Opened { cursor, before, entries, notes }))
    }
}

/// Merges the pieces into the entries from `first` on. On a gap returns the number of the first missing entry.
fn put_together(first: u64, pieces: Vec<(u64, Vec<String>)>) -> Result<Vec<String>, u64> {
    let mut entries: Vec<String> = Vec::new();
    for (begins, piece) in pieces {
        let next = first + entries.len() as u64;
        let known = next.checked_sub(begins).ok_or(next)?;
        entries.extend(piece.into_iter().skip(known as usize));
    }
    if entries.is_empty() { Err(first) } else { Ok(entries) }
}
