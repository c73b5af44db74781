//! Files of earlier versions: they can be used at once, and are migrated to the current format in the background.

use super::loaded;
use journal::sqlite::{Settings, Sqlite, copy};
use journal::{Cursor, Journal, JournalError};
use rusqlite::Connection;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn raw(folder: &Path) -> Connection {
    let connection = Connection::open(folder.join("rookery.db")).unwrap();
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    connection
}

/// Entries of a room of an earlier version.
pub fn entries(room: &str, count: u64) -> Vec<String> {
    (1..=count).map(|n| format!("{room} {n} of old")).collect()
}

/// Creates a folder as written by a version with this format, containing these rooms with their numbers of entries.
pub fn folder(format: u32, rooms: &[(String, u64)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut file = raw(folder.path());
    file.execute_batch(
        "PRAGMA auto_vacuum = INCREMENTAL;
         PRAGMA journal_mode = WAL;
         CREATE TABLE rooms (
             code TEXT NOT NULL PRIMARY KEY,
             opened_ms INTEGER NOT NULL
         ) STRICT, WITHOUT ROWID;
         CREATE TABLE entries (
             room TEXT NOT NULL REFERENCES rooms (code) ON DELETE CASCADE,
             n INTEGER NOT NULL CHECK (n > 0),
             entry TEXT NOT NULL,
             PRIMARY KEY (room, n)
         ) STRICT, WITHOUT ROWID;
         CREATE TABLE probe (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), writes INTEGER NOT NULL) STRICT;
         INSERT INTO probe (id, writes) VALUES (1, 0);
         PRAGMA application_id = 0x526f6f6b;",
    )
    .unwrap();
    if format > 1 {
        file.execute_batch(
            "CREATE TABLE running (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), ms INTEGER NOT NULL) STRICT;
             INSERT INTO running (id, ms) VALUES (1, 0);",
        )
        .unwrap();
    }
    file.pragma_update(None, "user_version", format).unwrap();
    let transaction = file.transaction().unwrap();
    for (room, count) in rooms {
        transaction.execute("INSERT INTO rooms (code, opened_ms) VALUES (?1, 0)", [room]).unwrap();
        for (n, entry) in (1..).zip(entries(room, *count)) {
            let row: (&str, u64, String) = (room, n, entry);
            transaction.execute("INSERT INTO entries (room, n, entry) VALUES (?1, ?2, ?3)", row).unwrap();
        }
    }
    transaction.commit().unwrap();
    folder
}

/// Returns whether some data is still in the old format.
pub fn is_old(folder: &Path) -> bool {
    let named = "SELECT count(*) FROM sqlite_schema WHERE name = 'entries'";
    raw(folder).query_row(named, [], |row| row.get::<_, u64>(0)).unwrap() > 0
}

