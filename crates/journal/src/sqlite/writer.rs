//! The one thread that writes. Group commit: it takes whatever is queued and commits it in one transaction, so that under
//! load many rooms share one fsync, and alone nobody waits for company.
//!
//! It knows nothing of async callers beyond the one-shot channels it answers on.

use super::health::Health;
use super::open_files::OpenFiles;
use crate::{AppendError, Cursor, JournalError, Lines};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior, params};
use std::collections::HashSet;
use std::fs::File;
use std::sync::Arc;
use std::{io, thread};
use tokio::sync::{mpsc, oneshot};

/// The most jobs in one transaction: enough to share the wait for the disk, few enough that the first answer of
/// a batch does not wait long for the last.
const BATCH: usize = 256;

/// How many free pages a sweep gives back to the disk in one step; each is a page to move.
const SHRINK_PAGES: u32 = 256;

/// Something asked of the writer.
pub(super) enum Job {
    Append {
        room: String,
        after: Cursor,
        lines: Lines,
        running_ms: u64,
        reply: Reply<Cursor, AppendError>,
    },
    Touch {
        room: String,
        running_ms: u64,
        reply: Reply<()>,
    },
    Sweep {
        rooms: Vec<String>,
        before_ms: u64,
        reply: Reply<Swept>,
    },
    Ran {
        running_ms: u64,
        reply: Reply<()>,
    },
    Probe {
        reply: Reply<()>,
    },
    Close {
        reply: Reply<()>,
    },
    #[cfg(test)]
    Panic {
        reply: Reply<()>,
    },
}

/// What one step of a sweep did.
#[derive(Debug)]
pub(super) struct Swept {
    pub(super) deleted: Vec<String>,
    /// Whether free pages are left to give back.
    pub(super) more_to_shrink: bool,
}

/// The way back to whoever asked, and the answer that waits here for the commit.
pub(super) struct Reply<T, E = JournalError> {
    sender: oneshot::Sender<Result<T, E>>,
    answer: Option<Result<T, E>>,
}

impl<T, E: From<JournalError>> Reply<T, E> {
    pub(super) fn new(sender: oneshot::Sender<Result<T, E>>) -> Reply<T, E> {
        Reply { sender, answer: None }
    }

    /// A failed commit overrules even a refusal, which may rest on entries that are now not there.
    fn settle(self, outcome: Result<(), JournalError>) {
        let answer = match outcome {
            Ok(()) => self.answer.unwrap_or_else(|| Err(JournalError::WriterGone.into())),
            Err(error) => Err(error.into()),
        };
        // A caller that no longer waits is no error.
        let _ = self.sender.send(answer);
    }
}

/// What the thread owns. Fields are dropped in this order even if it panics: whoever gets the lock next finds the
/// file closed, and whoever finds the queue closed knows that the lock is free and all answers have been given.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) lock: File,
    pub(super) jobs: mpsc::Receiver<Job>,
    pub(super) place: Arc<OpenFiles>,
    pub(super) health: Arc<Health>,
}

impl Writer {
    /// Starts the thread. It ends when told to close or when all senders are gone.
    pub(super) fn spawn(self) -> io::Result<()> {
        thread::Builder::new().name("journal-writer".to_owned()).spawn(move || self.work())?;
        Ok(())
    }

