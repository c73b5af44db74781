//! A process whose writes are refused by the operating system reports that, stays consistent, and continues when there
//! is space again.
//!
//! The test binary starts itself again with a limit on file sizes.
#![cfg(unix)]

use super::{end, entries, loaded};
use journal::sqlite::Sqlite;
use journal::{AppendError, Cursor, Journal, JournalError};
use std::process::Command;

const FOLDER: &str = "JOURNAL_FULL_FOLDER";

/// The child process: appends until an append fails. Does nothing in a normal test run.
#[tokio::test]
async fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let journal = Sqlite::open(folder.as_ref()).unwrap();
    let mut head = Cursor::START;
    let error = loop {
        match journal.append("a", head, entries(1), 0).await {
            Ok(next) => head = next,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, AppendError::Failed(JournalError::Storage(_))), "{error}");
    assert_eq!(loaded(&journal, "a").await.unwrap().len() as u64, head.entries());
    // A probe writes less than an append, so a few may still succeed.
    let mut probes = 0;
    while journal.probe().await.is_ok() {
        probes += 1;
        assert!(probes < 10, "the probe never fails");
    }
    println!("acknowledged {}", head.entries());
}

#[tokio::test]
async fn a_refused_write_is_reported_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // Without the trap, the signal that accompanies a refused write would end the process.
    let output = Command::new("sh")
        .args(["-c", r#"trap "" XFSZ; ulimit -f 256; exec "$0" --exact full::child --nocapture"#])
        .arg(std::env::current_exe().unwrap())
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    let (_, acknowledged) = printed.split_once("acknowledged ").expect("the child acknowledges");
    let head: u64 = acknowledged.lines().next().unwrap().parse().unwrap();
    assert!(head > 0);

    let journal = Sqlite::open(folder.path()).unwrap();
    assert_eq!(loaded(&journal, "a").await.unwrap().len() as u64, head);
    assert_eq!(journal.append("a", end(&journal, "a").await, entries(1), 0).await.map(Cursor::entries), Ok(head + 1));
}
