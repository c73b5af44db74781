//! A disk that returns other bytes than were written: only the rooms on the damaged pages are lost, and requests for
//! them get an error.

use super::{end, entries, loaded};
use journal::sqlite::Sqlite;
use journal::{AppendError, Cursor, Journal, JournalError};
use std::fs;
use std::path::Path;

/// A room long enough to fill whole pages.
fn long(room: &str) -> Vec<String> {
    (1..=60).map(|n| format!("{room} {n} {}", "x".repeat(900))).collect()
}

/// Overwrites the page of the file that contains this text.
fn damage(folder: &Path, text: &str) {
    let file = folder.join("rookery.db");
    let mut bytes = fs::read(&file).unwrap();
    let at = bytes.windows(text.len()).position(|window| window == text.as_bytes()).expect("the text is in the file");
    // Only one page, because its neighbor may belong to another room.
    bytes[at / 2048 * 2048..][..2048].fill(0);
    fs::write(file, bytes).unwrap();
}

#[tokio::test]
async fn a_damaged_page_is_reported_and_loses_only_its_room() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    for room in ["well", "worse"] {
        journal.append(room, Cursor::START, long(room), 0).await.unwrap();
    }
    journal.close().await;
    damage(folder.path(), "worse 60");

    let journal = Sqlite::open(folder.path()).expect("most rooms can be used");
    assert_eq!(journal.probe().await, Ok(()), "the damage was not found yet");
    let worse = journal.read("worse").await;
    assert!(matches!(worse, Err(JournalError::Corrupt(_))), "{worse:?}");
    let told = journal.probe().await.expect_err("the damage is reported from now on").to_string();
    assert!(told.starts_with("the journal is damaged") && told.contains("restore a backup"), "{told}");

    let append = journal.append("worse", end(&journal, "well").await, entries(1), 0).await;
    assert!(matches!(append, Err(AppendError::Failed(JournalError::Corrupt(_)))), "{append:?}");
    assert_eq!(journal.append("well", end(&journal, "well").await, entries(1), 0).await.map(Cursor::entries), Ok(61));
    assert_eq!(loaded(&journal, "well").await, Some([long("well"), entries(1)].concat()));
    assert_eq!(journal.append("new", Cursor::START, entries(1), 0).await.map(Cursor::entries), Ok(1));
    assert!(journal.probe().await.is_err(), "intact rooms do not clear the error");
    journal.close().await;
}

#[tokio::test]
async fn a_file_with_a_damaged_first_page_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(folder.path()).unwrap();
    journal.append("a", Cursor::START, long("a"), 0).await.unwrap();
    journal.close().await;
    // The list of tables is on the first page, after the file header.
    let file = folder.path().join("rookery.db");
    let mut bytes = fs::read(&file).unwrap();
    bytes[100..4096].fill(0xff);
    fs::write(&file, &bytes).unwrap();
    let sentence = Sqlite::open(folder.path()).expect_err("the file cannot be used").to_string();
    assert!(sentence.contains("is damaged") && sentence.contains("restore a backup"), "{sentence}");
    assert_eq!(fs::read(&file).unwrap(), bytes, "the file is left unchanged");
}
