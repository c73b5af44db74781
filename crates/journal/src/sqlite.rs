//! A journal in one SQLite file, for one server.
//!
//! Appends go through a bounded queue to the single writer thread. Reads have their own connections and see only
//! committed data. This module passes requests on and waits for answers. It writes nothing itself.

mod copy;
mod folder;
mod health;
mod job;
mod log;
mod mark;
mod notes;
mod open_error;
mod open_files;
mod queue;
mod readers;
mod schema;
mod transaction;
mod writer;

pub use copy::{CopyError, copy};
pub use open_error::OpenError;

use crate::moving::{Kept, Shelf};
use crate::{AppendError, Cursor, Journal, JournalError, Lines, Opened, Pending};
use folder::{lock, make_file, make_folder, private_file};
use health::Health;
use job::{Job, Reply};
use log::{Log, LogReader, Start};
use mark::{Committed, Mark};
use open_files::OpenFiles;
use queue::Jobs;
use readers::Readers;
use rusqlite::Connection;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use writer::Writer;

const DATABASE: &str = "rookery.db";
const LOCK: &str = "rookery.lock";

/// Maximum number of rooms in one step of a sweep. A step deletes as many as it has time for.
const SWEEP_ROOMS: usize = 256;

/// Pacing: a sweep pauses this many times as long as its last step took, so that it uses a tenth of the writer and the
/// disk. On a slow disk both the steps and the pauses become longer.
const SWEEP_RESTS: u32 = 9;

/// Options for opening a journal.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long to wait for another program (a backup, a `sqlite3` shell) that holds the file's lock.
    pub busy_timeout: Duration,
    /// Maximum size of the file in pages of 4 KiB, beyond which appends fail as on a full disk.
    pub max_pages: Option<u32>,
    /// Number of entries in the log at which it is compacted into runs. A higher number makes longer runs and fewer
    /// writes, but all entries of the log are scanned when the journal is opened after a crash.
    pub sorted_at: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { busy_timeout: Duration::from_secs(5), max_pages: None, sorted_at: 16 << 10 }
    }
}

/// A journal in the file `rookery.db` of a folder.
///
/// Call [`Journal::close`] before the process ends or the folder is opened again. Dropping it also writes everything
/// but does not wait for that.
#[derive(Debug)]
pub struct Sqlite {
    jobs: Jobs,
    readers: Arc<Readers>,
    /// The running time as stored in the file.
    running_ms: AtomicU64,
}

impl Sqlite {
    /// Opens the journal of a folder, and creates both if missing. Blocks for a moment.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(folder: &Path) -> Result<Sqlite, OpenError> {
        Sqlite::open_with(folder, Settings::default())
    }

    /// Opens the journal with other than the default settings.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open_with(folder: &Path, settings: Settings) -> Result<Sqlite, OpenError> {
        make_folder(folder).map_err(|source| OpenError::Files { path: folder.to_owned(), source })?;
        let lock = lock(folder)?;
        let file = folder.join(DATABASE);
        make_file(&file)?;
        // SQLite gives its write-ahead log the permissions of the database, so setting them here is enough.
        private_file(&file).map_err(|source| OpenError::Files { path: file.clone(), source })?;
        let connection = schema::open_writer(&file, &settings)?;
        let running_ms = schema::running_ms(&connection).map_err(|error| schema::cannot_open(&file, &error))?;
        let log = Log::open(&connection, settings.sorted_at).map_err(|error| schema::cannot_open(&file, &error))?;
        let health = Arc::new(Health::new());
        let mark = look_for_loss(folder, &file, &connection, &log, &health)?;
        folder::warn_of_wide_permissions(folder, &file);
        let reader = log.reader();
        // Must come after the reads above, which made SQLite open its write-ahead log.
        let place = OpenFiles::now(&file, &folder.join(LOCK))
            .map_err(|source| OpenError::Files { path: file.clone(), source })?;
        let place = Arc::new(place);
        let (jobs, queue) = queue::queue();
        let writer = Writer {
            connection,
            lock,
            log,
            jobs: queue,
            place: place.clone(),
            health: health.clone(),
            mark,
            runtime: Handle::try_current().ok(),
        };
        writer.spawn().map_err(|source| OpenError::Files { path: file.clone(), source })?;
        let readers = Readers::new(file, settings, place, health, reader);
        Ok(Sqlite { jobs, readers, running_ms: AtomicU64::new(running_ms) })
    }

    /// Sends a job to the writer and waits until it is committed or has failed.
    async fn ask<T, E>(&self, job: impl FnOnce(Reply<T, E>) -> Job) -> Result<T, E>
    where
        E: From<JournalError>,
    {
        let (sender, answer) = oneshot::channel();
        let taken = self.jobs.send(job(Reply::new(sender))).await;
        // Jobs left in the queue when the writer ends are dropped together with their reply channels.
        match if taken { answer.await.ok() } else { None } {
            Some(answered) => answered,
            None => Err(self.gone().into()),
        }
    }

    fn gone(&self) -> JournalError {
        if self.readers.is_closed() { JournalError::Closed } else { JournalError::WriterGone }
    }

    async fn query<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection, &LogReader) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        // A writer that has ended has removed its write-ahead log. Its data can still be read.
        let has_log = !self.jobs.is_closed();
        self.readers.query(has_log, query).await
    }
}

