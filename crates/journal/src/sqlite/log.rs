//! The log: every append goes to its end, whichever room it is of, so that what is committed together is written
//! together. Which of its entries are whose is known in memory alone (an index), and from there the writer knows where
//! a room ends.
//!
//! What a batch has done so far is kept apart (`Staged`) until it is committed: memory never says more than the file.

use super::mark::Committed;
use super::{bring_over, notes, runs};
use crate::{Cursor, JournalError, Lines};
use rusqlite::{CachedStatement, Connection, params};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many rooms may wait in memory until it is written down that they were opened.
const MOST_TO_NOTE: usize = 10_000;

/// An entry of the log: its number in its room, where it lies, and what it says. The log is small, so it is kept in memory too: to
/// ask the file for each entry again would be half the work of sorting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) n: u64,
    pub(super) seq: u64,
    pub(super) entry: Arc<str>,
}

/// Which entries of the log are whose, in order. Shared by the writer, who alone changes it, and those who read.
#[derive(Debug, Default)]
pub(super) struct LogIndex {
    rooms: Mutex<HashMap<String, Vec<Place>>>,
}

impl LogIndex {
    /// Those of one room.
    pub(super) fn of(&self, room: &str) -> Vec<Place> {
        self.held().get(room).cloned().unwrap_or_default()
    }

    fn end(&self, room: &str) -> Option<u64> {
        self.held().get(room)?.last().map(|place| place.n)
    }

    /// The rooms of which anything is in the log.
    pub(super) fn rooms(&self) -> Vec<String> {
        self.held().keys().cloned().collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.held().is_empty()
    }

    /// Everything up to this place is no longer in the log.
    pub(super) fn drop_up_to(&self, seq: u64) {
        self.held().retain(|_, places| {
            let gone = places.partition_point(|place| place.seq <= seq);
            places.drain(..gone);
            // What a burst has taken is given back.
            places.shrink_to(places.len() * 2);
            !places.is_empty()
        });
    }

    fn held(&self) -> MutexGuard<'_, HashMap<String, Vec<Place>>> {
        // Nothing here panics halfway through a change, so what a poisoned lock holds is whole.
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Amount {
    pub(super) entries: usize,
    pub(super) bytes: usize,
}

/// What the writer knows of the log, and of rooms beyond what the file says.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) index: Arc<LogIndex>,
    /// The place of the next entry. No place is used twice while the process lives, or a reader who still holds an old
    /// index would find another's entry there.
    next: u64,
    /// What has come into it since it was last sorted.
    pub(super) new: Amount,
    /// When rooms were opened by appends, which do not write it down: that would touch a page for each room. It is
    /// written with the running time, once a minute. A crash makes a room at most that much older.
    opened: HashMap<String, u64>,
    /// Whether the file has entries in the form of earlier versions.
    pub(super) has_old: bool,
    /// An entry of the last commit, for the mark; `None` once that has it.
    pub(super) newest: Option<Committed>,
    staged: Staged,
}

/// What the transaction under way has done.
#[derive(Debug, Default)]
struct Staged {
    appended: HashMap<String, Vec<Place>>,
    deleted: HashSet<String>,
    opened: HashMap<String, u64>,
    new: Amount,
    /// Whether it has written down when rooms were opened.
    noted: bool,
}

/// Why nothing was appended.
#[derive(Debug)]
pub(super) enum NotAppended {
    /// The compare-and-set failed. The others of the transaction are not touched by it.
    Conflict { actual: Cursor },
    /// The transaction is over, for the others too.
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

impl Log {
    /// Reads what lies in the log. Acts come one by one and are sorted faster than that, so it holds some ten thousand entries.
    pub(super) fn scan(connection: &Connection) -> rusqlite::Result<Log> {
        let mut rooms: HashMap<String, Vec<Place>> = HashMap::new();
        let mut new = Amount::default();
        let mut next = 1;
        let mut select = connection.prepare("SELECT seq, room, n, entry FROM log ORDER BY seq")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let entry = Arc::from(row.get_ref(3)?.as_str()?);
            let place = Place { seq: row.get(0)?, n: row.get(2)?, entry };
            new.entries += 1;
            new.bytes += place.entry.len();
            next = place.seq + 1;
            let room = row.get_ref(1)?.as_str()?;
            match rooms.get_mut(room) {
                Some(places) => places.push(place),
                None => drop(rooms.insert(room.to_owned(), vec![place])),
            }
        }
        Ok(Log {
            index: Arc::new(LogIndex { rooms: Mutex::new(rooms) }),
            next,
            new,
            opened: HashMap::new(),
            has_old: bring_over::is_needed(connection)?,
            newest: None,
            staged: Staged::default(),
        })
    }

