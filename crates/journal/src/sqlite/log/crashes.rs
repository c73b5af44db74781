//! Interrupts background work after every single step, and checks that the reopened journal has every entry exactly
//! once.

use super::background::Background;
use super::bring_over::BringingOver;
use super::reading::{LogReader, Start};
use super::sorting::Sorting;
use super::state::LogState;
use super::step::{StepOutcome, Until};
use crate::sqlite::folder::private_file;
use crate::sqlite::transaction::in_transaction;
use crate::sqlite::{Settings, schema};
use crate::{Cursor, JournalError, Lines};
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};

const ROOMS: [&str; 4] = ["anemone", "bluebell", "crocus", "daisy"];

fn entry(room: &str, n: u64) -> String {
    format!("{room} {n}")
}

/// The file of a journal, opened as after a crash.
struct ReopenedFile {
    connection: Connection,
    log: LogState,
}

impl ReopenedFile {
    fn of(file: &Path) -> ReopenedFile {
        drop(private_file(file).unwrap());
        let connection = schema::open_writer(file, &Settings::default()).unwrap();
        let log = LogState::scan(&connection).unwrap();
        ReopenedFile { connection, log }
    }

    fn append(&mut self, room: &str, after: u64, count: u64) {
        let ReopenedFile { connection, log } = self;
        log.begin();
        let lines = Lines::from((after + 1..=after + count).map(|n| entry(room, n)).collect::<Vec<_>>());
        in_transaction(connection, || {
            let mut insert = LogState::insert(connection)?;
            let end = log.append(connection, &mut insert, room, Cursor::alone(after), &lines, 0);
            assert_eq!(end.expect("the append follows").entries(), after + count);
            Ok::<_, JournalError>(())
        })
        .unwrap();
        log.committed();
    }

    /// Checks that every room has the entries from the first to `end` for readers, and ends there for appends.
    fn has(&mut self, end: u64, when: &str) {
        let background = Background::new(1, &self.log);
        let reading = LogReader { index: self.log.index.clone(), has_old: background.has_old.clone() };
        for room in ROOMS {
            let expected: Vec<String> = (1..=end).map(|n| entry(room, n)).collect();
            let read = reading.read(&self.connection, room, Start::First);
            assert_eq!(read.unwrap().unwrap().entries, expected, "{when}");
            self.append(room, end, 1);
        }
    }

    /// Performs the shortest possible step.
    fn sort(&mut self, sorting: &mut Option<Sorting>) -> StepOutcome {
        let ReopenedFile { connection, log } = self;
        let under_way = sorting.take().unwrap_or_else(|| Sorting::begin(log));
        let (reached, progress) =
            in_transaction(connection, || under_way.step(connection, log, &Until::at_once())).unwrap();
        match progress {
            StepOutcome::MoreToDo => *sorting = Some(reached),
            StepOutcome::Done => reached.finish(log),
        }
        progress
    }
}

/// Creates a file whose rooms have entries up to 10 in runs and up to 16 in the log.
fn sorted_once(folder: &Path) -> PathBuf {
    let file = folder.join("rookery.db");
    let mut journal = ReopenedFile::of(&file);
    for after in [0, 5] {
        ROOMS.iter().for_each(|room| journal.append(room, after, 5));
    }
    let mut sorting = None;
    while journal.sort(&mut sorting) == StepOutcome::MoreToDo {}
    for after in [10, 13] {
        ROOMS.iter().for_each(|room| journal.append(room, after, 3));
    }
    file
}

#[test]
fn interrupted_sorting_neither_loses_nor_duplicates_entries() {
    // With an append in between, the compacted part is deleted position by position. Without one, it is deleted at
    // once.
    for append_after in [None, Some(0), Some(3)] {
        for steps in 0.. {
            let folder = tempfile::tempdir().unwrap();
            let file = sorted_once(folder.path());
            let mut journal = ReopenedFile::of(&file);
            let mut sorting = None;
            let mut done = false;
            let mut end = 16;
            for step in 0..steps {
                done = journal.sort(&mut sorting) == StepOutcome::Done;
                if append_after == Some(step) {
                    ROOMS.iter().for_each(|room| journal.append(room, end, 1));
                    end += 1;
                }
            }
            let when = format!("after {steps} steps, an append after {append_after:?}");
            drop(journal);
            ReopenedFile::of(&file).has(end, &when);

            let mut journal = ReopenedFile::of(&file);
            let mut sorting = None;
            while journal.sort(&mut sorting) == StepOutcome::MoreToDo {}
            assert!(journal.log.index.is_empty());
            let left: u64 = journal.connection.query_row("SELECT count(*) FROM log", [], |row| row.get(0)).unwrap();
            assert_eq!(left, 0, "{when}");
            journal.has(end + 1, &format!("sorted again {when}"));
            if done {
                assert!(steps > ROOMS.len());
                break;
            }
        }
    }
}