/// Opens the mark, and reports a loss if the database lacks what the mark says was committed. A loss is reported at one
/// start only, because the mark is cleared then.
fn look_for_loss(
    folder: &Path,
    file: &Path,
    connection: &Connection,
    log: &Log,
    health: &Health,
) -> Result<Mark, OpenError> {
    let (mut mark, said) =
        Mark::open(folder, file).map_err(|source| OpenError::Files { path: folder.to_owned(), source })?;
    // A room that cannot be read is reported when it is opened.
    if let Some(Committed { room, entries }) = said
        && log.end(connection, &room).is_ok_and(|end| end < entries)
    {
        health.met_damage(&JournalError::Lost);
        if let Err(error) = mark.clear() {
            tracing::warn!(%error, "cannot clear the mark; the next start will report the same loss");
        }
    }
    Ok(mark)
}

impl Journal for Sqlite {
    fn append_lines<'a>(
        &'a self,
        room: &'a str,
        after: Cursor,
        lines: Lines,
        running_ms: u64,
    ) -> Pending<'a, Result<Cursor, AppendError>> {
        let room = room.to_owned();
        Box::pin(self.ask(move |reply| Job::Append { room, after, lines, running_ms, reply }))
    }

    fn note<'a>(
        &'a self,
        room: &'a str,
        at: Cursor,
        slot: u8,
        note: String,
        running_ms: u64,
    ) -> Pending<'a, Result<(), AppendError>> {
        let room = room.to_owned();
        Box::pin(self.ask(move |reply| Job::Note { room, at, slot, note, running_ms, reply }))
    }

    fn open<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<Option<Opened>, JournalError>> {
        Box::pin(async move {
            // Recorded before reading, because a sweep in between would delete the room.
            if let Err(error) = self.touch(room, running_ms).await {
                tracing::debug!(room, %error, "cannot record that the room was opened");
            }
            let room = room.to_owned();
            self.query(move |connection, reader| reader.read(connection, &room, Start::LastCheckpoint)).await
        })
    }

    fn read<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Vec<String>>, JournalError>> {
        let room = room.to_owned();
        Box::pin(self.query(move |connection, reader| {
            let read = reader.read(connection, &room, Start::First)?;
            Ok(read.map(|read| read.entries))
        }))
    }

    fn exists<'a>(&'a self, room: &'a str) -> Pending<'a, Result<bool, JournalError>> {
        let room = room.to_owned();
        Box::pin(self.query(move |connection, _| {
            let mut select = connection.prepare_cached("SELECT 1 FROM rooms WHERE code = ?1")?;
            Ok(select.exists([&room])?)
        }))
    }

    fn touch<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<(), JournalError>> {
        let room = room.to_owned();
        Box::pin(self.ask(move |reply| Job::Touch { room, running_ms, reply }))
    }

    fn forget_unopened<'a>(
        &'a self,
        before_ms: u64,
        keep: Vec<String>,
    ) -> Pending<'a, Result<Vec<String>, JournalError>> {
        Box::pin(async move {
            let keep: HashSet<String> = keep.into_iter().collect();
            let mut rooms = self.query(move |connection, _| unopened(connection, before_ms)).await?;
            rooms.retain(|room| !keep.contains(room));
            let mut deleted = Vec::new();
            let mut more_to_shrink = false;
            let mut rest = rooms.as_slice();
            let mut pause = Duration::ZERO;
            // Each step is a separate job, so that appends can run in between.
            while !rest.is_empty() || more_to_shrink {
                tokio::time::sleep(pause).await;
                let started = Instant::now();
                let rooms = rest[..rest.len().min(SWEEP_ROOMS)].to_vec();
                let swept = self.ask(|reply| Job::Sweep { rooms, before_ms, reply }).await?;
                pause = started.elapsed() * SWEEP_RESTS;
                deleted.extend(swept.deleted);
                more_to_shrink = swept.more_to_shrink;
                rest = &rest[swept.looked_at..];
            }
            Ok(deleted)
        })
    }

    fn running_ms(&self) -> u64 {
        self.running_ms.load(Ordering::Relaxed)
    }

    fn ran(&self, running_ms: u64) -> Pending<'_, Result<(), JournalError>> {
        Box::pin(async move {
            self.ask(move |reply| Job::Ran { running_ms, reply }).await?;
            self.running_ms.fetch_max(running_ms, Ordering::Relaxed);
            Ok(())
        })
    }

    fn probe(&self) -> Pending<'_, Result<(), JournalError>> {
        Box::pin(self.ask(|reply| Job::Probe { reply }))
    }

    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async move {
            // Readers are closed first: the last connection to close removes the write-ahead log, and that must be the
            // writer.
            self.readers.close().await;
            // If the writer has already ended there is nothing to wait for.
            let _: Result<(), JournalError> = self.ask(|reply| Job::Close { reply }).await;
        })
    }
}

