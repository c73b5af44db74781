//! Files that are deleted, replaced or emptied: nothing is acknowledged that was written into a lost file, and requests
//! and server starts fail with an explanation.

use super::{create, end, entries, loaded};
use journal::sqlite::{OpenError, Sqlite};
use journal::{AppendError, Cursor, Journal, JournalError};
use std::fs::{self, OpenOptions};
use std::path::Path;

fn empty(file: &Path) {
    OpenOptions::new().write(true).open(file).unwrap().set_len(0).unwrap();
}

/// Checks that the journal refuses everything, and reports what happened to its file.
#[cfg(unix)]
async fn is_gone(journal: &Sqlite, end_of_a: Cursor, file: &str, how: &str) {
    let told = |error: JournalError| {
        let sentence = error.to_string();
        assert!(sentence.contains(file) && sentence.contains(&format!("was {how} while")), "{sentence}");
    };
    match journal.append("a", end_of_a, entries(1), 0).await {
        Err(AppendError::Failed(error)) => told(error),
        other => panic!("{other:?}"),
    }
    match journal.append("new", Cursor::START, entries(1), 0).await {
        Err(AppendError::Failed(error)) => told(error),
        other => panic!("{other:?}"),
    }
    // Not even "no such room" may be answered, because clients would then discard their tokens.
    told(journal.read("a").await.expect_err("it cannot be read"));
    told(journal.read("unknown").await.expect_err("it cannot be read"));
    told(journal.probe().await.expect_err("the file is gone"));
}

#[cfg(unix)]
#[tokio::test]
async fn refuses_appends_after_the_folder_was_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let journal = Sqlite::open(&data).unwrap();
    let end_of_a = create(&journal, "a", 1, 0).await;
    assert_eq!(loaded(&journal, "a").await, Some(entries(1)));
    fs::remove_dir_all(&data).unwrap();
    is_gone(&journal, end_of_a, "rookery.db", "deleted").await;
    journal.close().await;
    assert!(!data.exists(), "the folder was not created again");
}

#[cfg(unix)]
#[tokio::test]
async fn resumes_when_the_folder_is_put_back() {
    let folder = tempfile::tempdir().unwrap();
    let (data, aside) = (folder.path().join("data"), folder.path().join("aside"));
    let journal = Sqlite::open(&data).unwrap();
    let end_of_a = create(&journal, "a", 1, 0).await;
    fs::rename(&data, &aside).unwrap();
    is_gone(&journal, end_of_a, "rookery.db", "deleted").await;

    // Another server may start in the same folder. Neither affects the other.
    let other = Sqlite::open(&data).unwrap();
    create(&other, "b", 1, 0).await;
    is_gone(&journal, end_of_a, "rookery.db", "replaced").await;
    other.close().await;
    fs::remove_dir_all(&data).unwrap();

    fs::rename(&aside, &data).unwrap();
    assert_eq!(journal.probe().await, Ok(()));
    assert_eq!(journal.append("a", end(&journal, "a").await, entries(1), 0).await.map(Cursor::entries), Ok(2));
    assert_eq!(loaded(&journal, "a").await, Some([entries(1), entries(1)].concat()));
    assert_eq!(loaded(&journal, "new").await, None, "a refused append was not written");
    journal.close().await;
}

#[cfg(unix)]
#[tokio::test]
async fn closing_does_not_touch_files_that_replaced_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (data, aside) = (folder.path().join("data"), folder.path().join("aside"));
    let journal = Sqlite::open(&data).unwrap();
    create(&journal, "a", 1, 0).await;
    fs::rename(&data, &aside).unwrap();
    let other = Sqlite::open(&data).unwrap();
    create(&other, "b", 1, 0).await;
    journal.close().await;
    assert!(data.join("rookery.db-wal").exists(), "the other log is untouched");
    assert_eq!(other.append("b", end(&other, "b").await, entries(1), 0).await.map(Cursor::entries), Ok(2));
    other.close().await;
    let again = Sqlite::open(&data).unwrap();
    assert_eq!(loaded(&again, "b").await, Some([entries(1), entries(1)].concat()));
    again.close().await;
    let first = Sqlite::open(&aside).unwrap();
    assert_eq!(loaded(&first, "a").await, Some(entries(1)), "all acknowledged entries are there");
}

#[cfg(unix)]
#[tokio::test]
async fn refuses_appends_after_the_log_was_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    let end_of_a = create(&journal, "a", 1, 0).await;
    fs::remove_file(folder.path().join("rookery.db-wal")).unwrap();
    is_gone(&journal, end_of_a, "rookery.db-wal", "deleted").await;
    journal.close().await;
}

#[cfg(unix)]
#[tokio::test]
async fn an_emptied_database_is_reported_at_once_and_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rookery.db");
    let journal = Sqlite::open(folder.path()).unwrap();
    let end_of_a = create(&journal, "a", 1, 0).await;
    empty(&file);
    is_gone(&journal, end_of_a, "rookery.db", "emptied").await;
    journal.close().await;
    assert_eq!(fs::metadata(&file).unwrap().len(), 0, "the file is left unchanged");
    assert!(matches!(Sqlite::open(folder.path()), Err(OpenError::Lost { .. })));
}

#[tokio::test]
async fn an_empty_database_is_not_mistaken_for_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rookery.db");
    Sqlite::open(folder.path()).unwrap().close().await;
    empty(&file);
    for _ in 0..2 {
        let sentence = Sqlite::open(folder.path()).expect_err("an empty database is refused").to_string();
        assert!(sentence.contains("rookery.db has lost its contents"), "{sentence}");
        assert!(sentence.contains("restore a backup"), "{sentence}");
    }
    assert_eq!(fs::metadata(&file).unwrap().len(), 0, "the file is left unchanged");
    // The error message says what to do, and that works.
    fs::remove_file(&file).unwrap();
    create(&Sqlite::open(folder.path()).unwrap(), "a", 1, 0).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_log_without_its_database_is_not_replayed_into_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    create(&journal, "a", 20, 0).await;
    fs::copy(folder.path().join("rookery.db-wal"), other.path().join("rookery.db-wal")).unwrap();
    assert!(matches!(Sqlite::open(other.path()), Err(OpenError::Lost { .. })));
    journal.close().await;
}

#[tokio::test]
async fn an_interrupted_first_start_is_repeated() {
    let folder = tempfile::tempdir().unwrap();
    for leftover in ["rookery.new", "rookery.new-journal"] {
        fs::write(folder.path().join(leftover), "half a page").unwrap();
    }
    let journal = Sqlite::open(folder.path()).unwrap();
    create(&journal, "a", 1, 0).await;
    journal.close().await;
    let mut files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["rookery.db", "rookery.lock", "rookery.mark"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_removed_lock_file_is_reported_and_games_continue() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    create(&journal, "a", 1, 0).await;
    fs::remove_file(folder.path().join("rookery.lock")).unwrap();
    let sentence = journal.probe().await.expect_err("another server could start").to_string();
    assert!(sentence.contains("rookery.lock was deleted"), "{sentence}");
    assert_eq!(journal.append("a", end(&journal, "a").await, entries(1), 0).await.map(Cursor::entries), Ok(2));
    fs::write(folder.path().join("rookery.lock"), "").unwrap();
    let sentence = journal.probe().await.expect_err("another server could start").to_string();
    assert!(sentence.contains("rookery.lock was replaced"), "{sentence}");
    journal.close().await;
}
