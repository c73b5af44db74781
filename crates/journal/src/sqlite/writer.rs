//! The writer thread. It uses group commit: it takes everything that is queued and commits it in one transaction. Under
//! load many rooms share one fsync, and a single append does not wait for others.
//!
//! It knows nothing of async callers except for the one-shot channels it answers on.

use super::health::Health;
use super::job::Job;
use super::log::Log;
use super::mark::{Committed, Mark};
use super::open_files::OpenFiles;
use super::queue::Queue;
use super::transaction::in_transaction;
use crate::JournalError;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::collections::HashSet;
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{io, mem, thread};
use tokio::runtime::Handle;

/// Maximum number of jobs in one transaction: enough to share the wait for the disk, and few enough that the first
/// answer of a batch does not wait long for the last.
const BATCH: usize = 256;

/// Number of jobs in one commit that counts as many. A few rooms of people never reach it.
const MANY: usize = 4;

/// Commit delay: how long after the last commit the next one starts under load.
const DELAY: Duration = Duration::from_millis(3);

/// Maximum time for tidying up the file on close. A server has some seconds to shut down.
const TIDYING: Duration = Duration::from_secs(1);

/// What the thread owns. The fields are dropped in this order even on a panic. A process that gets the lock next thus
/// finds the file closed. A caller that finds the queue closed knows that the lock is free and that all answers have
/// been sent or passed to the runtime.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) lock: File,
    pub(super) log: Log,
    pub(super) jobs: Queue,
    pub(super) place: Arc<OpenFiles>,
    pub(super) health: Arc<Health>,
    pub(super) mark: Mark,
    /// The callers' runtime, if there is one.
    pub(super) runtime: Option<Handle>,
}

impl Writer {
    /// Starts the thread. It ends on a close request or when all senders are gone.
    pub(super) fn spawn(self) -> io::Result<()> {
        thread::Builder::new().name("journal-writer".to_owned()).spawn(move || self.work())?;
        Ok(())
    }

    fn work(mut self) {
        let mut closers = Vec::new();
        let (mut batch, mut sweeps) = (Vec::new(), Vec::new());
        let mut company = Company::default();
        while closers.is_empty() && self.receive(&mut batch) {
            company.gather(&mut batch, &self.jobs);
            closers.extend(batch.extract_if(.., |job| matches!(job, Job::Close { .. })));
            // Appends do not wait for sweeps.
            sweeps.extend(batch.extract_if(.., |job| matches!(job, Job::Sweep { .. })));
            let shared = batch.len();
            self.write(&mut batch);
            company.committed(shared, Instant::now());
            self.sweep(&mut sweeps);
            if self.log.has_urgent_work() {
                self.tidy();
            }
        }
        self.finish();
        let Writer { connection, lock, jobs, .. } = self;
        if let Err((_, error)) = connection.close() {
            tracing::warn!(%error, "the journal was not closed cleanly; the next start repairs it");
        }
        // Closing the file is not enough, because a child process that is being started has a copy of it between fork
        // and exec.
        let _ = lock.unlock();
        drop(lock);
        closers.into_iter().for_each(|job| job.settle(Ok(())));
        drop(jobs);
    }

    /// Waits for jobs, and does background work in the meantime. Returns whether there are any jobs.
    fn receive(&mut self, batch: &mut Vec<Job>) -> bool {
        while self.log.has_work() {
            let more_may_come = self.jobs.take(batch, BATCH);
            if !batch.is_empty() {
                return true;
            }
            if !more_may_come {
                return false;
            }
            self.tidy();
        }
        batch.extend(self.jobs.wait());
        self.jobs.take(batch, BATCH);
        !batch.is_empty()
    }

    /// Performs one step of background work.
    fn tidy(&mut self) {
        let tidied = match self.place.check() {
            Ok(()) => self.log.work(&self.connection),
            Err(error) => Err(self.log.pause_work(error)),
        };
        match tidied {
            Ok(()) => self.health.tidying.is_over(),
            Err(error) if error.is_damage() => self.health.met_damage(&error),
            Err(error) => self.health.tidying.failed(&error, 1),
        }
    }

