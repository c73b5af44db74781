//! Effects of time: rooms are unloaded from memory, deleted, and get new hosts.
//!
//! The clock is paused and advanced between messages, and runs normally while messages are in transit, so that real
//! sockets are not affected by the paused clock.

use crate::client::{Client, End};
use crate::harness::{FAST, PATIENCE, TestServer};
use crate::journals::{Mood, TestJournal};
use game::Seed;
use journal::{Cursor, Journal};
use protocol::Forced;
use room::{Options, Room};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, timeout};

pub const MINUTE: Duration = Duration::from_secs(60);

pub async fn advance(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

pub async fn look(server: &TestServer, code: &str) -> (u16, Value) {
    let (status, body) = server.get(&format!("/api/rooms/{code}")).await;
    (status, serde_json::from_str(&body).unwrap())
}

/// Polls until the room has the expected state, because without a connection there are no notifications.
pub async fn until_seen(server: &TestServer, code: &str, what: &str, condition: impl Fn(&Value) -> bool) {
    let seen = async { while !condition(&look(server, code).await.1) {} };
    timeout(PATIENCE, seen).await.unwrap_or_else(|_| panic!("timeout while waiting until {what}"));
}

pub fn has_no_clients(room: &Value) -> bool {
    room["watchers"] == 0 && room["seats"].as_array().unwrap().iter().all(|seat| seat["connected"] == false)
}

#[tokio::test]
async fn unloads_an_empty_room_after_ten_minutes_and_restores_it() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let (code, mut players) = server.game("prevented", 2).await;
    players[0].say(json!({"type": "chat", "text": "see you"})).await;
    players[0].until_heard("chat").await;
    let (token, table, history) =
        (players[0].token.clone().unwrap(), players[0].table.clone(), players[0].history.clone());
    drop(players);
    until_seen(&server, &code, "all clients are gone", has_no_clients).await;
    assert_eq!(journal.reads(&code), 1);

    advance(MINUTE * 9 + MINUTE / 2).await;
    assert_eq!(look(&server, &code).await.0, 200);
    assert_eq!(journal.reads(&code), 1, "still in memory");
    let noted = journal.opened(&code).len();
    advance(MINUTE).await;
    let put_away = async {
        while journal.opened(&code).len() == noted {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, put_away).await.expect("the time of unloading is recorded");
    let ana = Client::resume(server.address, &code, &token).await.expect("the seat is kept");
    assert_eq!(journal.reads(&code), 2, "the room is read again");
    assert_eq!((ana.seat(), &ana.table, &ana.history), (Some(0), &table, &history));
    assert_eq!(ana.chat[0]["text"], "see you");
}

#[tokio::test]
async fn keeps_a_room_loaded_while_a_client_is_connected() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    for _ in 0..30 {
        advance(MINUTE / 2).await;
        ana.say(json!({"type": "ping", "t": 1})).await;
        ana.until_heard("pong").await;
    }
    ana.say(json!({"type": "chat", "text": "fifteen minutes"})).await;
    ana.until_heard("chat").await;
    assert_eq!(journal.reads(&code), 1);
}

#[tokio::test]
async fn a_qr_code_request_does_not_load_the_room() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), &[FAST, &["--max-rooms", "1"]].concat()).await;
    let (played, empty) = (server.open("prevented").await, server.open("prevented").await);
    let mut ana = server.join(&played, "Ana").await;
    // The server is full, but a QR code does not require the room in memory.
    let (status, picture) = server.get(&format!("/api/rooms/{empty}/qr.svg")).await;
    assert_eq!((status, picture.contains("<svg")), (200, true));
    assert_eq!(journal.reads(&empty), 0, "the room was not read");
    assert_eq!(journal.opened(&empty), Vec::<u64>::new(), "the room does not count as opened");
    let (status, _) = server.get(&format!("/api/rooms/{played}/qr.svg")).await;
    assert_eq!((status, journal.reads(&played)), (200, 1), "the loaded room was not read again");
    let (status, _) = server.get("/api/rooms/ZZZZZZ/qr.svg").await;
    assert_eq!(status, 404);
    ana.say(json!({"type": "ping", "t": 1})).await;
    ana.until_heard("pong").await;
}

