//! `rookery move`: moves all rooms from a folder into a PostgreSQL database and back without changes, and its refusals.

use crate::harness::{Process, open};
use crate::update::{finish_all_games, folder_of};
use journal::moving::{Kept, Shelf};
use journal::postgres::{DatabaseSettings, Postgres};
use journal::sqlite::Sqlite;
use journal::{Cursor, Journal, Lines};
use pgtest::{PASSWORD, PostgresCluster};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::Arc;
use tokio::process::Command;

async fn rookery_move(from: &str, to: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rookery"));
    // As the documentation recommends, because a password on the command line is visible in the process list.
    command.arg("move").env("ROOKERY_MOVE_FROM", from).env("ROOKERY_MOVE_TO", to);
    command.stdin(Stdio::null()).output().await.expect("the program starts")
}

async fn moved(from: &str, to: &str) -> String {
    let output = rookery_move(from, to).await;
    let (said, progress) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{progress}");
    // Without a terminal, progress is printed as plain lines.
    assert!(progress.lines().last().is_some_and(|line| line.starts_with("comparing: ")), "{progress}");
    assert!(!progress.contains('\r') && !said.contains(PASSWORD), "{progress}");
    said
}

async fn refused(from: &str, to: &str) -> String {
    let output = rookery_move(from, to).await;
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(!said.contains(PASSWORD), "{said}");
    said
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn name(folder: &Path) -> &str {
    folder.to_str().unwrap()
}

async fn over(address: &str) -> Postgres {
    Postgres::open(DatabaseSettings::alone(address.parse().unwrap())).await.unwrap()
}

/// Returns everything in a journal.
async fn all(journal: &impl Shelf) -> (u64, BTreeMap<String, Kept>) {
    let mut rooms = BTreeMap::new();
    for room in journal.rooms().await.unwrap() {
        let kept = journal.kept(&room).await.unwrap().unwrap();
        rooms.insert(room, kept);
    }
    (journal.running_ms(), rooms)
}

async fn all_in(folder: &Path) -> (u64, BTreeMap<String, Kept>) {
    let journal = Sqlite::open(folder).unwrap();
    let all = all(&journal).await;
    journal.close().await;
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_rooms_of_v0_1_0_to_a_database_and_back() {
    let (old, rooms) = folder_of("v0.1.0");
    let (database, back) = (PostgresCluster::shared().database(), tempfile::tempdir().unwrap());
    let said = moved(name(old.path()), &database).await;
    assert!(said.starts_with(&format!("copied {} rooms with ", rooms.len())), "{said}");
    moved(&database, name(back.path())).await;
    let before = all_in(old.path()).await;
    assert_eq!(before.1.len(), rooms.len());
    assert_eq!(before, all_in(back.path()).await);
    finish_all_games(Arc::new(over(&database).await), &rooms).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_unusual_room_contents_unchanged() {
    let (here, back) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let journal = Sqlite::open(here.path()).unwrap();
    let odd = ["", "a\u{0}b", "Zoë 日本語 \u{feff}", "it's \\ \"quoted\""].map(str::to_owned);
    // Enough rooms to be moved concurrently.
    for n in 0..150_u64 {
        let room = format!("R{n:0>5}");
        let lines = odd.iter().cycle().take(n as usize % 7 + 1).cloned().collect();
        let at = journal.append(&room, Cursor::START, lines, n * 1000).await.unwrap();
        let at = match n % 3 {
            0 => at,
            _ => journal.append_lines(&room, at, Lines::with_checkpoint(odd.to_vec()), n * 1000).await.unwrap(),
        };
        let at = journal.append(&room, at, vec![n.to_string()], n * 1000).await.unwrap();
        for slot in 0..n as u8 % 5 {
            journal.note(&room, at, slot * 51, odd[slot as usize % 4].clone(), n * 1000).await.unwrap();
        }
    }
    journal.ran(150_000).await.unwrap();
    let before = all(&journal).await;
    journal.close().await;
    let database = PostgresCluster::shared().database();
    moved(name(here.path()), &database).await;
    let there = over(&database).await;
    assert_eq!(all(&there).await, before);
    assert_eq!(there.forget_unopened(10_000, vec![]).await.unwrap().len(), 10, "the opening times are moved as well");
    there.close().await;
    let database = PostgresCluster::shared().database();
    moved(name(here.path()), &database).await;
    moved(&database, name(back.path())).await;
    assert_eq!(all_in(back.path()).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_a_source_in_use_and_a_target_with_rooms() {
    let (folder, empty) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let database = PostgresCluster::shared().database();
    let no = empty.path().join("no");
    assert!(refused(name(&no), &database).await.contains("there is no journal in"));
    assert!(refused("memory", &database).await.contains("in memory cannot be moved"));
    assert!(refused(&database, &database).await.contains("the same place"));
    assert!(refused(name(folder.path()), "postgres://x:y").await.contains("an address such as postgres://"));

    let process = Process::start(folder.path(), "127.0.0.1:0").await;
    open(process.address, "prevented").await;
    let said = refused(name(folder.path()), &database).await;
    assert!(said.contains("another Rookery is using"), "{said}");
    process.kill().await;
    moved(name(folder.path()), &database).await;
    let said = refused(name(folder.path()), &database).await;
    assert!(said.contains("the target already has 1 rooms; name an empty one"), "{said}");

    let server = over(&database).await;
    let said = refused(&database, name(&no)).await;
    assert!(said.contains("the source is used by server ") && said.contains("stop all servers first"), "{said}");
    assert_eq!(server.exists("nobody").await, Ok(false), "the running server is not affected");
    server.close().await;
    moved(&database, name(&no)).await;
    assert_eq!(all_in(&no).await.1.len(), 1);
}