    /// Leaves the file in a state that is good for opening or copying it.
    fn finish(&mut self) {
        if self.place.check().is_err() {
            // Closing would apply the write-ahead log to what is left of the database, which could then look intact.
            let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
            return;
        }
        // Shutdown must not wait for another program, which may hold the file for long.
        let _ = self.connection.busy_timeout(TIDYING / 10);
        if let Err(error) = self.log.finish(&self.connection, Instant::now() + TIDYING) {
            // Nothing is lost: this work is done after the next start.
            tracing::debug!(%error, "the journal was closed before all work was done");
        }
    }

    /// Commits a batch. The files are checked before, so that nothing is written to deleted files, and again before
    /// anything is acknowledged. Returns one of the appended entries.
    fn commit(&mut self, batch: &mut [Job]) -> Result<Option<Committed>, JournalError> {
        self.place.check()?;
        // After a damaged page SQLite aborts the whole transaction. So the job that hit it fails alone and the others
        // are repeated without it, because their rooms are elsewhere in the file.
        let mut lost = HashSet::new();
        let appended = loop {
            match commit_all(&self.connection, &mut self.log, batch, &lost) {
                Ok(appended) => break appended,
                Err(Broken { job: Some(job), error }) if error.is_damage() => {
                    self.health.met_damage(&error);
                    batch[job].fail(error);
                    lost.insert(job);
                }
                Err(Broken { error, .. }) => return Err(error),
            }
        };
        self.place.check()?;
        Ok(appended)
    }

    fn look_after_the_lock(&self) -> Result<(), JournalError> {
        let locked = self.place.check_lock();
        match &locked {
            Ok(()) => self.health.lock.is_over(),
            Err(error) => self.health.lock.failed(error, 1),
        }
        locked
    }

    /// Deletes rooms. The mark may name one of them, so it is cleared first.
    fn sweep(&mut self, sweeps: &mut Vec<Job>) {
        if sweeps.is_empty() {
            return;
        }
        if let Err(error) = self.mark.clear() {
            let failed = JournalError::Storage(error.to_string());
            return sweeps.drain(..).for_each(|job| job.settle(Err(failed.clone())));
        }
        self.write(sweeps);
    }

    /// Writes a batch and sends its answers.
    fn write(&mut self, batch: &mut Vec<Job>) {
        if batch.is_empty() {
            return;
        }
        let outcome = self.commit(batch).map(|appended| {
            if let Some(committed) = appended {
                self.mark.set(&committed);
            }
        });
        match &outcome {
            // A probe writes so little that it may succeed when nothing else does.
            Ok(()) if batch.iter().all(|job| matches!(job, Job::Probe { .. })) => {}
            Ok(()) => self.health.writing.is_over(),
            Err(error) if error.is_damage() => self.health.met_damage(error),
            Err(error) => self.health.writing.failed(error, batch.len()),
        }
        let locked = self.look_after_the_lock();
        let verdict = self.health.damage().and(locked);
        for job in batch.iter_mut() {
            if let Job::Probe { reply } = job {
                reply.answer(verdict.clone());
            }
        }
        self.answer(batch, outcome);
    }

    /// Sends the answers. Each answer from this thread wakes the callers' thread, which costs a system call and often a
    /// context switch. Several answers are passed to the runtime at the cost of one.
    fn answer(&self, batch: &mut Vec<Job>, outcome: Result<(), JournalError>) {
        let batch = mem::take(batch);
        let is_many = batch.len() > 1;
        let settle = move || batch.into_iter().for_each(|job| job.settle(outcome.clone()));
        match &self.runtime {
            Some(runtime) if is_many => drop(runtime.spawn(async move { settle() })),
            _ => settle(),
        }
    }
}

