//! A machine whose date is wrong, and is corrected or changed again: no room is deleted and no deadline moves. Only
//! displayed and recorded times follow the wall clock.

use crate::client::Raw;
use crate::client::{Client, End};
use crate::harness::{FAST, TestServer, begin, open_with};
use crate::idle::{MINUTE, look, sweeps, swept};
use crate::journals::TestJournal;
use journal::Journal;
use journal::sqlite::Sqlite;
use serde_json::json;
use server::Clock;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The first of January of each year, in seconds since 1970.
const IN_2020: u64 = 1_577_836_800;
const IN_2026: u64 = 1_767_225_600;
const IN_2099: u64 = 4_070_908_800;

/// A wall clock that the test can set.
#[derive(Clone)]
struct Wall(Arc<AtomicU64>);

impl Wall {
    fn showing(seconds: u64) -> Wall {
        Wall(Arc::new(AtomicU64::new(seconds)))
    }

    fn set(&self, seconds: u64) {
        self.0.store(seconds, Ordering::SeqCst);
    }
}

/// Starts a server over a folder with this wall clock, after its first sweep for unopened rooms.
async fn server_in(folder: &Path, wall: &Wall, keep_days: &str) -> (Arc<TestJournal<Sqlite>>, TestServer) {
    let inner = Sqlite::open(folder).unwrap();
    let journal = Arc::new(TestJournal::over(inner));
    let shown = wall.0.clone();
    let clock =
        Clock::with_wall(journal.running_ms(), move || UNIX_EPOCH + Duration::from_secs(shown.load(Ordering::SeqCst)));
    let flags = [FAST, &["--keep-days", keep_days]].concat();
    let server = TestServer::with_clock(journal.clone(), &flags, clock).await;
    swept(&journal, 1).await;
    (journal, server)
}

/// Sends a chat message, and returns the time shown with it.
async fn chat(client: &mut Client, text: &str) -> u64 {
    client.say(json!({"type": "chat", "text": text})).await;
    client.until_heard("chat").await.json["at"].as_u64().unwrap()
}

#[tokio::test]
async fn correcting_a_clock_that_started_in_2020_deletes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let wall = Wall::showing(IN_2020);
    let (journal, server) = server_in(folder.path(), &wall, "30").await;
    let code = server.open("prevented").await;
    wall.set(IN_2026);
    sweeps(&journal, MINUTE * 60).await;
    assert_eq!(look(&server, &code).await.0, 200, "corrected while the server runs");
    server.stop().await;

    let (_, server) = server_in(folder.path(), &wall, "30").await;
    assert_eq!(look(&server, &code).await.0, 200, "corrected while the server was stopped");
    server.stop().await;
}

#[tokio::test]
async fn starting_once_in_2099_deletes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut codes = Vec::new();
    for year in [IN_2026, IN_2099, IN_2026, IN_2020] {
        let (journal, server) = server_in(folder.path(), &Wall::showing(year), "30").await;
        codes.push(server.open("prevented").await);
        sweeps(&journal, MINUTE * 60).await;
        for code in &codes {
            assert_eq!(look(&server, code).await.0, 200);
        }
        server.stop().await;
    }
}

#[tokio::test]
async fn only_running_time_counts_for_keep_days() {
    let folder = tempfile::tempdir().unwrap();
    let wall = Wall::showing(IN_2026);
    let (journal, server) = server_in(folder.path(), &wall, "2").await;
    let code = server.open("prevented").await;
    sweeps(&journal, DAY + DAY / 2).await;
    server.stop().await;

    // The server is off for years, which do not count. The day and a half before that does.
    wall.set(IN_2099);
    let (journal, server) = server_in(folder.path(), &wall, "2").await;
    assert!(journal.read(&code).await.unwrap().is_some());
    sweeps(&journal, DAY / 3).await;
    assert!(journal.read(&code).await.unwrap().is_some(), "less than two days");
    sweeps(&journal, DAY / 3).await;
    assert_eq!(journal.read(&code).await.unwrap(), None, "more than two days");
    assert_eq!(look(&server, &code).await.1["error"]["code"], "no_such_room");
    server.stop().await;
}

#[tokio::test]
async fn a_corrected_clock_moves_no_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let wall = Wall::showing(IN_2020);
    let (_, server) = server_in(folder.path(), &wall, "30").await;
    let code = open_with(server.address, json!({"game": "towers", "clock": 3600, "forced": "ask"})).await;
    let mut players = begin(server.address, &code, 2).await;
    let mut said = vec![chat(&mut players[0], "happy new year").await];
    for year in [IN_2099, IN_2020, IN_2026] {
        wall.set(year);
        said.push(chat(&mut players[0], "is it?").await);
        // The deadline has neither passed nor moved away by decades.
        let look = r#"{"type":"join","name":"Wil","watch":true}"#;
        let welcome = Raw::open(server.address, &code).await.says(look).await.hear().await.unwrap();
        let left = welcome["state"]["deadline_ms"].as_u64().expect("the game has a clock");
        assert!((3_000_000..=3_600_000).contains(&left), "{left} ms are left");
    }
    assert_eq!(said, [IN_2020, IN_2099, IN_2020, IN_2026].map(|seconds| seconds * 1000));

    // Chat messages are restored in the order in which they were sent, whatever the clock showed.
    let token = players[0].token.clone().unwrap();
    let goodbyes = async {
        for player in &mut players {
            assert_eq!(player.until_end().await, End::Closed(1012));
        }
    };
    tokio::join!(server.stop(), goodbyes);
    let (_, server) = server_in(folder.path(), &wall, "30").await;
    let ana = Client::resume(server.address, &code, &token).await.expect("the seat is kept");
    let shown: Vec<u64> = ana.chat.iter().map(|line| line["at"].as_u64().unwrap()).collect();
    assert_eq!(shown, said);
    server.stop().await;
}