impl Shelf for Sqlite {
    fn rooms(&self) -> Pending<'_, Result<Vec<String>, JournalError>> {
        Box::pin(self.query(|connection, _| {
            let mut select = connection.prepare_cached("SELECT code FROM rooms ORDER BY code")?;
            let rooms = select.query_map([], |row| row.get(0))?;
            Ok(rooms.collect::<rusqlite::Result<_>>()?)
        }))
    }

    fn kept<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Kept>, JournalError>> {
        let room = room.to_owned();
        Box::pin(self.query(move |connection, reader| {
            let Some(Opened { entries, .. }) = reader.read(connection, &room, Start::First)? else {
                return Ok(None);
            };
            let mut select = connection.prepare_cached("SELECT opened_ms, checkpoint FROM rooms WHERE code = ?1")?;
            let (opened_ms, checkpoint) = select.query_row([&room], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let notes = notes::read_slots(connection, &room)?;
            Ok(Some(Kept { entries, checkpoint, notes, opened_ms }))
        }))
    }
}

fn unopened(connection: &Connection, before_ms: u64) -> Result<Vec<String>, JournalError> {
    let mut select = connection.prepare_cached("SELECT code FROM rooms WHERE opened_ms < ?1")?;
    let rooms = select.query_map([schema::millis(before_ms)], |row| row.get(0))?;
    Ok(rooms.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_dead_writer_fails_every_request_without_hanging() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Sqlite::open(folder.path()).unwrap();
        journal.append("before", Cursor::START, vec!["1".to_owned()], 0).await.unwrap();

        let panicked: Result<(), JournalError> = journal.ask(|reply| Job::Panic { reply }).await;
        assert_eq!(panicked, Err(JournalError::WriterGone));
        let append = journal.append("after", Cursor::START, vec!["1".to_owned()], 0).await;
        assert_eq!(append, Err(AppendError::Failed(JournalError::WriterGone)));
        assert_eq!(journal.probe().await, Err(JournalError::WriterGone));
        assert_eq!(journal.read("before").await.unwrap().unwrap(), ["1"]);
        journal.close().await;
        assert_eq!(journal.probe().await, Err(JournalError::Closed));

        let again = Sqlite::open(folder.path()).unwrap();
        assert_eq!(again.read("before").await.unwrap().unwrap(), ["1"]);
    }

    #[tokio::test]
    async fn a_room_opened_during_a_sweep_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Sqlite::open(folder.path()).unwrap();
        for room in ["opened", "old"] {
            journal.append(room, Cursor::START, vec!["1".to_owned()], 10).await.unwrap();
        }
        let rooms = journal.query(|connection, _| unopened(connection, 100)).await.unwrap();
        assert_eq!(rooms, ["old", "opened"]);
        journal.touch("opened", 150).await.unwrap();
        let swept: Result<_, JournalError> = journal.ask(|reply| Job::Sweep { rooms, before_ms: 100, reply }).await;
        assert_eq!(swept.unwrap().deleted, ["old"]);
        assert!(journal.read("opened").await.unwrap().is_some());
    }
}
