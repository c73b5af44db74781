//! The log of the journal: all appends go to its end, whatever their room, so that entries committed together are
//! written together. Compaction sorts it by room into runs later. `docs/design/journal-log.md` explains why it exists.
//!
//! The functions of [`Log`], for the writer, and of [`LogReader`] are the whole interface. Where an entry is stored is
//! known only in here: in the log (`index`, `state`), in runs (`runs`, `sorting`) or in the format of earlier versions
//! (`bring_over`). `background` does the sorting and migration in small steps (`step`), and `reading` merges the three.

mod background;
mod bring_over;
#[cfg(test)]
mod crashes;
mod index;
mod reading;
mod runs;
mod sorting;
mod state;
mod step;

pub(super) use reading::{LogReader, Start};
pub(super) use state::NotAppended;

use super::mark::Committed;
use super::transaction::in_transaction;
use crate::{Cursor, JournalError, Lines};
use background::Background;
use rusqlite::{CachedStatement, Connection};
use state::LogState;
use std::time::Instant;
use step::{StepOutcome, Until};

/// The writer's end of the log.
///
/// All changes happen within a transaction of the caller, between [`Log::begin`] and [`Log::committed`]. After a
/// rollback the next [`Log::begin`] discards them.
#[derive(Debug)]
pub(super) struct Log {
    state: LogState,
    background: Background,
}

/// The prepared statement that all appends of a transaction share.
pub(super) struct Appending<'c>(CachedStatement<'c>);

/// Result of one step of a sweep.
#[derive(Debug)]
pub(super) struct Swept {
    /// Number of rooms that were processed. The others are left for the next step.
    pub(super) looked_at: usize,
    pub(super) deleted: Vec<String>,
    /// Whether there are free pages left to return to the disk.
    pub(super) more_to_shrink: bool,
}

impl Log {
    /// Reads the log from the file. It is compacted whenever it has `sorted_at` entries.
    pub(super) fn open(connection: &Connection, sorted_at: usize) -> rusqlite::Result<Log> {
        let state = LogState::scan(connection)?;
        let background = Background::new(sorted_at, &state);
        Ok(Log { state, background })
    }

    /// Returns the readers' end.
    pub(super) fn reader(&self) -> LogReader {
        LogReader { index: self.state.index.clone(), has_old: self.background.has_old.clone() }
    }

    /// Returns the number of a room's last entry, or 0 if the room does not exist.
    pub(super) fn end(&self, connection: &Connection, room: &str) -> Result<u64, JournalError> {
        self.state.end(connection, room)
    }

    /// Starts the changes of a transaction.
    pub(super) fn begin<'c>(&mut self, connection: &'c Connection) -> rusqlite::Result<Appending<'c>> {
        self.state.begin();
        if self.state.has_many_to_note() {
            self.state.note_opened(connection)?;
        }
        LogState::insert(connection).map(Appending)
    }

    /// Appends the lines if the room ends at `after`.
    pub(super) fn append(
        &mut self,
        connection: &Connection,
        appending: &mut Appending<'_>,
        room: &str,
        after: Cursor,
        lines: &Lines,
        running_ms: u64,
    ) -> Result<Cursor, NotAppended> {
        self.state.append(connection, &mut appending.0, room, after, lines, running_ms)
    }

    /// Writes a note if the room ends at `at`.
    pub(super) fn note(
        &mut self,
        connection: &Connection,
        room: &str,
        at: Cursor,
        slot: u8,
        note: &str,
        running_ms: u64,
    ) -> Result<(), NotAppended> {
        self.state.note(connection, room, at, slot, note, running_ms)
    }

    /// Writes that a room was opened.
    pub(super) fn touch(&self, connection: &Connection, room: &str, running_ms: u64) -> rusqlite::Result<()> {
        LogState::touch(connection, room, running_ms)
    }

    /// Writes when rooms were opened by appends. It is done once a minute, because it touches a page for each room.
    pub(super) fn note_opened(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.state.note_opened(connection)
    }

    /// Deletes the given rooms that have not been opened since `before_ms`, wherever their entries are stored, and
    /// returns some free space to the disk. Does as much as one step has time for, and at least one room.
    pub(super) fn sweep(
        &mut self,
        connection: &Connection,
        rooms: &[String],
        before_ms: u64,
    ) -> rusqlite::Result<Swept> {
        let until = Until::a_step_from_now();
        let mut looked_at = 0;
        let mut deleted = Vec::new();
        for room in rooms {
            if self.state.delete(connection, room, before_ms)? {
                deleted.push(room.clone());
            }
            looked_at += 1;
            if until.is_over() {
                return Ok(Swept { looked_at, deleted, more_to_shrink: true });
            }
        }
        let shrunk = step::shrink(connection, &until)?;
        Ok(Swept { looked_at, deleted, more_to_shrink: shrunk == StepOutcome::MoreToDo })
    }

    /// Publishes the changes of the transaction, which is committed. Readers see them from here on, so no answer may be
    /// sent before. Returns one of the appended entries.
    pub(super) fn committed(&mut self) -> Option<Committed> {
        self.state.committed()
    }

    /// Returns whether there is background work to do now.
    pub(super) fn has_work(&self) -> bool {
        self.background.is_due(&self.state)
    }

    /// Returns whether background work should be done before more appends.
    pub(super) fn has_urgent_work(&self) -> bool {
        self.background.is_impatient(&self.state)
    }

    /// Performs one step of background work in a transaction of its own. After an error the step had no effect and is
    /// retried later.
    pub(super) fn work(&mut self, connection: &Connection) -> Result<(), JournalError> {
        self.background.step(connection, &mut self.state)
    }

    /// Suspends background work for a while because of this error.
    pub(super) fn pause_work(&mut self, because: JournalError) -> JournalError {
        self.background.pause(because)
    }

    /// Leaves the file in a state that is good for opening or copying it, as far as that is done by a point in time.
    pub(super) fn finish(&mut self, connection: &Connection, by: Instant) -> Result<(), JournalError> {
        self.state.begin();
        in_transaction(connection, || Ok::<_, JournalError>(self.state.note_opened(connection)?))?;
        self.background.finish(connection, &mut self.state, by)
    }
}
