//! Bringing over: up to format 2 every entry was a row of its own in a table `entries`. Such a file is used as it is, and
//! its rooms are made into runs one after the other while people play. Until then a room is made of both.
//!
//! Entries are inserted there and deleted here in one transaction, so a crash loses and doubles none.

use super::background::{Progress, Until};
use super::runs;
use crate::JournalError;
use rusqlite::{Connection, params};

/// How many rooms are listed at a time.
const LISTED: usize = 256;

/// Whether the file has entries in the form of earlier versions.
pub(super) fn is_needed(connection: &Connection) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'entries'")?
        .exists([])
}

/// The number of the last entry of a room in the old form; 0 if there is none.
pub(super) fn end(connection: &Connection, room: &str) -> rusqlite::Result<u64> {
    let end: Option<u64> = connection
        .prepare_cached("SELECT max(n) FROM entries WHERE room = ?1")?
        .query_row([room], |row| row.get(0))?;
    Ok(end.unwrap_or(0))
}

/// Hands on the entries of a room in the old form, from this number on.
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

/// How far the bringing over of a file has come.
#[derive(Clone, Debug, Default)]
pub(super) struct BringingOver {
    /// All rooms up to this one have been looked at.
    after: String,
    /// Rooms that could not be read; their entries stay where they are.
    left_out: Vec<String>,
}

/// Why a step was rolled back, and the room it was at, if it was one.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) room: Option<String>,
    pub(super) error: JournalError,
}

impl From<JournalError> for Broken {
    fn from(error: JournalError) -> Broken {
        Broken { room: None, error }
    }
}

impl BringingOver {
    /// Does some of it in the transaction under way; answers how far it has come if that is committed.
    pub(super) fn step(
        &self,
        connection: &Connection,
        until: &Until,
    ) -> Result<(BringingOver, Progress), Broken> {
        let mut reached = self.clone();
        let rooms = rooms_after(connection, &self.after)?;
        for room in &rooms {
            let at = |error: rusqlite::Error| Broken { room: Some(room.clone()), error: error.into() };
            while !self.left_out.contains(room) && bring_some(connection, room).map_err(at)? {
                if until.is_over() {
                    return Ok((reached, Progress::MoreToDo));
                }
            }
            reached.after.clone_from(room);
            if until.is_over() {
                return Ok((reached, Progress::MoreToDo));
            }
        }
        if rooms.len() == LISTED {
            return Ok((reached, Progress::MoreToDo));
        }
        if self.is_whole() {
            connection.execute_batch("DROP TABLE entries").map_err(JournalError::from)?;
        }
        Ok((reached, Progress::Done))
    }

    /// Does no more for a room that cannot be read.
    pub(super) fn leave_out(&mut self, room: String) {
        self.left_out.push(room);
    }

    /// Whether nothing was left out.
    pub(super) fn is_whole(&self) -> bool {
        self.left_out.is_empty()
    }
}

fn rooms_after(connection: &Connection, after: &str) -> Result<Vec<String>, JournalError> {
    let mut select =
        connection.prepare_cached("SELECT code FROM rooms WHERE code > ?1 ORDER BY code LIMIT ?2")?;
    let rooms = select.query_map(params![after, LISTED], |row| row.get(0))?;
    Ok(rooms.collect::<rusqlite::Result<_>>()?)
}

/// Makes the first entries of a room into a run; answers whether there were any.
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
        // Over a gap no run goes: it stays a gap.
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
