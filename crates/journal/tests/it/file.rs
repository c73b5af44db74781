//! A journal in a file: it persists, refuses files of other programs, and reports a full disk.

use super::{create, end, entries, loaded};
use journal::sqlite::{OpenError, Settings, Sqlite, copy};
use journal::{AppendError, Cursor, Journal, JournalError};
use rusqlite::Connection;
use std::fs;
use std::future::poll_fn;
use std::path::Path;
use std::task::Poll;
use std::time::Duration;

fn raw(folder: &Path) -> Connection {
    Connection::open(folder.join("rookery.db")).unwrap()
}

/// Opens a folder that must be refused, and returns the error message.
fn refusal(folder: &Path) -> String {
    Sqlite::open(folder).expect_err("the folder must be refused").to_string()
}

#[tokio::test]
async fn a_reopened_file_has_everything() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("not/yet/there");
    for round in 0..3 {
        let journal = Sqlite::open(&data).unwrap();
        for earlier in 0..round {
            assert_eq!(loaded(&journal, &format!("room-{earlier}")).await, Some(entries(5)));
        }
        create(&journal, &format!("room-{round}"), 5, 0).await;
        journal.close().await;
    }
}

#[tokio::test]
async fn closing_waits_for_pending_requests() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    let mut waiting = Vec::new();
    for room in 0..50 {
        let journal = &journal;
        let mut append =
            Box::pin(async move { journal.append(&format!("room-{room}"), Cursor::START, entries(1), 0).await });
        // Polled once, so that the append is queued. Its result is awaited only after the journal is closed.
        match poll_fn(|context| Poll::Ready(append.as_mut().poll(context))).await {
            Poll::Ready(answer) => assert_eq!(answer.map(Cursor::entries), Ok(1)),
            Poll::Pending => waiting.push(append),
        }
    }
    journal.close().await;
    for append in waiting {
        assert_eq!(append.await.map(Cursor::entries), Ok(1));
    }
    // The write-ahead log has been merged: one file is the whole journal, ready to be copied.
    assert!(!folder.path().join("rookery.db-wal").exists());
    let again = Sqlite::open(folder.path()).unwrap();
    assert_eq!(loaded(&again, "room-49").await, Some(entries(1)));
}

#[tokio::test]
async fn a_full_disk_fails_only_the_append() {
    let folder = tempfile::tempdir().unwrap();
    let options = Settings { max_pages: Some(128), ..Settings::default() };
    let journal = Sqlite::open_with(folder.path(), options).unwrap();
    create(&journal, "old", 3, 10).await;
    let big = || vec!["x".repeat(40_000), "y".to_owned()];
    let mut full = None;
    let mut head = Cursor::START;
    for _ in 0..100 {
        match journal.append("big", head, big(), 10).await {
            Ok(next) => head = next,
            Err(error) => {
                full = Some(error);
                break;
            }
        }
    }
    assert!(matches!(full, Some(AppendError::Failed(JournalError::Storage(_)))), "{full:?}");
    assert!(head.entries() > 2);

    let written = loaded(&journal, "big").await.unwrap();
    assert_eq!(written.len() as u64, head.entries());
    assert!(written.chunks(2).all(|pair| pair == big()));
    assert_eq!(loaded(&journal, "old").await, Some(entries(3)));

    // After space is freed, appends succeed again.
    create(&journal, "new", 1, 200).await;
    assert_eq!(journal.forget_unopened(100, vec![]).await.map(|rooms| rooms.len()), Ok(2));
    assert_eq!(journal.append("new", end(&journal, "new").await, big(), 200).await.map(Cursor::entries), Ok(3));
    journal.close().await;
    let again = Sqlite::open(folder.path()).unwrap();
    assert_eq!(loaded(&again, "new").await, Some([entries(1), big()].concat()));
}

#[tokio::test]
async fn the_space_of_forgotten_rooms_is_freed() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    for room in 0..20 {
        let fat = vec!["x".repeat(100_000)];
        journal.append(&format!("room-{room}"), Cursor::START, fat, 10).await.unwrap();
    }
    journal.forget_unopened(100, vec![]).await.unwrap();
    journal.close().await;
    let size = fs::metadata(folder.path().join("rookery.db")).unwrap().len();
    assert!(size < 100_000, "the file still has {size} bytes");
}