    /// The place of the last entry that is in the log or ever was.
    pub(super) fn last(&self) -> u64 {
        self.next - 1
    }

    /// Forgets what a transaction did that was rolled back.
    pub(super) fn begin(&mut self) {
        self.staged = Staged::default();
    }

    /// What was done since [`Log::begin`] is committed. Readers see it from here on, so nobody is answered before.
    pub(super) fn committed(&mut self) {
        let Staged { appended, deleted, opened, new, noted } = std::mem::take(&mut self.staged);
        if noted {
            self.opened.clear();
        }
        let mut index = self.index.held();
        for room in deleted {
            index.remove(&room);
            self.opened.remove(&room);
        }
        for (room, places) in appended {
            // One room of a commit is enough: it is on disk as a whole, or not at all.
            if self.newest.is_none() {
                self.newest = places.last().map(|place| Committed { room: room.clone(), entries: place.n });
            }
            match index.get_mut(&room) {
                Some(before) => before.extend(places),
                None => drop(index.insert(room, places)),
            }
        }
        drop(index);
        self.opened.extend(opened);
        self.new.entries += new.entries;
        self.new.bytes += new.bytes;
    }

    /// The statement all appends of a batch share.
    pub(super) fn insert(connection: &Connection) -> rusqlite::Result<CachedStatement<'_>> {
        connection.prepare_cached("INSERT INTO log (seq, room, n, entry) VALUES (?1, ?2, ?3, ?4)")
    }

    /// Appends in the transaction under way, if the room ends where it should.
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
        let places = self.staged.appended.get_mut(room).expect("it was just put there");
        let mut end = actual;
        for entry in &lines.entries {
            end.entries += 1;
            insert.execute(params![self.next, room, end.entries, entry])?;
            places.push(Place { n: end.entries, seq: self.next, entry: Arc::from(entry.as_str()) });
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

    /// Writes a note in the transaction under way, if the room ends where it should.
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
        // Before its first entry there is no room to note anything in.
        if actual != at || actual == Cursor::START {
            return Err(NotAppended::Conflict { actual });
        }
        notes::write(connection, room, slot, note)?;
        self.opens(room, running_ms);
        Ok(())
    }

    /// What was written opened the room.
    fn opens(&mut self, room: &str, running_ms: u64) {
        let before = self.opened_by_appends(room);
        if before.is_none_or(|before| before < running_ms) {
            self.staged.opened.insert(room.to_owned(), running_ms);
        }
    }

    /// The number of a room's last entry. What lies in the log is the newest there is, so the file is asked only for a
    /// room of which nothing lies there.
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

    /// When an append last opened the room, as far as the file does not have it.
    fn opened_by_appends(&self, room: &str) -> Option<u64> {
        self.staged.opened.get(room).or_else(|| self.opened.get(room)).copied()
    }

    /// Whether so many rooms wait to be noted that it should not wait for the running time.
    pub(super) fn has_many_to_note(&self) -> bool {
        self.opened.len() >= MOST_TO_NOTE
    }

    /// Writes down when rooms were opened by appends.
    pub(super) fn note_opened(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut update = set_opened(connection)?;
        for (room, running_ms) in &self.opened {
            update.execute(params![room, millis(*running_ms)])?;
        }
        self.staged.noted = true;
        Ok(())
    }

    /// Deletes a room that was not opened since, in the transaction under way; answers whether there was one.
    pub(super) fn delete(
        &mut self,
        connection: &Connection,
        room: &str,
        before_ms: u64,
    ) -> rusqlite::Result<bool> {
        if self.opened_by_appends(room).is_some_and(|opened_ms| opened_ms >= before_ms) {
            return Ok(false);
        }
        // Notes, and entries in the form of earlier versions, are deleted with it (`ON DELETE CASCADE`).
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

/// The statement that notes when a room was opened.
pub(super) fn set_opened(connection: &Connection) -> rusqlite::Result<CachedStatement<'_>> {
    connection.prepare_cached("UPDATE rooms SET opened_ms = max(opened_ms, ?2) WHERE code = ?1")
}

/// SQLite counts to 2^63; a later time is as good as never, and must not fail the others in the batch.
pub(super) fn millis(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}
