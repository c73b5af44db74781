//! What the writer knows about the log: where each room ends, and what to append next.
//!
//! The changes of a batch are kept separate (`Staged`) until they are committed, so that memory never contains more
//! than the file.

use super::index::{LogEntry, LogIndex};
use super::{bring_over, runs};
use crate::sqlite::mark::Committed;
use crate::sqlite::notes;
use crate::sqlite::schema::millis;
use crate::{Cursor, JournalError, Lines};
use rusqlite::{CachedStatement, Connection, params};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Maximum number of rooms in memory whose opening times have not been written yet.
const MOST_TO_NOTE: usize = 10_000;

/// Number and size of entries.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Amount {
    pub(super) entries: usize,
    pub(super) bytes: usize,
}

/// What the writer knows about the log, and about rooms beyond what is in the file.
#[derive(Debug)]
pub(super) struct LogState {
    pub(super) index: Arc<LogIndex>,
    /// The position of the next entry. No position is reused while the process runs, because a reader with an old index
    /// would find a different entry there.
    next: u64,
    /// Entries added since the last compaction.
    pub(super) new: Amount,
    /// When rooms were opened by appends. Appends do not write this, because it would touch a page for each room. It is
    /// written with the running time, once a minute. A crash makes a room at most that much older.
    opened: HashMap<String, u64>,
    /// Whether the file has entries in the format of earlier versions.
    pub(super) has_old: bool,
    staged: Staged,
}

/// Changes of the current transaction.
#[derive(Debug, Default)]
struct Staged {
    appended: HashMap<String, Vec<LogEntry>>,
    deleted: HashSet<String>,
    opened: HashMap<String, u64>,
    new: Amount,
    /// Whether it has written when rooms were opened.
    noted: bool,
}

/// Why nothing was appended.
#[derive(Debug)]
pub(in crate::sqlite) enum NotAppended {
    /// The compare-and-set failed. Other appends of the transaction are not affected.
    Conflict { actual: Cursor },
    /// The whole transaction failed.
    Broken(JournalError),
}

impl From<JournalError> for NotAppended {
    fn from(error: JournalError) -> NotAppended {
        NotAppended::Broken(error)
    }
}

impl From<rusqlite::Error> for NotAppended {
    fn from(error: rusqlite::Error) -> NotAppended {
        NotAppended::Broken(error.into())
    }
}