    fn work(mut self) {
        let mut closers = Vec::new();
        while closers.is_empty() {
            let mut batch = Vec::new();
            if self.jobs.blocking_recv_many(&mut batch, BATCH) == 0 {
                break;
            }
            closers.extend(batch.extract_if(.., |job| matches!(job, Job::Close { .. })));
            self.write(batch);
        }
        let Writer { connection, lock, jobs, place, .. } = self;
        if place.check().is_err() {
            // The last to close would write the log into what is left of the database, which then looked whole enough
            // to begin with.
            let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
        if let Err((_, error)) = connection.close() {
            tracing::warn!(%error, "the journal was not closed cleanly; opening it again will put it right");
        }
        drop(lock);
        closers.into_iter().for_each(|job| job.settle(Ok(())));
        drop(jobs);
    }

    /// Writes a batch. It is looked for the files before, so that nothing is written where nobody will find it, and
    /// once more before anything is acknowledged.
    fn commit(&mut self, batch: &mut [Job]) -> Result<(), JournalError> {
        self.place.check()?;
        // After a damaged page SQLite gives up the whole transaction. So the job that met it fails alone and the others
        // are done again without it, for their rooms lie elsewhere in the file.
        let mut lost = HashSet::new();
        while let Err((job, error)) = commit_all(&mut self.connection, batch, &lost) {
            let error = JournalError::from(error);
            match job.filter(|_| error.is_damage()) {
                Some(job) => {
                    self.health.met_damage(&error);
                    batch[job].fail(error);
                    lost.insert(job);
                }
                None => return Err(error),
            }
        }
        self.place.check()
    }

    fn look_after_the_lock(&self) -> Result<(), JournalError> {
        let locked = self.place.check_lock();
        match &locked {
            Ok(()) => self.health.lock.is_over(),
            Err(error) => self.health.lock.failed(error, 1),
        }
        locked
    }

    fn write(&mut self, mut batch: Vec<Job>) {
        if batch.is_empty() {
            return;
        }
        let outcome = self.commit(&mut batch);
        match &outcome {
            // A probe writes so little that it succeeds when nothing else does.
            Ok(()) if batch.iter().all(|job| matches!(job, Job::Probe { .. })) => {}
            Ok(()) => self.health.writing.is_over(),
            Err(error) if error.is_damage() => self.health.met_damage(error),
            Err(error) => self.health.writing.failed(error, batch.len()),
        }
        let locked = self.look_after_the_lock();
        let verdict = self.health.damage().and(locked);
        for job in &mut batch {
            if let Job::Probe { reply } = job {
                reply.answer = Some(verdict.clone());
            }
        }
        batch.into_iter().for_each(|job| job.settle(outcome.clone()));
    }
}

/// Does all jobs but those that are `lost` in one transaction. On an error it is rolled back, and none of them has
/// happened; the error comes with the job that met it, if it was one.
fn commit_all(
    connection: &mut Connection,
    batch: &mut [Job],
    lost: &HashSet<usize>,
) -> Result<(), (Option<usize>, rusqlite::Error)> {
    // Taking the write lock at once means that no end read in here can change before the commit.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let transaction = transaction.map_err(|error| (None, error))?;
    for (n, job) in batch.iter_mut().enumerate().filter(|(n, _)| !lost.contains(n)) {
        job.perform(&transaction).map_err(|error| (Some(n), error))?;
    }
    transaction.commit().map_err(|error| (None, error))
}

impl Job {
    fn perform(&mut self, transaction: &Connection) -> rusqlite::Result<()> {
        match self {
            Job::Append { room, after, lines, running_ms, reply } => {
                reply.answer = Some(match append(transaction, room, *after, lines, *running_ms) {
                    Ok(end) => Ok(end),
                    Err(NotAppended::Conflict { actual }) => {
                        Err(AppendError::Conflict { after: *after, actual })
                    }
                    Err(NotAppended::Broken(error)) => return Err(error),
                });
            }
            Job::Touch { room, running_ms, reply } => {
                transaction
                    .prepare_cached("UPDATE rooms SET opened_ms = max(opened_ms, ?2) WHERE code = ?1")?
                    .execute(params![*room, millis(*running_ms)])?;
                reply.answer = Some(Ok(()));
            }
            Job::Sweep { rooms, before_ms, reply } => {
                reply.answer = Some(Ok(sweep(transaction, rooms, *before_ms)?));
            }
            Job::Ran { running_ms, reply } => {
                transaction
                    .prepare_cached("UPDATE running SET ms = max(ms, ?1)")?
                    .execute([millis(*running_ms)])?;
                reply.answer = Some(Ok(()));
            }
            Job::Probe { reply } => {
                transaction.prepare_cached("UPDATE probe SET writes = writes + 1")?.execute([])?;
                reply.answer = Some(Ok(()));
            }
            // Closing is no part of a transaction.
            Job::Close { .. } => {}
            #[cfg(test)]
            Job::Panic { .. } => panic!("a test asked the writer to panic"),
        }
        Ok(())
    }

