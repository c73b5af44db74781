//! A journal for tests: it records the calls, and fails on command.

use crate::forward::forward;
use journal::memory::Memory;
use journal::{AppendError, Cursor, Journal, JournalError, Lines, Opened, Pending};
use std::future::{pending, ready};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Behaviour of the journal for a room.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Fails,
    /// A full disk: nothing can be written, and everything can be read.
    Full,
    Panics,
    PanicsOnReading,
    /// A read never ends.
    HangsOnReading,
    /// A sweep for unopened rooms never ends.
    SweepsForEver,
}

/// A journal that wraps another one.
pub struct TestJournal<J = Memory> {
    inner: J,
    /// The room for which it misbehaves (all rooms if the name is empty), and how.
    mood: Mutex<Option<(String, Mood)>>,
    /// The room of each read.
    reads: Mutex<Vec<String>>,
    /// When rooms were noted as opened or left, in running time.
    opened: Mutex<Vec<(String, u64)>>,
    /// Number of failed appends.
    pub failed: AtomicUsize,
    /// Number of probes.
    pub probes: AtomicUsize,
    /// Number of sweeps for rooms to delete.
    pub sweeps: AtomicUsize,
    /// Number of endless sweeps in progress.
    pub sweeps_under_way: AtomicUsize,
}

/// Counts an operation in progress until it ends or is cancelled.
struct UnderWay<'a>(&'a AtomicUsize);

impl UnderWay<'_> {
    fn begin(count: &AtomicUsize) -> UnderWay<'_> {
        count.fetch_add(1, Ordering::SeqCst);
        UnderWay(count)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Default for TestJournal<Memory> {
    fn default() -> TestJournal<Memory> {
        TestJournal::over(Memory::default())
    }
}

impl<J> TestJournal<J> {
    pub fn over(inner: J) -> TestJournal<J> {
        TestJournal {
            inner,
            mood: Mutex::default(),
            reads: Mutex::default(),
            opened: Mutex::default(),
            failed: AtomicUsize::new(0),
            probes: AtomicUsize::new(0),
            sweeps: AtomicUsize::new(0),
            sweeps_under_way: AtomicUsize::new(0),
        }
    }

    pub fn turn(&self, room: &str, mood: Mood) {
        *self.mood.lock().unwrap() = Some((room.to_owned(), mood));
    }

    pub fn calm(&self) {
        *self.mood.lock().unwrap() = None;
    }

    fn mood(&self, room: &str) -> Option<Mood> {
        let mood = self.mood.lock().unwrap();
        mood.as_ref().filter(|(one, _)| one == room || one.is_empty()).map(|(_, mood)| *mood)
    }

    /// Returns how often a room was read.
    pub fn reads(&self, room: &str) -> usize {
        self.reads.lock().unwrap().iter().filter(|one| *one == room).count()
    }

    /// Returns when a room was noted as opened or left.
    pub fn opened(&self, room: &str) -> Vec<u64> {
        self.opened.lock().unwrap().iter().filter(|(one, _)| one == room).map(|(_, at)| *at).collect()
    }

    /// Returns the error of a write if it must fail.
    fn write_error(&self, room: &str) -> Option<AppendError> {
        match self.mood(room)? {
            Mood::Fails | Mood::Full => {
                self.failed.fetch_add(1, Ordering::SeqCst);
                Some(no_space().into())
            }
            Mood::Panics => panic!("panic requested by the test"),
            Mood::PanicsOnReading | Mood::HangsOnReading | Mood::SweepsForEver => None,
        }
    }

    fn reading(&self, room: &str) {
        assert!(self.mood(room) != Some(Mood::PanicsOnReading), "panic requested by the test");
        self.reads.lock().unwrap().push(room.to_owned());
    }
}

fn no_space() -> JournalError {
    JournalError::Storage("no space left".to_owned())
}

impl<J: Journal> Journal for TestJournal<J> {
    forward!(inner: exists running_ms ran close);

    fn append_lines<'a>(
        &'a self,
        room: &'a str,
        after: Cursor,
        lines: Lines,
        running_ms: u64,
    ) -> Pending<'a, Result<Cursor, AppendError>> {
        match self.write_error(room) {
            Some(error) => Box::pin(ready(Err(error))),
            None => self.inner.append_lines(room, after, lines, running_ms),
        }
    }

    fn note<'a>(
        &'a self,
        room: &'a str,
        at: Cursor,
        slot: u8,
        note: String,
        running_ms: u64,
    ) -> Pending<'a, Result<(), AppendError>> {
        match self.write_error(room) {
            Some(error) => Box::pin(ready(Err(error))),
            None => self.inner.note(room, at, slot, note, running_ms),
        }
    }

    fn open<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<Option<Opened>, JournalError>> {
        self.reading(room);
        if self.mood(room) == Some(Mood::HangsOnReading) {
            return Box::pin(pending());
        }
        self.opened.lock().unwrap().push((room.to_owned(), running_ms));
        // Opening a room works on a full disk, but does not record the time.
        let noted = if self.mood(room) == Some(Mood::Full) { 0 } else { running_ms };
        self.inner.open(room, noted)
    }

    fn read<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Vec<String>>, JournalError>> {
        self.reading(room);
        if self.mood(room) == Some(Mood::HangsOnReading) {
            return Box::pin(pending());
        }
        self.inner.read(room)
    }

    fn touch<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<(), JournalError>> {
        if self.mood(room) == Some(Mood::Full) {
            return Box::pin(ready(Err(no_space())));
        }
        self.opened.lock().unwrap().push((room.to_owned(), running_ms));
        self.inner.touch(room, running_ms)
    }

    fn forget_unopened<'a>(
        &'a self,
        before_ms: u64,
        keep: Vec<String>,
    ) -> Pending<'a, Result<Vec<String>, JournalError>> {
        Box::pin(async move {
            if self.mood("") == Some(Mood::SweepsForEver) {
                let _under_way = UnderWay::begin(&self.sweeps_under_way);
                self.sweeps.fetch_add(1, Ordering::SeqCst);
                return pending().await;
            }
            let forgotten = self.inner.forget_unopened(before_ms, keep).await;
            self.sweeps.fetch_add(1, Ordering::SeqCst);
            forgotten
        })
    }

    fn probe(&self) -> Pending<'_, Result<(), JournalError>> {
        self.probes.fetch_add(1, Ordering::SeqCst);
        if self.mood("") == Some(Mood::Fails) { Box::pin(ready(Err(no_space()))) } else { self.inner.probe() }
    }
}