#[tokio::test]
async fn a_file_that_cannot_be_written_fails_the_probe() {
    let folder = tempfile::tempdir().unwrap();
    let options = Settings { busy_timeout: Duration::from_millis(20), ..Settings::default() };
    let journal = Sqlite::open_with(folder.path(), options).unwrap();
    let held = create(&journal, "a", 1, 0).await;

    let other = raw(folder.path());
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(journal.probe().await, Err(JournalError::Storage(_))));
    let append = journal.append("a", held, entries(1), 0).await;
    assert!(matches!(append, Err(AppendError::Failed(JournalError::Storage(_)))));
    // Readers do not wait for writers.
    assert_eq!(loaded(&journal, "a").await, Some(entries(1)));

    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(journal.probe().await, Ok(()));
    assert_eq!(journal.append("a", end(&journal, "a").await, entries(1), 0).await.map(Cursor::entries), Ok(2));
}

#[tokio::test]
async fn a_failing_statement_fails_the_whole_append() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    create(&journal, "a", 1, 0).await;
    raw(folder.path())
        .execute_batch(
            "CREATE TRIGGER broken BEFORE INSERT ON log WHEN new.entry = 'bad'
             BEGIN SELECT raise(ABORT, 'broken disk'); END",
        )
        .unwrap();
    let broken = journal.append("a", end(&journal, "a").await, vec!["good".into(), "bad".into()], 0).await;
    assert!(matches!(broken, Err(AppendError::Failed(JournalError::Storage(_)))));
    assert_eq!(loaded(&journal, "a").await, Some(entries(1)));
    assert_eq!(journal.append("a", end(&journal, "a").await, vec!["good".into()], 0).await.map(Cursor::entries), Ok(2));
}

#[tokio::test]
async fn a_gap_in_a_room_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    create(&journal, "a", 3, 0).await;
    // Uses a copy that still has its log, because a running journal knows the log's contents and closing it sorts the
    // log.
    let other = tempfile::tempdir().unwrap();
    copy(folder.path(), &other.path().join("rookery.db")).unwrap();
    assert_eq!(raw(other.path()).execute("DELETE FROM log WHERE n = 2", []), Ok(1));
    let journal = Sqlite::open(other.path()).unwrap();
    let damaged = JournalError::Damaged { room: "a".into(), missing: 2 };
    assert_eq!(journal.read("a").await, Err(damaged));
}

#[tokio::test]
async fn a_second_server_in_the_same_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    let refused = Sqlite::open(folder.path()).unwrap_err();
    assert!(matches!(refused, OpenError::InUse { .. }));
    assert!(refused.to_string().starts_with("another Rookery is using"), "{refused}");
    create(&journal, "a", 1, 0).await;
    journal.close().await;
    assert_eq!(loaded(&Sqlite::open(folder.path()).unwrap(), "a").await, Some(entries(1)));
}

#[tokio::test]
async fn running_time_is_kept_across_restarts() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..3 {
        let journal = Sqlite::open(folder.path()).unwrap();
        assert_eq!(journal.running_ms(), round * 1000);
        journal.ran((round + 1) * 1000).await.unwrap();
        journal.close().await;
    }
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    Sqlite::open(folder.path()).unwrap().close().await;
    raw(folder.path()).pragma_update(None, "user_version", 5).unwrap();
    let sentence = refusal(folder.path());
    assert!(sentence.contains("was made by a newer Rookery (format 5, this one knows 4)"), "{sentence}");
}

#[test]
fn a_foreign_file_is_refused_and_left_unchanged() {
    let databases =
        ["CREATE TABLE rooms (code TEXT)", "PRAGMA application_id = 7", "PRAGMA user_version = 1; CREATE TABLE t (x)"];
    for sql in databases {
        let folder = tempfile::tempdir().unwrap();
        raw(folder.path()).execute_batch(sql).unwrap();
        check(folder.path());
    }
    for bytes in [&b"Dear diary, this is no database at all.\n"[..], &[0; 5000]] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("rookery.db"), bytes).unwrap();
        check(folder.path());
    }

    fn check(folder: &Path) {
        let file = folder.join("rookery.db");
        let before = fs::read(&file).unwrap();
        let sentence = refusal(folder);
        assert!(sentence.contains("is not a Rookery journal"), "{sentence}");
        assert_eq!(fs::read(&file).unwrap(), before);
    }
}

#[test]
fn the_error_names_a_folder_that_cannot_be_created() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for data in [file.clone(), file.join("below")] {
        let sentence = refusal(&data);
        assert!(sentence.starts_with(&format!("cannot use {}", data.display())), "{sentence}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn created_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;

    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let journal = Sqlite::open(&data).unwrap();
    create(&journal, "a", 1, 0).await;
    assert_eq!(mode(&data), 0o700);
    let files: Vec<_> = fs::read_dir(&data).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}
