//! Sorting (compaction): the log's entries are brought together by room into runs, and then deleted from the log. A slice
//! of the log at a time, and that in steps of a few milliseconds.
//!
//! The log is deleted from only when the whole slice is in runs, and an entry that is in both counts once, by its
//! number: a crash anywhere between loses and doubles nothing.

use super::background::{Progress, Until};
use super::log::Log;
use super::{bring_over, runs};
use crate::JournalError;
use rusqlite::{Connection, OptionalExtension};

/// How many places of the log are deleted between two looks at the clock.
const DELETED: u64 = 512;

/// A slice being sorted.
#[derive(Clone, Debug)]
pub(super) struct Sorting {
    /// The last place of the slice.
    up_to: u64,
    /// The rooms that may have entries in it, and how many of these are done.
    rooms: std::sync::Arc<[String]>,
    done: usize,
    /// The log is empty up to here.
    deleted: u64,
}

impl Sorting {
    /// Begins with all that is in the log now.
    pub(super) fn begin(log: &mut Log) -> Sorting {
        log.new = Default::default();
        Sorting { up_to: log.last(), rooms: log.index.rooms().into(), done: 0, deleted: 0 }
    }

    /// Does some of it in the transaction under way; answers how far it has come if that is committed.
    pub(super) fn step(
        &self,
        connection: &Connection,
        log: &Log,
        until: &Until,
    ) -> Result<(Sorting, Progress), JournalError> {
        let mut reached = self.clone();
        while let Some(room) = self.rooms.get(reached.done) {
            if !self.sort_some(connection, log, room)? {
                reached.done += 1;
            }
            if until.is_over() {
                return Ok((reached, Progress::MoreToDo));
            }
        }
        if log.last() == self.up_to {
            // Nothing has come since: SQLite then lets go of all pages without looking at what is on them.
            connection.prepare_cached("DELETE FROM log")?.execute([])?;
            return Ok((reached, Progress::Done));
        }
        if reached.deleted == 0 {
            let first: Option<u64> = connection
                .prepare_cached("SELECT seq FROM log ORDER BY seq LIMIT 1")?
                .query_row([], |row| row.get(0))
                .optional()?;
            reached.deleted = first.map_or(self.up_to, |first| first - 1);
        }
        while reached.deleted < self.up_to {
            reached.deleted = self.up_to.min(reached.deleted + DELETED);
            connection.prepare_cached("DELETE FROM log WHERE seq <= ?1")?.execute([reached.deleted])?;
            if until.is_over() {
                break;
            }
        }
        let progress = if reached.deleted < self.up_to { Progress::MoreToDo } else { Progress::Done };
        Ok((reached, progress))
    }

    /// The log no longer has the slice.
    pub(super) fn finish(self, log: &Log) {
        log.index.drop_up_to(self.up_to);
    }

    /// Writes the next run of a room; answers whether there was anything to write.
    fn sort_some(&self, connection: &Connection, log: &Log, room: &str) -> Result<bool, JournalError> {
        let mut end = runs::end(connection, room)?;
        if log.has_old {
            end = end.max(bring_over::end(connection, room)?);
        }
        let places = log.index.of(room);
        let from = places.partition_point(|place| place.n <= end);
        let to = places.partition_point(|place| place.seq <= self.up_to);
        let mut entries: Vec<&str> = Vec::new();
        let (mut first, mut bytes) = (0, 0);
        for place in places.get(from..to).unwrap_or_default() {
            if entries.is_empty() {
                first = place.n;
            }
            // Over a gap no run goes: it stays a gap.
            if place.n != first + entries.len() as u64 || bytes >= runs::MOST_BYTES {
                break;
            }
            bytes += runs::size_of_entry(&place.entry);
            entries.push(&place.entry);
        }
        if entries.is_empty() {
            return Ok(false);
        }
        runs::append(connection, room, first, &entries)?;
        Ok(true)
    }
}
