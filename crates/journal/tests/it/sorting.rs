//! The log is sorted by room while games are played and rooms are read, without visible effect.

use super::{create, entries, loaded};
use journal::sqlite::{OpenError, Settings, Sqlite, copy};
use journal::{Cursor, Journal, Lines};
use rusqlite::Connection;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const ROOMS: usize = 6;

fn sorting_at(folder: &Path, sorted_at: usize) -> Arc<Sqlite> {
    Arc::new(Sqlite::open_with(folder, Settings { sorted_at, ..Settings::default() }).unwrap())
}

fn count(folder: &Path, table: &str) -> u64 {
    let connection = Connection::open(folder.join("rookery.db")).unwrap();
    connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

/// Returns the number at the end of an entry of the following test.
fn number(entry: &str) -> u64 {
    entry.rsplit(' ').next().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_during_sorting_see_every_acknowledged_entry_once() {
    let folder = tempfile::tempdir().unwrap();
    let journal = sorting_at(folder.path(), 20);
    let acknowledged: Arc<Vec<AtomicU64>> = Arc::new((0..ROOMS).map(|_| AtomicU64::new(0)).collect());
    let done = Arc::new(AtomicBool::new(false));
    let mut writers = JoinSet::new();
    for room in 0..ROOMS {
        let (journal, acknowledged) = (journal.clone(), acknowledged.clone());
        writers.spawn(async move {
            let mut at = Cursor::START;
            while at.entries() < 600 {
                let first = at.entries() + 1;
                let lines = (first..first + 1 + first % 3).map(|n| format!("{} {n}", "x".repeat(100))).collect();
                // Some appends are checkpoints.
                let lines = if first.is_multiple_of(7) { Lines::with_checkpoint(lines) } else { Lines::from(lines) };
                at = journal.append_lines(&room.to_string(), at, lines, 0).await.unwrap();
                acknowledged[room].store(at.entries(), Ordering::SeqCst);
            }
        });
    }
    let mut readers = JoinSet::new();
    for reader in 0..3 {
        let (journal, acknowledged, done) = (journal.clone(), acknowledged.clone(), done.clone());
        readers.spawn(async move {
            let mut reads = 0;
            while !done.load(Ordering::Relaxed) {
                let room = (reader + reads) % ROOMS;
                let known = acknowledged[room].load(Ordering::SeqCst);
                if known > 0 {
                    let (before, entries) = if reads % 2 == 0 {
                        (0, journal.read(&room.to_string()).await.unwrap().unwrap())
                    } else {
                        let opened = journal.open(&room.to_string(), 0).await.unwrap().unwrap();
                        assert_eq!(opened.cursor.entries(), opened.before + opened.entries.len() as u64);
                        (opened.before, opened.entries)
                    };
                    assert!(before + entries.len() as u64 >= known, "{} of {known}", entries.len());
                    for (n, entry) in (before + 1..).zip(&entries) {
                        assert_eq!(number(entry), n);
                    }
                }
                reads += 1;
                tokio::task::yield_now().await;
            }
            reads
        });
    }
    writers.join_all().await;
    done.store(true, Ordering::Relaxed);
    let reads: usize = readers.join_all().await.into_iter().sum();
    assert!(reads > 100, "only {reads} reads");
    assert!(count(folder.path(), "runs") > ROOMS as u64, "the log was sorted during the reads");
    journal.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_made_during_sorting_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let journal = sorting_at(&folder.path().join("data"), 10);
    let mut ends = [Cursor::START; ROOMS];
    for round in 0..60 {
        for (room, at) in ends.iter_mut().enumerate() {
            *at = journal.append(&format!("room-{room}"), *at, vec![format!("{round}")], 0).await.unwrap();
        }
        if round % 6 == 0 {
            let again = tempfile::tempdir().unwrap();
            copy(&folder.path().join("data"), &again.path().join("rookery.db")).unwrap();
            let again = Sqlite::open(again.path()).unwrap();
            let expected: Vec<String> = (0..=round).map(|round| round.to_string()).collect();
            for room in 0..ROOMS {
                assert_eq!(loaded(&again, &format!("room-{room}")).await, Some(expected.clone()));
            }
        }
    }
    journal.close().await;
}

#[tokio::test]
async fn a_closed_journal_is_sorted_and_packed() {
    let folder = tempfile::tempdir().unwrap();
    let journal = sorting_at(folder.path(), 2000);
    let act = "x".repeat(112);
    let mut ends = [Cursor::START; 50];
    for _ in 0..40 {
        for (room, at) in ends.iter_mut().enumerate() {
            *at = journal.append(&format!("R{room:0>5}"), *at, vec![act.clone(); 5], 0).await.unwrap();
        }
    }
    journal.close().await;
    assert_eq!(count(folder.path(), "log"), 0);
    let kept = fs::metadata(folder.path().join("rookery.db")).unwrap().len() / 10_000;
    assert!(kept <= 150, "{kept} bytes are stored per entry of 112 bytes");
}

#[tokio::test]
async fn small_runs_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let mut end = Cursor::START;
    for _ in 0..30 {
        let journal = Sqlite::open(folder.path()).unwrap();
        end = journal.append("a", end, entries(3), 0).await.unwrap();
        journal.close().await;
    }
    assert_eq!(count(folder.path(), "runs"), 1, "one run for each start would slow reads down");
    let journal = Sqlite::open(folder.path()).unwrap();
    assert_eq!(loaded(&journal, "a").await, Some(vec![entries(3); 30].concat()));
}

#[tokio::test]
async fn opening_times_are_saved_with_the_running_time_and_on_close() {
    let folder = tempfile::tempdir().unwrap();
    let opened_ms = || {
        let connection = Connection::open(folder.path().join("rookery.db")).unwrap();
        connection.query_row("SELECT opened_ms FROM rooms", [], |row| row.get::<_, u64>(0)).unwrap()
    };
    let journal = Sqlite::open(folder.path()).unwrap();
    let at = create(&journal, "a", 1, 10).await;
    assert_eq!(opened_ms(), 10);
    let at = journal.append("a", at, entries(1), 500).await.unwrap();
    journal.ran(600).await.unwrap();
    assert_eq!(opened_ms(), 500);
    journal.append("a", at, entries(1), 700).await.unwrap();
    // It is not in the file yet, but counts already.
    assert_eq!(journal.forget_unopened(600, vec![]).await, Ok(vec![]));
    journal.close().await;
    assert_eq!(opened_ms(), 700);
}

#[tokio::test]
async fn an_unreadable_log_is_reported_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Sqlite::open(&folder.path().join("data")).unwrap();
    journal.append("a", Cursor::START, vec![format!("find me {}", "x".repeat(900)); 60], 0).await.unwrap();
    // A copy contains the log of the file.
    let again = tempfile::tempdir().unwrap();
    let file = again.path().join("rookery.db");
    copy(&folder.path().join("data"), &file).unwrap();
    let mut bytes = fs::read(&file).unwrap();
    let at = bytes.windows(7).position(|window| window == b"find me").unwrap();
    let page = at / 2048 * 2048;
    bytes[page..page + 2048].fill(0);
    fs::write(&file, bytes).unwrap();
    // It is unknown whose entries were on the page. A room would seem to end earlier than its players saw.
    assert!(matches!(Sqlite::open(again.path()), Err(OpenError::Damaged { .. })));
    journal.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_sweep_does_not_delay_appends() {
    let folder = tempfile::tempdir().unwrap();
    let journal = sorting_at(folder.path(), 4000);
    let mut rooms = JoinSet::new();
    for part in 0..50 {
        let journal = journal.clone();
        rooms.spawn(async move {
            for room in 0..40 {
                create(&*journal, &format!("old-{part}-{room}"), 20, 10).await;
            }
        });
    }
    rooms.join_all().await;
    let done = Arc::new(AtomicBool::new(false));
    let playing = tokio::spawn({
        let (journal, done) = (journal.clone(), done.clone());
        async move {
            let (mut at, mut waits) = (create(&*journal, "played", 1, 200).await, Vec::new());
            while !done.load(Ordering::Relaxed) {
                let asked = Instant::now();
                at = journal.append("played", at, entries(1), 200).await.unwrap();
                waits.push(asked.elapsed());
            }
            waits.sort();
            waits
        }
    });
    assert_eq!(journal.forget_unopened(100, vec![]).await.unwrap().len(), 2000);
    done.store(true, Ordering::Relaxed);
    let waits = playing.await.unwrap();
    // The limit is generous, so that a busy machine does not fail the test.
    let median = waits[waits.len() / 2];
    assert!(waits.len() > 2 && median < Duration::from_secs(1), "{} appends, {median:?}", waits.len());
    journal.close().await;
}