impl LogState {
    /// Reads the log from the file. Compaction keeps it at some ten thousand entries.
    pub(super) fn scan(connection: &Connection) -> rusqlite::Result<LogState> {
        let mut rooms: HashMap<String, Vec<LogEntry>> = HashMap::new();
        let mut new = Amount::default();
        let mut next = 1;
        let mut select = connection.prepare("SELECT seq, room, n, entry FROM log ORDER BY seq")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let entry = Arc::from(row.get_ref(3)?.as_str()?);
            let place = LogEntry { seq: row.get(0)?, n: row.get(2)?, entry };
            new.entries += 1;
            new.bytes += place.entry.len();
            next = place.seq + 1;
            let room = row.get_ref(1)?.as_str()?;
            match rooms.get_mut(room) {
                Some(places) => places.push(place),
                None => drop(rooms.insert(room.to_owned(), vec![place])),
            }
        }
        Ok(LogState {
            index: Arc::new(LogIndex::new(rooms)),
            next,
            new,
            opened: HashMap::new(),
            has_old: bring_over::is_needed(connection)?,
            staged: Staged::default(),
        })
    }

    /// Returns the highest position that is or ever was in the log.
    pub(super) fn last(&self) -> u64 {
        self.next - 1
    }

    /// Discards the changes of a transaction that was rolled back.
    pub(super) fn begin(&mut self) {
        self.staged = Staged::default();
    }

    /// Publishes the changes since [`LogState::begin`], which are committed. Readers see them from here on, so no
    /// answer may be sent before. Returns one of the appended entries: a commit is on disk completely or not at all.
    pub(super) fn committed(&mut self) -> Option<Committed> {
        let Staged { appended, deleted, opened, new, noted } = std::mem::take(&mut self.staged);
        if noted {
            self.opened.clear();
        }
        for room in &deleted {
            self.opened.remove(room);
        }
        let newest = appended
            .iter()
            .find_map(|(room, places)| places.last().map(|place| Committed { room: room.clone(), entries: place.n }));
        self.index.apply(deleted, appended);
        self.opened.extend(opened);
        self.new.entries += new.entries;
        self.new.bytes += new.bytes;
        newest
    }

    /// Prepares the statement that all appends of a batch share.
    pub(super) fn insert(connection: &Connection) -> rusqlite::Result<CachedStatement<'_>> {
        connection.prepare_cached("INSERT INTO log (seq, room, n, entry) VALUES (?1, ?2, ?3, ?4)")
    }

    /// Appends in the current transaction, if the room ends at `after`.
    pub(super) fn append(
        &mut self,
        connection: &Connection,
        insert: &mut CachedStatement<'_>,
        room: &str,
        after: Cursor,
        lines: &Lines,
        running_ms: u64,
    ) -> Result<Cursor, NotAppended> {
        let actual = Cursor::alone(self.end(connection, room)?);
        if actual != after {
            return Err(NotAppended::Conflict { actual });
        }
        if lines.entries.is_empty() {
            return Ok(actual);
        }
        if actual == Cursor::START {
            connection
                .prepare_cached("INSERT OR REPLACE INTO rooms (code, opened_ms) VALUES (?1, ?2)")?
                .execute(params![room, millis(running_ms)])?;
        }
        if !self.staged.appended.contains_key(room) {
            self.staged.appended.insert(room.to_owned(), Vec::with_capacity(lines.entries.len()));
        }
        let places = self.staged.appended.get_mut(room).expect("it was just inserted");
        let mut end = actual;
        for entry in &lines.entries {
            end.entries += 1;
            insert.execute(params![self.next, room, end.entries, entry])?;
            places.push(LogEntry { n: end.entries, seq: self.next, entry: Arc::from(entry.as_str()) });
            self.next += 1;
            self.staged.new.entries += 1;
            self.staged.new.bytes += entry.len();
        }
        if lines.checkpoint {
            connection
                .prepare_cached("UPDATE rooms SET checkpoint = ?2 WHERE code = ?1")?
                .execute(params![room, end.entries])?;
        }
        self.opens(room, running_ms);
        Ok(end)
    }

    /// Writes a note in the current transaction, if the room ends at `at`.
    pub(super) fn note(
        &mut self,
        connection: &Connection,
        room: &str,
        at: Cursor,
        slot: u8,
        note: &str,
        running_ms: u64,
    ) -> Result<(), NotAppended> {
        let actual = Cursor::alone(self.end(connection, room)?);
        // A room does not exist before its first entry.
        if actual != at || actual == Cursor::START {
            return Err(NotAppended::Conflict { actual });
        }
        notes::write(connection, room, slot, note)?;
        self.opens(room, running_ms);
        Ok(())
    }

    /// Writes that a room was opened, in the current transaction.
    pub(super) fn touch(connection: &Connection, room: &str, running_ms: u64) -> rusqlite::Result<()> {
        set_opened(connection)?.execute(params![room, millis(running_ms)])?;
        Ok(())
    }

    /// Records that a write opened the room.
    fn opens(&mut self, room: &str, running_ms: u64) {
        let before = self.opened_by_appends(room);
        if before.is_none_or(|before| before < running_ms) {
            self.staged.opened.insert(room.to_owned(), running_ms);
        }
    }

    /// Returns the number of a room's last entry. Entries in the log are always the newest, so the file is queried only
    /// for rooms without any.
    pub(super) fn end(&self, connection: &Connection, room: &str) -> Result<u64, JournalError> {
        if let Some(place) = self.staged.appended.get(room).and_then(|places| places.last()) {
            return Ok(place.n);
        }
        if self.staged.deleted.contains(room) {
            return Ok(0);
        }
        if let Some(end) = self.index.end(room) {
            return Ok(end);
        }
        let end = runs::end_that_can_be_read(connection, room)?;
        Ok(if self.has_old { end.max(bring_over::end(connection, room)?) } else { end })
    }

    /// Returns when an append last opened the room, if that is not in the file yet.
    fn opened_by_appends(&self, room: &str) -> Option<u64> {
        self.staged.opened.get(room).or_else(|| self.opened.get(room)).copied()
    }

    /// Returns whether so many rooms are pending that their opening times should be written now.
    pub(super) fn has_many_to_note(&self) -> bool {
        self.opened.len() >= MOST_TO_NOTE
    }

    /// Writes when rooms were opened by appends.
    pub(super) fn note_opened(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut update = set_opened(connection)?;
        for (room, running_ms) in &self.opened {
            update.execute(params![room, millis(*running_ms)])?;
        }
        self.staged.noted = true;
        Ok(())
    }

    /// Deletes a room that has not been opened since `before_ms`, in the current transaction. Returns whether it did.
    pub(super) fn delete(&mut self, connection: &Connection, room: &str, before_ms: u64) -> rusqlite::Result<bool> {
        if self.opened_by_appends(room).is_some_and(|opened_ms| opened_ms >= before_ms) {
            return Ok(false);
        }
        // Notes, and entries in the format of earlier versions, are deleted with it (`ON DELETE CASCADE`).
        let mut delete = connection.prepare_cached("DELETE FROM rooms WHERE code = ?1 AND opened_ms < ?2")?;
        if delete.execute(params![room, millis(before_ms)])? == 0 {
            return Ok(false);
        }
        connection.prepare_cached("DELETE FROM runs WHERE room = ?1")?.execute([room])?;
        let staged = self.staged.appended.remove(room).unwrap_or_default();
        let mut delete = connection.prepare_cached("DELETE FROM log WHERE seq = ?1")?;
        for place in self.index.of(room).iter().chain(&staged) {
            delete.execute([place.seq])?;
        }
        self.staged.opened.remove(room);
        self.staged.deleted.insert(room.to_owned());
        Ok(true)
    }
}

/// Prepares the statement that records when a room was opened.
fn set_opened(connection: &Connection) -> rusqlite::Result<CachedStatement<'_>> {
    connection.prepare_cached("UPDATE rooms SET opened_ms = max(opened_ms, ?2) WHERE code = ?1")
}
