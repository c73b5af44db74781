//! A process that is killed while writing loses no acknowledged entries or notes.
//!
//! The test binary starts itself again as the process to kill.

use super::{end, loaded, old};
use journal::Journal;
use journal::sqlite::{Settings, Sqlite, copy};
use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use tokio::task::JoinSet;

const FOLDER: &str = "JOURNAL_KILL_FOLDER";
const ROOMS: usize = 8;

fn entry(room: &str, half: &str, n: u64) -> String {
    format!("{room} {half} {n}")
}

fn note(room: &str, n: u64) -> String {
    format!("{room} noted {n}")
}

fn slot(n: u64) -> u8 {
    (n / 2 % 5) as u8
}

/// The child process: appends to several rooms endlessly, and prints what was acknowledged. Does nothing in a normal
/// test run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    // A low limit, so that the log is being sorted most of the time.
    let settings = Settings { sorted_at: 16, ..Settings::default() };
    let journal = Arc::new(Sqlite::open_with(folder.as_ref(), settings).unwrap());
    let mut rooms = JoinSet::new();
    for room in 0..ROOMS {
        let journal = journal.clone();
        rooms.spawn(async move {
            let room = format!("room-{room}");
            let mut at = end(&*journal, &room).await;
            loop {
                let count = at.entries();
                let pair = vec![entry(&room, "first", count + 1), entry(&room, "second", count + 2)];
                at = journal.append(&room, at, pair, 0).await.unwrap();
                let count = at.entries();
                journal.note(&room, at, slot(count), note(&room, count), 0).await.unwrap();
                println!("ack {room} {count}");
            }
        });
    }
    rooms.join_all().await;
}

#[tokio::test]
async fn acknowledged_data_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..5 {
        let acknowledged = run_and_kill(folder.path());
        let journal = Sqlite::open(folder.path()).unwrap();
        for (room, head) in &acknowledged {
            let written = loaded(&journal, room).await.unwrap();
            assert!(written.len() as u64 >= *head, "round {round}: {room} lost {} of {head}", written.len());
            assert!(written.len().is_multiple_of(2), "round {round}: half an append of {room}");
            for (n, pair) in (1..).step_by(2).zip(written.chunks(2)) {
                assert_eq!(pair, [entry(room, "first", n), entry(room, "second", n + 1)]);
            }
            let notes = journal.open(room, 0).await.unwrap().unwrap().notes;
            assert!(notes.len() <= 5, "round {round}: {notes:?}");
            // There may be newer notes that were not acknowledged yet.
            let newest = notes.iter().map(|note| note.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).max();
            assert!(newest >= Some(*head), "round {round}: {head} was acknowledged, {notes:?}");
        }
        journal.close().await;
    }
}

#[tokio::test]
async fn rooms_of_an_earlier_version_survive_kills_during_migration() {
    let rooms: Vec<(String, u64)> = (0..400).map(|room| (format!("old-{room}"), 40)).collect();
    let folder = old::folder(2, &rooms);
    let mut rounds = 0;
    while old::is_old(folder.path()) {
        run_and_kill(folder.path());
        rounds += 1;
        // Check before any other server migrates further. The check opens a copy, which does not change the original.
        let copied = folder.path().join("copied.db");
        copy(folder.path(), &copied).unwrap();
        let again = tempfile::tempdir().unwrap();
        fs::rename(&copied, again.path().join("rookery.db")).unwrap();
        let journal = Sqlite::open(again.path()).unwrap();
        for (room, count) in &rooms {
            assert_eq!(loaded(&journal, room).await, Some(old::entries(room, *count)), "round {rounds}");
        }
        assert!(rounds < 100, "the migration never ends");
    }
}

/// Runs the child, kills it after some acknowledgements, and returns the last acknowledged head of each room.
fn run_and_kill(folder: &std::path::Path) -> BTreeMap<String, u64> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::child", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    // The writer is in a later batch by then, at a random step.
    let kill_after = 10 + RandomState::new().hash_one(folder) % 150;
    let mut seen = 0;
    let mut acknowledged = BTreeMap::new();
    let mut line = String::new();
    while lines.read_line(&mut line).unwrap() > 0 {
        // The kill may have truncated the last line.
        if let Some(ack) = line.strip_suffix('\n').and_then(|line| line.strip_prefix("ack ")) {
            let (room, head) = ack.split_once(' ').unwrap();
            acknowledged.insert(room.to_owned(), head.parse().unwrap());
            seen += 1;
            if seen == kill_after {
                child.kill().unwrap();
            }
        }
        line.clear();
    }
    let status = child.wait().unwrap();
    assert!(!status.success() && seen >= kill_after, "the child was not killed: {status}");
    acknowledged
}
