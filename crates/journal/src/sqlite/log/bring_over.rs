//! Migration from formats up to 2, in which every entry was a row of the table `entries`. Such a file is used as it is,
//! and its rooms are converted to runs one by one while the server is in use. Until then a room's entries come from
//! both.
//!
//! Entries are inserted into the new table and deleted from the old one in one transaction, so a crash neither loses
//! nor duplicates any.

use super::runs;
use super::step::{StepOutcome, Until};
use crate::JournalError;
use rusqlite::{Connection, params};

/// Number of rooms listed at a time.
const LISTED: usize = 256;

/// Returns whether the file contains entries in the format of earlier versions.
pub(super) fn is_needed(connection: &Connection) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'entries'")?.exists([])
}

/// Returns the number of a room's last entry in the old format, or 0 if there is none.
pub(super) fn end(connection: &Connection, room: &str) -> rusqlite::Result<u64> {
    let end: Option<u64> =
        connection.prepare_cached("SELECT max(n) FROM entries WHERE room = ?1")?.query_row([room], |row| row.get(0))?;
    Ok(end.unwrap_or(0))
}

/// Passes a room's entries in the old format to `take`, from this number on.
pub(super) fn read(
    connection: &Connection,
    room: &str,
    from: u64,
    mut take: impl FnMut(u64, String),
) -> rusqlite::Result<()> {
    let mut select =
        connection.prepare_cached("SELECT n, entry FROM entries WHERE room = ?1 AND n >= ?2 ORDER BY n")?;
    let mut rows = select.query(params![room, from])?;
    while let Some(row) = rows.next()? {
        take(row.get(0)?, row.get(1)?);
    }
    Ok(())
}

/// Progress of the migration of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct BringingOver {
    /// All rooms up to this one are done.
    after: String,
    /// Rooms that could not be read. Their entries stay in the old table.
    left_out: Vec<String>,
}

/// Why a step was rolled back, and the room that caused it, if known.
#[derive(Debug)]
pub(super) struct BringOverError {
    pub(super) room: Option<String>,
    pub(super) error: JournalError,
}

impl From<JournalError> for BringOverError {
    fn from(error: JournalError) -> BringOverError {
        BringOverError { room: None, error }
    }
}

impl BringingOver {
    /// Performs one step in the current transaction. Returns the progress that is valid if the transaction commits.
    pub(super) fn step(
        &self,
        connection: &Connection,
        until: &Until,
    ) -> Result<(BringingOver, StepOutcome), BringOverError> {
        let mut reached = self.clone();
        let rooms = rooms_after(connection, &self.after)?;
        for room in &rooms {
            let at = |error: rusqlite::Error| BringOverError { room: Some(room.clone()), error: error.into() };
            while !self.left_out.contains(room) && bring_some(connection, room).map_err(at)? {
                if until.is_over() {
                    return Ok((reached, StepOutcome::MoreToDo));
                }
            }
            reached.after.clone_from(room);
            if until.is_over() {
                return Ok((reached, StepOutcome::MoreToDo));
            }
        }
        if rooms.len() == LISTED {
            return Ok((reached, StepOutcome::MoreToDo));
        }
        if self.is_whole() {
            connection.execute_batch("DROP TABLE entries").map_err(JournalError::from)?;
        }
        Ok((reached, StepOutcome::Done))
    }

    /// Skips a room that cannot be read.
    pub(super) fn leave_out(&mut self, room: String) {
        self.left_out.push(room);
    }

    /// Returns whether no room was skipped.
    pub(super) fn is_whole(&self) -> bool {
        self.left_out.is_empty()
    }
}

fn rooms_after(connection: &Connection, after: &str) -> Result<Vec<String>, JournalError> {
    let mut select = connection.prepare_cached("SELECT code FROM rooms WHERE code > ?1 ORDER BY code LIMIT ?2")?;
    let rooms = select.query_map(params![after, LISTED], |row| row.get(0))?;
    Ok(rooms.collect::<rusqlite::Result<_>>()?)
}

/// Converts the first entries of a room to a run. Returns whether there were any.
fn bring_some(connection: &Connection, room: &str) -> rusqlite::Result<bool> {
    let mut select = connection.prepare_cached("SELECT n, entry FROM entries WHERE room = ?1 ORDER BY n")?;
    let mut rows = select.query([room])?;
    let mut entries: Vec<String> = Vec::new();
    let (mut first, mut bytes) = (0, 0);
    while let Some(row) = rows.next()? {
        let n: u64 = row.get(0)?;
        if entries.is_empty() {
            first = n;
        }
        // A run never spans a gap, so that gaps stay detectable.
        if n != first + entries.len() as u64 || bytes >= runs::MOST_BYTES {
            break;
        }
        let entry: String = row.get(1)?;
        bytes += runs::size_of_entry(&entry);
        entries.push(entry);
    }
    drop(rows);
    if entries.is_empty() {
        return Ok(false);
    }
    runs::insert(connection, room, first, &entries)?;
    connection
        .prepare_cached("DELETE FROM entries WHERE room = ?1 AND n < ?2")?
        .execute(params![room, first + entries.len() as u64])?;
    Ok(true)
}