    /// This job alone has not happened.
    fn fail(&mut self, error: JournalError) {
        match self {
            Job::Append { reply, .. } => reply.answer = Some(Err(error.into())),
            Job::Sweep { reply, .. } => reply.answer = Some(Err(error)),
            Job::Touch { reply, .. }
            | Job::Ran { reply, .. }
            | Job::Probe { reply }
            | Job::Close { reply } => {
                reply.answer = Some(Err(error));
            }
            #[cfg(test)]
            Job::Panic { reply } => reply.answer = Some(Err(error)),
        }
    }

    fn settle(self, outcome: Result<(), JournalError>) {
        match self {
            Job::Append { reply, .. } => reply.settle(outcome),
            Job::Sweep { reply, .. } => reply.settle(outcome),
            Job::Touch { reply, .. } | Job::Ran { reply, .. } | Job::Probe { reply } => reply.settle(outcome),
            Job::Close { reply } => drop(reply.sender.send(outcome)),
            #[cfg(test)]
            Job::Panic { reply } => reply.settle(outcome),
        }
    }
}

/// Why nothing was appended.
#[derive(Debug)]
enum NotAppended {
    /// The compare-and-set failed. The others of the transaction are not touched by it.
    Conflict { actual: Cursor },
    /// The transaction is over, for the others too.
    Broken(rusqlite::Error),
}

impl From<rusqlite::Error> for NotAppended {
    fn from(error: rusqlite::Error) -> NotAppended {
        NotAppended::Broken(error)
    }
}

fn append(
    transaction: &Connection,
    room: &str,
    after: Cursor,
    lines: &Lines,
    running_ms: u64,
) -> Result<Cursor, NotAppended> {
    let highest: Option<u64> = transaction
        .prepare_cached("SELECT max(n) FROM entries WHERE room = ?1")?
        .query_row([room], |row| row.get(0))?;
    let actual = Cursor { entries: highest.unwrap_or(0) };
    if actual != after {
        return Err(NotAppended::Conflict { actual });
    }
    if lines.entries.is_empty() {
        return Ok(actual);
    }
    transaction
        .prepare_cached(
            "INSERT INTO rooms (code, opened_ms) VALUES (?1, ?2)
             ON CONFLICT (code) DO UPDATE SET opened_ms = max(opened_ms, excluded.opened_ms)",
        )?
        .execute(params![room, millis(running_ms)])?;
    let mut insert =
        transaction.prepare_cached("INSERT INTO entries (room, n, entry) VALUES (?1, ?2, ?3)")?;
    let mut end = actual;
    for entry in &lines.entries {
        end.entries += 1;
        insert.execute(params![room, end.entries, entry])?;
    }
    if lines.checkpoint {
        transaction
            .prepare_cached("UPDATE rooms SET checkpoint = ?2 WHERE code = ?1")?
            .execute(params![room, end.entries])?;
    }
    Ok(end)
}

/// Deletes those of the rooms that have still not been opened, and gives some of the free space back to the disk.
fn sweep(transaction: &Connection, rooms: &[String], before_ms: u64) -> rusqlite::Result<Swept> {
    let mut delete = transaction.prepare_cached("DELETE FROM rooms WHERE code = ?1 AND opened_ms < ?2")?;
    let mut deleted = Vec::new();
    for room in rooms {
        if delete.execute(params![room, millis(before_ms)])? > 0 {
            deleted.push(room.clone());
        }
    }
    // One step of this statement frees one page, so it has to be stepped to its end.
    let mut shrink = transaction.prepare_cached(&format!("PRAGMA incremental_vacuum({SHRINK_PAGES})"))?;
    let mut steps = shrink.query([])?;
    while steps.next()?.is_some() {}
    let free: u64 = transaction.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
    Ok(Swept { deleted, more_to_shrink: free > 0 })
}

/// SQLite counts to 2^63; a later time is as good as never, and must not fail the others in the batch.
pub(super) fn millis(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::{Settings, private_file, schema};
    use super::*;
    use std::fs;
    use std::path::Path;

    fn end(entries: u64) -> Cursor {
        Cursor { entries }
    }

    /// Appends one entry to each of these rooms in one batch; answers what each was told.
    fn append_in_one_batch(writer: &mut Writer, appends: &[(&str, u64)]) -> Vec<Result<Cursor, AppendError>> {
        let (batch, mut answers): (Vec<Job>, Vec<_>) = appends
            .iter()
            .map(|&(room, after)| {
                let (sender, answer) = oneshot::channel();
                let (room, lines, reply) = (room.to_owned(), vec!["1".to_owned()].into(), Reply::new(sender));
                (Job::Append { room, after: end(after), lines, running_ms: 0, reply }, answer)
            })
            .unzip();
        writer.write(batch);
        answers.iter_mut().map(|answer| answer.try_recv().expect("every append is answered")).collect()
    }

    fn writer_over(folder: &Path) -> Writer {
        let (file, lock_file) = (folder.join("rookery.db"), folder.join("rookery.lock"));
        let lock = private_file(&lock_file).unwrap();
        drop(private_file(&file).unwrap());
        let connection = schema::open_writer(&file, &Settings::default()).unwrap();
        let place = Arc::new(OpenFiles::now(&file, &lock_file).unwrap());
        Writer { connection, lock, jobs: mpsc::channel(1).1, place, health: Arc::new(Health::new()) }
    }

    /// Overwrites the page of the file on which this text lies.
    fn damage(file: &Path, text: &str) {
        let mut bytes = fs::read(file).unwrap();
        let at = bytes.windows(text.len()).position(|window| window == text.as_bytes()).expect("it is there");
        let page = at / 4096 * 4096;
        bytes[page..page + 4096].fill(0);
        fs::write(file, bytes).unwrap();
    }

    #[test]
    fn a_damaged_page_fails_the_appends_that_meet_it_and_no_others_of_their_batch() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = writer_over(folder.path());
        // Long enough that the rooms lie on different pages.
        for room in ["well", "worse"] {
            let entries: Vec<String> = (1..=60).map(|n| format!("{room} {n} {}", "x".repeat(900))).collect();
            let transaction = writer.connection.transaction().unwrap();
            append(&transaction, room, Cursor::START, &entries.into(), 0).unwrap();
            transaction.commit().unwrap();
        }
        let Writer { connection, lock, jobs, place, health } = writer;
        connection.close().unwrap();
        drop((lock, jobs, place, health));
        damage(&folder.path().join("rookery.db"), "worse 60");

        let mut writer = writer_over(folder.path());
        let told = append_in_one_batch(&mut writer, &[("well", 60), ("worse", 60), ("new", 0), ("well", 61)]);
        let damaged = |told: &Result<Cursor, AppendError>| {
            matches!(told, Err(AppendError::Failed(JournalError::Corrupt(_))))
        };
        assert!(damaged(&told[1]), "{told:?}");
        assert_eq!((&told[0], &told[2], &told[3]), (&Ok(end(61)), &Ok(end(1)), &Ok(end(62))));
        assert!(matches!(writer.health.damage(), Err(JournalError::Corrupt(_))), "a probe will tell of it");
    }

    #[test]
    fn a_batch_is_written_as_one_and_fails_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = writer_over(folder.path());
        let refused = |after, actual| Err(AppendError::Conflict { after: end(after), actual: end(actual) });

        // A later append of a batch sees the earlier ones, and a refused one leaves the others alone.
        let told = append_in_one_batch(&mut writer, &[("a", 0), ("a", 0), ("b", 0), ("a", 1)]);
        assert_eq!(told, [Ok(end(1)), refused(0, 1), Ok(end(1)), Ok(end(2))]);

        let break_it = "CREATE TEMP TRIGGER broken BEFORE INSERT ON main.entries WHEN new.room = 'bad'
                        BEGIN SELECT raise(ABORT, 'broken disk'); END";
        writer.connection.execute_batch(break_it).unwrap();
        let told = append_in_one_batch(&mut writer, &[("a", 2), ("a", 2), ("bad", 0), ("b", 1)]);
        let failed = Err(AppendError::Failed(JournalError::Storage("broken disk".to_owned())));
        assert_eq!(told, vec![failed; 4]);

        let told = append_in_one_batch(&mut writer, &[("a", 2), ("b", 1)]);
        assert_eq!(told, [Ok(end(3)), Ok(end(2))]);
    }
}