/// Commit delay: under load, a commit waits a moment for more jobs, because each costs an fsync and several context
/// switches, however many jobs share it. A single writer does not wait.
#[derive(Default)]
struct Company {
    /// Number of jobs in the last commit, and when it was done.
    last: Option<(usize, Instant)>,
}

impl Company {
    /// Returns how long the next commit has to wait for more jobs.
    fn delay(&self, now: Instant) -> Duration {
        let shared = self.last.filter(|(shared, _)| *shared >= MANY);
        shared.map_or(Duration::ZERO, |(_, done)| DELAY.saturating_sub(now.duration_since(done)))
    }

    /// Waits, and adds the jobs that arrived in the meantime to the batch.
    fn gather(&self, batch: &mut Vec<Job>, jobs: &Queue) {
        let delay = self.delay(Instant::now());
        if delay.is_zero() {
            return;
        }
        thread::sleep(delay);
        jobs.take(batch, BATCH);
    }

    fn committed(&mut self, shared: usize, now: Instant) {
        self.last = Some((shared, now));
    }
}

/// Why a transaction was rolled back, and the job that caused it, if known.
struct Broken {
    job: Option<usize>,
    error: JournalError,
}

impl From<JournalError> for Broken {
    fn from(error: JournalError) -> Broken {
        Broken { job: None, error }
    }
}

/// Performs all jobs except those in `lost` in one transaction. On an error it is rolled back, and none of them has
/// taken effect. Returns one of the appended entries.
fn commit_all(
    connection: &Connection,
    log: &mut Log,
    batch: &mut [Job],
    lost: &HashSet<usize>,
) -> Result<Option<Committed>, Broken> {
    in_transaction(connection, || {
        let mut appending = log.begin(connection).map_err(JournalError::from)?;
        for (n, job) in batch.iter_mut().enumerate().filter(|(n, _)| !lost.contains(n)) {
            job.perform(connection, log, &mut appending).map_err(|error| Broken { job: Some(n), error })?;
        }
        Ok::<_, Broken>(())
    })?;
    Ok(log.committed())
}

#[cfg(test)]
mod tests {
    use super::super::folder::private_file;
    use super::super::job::Reply;
    use super::super::queue::queue;
    use super::super::{Settings, schema};
    use super::*;
    use crate::{AppendError, Cursor};
    use std::fs;
    use std::path::Path;
    use tokio::sync::oneshot;

    fn end(entries: u64) -> Cursor {
        Cursor::alone(entries)
    }

    /// Appends to each of these rooms in one batch and returns the answers.
    fn append_in_one_batch(
        writer: &mut Writer,
        appends: &[(&str, u64, &[String])],
    ) -> Vec<Result<Cursor, AppendError>> {
        let (mut batch, mut answers): (Vec<Job>, Vec<_>) = appends
            .iter()
            .map(|&(room, after, entries)| {
                let (sender, answer) = oneshot::channel();
                let (room, lines, reply) = (room.to_owned(), entries.to_vec().into(), Reply::new(sender));
                (Job::Append { room, after: end(after), lines, running_ms: 0, reply }, answer)
            })
            .unzip();
        writer.write(&mut batch);
        answers.iter_mut().map(|answer| answer.try_recv().expect("every append is answered")).collect()
    }

    fn writer_over(folder: &Path) -> Writer {
        let (file, lock_file) = (folder.join("rookery.db"), folder.join("rookery.lock"));
        let lock = private_file(&lock_file).unwrap();
        drop(private_file(&file).unwrap());
        let connection = schema::open_writer(&file, &Settings::default()).unwrap();
        let place = Arc::new(OpenFiles::now(&file, &lock_file).unwrap());
        let log = Log::open(&connection, Settings::default().sorted_at).unwrap();
        let (jobs, health) = (queue().1, Arc::new(Health::new()));
        let (mark, _) = Mark::open(folder, &file).unwrap();
        Writer { connection, lock, log, jobs, place, health, mark, runtime: None }
    }

    fn one() -> [String; 1] {
        ["1".to_owned()]
    }