#[tokio::test]
async fn rooms_of_the_first_version_count_as_opened_at_migration() {
    // Written in 2020, in 2026, and on a machine whose clock was set to 2099.
    let rooms = [("past", 1_577_836_800_000_u64), ("now", 1_767_225_600_000), ("future", 4_070_908_800_000)];
    let folder = folder(1, &rooms.map(|(room, _)| (room.to_owned(), 1)));
    for (room, opened_ms) in rooms {
        raw(folder.path()).execute("UPDATE rooms SET opened_ms = ?2 WHERE code = ?1", (room, opened_ms)).unwrap();
    }
    let journal = Sqlite::open(folder.path()).unwrap();
    assert_eq!(journal.running_ms(), 0);
    assert_eq!(journal.forget_unopened(journal.running_ms(), vec![]).await, Ok(vec![]));
    journal.touch("past", 1000).await.unwrap();
    journal.close().await;

    let journal = Sqlite::open(folder.path()).expect("it has the current version now");
    assert_eq!(loaded(&journal, "future").await, Some(entries("future", 1)));
    let mut forgotten = journal.forget_unopened(1, vec![]).await.unwrap();
    forgotten.sort();
    assert_eq!(forgotten, ["future", "now"], "only running time makes a room old");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rooms_are_played_copied_and_deleted_during_migration() {
    let rooms: Vec<(String, u64)> = (0..1500).map(|room| (format!("room-{room:0>4}"), 30)).collect();
    let folder = folder(2, &rooms);
    let settings = Settings { sorted_at: 50, ..Settings::default() };
    let journal = Arc::new(Sqlite::open_with(folder.path(), settings).unwrap());
    let mut more: Vec<Vec<String>> = vec![Vec::new(); 8];
    let (mut rounds, mut copies) = (0, 0);
    while is_old(folder.path()) || rounds < 5 {
        for (new, (room, count)) in more.iter_mut().zip(rooms.iter().step_by(150)) {
            let opened = journal.open(room, 10).await.unwrap().unwrap();
            assert_eq!(opened.entries, [entries(room, *count), new.clone()].concat(), "round {rounds}");
            new.push(format!("{room} of round {rounds}"));
            journal.append(room, opened.cursor, vec![new[rounds].clone()], 10).await.unwrap();
        }
        if rounds % 8 == 0 {
            let again = tempfile::tempdir().unwrap();
            assert_eq!(copy(folder.path(), &again.path().join("rookery.db")).unwrap(), 1500);
            let again = Sqlite::open(again.path()).unwrap();
            for (new, (room, count)) in more.iter().zip(rooms.iter().step_by(150)) {
                assert_eq!(loaded(&again, room).await, Some([entries(room, *count), new.clone()].concat()));
            }
            let (room, count) = &rooms[1499];
            assert_eq!(loaded(&again, room).await, Some(entries(room, *count)));
            copies += 1;
        }
        rounds += 1;
    }
    assert!(copies > 0);
    for (room, count) in rooms.iter().skip(1) {
        let read = loaded(&*journal, room).await.unwrap();
        assert_eq!(read[..30], entries(room, *count), "migrated");
    }
    let forgotten = journal.forget_unopened(5, vec![]).await.unwrap();
    assert_eq!(forgotten.len(), 1500 - more.len());
    journal.close().await;
}

#[tokio::test]
async fn a_large_file_opens_at_once() {
    let rooms: Vec<(String, u64)> = (0..20).map(|room| (format!("room-{room}"), 5000)).collect();
    let folder = folder(2, &rooms);
    let journal = Sqlite::open(folder.path()).unwrap();
    assert!(is_old(folder.path()), "it is migrated later");
    assert_eq!(loaded(&journal, "room-19").await, Some(entries("room-19", 5000)));
    journal.close().await;
}

#[tokio::test]
async fn a_damaged_room_stays_and_the_others_are_migrated() {
    let rooms = ["well", "worse", "yet well"].map(|room| (room.to_owned(), 400));
    let folder = folder(2, &rooms);
    let file = folder.path().join("rookery.db");
    let mut bytes = fs::read(&file).unwrap();
    let at = bytes.windows(9).position(|window| window == b"worse 200").expect("the text is in the file");
    bytes[at / 4096 * 4096..][..4096].fill(0);
    fs::write(&file, bytes).unwrap();
    for round in 0..2 {
        let journal = Sqlite::open(folder.path()).unwrap();
        // The migration finds the damage and reports it.
        while journal.probe().await.is_ok() {
            tokio::task::yield_now().await;
        }
        for room in ["well", "yet well"] {
            let opened = journal.open(room, 0).await.unwrap().unwrap();
            assert_eq!(opened.entries, [entries(room, 400), vec!["new".to_owned(); round]].concat());
            journal.append(room, opened.cursor, vec!["new".to_owned()], 0).await.unwrap();
        }
        assert!(matches!(journal.read("worse").await, Err(JournalError::Corrupt(_))));
        journal.close().await;
        assert!(is_old(folder.path()), "unreadable data is not deleted");
    }
}

#[tokio::test]
async fn a_file_without_notes_gets_a_table_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    let at = journal.append("a", Cursor::START, vec!["1".to_owned()], 0).await.unwrap();
    journal.close().await;
    // The schema of format 3.
    raw(folder.path()).execute_batch("DROP TABLE notes; PRAGMA user_version = 3").unwrap();
    for round in 0..2 {
        let journal = Sqlite::open(folder.path()).unwrap();
        let opened = journal.open("a", 0).await.unwrap().unwrap();
        assert_eq!((opened.cursor, opened.notes.len()), (at, round));
        journal.note("a", at, round as u8, "said".to_owned(), 0).await.unwrap();
        journal.close().await;
    }
}
