//! A journal for tests: it remembers what was asked of it, and misbehaves on command.

use journal::memory::Memory;
use journal::{AppendError, Cursor, Journal, JournalError, Lines, Opened, Pending};
use std::future::ready;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a journal does when it is asked about a room.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Fails,
    /// A full disk: nothing can be written, and all can be read.
    Full,
    Panics,
    PanicsOnReading,
    /// Rooms that nobody opens are looked for without end.
    SweepsForEver,
}

/// A journal over another one.
pub struct TestJournal<J = Memory> {
    inner: J,
    /// For which room (all of them if it has no name) it misbehaves, and how.
    mood: Mutex<Option<(String, Mood)>>,
    /// Every reading of a room.
    reads: Mutex<Vec<String>>,
    /// When rooms were noted as opened or left, in running time.
    opened: Mutex<Vec<(String, u64)>>,
    /// How many appends were tried in vain.
    pub failed: AtomicUsize,
    /// How often it was asked whether it can be written.
    pub probes: AtomicUsize,
    /// How often rooms were looked for to be deleted.
    pub sweeps: AtomicUsize,
    /// How many of those without end are waited for.
    pub sweeps_under_way: AtomicUsize,
}

/// Counts what is under way, until it is over or given up.
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

    /// How often a room was read.
    pub fn reads(&self, room: &str) -> usize {
        self.reads.lock().unwrap().iter().filter(|one| *one == room).count()
    }

    /// When a room was noted as opened or left.
    pub fn opened(&self, room: &str) -> Vec<u64> {
        self.opened.lock().unwrap().iter().filter(|(one, _)| one == room).map(|(_, at)| *at).collect()
    }

    fn reading(&self, room: &str) {
        assert!(self.mood(room) != Some(Mood::PanicsOnReading), "the journal was told to panic");
        self.reads.lock().unwrap().push(room.to_owned());
    }
}

fn no_space() -> JournalError {
    JournalError::Storage("no space left".to_owned())
}

impl<J: Journal> Journal for TestJournal<J> {
    fn append_lines<'a>(
        &'a self,
        room: &'a str,
        after: Cursor,
        lines: Lines,
        running_ms: u64,
    ) -> Pending<'a, Result<Cursor, AppendError>> {
        match self.mood(room) {
            Some(Mood::Fails | Mood::Full) => {
                self.failed.fetch_add(1, Ordering::SeqCst);
                Box::pin(ready(Err(no_space().into())))
            }
            Some(Mood::Panics) => panic!("the journal was told to panic"),
            Some(Mood::PanicsOnReading | Mood::SweepsForEver) | None => {
                self.inner.append_lines(room, after, lines, running_ms)
            }
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
        match self.mood(room) {
            Some(Mood::Fails | Mood::Full) => {
                self.failed.fetch_add(1, Ordering::SeqCst);
                Box::pin(ready(Err(no_space().into())))
            }
            Some(Mood::Panics) => panic!("the journal was told to panic"),
            Some(Mood::PanicsOnReading | Mood::SweepsForEver) | None => {
                self.inner.note(room, at, slot, note, running_ms)
            }
        }
    }

    fn open<'a>(
        &'a self,
        room: &'a str,
        running_ms: u64,
    ) -> Pending<'a, Result<Option<Opened>, JournalError>> {
        self.reading(room);
        self.opened.lock().unwrap().push((room.to_owned(), running_ms));
        // Of what cannot be written, opening does without.
        let noted = if self.mood(room) == Some(Mood::Full) { 0 } else { running_ms };
        self.inner.open(room, noted)
    }

    fn read<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Vec<String>>, JournalError>> {
        self.reading(room);
        self.inner.read(room)
    }

    fn exists<'a>(&'a self, room: &'a str) -> Pending<'a, Result<bool, JournalError>> {
        self.inner.exists(room)
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
                return std::future::pending().await;
            }
            let forgotten = self.inner.forget_unopened(before_ms, keep).await;
            self.sweeps.fetch_add(1, Ordering::SeqCst);
            forgotten
        })
    }

    fn running_ms(&self) -> u64 {
        self.inner.running_ms()
    }

    fn ran(&self, running_ms: u64) -> Pending<'_, Result<(), JournalError>> {
        self.inner.ran(running_ms)
    }

    fn probe(&self) -> Pending<'_, Result<(), JournalError>> {
        self.probes.fetch_add(1, Ordering::SeqCst);
        if self.mood("") == Some(Mood::Fails) { Box::pin(ready(Err(no_space()))) } else { self.inner.probe() }
    }

    fn close(&self) -> Pending<'_, ()> {
        self.inner.close()
    }
}