/// Creates a file of format 2 whose rooms have ten entries each.
fn of_format_2(folder: &Path) -> PathBuf {
    let file = folder.join("rookery.db");
    let connection = Connection::open(&file).unwrap();
    connection.execute_batch(schema::FORMAT_2).unwrap();
    for room in ROOMS {
        connection.execute("INSERT INTO rooms (code, opened_ms) VALUES (?1, 0)", [room]).unwrap();
        for n in 1..=10 {
            let mut insert = connection.prepare("INSERT INTO entries (room, n, entry) VALUES (?1, ?2, ?3)").unwrap();
            insert.execute(params![room, n, entry(room, n)]).unwrap();
        }
    }
    file
}

#[test]
fn interrupted_migration_neither_loses_nor_duplicates_entries() {
    for sorted_first in [false, true] {
        for steps in 0.. {
            let folder = tempfile::tempdir().unwrap();
            let mut journal = ReopenedFile::of(&of_format_2(folder.path()));
            assert!(journal.log.has_old);
            ROOMS.iter().for_each(|room| journal.append(room, 10, 3));
            let mut sorting = None;
            while sorted_first && journal.sort(&mut sorting) == StepOutcome::MoreToDo {}
            let mut bringing_over = BringingOver::default();
            let mut progress = StepOutcome::MoreToDo;
            for _ in 0..steps {
                let connection = &journal.connection;
                (bringing_over, progress) =
                    in_transaction(connection, || bringing_over.step(connection, &Until::at_once())).unwrap();
            }
            drop(journal);
            let mut journal = ReopenedFile::of(&folder.path().join("rookery.db"));
            assert_eq!(journal.log.has_old, progress == StepOutcome::MoreToDo);
            journal.has(13, &format!("after {steps} steps, sorted first: {sorted_first}"));
            let mut sorting = None;
            while journal.sort(&mut sorting) == StepOutcome::MoreToDo {}
            journal.has(14, &format!("sorted after {steps} steps, sorted first: {sorted_first}"));
            if progress == StepOutcome::Done {
                assert!(steps > ROOMS.len());
                break;
            }
        }
    }
}

#[test]
fn a_room_is_deleted_wherever_its_entries_are_stored() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = ReopenedFile::of(&of_format_2(folder.path()));
    ROOMS.iter().for_each(|room| journal.append(room, 10, 3));
    let mut sorting = None;
    while journal.sort(&mut sorting) == StepOutcome::MoreToDo {}
    // Now every room has entries in the old format and in runs, and three have some in the log too.
    ROOMS[1..].iter().for_each(|room| journal.append(room, 13, 2));
    for room in ROOMS {
        let ReopenedFile { connection, log } = &mut journal;
        log.begin();
        in_transaction(connection, || {
            assert!(log.delete(connection, room, 1)?);
            Ok::<_, JournalError>(())
        })
        .unwrap();
        log.committed();
        for table in ["rooms WHERE code", "runs WHERE room", "log WHERE room", "entries WHERE room"] {
            let left: u64 =
                connection.query_row(&format!("SELECT count(*) FROM {table} = ?1"), [room], |row| row.get(0)).unwrap();
            assert_eq!(left, 0, "{table} {room}");
        }
        journal.append(room, 0, 15);
    }
    journal.has(15, "created again");
    drop(journal);
    ReopenedFile::of(&folder.path().join("rookery.db")).has(16, "opened again");
}

#[test]
fn a_failed_transaction_leaves_nothing_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = ReopenedFile::of(&folder.path().join("rookery.db"));
    ROOMS.iter().for_each(|room| journal.append(room, 0, 3));
    let ReopenedFile { connection, log } = &mut journal;
    log.begin();
    let failed = in_transaction(connection, || {
        let mut insert = LogState::insert(connection)?;
        let lines = Lines::from(vec!["lost".to_owned()]);
        let after = Cursor::alone(3);
        assert!(log.append(connection, &mut insert, ROOMS[0], after, &lines, 0).is_ok());
        assert!(log.delete(connection, ROOMS[1], 1)?);
        Err::<(), _>(JournalError::Storage("no space left".to_owned()))
    });
    assert!(failed.is_err());
    journal.has(3, "after the rollback");
}
