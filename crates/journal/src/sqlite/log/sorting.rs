//! Compaction: the log's entries are grouped by room into runs and then deleted from the log. It processes one slice of
//! the log at a time, in steps of a few milliseconds.
//!
//! Deletion starts only when the whole slice is in runs, and an entry that is in both counts once, by its number. A
//! crash at any point therefore neither loses nor duplicates anything.

use super::state::LogState;
use super::step::{StepOutcome, Until};
use super::{bring_over, runs};
use crate::JournalError;
use rusqlite::{Connection, OptionalExtension};

/// Number of log positions deleted between two checks of the time.
const DELETED: u64 = 512;

/// A slice of the log under compaction.
#[derive(Clone, Debug)]
pub(super) struct Sorting {
    /// The last position of the slice.
    up_to: u64,
    /// The rooms that may have entries in it, and how many of these are done.
    rooms: std::sync::Arc<[String]>,
    done: usize,
    /// The log is empty up to this position.
    deleted: u64,
}

impl Sorting {
    /// Starts with everything that is in the log now.
    pub(super) fn begin(log: &mut LogState) -> Sorting {
        log.new = Default::default();
        Sorting { up_to: log.last(), rooms: log.index.rooms().into(), done: 0, deleted: 0 }
    }

    /// Performs one step in the current transaction. Returns the progress that is valid if the transaction commits.
    pub(super) fn step(
        &self,
        connection: &Connection,
        log: &LogState,
        until: &Until,
    ) -> Result<(Sorting, StepOutcome), JournalError> {
        let mut reached = self.clone();
        while let Some(room) = self.rooms.get(reached.done) {
            if !self.sort_some(connection, log, room)? {
                reached.done += 1;
            }
            if until.is_over() {
                return Ok((reached, StepOutcome::MoreToDo));
            }
        }
        if log.last() == self.up_to {
            // Nothing was added since the start, so SQLite can free all pages without reading them.
            connection.prepare_cached("DELETE FROM log")?.execute([])?;
            return Ok((reached, StepOutcome::Done));
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
        let progress = if reached.deleted < self.up_to { StepOutcome::MoreToDo } else { StepOutcome::Done };
        Ok((reached, progress))
    }

    /// Removes the slice from the index, because it is no longer in the log.
    pub(super) fn finish(self, log: &LogState) {
        log.index.drop_up_to(self.up_to);
    }

    /// Writes the next run of a room. Returns whether there was anything to write.
    fn sort_some(&self, connection: &Connection, log: &LogState, room: &str) -> Result<bool, JournalError> {
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
            // A run never spans a gap, so that gaps stay detectable.
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