#[tokio::test]
async fn a_full_server_unloads_the_longest_empty_room() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), &[FAST, &["--max-rooms", "2"]].concat()).await;
    let [first, second, third] =
        [server.open("prevented").await, server.open("prevented").await, server.open("prevented").await];
    let ana = server.join(&first, "Ana").await;
    let token = ana.token.clone().unwrap();
    drop(ana);
    until_seen(&server, &first, "Ana is gone", has_no_clients).await;
    let bea = server.join(&second, "Bea").await;
    drop(bea);
    until_seen(&server, &second, "Bea is gone", has_no_clients).await;

    // The room that has been empty for longest is unloaded, and no more than needed.
    let mut cid = server.join(&third, "Cid").await;
    assert_eq!(look(&server, &second).await.0, 200);
    assert_eq!(journal.reads(&second), 1, "still in memory");
    // Two clients can load the room at the same time.
    let (ana, looked) = tokio::join!(Client::resume(server.address, &first, &token), look(&server, &first));
    assert_eq!(ana.expect("the seat is kept").seat(), Some(0));
    assert_eq!((looked.0, journal.reads(&first)), (200, 2), "the room is read again once");

    // A room with connected clients is never unloaded.
    cid.say(json!({"type": "chat", "text": "still here"})).await;
    cid.until_heard("chat").await;
    assert_eq!(journal.reads(&third), 1);
}

#[tokio::test]
async fn unloads_a_room_that_was_viewed_but_never_joined() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let code = server.open("prevented").await;
    assert_eq!(look(&server, &code).await.0, 200);
    advance(MINUTE * 10).await;
    until_seen(&server, &code, "the room is read again", |_| journal.reads(&code) == 2).await;
}

#[tokio::test]
async fn deletes_only_rooms_that_were_not_opened() {
    let flags = [FAST, &["--keep-days", "2"]].concat();
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), &flags).await;
    let (forgotten, visited) = (server.open("prevented").await, server.open("prevented").await);
    let day = MINUTE * 60 * 24;
    sweeps(&journal, day + day / 2).await;
    // The request counts as opening the room, although no client takes a seat and nothing is written.
    assert_eq!(look(&server, &visited).await.1["keep_days"], 2);
    sweeps(&journal, MINUTE * 60).await;
    sweeps(&journal, day).await;
    assert_eq!(look(&server, &forgotten).await.1["error"]["code"], "no_such_room");
    assert_eq!(look(&server, &visited).await.0, 200);
    sweeps(&journal, MINUTE * 60).await;
    sweeps(&journal, day * 2 + MINUTE).await;
    sweeps(&journal, MINUTE * 60).await;
    assert_eq!(
        look(&server, &visited).await.1["error"]["code"],
        "no_such_room",
        "the visited room has expired as well"
    );
}

#[tokio::test]
async fn zero_keep_days_disables_deletion() {
    let journal = Arc::new(TestJournal::default());
    let options = Options::new("towers", None, None, Forced::Auto).unwrap();
    let long_ago = Room::open("K7QF3M", options, Seed([1; 32]), room::WallTime(1)).to_json();
    journal.append("K7QF3M", Cursor::START, vec![long_ago], 1).await.unwrap();
    let server = TestServer::with(journal.clone(), &[FAST, &["--keep-days", "0"]].concat()).await;
    let code = server.open("prevented").await;
    for _ in 0..3 {
        advance(MINUTE * 60 * 24 * 400).await;
        // After another request is answered, the hourly work is done.
        assert_eq!(server.get("/readyz").await.0, 200);
    }
    for code in [&code, "K7QF3M"] {
        let (status, room) = look(&server, code).await;
        assert_eq!((status, &room["keep_days"]), (200, &json!(0)), "{room}");
    }
    assert_eq!(journal.sweeps.load(Ordering::SeqCst), 0, "no sweep happens");
}