    /// Overwrites the page of the file that contains this text.
    fn damage(file: &Path, text: &str) {
        let mut bytes = fs::read(file).unwrap();
        let at =
            bytes.windows(text.len()).position(|window| window == text.as_bytes()).expect("the text is in the file");
        // Only one page, because its neighbour may belong to another room.
        let size = schema::PAGE_BYTES as usize;
        bytes[at / size * size..][..size].fill(0);
        fs::write(file, bytes).unwrap();
    }

    #[test]
    fn a_damaged_page_fails_only_the_appends_that_touch_it() {
        let (folder, one) = (tempfile::tempdir().unwrap(), one());
        let mut writer = writer_over(folder.path());
        // Long enough for the rooms to be on different pages.
        for room in ["well", "worse"] {
            let entries: Vec<String> = (1..=60).map(|n| format!("{room} {n} {}", "x".repeat(900))).collect();
            assert_eq!(append_in_one_batch(&mut writer, &[(room, 0, &entries)]), [Ok(end(60))]);
        }
        writer.finish();
        drop(writer);
        damage(&folder.path().join("rookery.db"), "worse 60");

        let mut writer = writer_over(folder.path());
        let told = append_in_one_batch(
            &mut writer,
            &[("well", 60, &one), ("worse", 60, &one), ("new", 0, &one), ("well", 61, &one)],
        );
        let damaged =
            |told: &Result<Cursor, AppendError>| matches!(told, Err(AppendError::Failed(JournalError::Corrupt(_))));
        assert!(damaged(&told[1]), "{told:?}");
        assert_eq!((&told[0], &told[2], &told[3]), (&Ok(end(61)), &Ok(end(1)), &Ok(end(62))));
        assert!(matches!(writer.health.damage(), Err(JournalError::Corrupt(_))), "a probe reports the damage");
    }

    #[test]
    fn only_concurrent_writers_delay_a_commit() {
        let mut company = Company::default();
        let now = Instant::now();
        assert_eq!(company.delay(now), Duration::ZERO);
        company.committed(MANY - 1, now);
        assert_eq!(company.delay(now), Duration::ZERO);
        company.committed(MANY, now);
        assert_eq!(company.delay(now), DELAY);
        assert_eq!(company.delay(now + DELAY / 3), DELAY - DELAY / 3);
        assert_eq!(company.delay(now + DELAY), Duration::ZERO, "the delay is over");
        company.committed(1, now);
        assert_eq!(company.delay(now), Duration::ZERO, "no other writer is left");
    }

    #[test]
    fn a_batch_succeeds_or_fails_as_a_whole() {
        let (folder, one) = (tempfile::tempdir().unwrap(), one());
        let mut writer = writer_over(folder.path());
        let refused = |after, actual| Err(AppendError::Conflict { after: end(after), actual: end(actual) });

        // A later append of a batch sees the earlier ones, and a refused one does not affect the others.
        let told = append_in_one_batch(&mut writer, &[("a", 0, &one), ("a", 0, &one), ("b", 0, &one), ("a", 1, &one)]);
        assert_eq!(told, [Ok(end(1)), refused(0, 1), Ok(end(1)), Ok(end(2))]);

        let break_it = "CREATE TEMP TRIGGER broken BEFORE INSERT ON main.log WHEN new.room = 'bad'
                        BEGIN SELECT raise(ABORT, 'broken disk'); END";
        writer.connection.execute_batch(break_it).unwrap();
        let told =
            append_in_one_batch(&mut writer, &[("a", 2, &one), ("a", 2, &one), ("bad", 0, &one), ("b", 1, &one)]);
        let failed = Err(AppendError::Failed(JournalError::Storage("broken disk".to_owned())));
        assert_eq!(told, vec![failed; 4]);

        let told = append_in_one_batch(&mut writer, &[("a", 2, &one), ("b", 1, &one)]);
        assert_eq!(told, [Ok(end(3)), Ok(end(2))]);
    }
}
