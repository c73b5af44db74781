//! Copies made while the journal is being written.

use super::{create, end, entries, loaded};
use journal::sqlite::{Sqlite, copy};
use journal::{Cursor, Journal};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Opens the copy in a new folder.
async fn restored(backup: &Path) -> (tempfile::TempDir, Sqlite) {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(backup, folder.path().join("rookery.db")).unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    (folder, journal)
}

#[tokio::test]
async fn a_copy_has_all_acknowledged_data_and_is_independent() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(&folder.path().join("data")).unwrap();
    create(&journal, "a", 5, 10).await;
    let b = create(&journal, "b", 2, 10).await;
    journal.note("b", b, 7, "said".to_owned(), 10).await.unwrap();
    let backup = folder.path().join("backup");
    assert_eq!(copy(&folder.path().join("data"), &backup).unwrap(), 2);
    assert_eq!(
        journal.append("a", end(&journal, "a").await, entries(1), 20).await.map(Cursor::entries),
        Ok(6),
        "the copy does not block the journal"
    );

    let (_folder, again) = restored(&backup).await;
    assert_eq!(loaded(&again, "a").await, Some(entries(5)));
    assert_eq!(loaded(&again, "b").await, Some(entries(2)));
    assert_eq!(again.open("b", 10).await.unwrap().unwrap().notes, ["said"]);
    assert_eq!(again.append("b", end(&again, "b").await, entries(1), 20).await.map(Cursor::entries), Ok(3));
    assert_eq!(again.forget_unopened(15, Vec::new()).await.unwrap(), ["a"], "the copy keeps the opening times");
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_made_between_appends_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let journal = Arc::new(Sqlite::open(&data).unwrap());
    let (mut first, mut second) = (create(&*journal, "first", 1, 0).await, create(&*journal, "second", 1, 0).await);
    let done = Arc::new(AtomicBool::new(false));
    let writing = tokio::spawn({
        let (journal, done) = (journal.clone(), done.clone());
        async move {
            // The first room is always written before the second, so it never has fewer entries.
            while !done.load(Ordering::Relaxed) {
                first = journal.append("first", first, vec!["x".repeat(500), "y".to_owned()], 0).await.unwrap();
                second = journal.append("second", second, entries(2), 0).await.unwrap();
            }
            second.entries()
        }
    });
    let mut seen = 0;
    for n in 0..10 {
        let acknowledged = loaded(&*journal, "second").await.unwrap().len();
        let backup = folder.path().join(format!("backup-{n}"));
        let rooms = tokio::task::spawn_blocking({
            let (data, backup) = (data.clone(), backup.clone());
            move || copy(&data, &backup)
        });
        assert_eq!(rooms.await.unwrap().unwrap(), 2);
        let (_folder, again) = restored(&backup).await;
        let first = loaded(&again, "first").await.unwrap().len();
        let second = loaded(&again, "second").await.unwrap().len();
        assert!(second >= acknowledged.max(seen), "{second} of {acknowledged}");
        assert!(first == second || first == second + 2, "{first} and {second} are not of one snapshot");
        seen = second;
    }
    done.store(true, Ordering::Relaxed);
    assert!(writing.await.unwrap() >= seen as u64);
}

#[tokio::test]
async fn a_journal_that_no_server_has_open_can_be_copied() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    create(&journal, "a", 3, 0).await;
    journal.close().await;
    let backup = folder.path().join("backup");
    assert_eq!(copy(folder.path(), &backup).unwrap(), 1);
    let (_folder, again) = restored(&backup).await;
    assert_eq!(loaded(&again, "a").await, Some(entries(3)));
}

#[tokio::test]
async fn a_copy_overwrites_nothing_and_refuses_foreign_files() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let journal = Sqlite::open(&data).unwrap();
    create(&journal, "a", 1, 0).await;

    let precious = folder.path().join("precious");
    fs::write(&precious, "a letter").unwrap();
    let sentence = copy(&data, &precious).unwrap_err().to_string();
    assert!(sentence.contains("already exists"), "{sentence}");
    assert_eq!(fs::read_to_string(&precious).unwrap(), "a letter");

    let backup = folder.path().join("backup");
    let sentence = copy(folder.path(), &backup).unwrap_err().to_string();
    assert!(sentence.contains("there is no journal") && sentence.contains("--data"), "{sentence}");
    fs::write(folder.path().join("rookery.db"), "Dear diary, this is no database at all.\n").unwrap();
    let sentence = copy(folder.path(), &backup).unwrap_err().to_string();
    assert!(sentence.contains("is not a Rookery journal"), "{sentence}");
    let sentence = copy(&data, &folder.path().join("no/such/folder")).unwrap_err().to_string();
    assert!(sentence.starts_with("cannot write"), "{sentence}");
    assert!(!backup.exists(), "no file is left behind");
}

#[cfg(unix)]
#[tokio::test]
async fn a_copy_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    create(&journal, "a", 1, 0).await;
    let backup = folder.path().join("backup");
    copy(folder.path(), &backup).unwrap();
    assert_eq!(fs::metadata(&backup).unwrap().permissions().mode() & 0o777, 0o600);
}