#[tokio::test]
async fn a_slow_sweep_delays_neither_running_time_nor_shutdown() {
    let journal = Arc::new(TestJournal::default());
    journal.turn("", Mood::SweepsForEver);
    let server = TestServer::with(journal.clone(), FAST).await;
    swept(&journal, 1).await;
    advance(MINUTE * 10).await;
    let noted = async {
        while journal.running_ms() < 10 * 60_000 {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, noted).await.expect("the running time is recorded during the sweep");
    assert_eq!(journal.sweeps_under_way.load(Ordering::SeqCst), 1);
    server.stop().await;
    assert_eq!(journal.sweeps_under_way.load(Ordering::SeqCst), 0, "the sweep is cancelled on shutdown");
}

/// Advances the time far enough for the next sweep for unopened rooms, and waits for it.
pub async fn sweeps<J>(journal: &TestJournal<J>, time: Duration) {
    let before = journal.sweeps.load(Ordering::SeqCst);
    advance(time).await;
    swept(journal, before + 1).await;
}

/// Waits until this number of sweeps has happened since the journal was opened.
pub async fn swept<J>(journal: &TestJournal<J>, times: usize) {
    let swept = async {
        while journal.sweeps.load(Ordering::SeqCst) < times {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, swept).await.expect("the sweep happens in time");
}

#[tokio::test]
async fn a_host_absent_for_a_minute_is_replaced() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let ana = server.join(&code, "Ana").await;
    let mut bea = server.join(&code, "Bea").await;
    let token = ana.token.clone().unwrap();
    drop(ana);
    bea.until("Ana is disconnected", |bea| bea.room["seats"][0]["connected"] == false).await;
    for _ in 0..2 {
        advance(MINUTE / 3).await;
        bea.say(json!({"type": "ping", "t": 1})).await;
        bea.until_heard("pong").await;
    }
    assert_eq!(bea.room["host"], 0, "the host changed too early");
    assert!(look(&server, &code).await.1["seats"][0]["away_ms"].as_u64().unwrap() >= 40_000);
    advance(MINUTE / 3).await;
    bea.until("Bea is host", |bea| bea.room["host"] == 1).await;
    let ana = Client::resume(server.address, &code, &token).await.unwrap();
    assert_eq!((ana.seat(), &ana.room["host"]), (Some(0), &json!(1)));
}

#[tokio::test]
async fn closes_a_connection_after_a_minute_without_heartbeat() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let before = Instant::now();
    let mut bea = server.join(&code, "Bea").await;
    ana.until("Bea is connected", |ana| ana.room["seats"][1]["connected"] == true).await;
    // Ana answers. Bea's phone is asleep and does not even read. The server looks at a connection every 20 seconds,
    // counted from the last look. Small steps keep each look close to the time when it is due.
    while ana.room["seats"][1]["connected"] == true {
        advance(Duration::from_secs(1)).await;
        ana.say(json!({"type": "ping", "t": 1})).await;
        ana.until_heard("pong").await;
    }
    let waited = before.elapsed();
    assert!(waited >= MINUTE && waited <= MINUTE * 3 / 2, "{waited:?}");
    assert_eq!(bea.until_end().await, End::Closed(4008));
}

#[tokio::test]
async fn detects_a_stalled_reader_in_a_quiet_room() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let _sleeper = Client::sleeper(server.address, &code).await;
    // More than the kernel buffers for the client, but not enough to close the connection at once. Then nothing more is
    // sent.
    let text = "𝄞".repeat(500);
    for _ in 0..150 {
        ana.say(json!({"type": "chat", "text": text})).await;
        ana.until_heard("chat").await;
    }
    assert_eq!(ana.room["watchers"], 1);
    for _ in 0..8 {
        advance(MINUTE / 3).await;
        ana.say(json!({"type": "ping", "t": 1})).await;
        ana.until_heard("pong").await;
    }
    ana.until("the stalled client is removed", |ana| ana.room["watchers"] == 0).await;
}
