//! Effects of time: rooms are unloaded from memory, deleted, and get new hosts.
//!
//! The clock is paused and advanced between messages, and runs normally while messages are in transit, so that real
//! sockets are not affected by the paused clock.

use crate::client::{Client, End};
use crate::harness::{FAST, PATIENCE, TestServer, request};
use crate::journals::{Mood, TestJournal};
use game::Seed;
use journal::{Cursor, Journal};
use protocol::Forced;
use room::{Options, Room};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpSocket;
use tokio::time::timeout;

pub const MINUTE: Duration = Duration::from_secs(60);

pub async fn passes(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

pub async fn look(server: &TestServer, code: &str) -> (u16, Value) {
    let (status, body) = request(server.address, "GET", &format!("/api/rooms/{code}"), "").await;
    (status, serde_json::from_str(&body).unwrap())
}

/// Polls until the room has the expected state, because without a connection there are no notifications.
pub async fn until_seen(server: &TestServer, code: &str, what: &str, holds: impl Fn(&Value) -> bool) {
    let seen = async { while !holds(&look(server, code).await.1) {} };
    timeout(PATIENCE, seen).await.unwrap_or_else(|_| panic!("never seen: {what}"));
}

pub fn nobody_there(room: &Value) -> bool {
    room["watchers"] == 0 && room["seats"].as_array().unwrap().iter().all(|seat| seat["connected"] == false)
}

#[tokio::test]
async fn a_room_nobody_is_in_is_put_away_after_ten_minutes_and_comes_back_whole() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let (code, mut players) = server.game("prevented", 2).await;
    players[0].say(json!({"type": "chat", "text": "see you"})).await;
    players[0].until_heard("chat").await;
    let (token, table, history) =
        (players[0].token.clone().unwrap(), players[0].table.clone(), players[0].history.clone());
    drop(players);
    until_seen(&server, &code, "everyone is gone", nobody_there).await;
    assert_eq!(journal.reads(&code), 1);

    passes(MINUTE * 9 + MINUTE / 2).await;
    assert_eq!(look(&server, &code).await.0, 200);
    assert_eq!(journal.reads(&code), 1, "still in memory");
    let noted = journal.opened(&code).len();
    passes(MINUTE).await;
    let put_away = async {
        while journal.opened(&code).len() == noted {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, put_away).await.expect("when the room was put away is noted");
    let ana = Client::resume(server.address, &code, &token).await.expect("the seat");
    assert_eq!(journal.reads(&code), 2, "read again");
    assert_eq!((ana.seat, &ana.table, &ana.history), (Some(0), &table, &history));
    assert_eq!(ana.chat[0]["text"], "see you");
}

#[tokio::test]
async fn a_room_is_not_put_away_while_somebody_is_there() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    for _ in 0..30 {
        passes(MINUTE / 2).await;
        ana.say(json!({"type": "ping", "t": 1})).await;
        ana.until_heard("pong").await;
    }
    ana.say(json!({"type": "chat", "text": "fifteen minutes"})).await;
    ana.until_heard("chat").await;
    assert_eq!(journal.reads(&code), 1);
}

#[tokio::test]
async fn a_room_is_not_woken_for_a_picture_of_its_link() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), &[FAST, &["--max-rooms", "1"]].concat()).await;
    let (played, empty) = (server.open("prevented").await, server.open("prevented").await);
    let mut ana = server.join(&played, "Ana").await;
    // The server is full, but a QR code does not require the room in memory.
    let (status, picture) = request(server.address, "GET", &format!("/api/rooms/{empty}/qr.svg"), "").await;
    assert_eq!((status, picture.contains("<svg")), (200, true));
    assert_eq!(journal.reads(&empty), 0, "nothing of the room was read");
    assert_eq!(journal.opened(&empty), Vec::<u64>::new(), "nor does it count as opened");
    let (status, _) = request(server.address, "GET", &format!("/api/rooms/{played}/qr.svg"), "").await;
    assert_eq!((status, journal.reads(&played)), (200, 1), "nor was the open one read again");
    let (status, _) = request(server.address, "GET", "/api/rooms/ZZZZZZ/qr.svg", "").await;
    assert_eq!(status, 404);
    ana.say(json!({"type": "ping", "t": 1})).await;
    ana.until_heard("pong").await;
}

#[tokio::test]
async fn a_room_everybody_left_makes_way_when_the_server_is_full() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), &[FAST, &["--max-rooms", "2"]].concat()).await;
    let [first, second, third] =
        [server.open("prevented").await, server.open("prevented").await, server.open("prevented").await];
    let ana = server.join(&first, "Ana").await;
    let token = ana.token.clone().unwrap();
    drop(ana);
    until_seen(&server, &first, "Ana is gone", nobody_there).await;
    let bea = server.join(&second, "Bea").await;
    drop(bea);
    until_seen(&server, &second, "Bea is gone", nobody_there).await;

    // The room that has been empty for longest is unloaded, and no more than needed.
    let mut cid = server.join(&third, "Cid").await;
    assert_eq!(look(&server, &second).await.0, 200);
    assert_eq!(journal.reads(&second), 1, "still in memory");
    // Two clients can load the room at the same time.
    let (ana, looked) = tokio::join!(Client::resume(server.address, &first, &token), look(&server, &first));
    assert_eq!(ana.expect("the seat as it was").seat, Some(0));
    assert_eq!((looked.0, journal.reads(&first)), (200, 2), "read again, once");

    // A room with connected clients is never unloaded.
    cid.say(json!({"type": "chat", "text": "still here"})).await;
    cid.until_heard("chat").await;
    assert_eq!(journal.reads(&third), 1);
}

#[tokio::test]
async fn a_room_looked_at_and_never_joined_is_put_away_too() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let code = server.open("prevented").await;
    assert_eq!(look(&server, &code).await.0, 200);
    passes(MINUTE * 10).await;
    until_seen(&server, &code, "a second reading", |_| journal.reads(&code) == 2).await;
}

#[tokio::test]
async fn rooms_nobody_opens_are_deleted_and_no_others() {
    let flags = [FAST, &["--keep-days", "2"]].concat();
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), &flags).await;
    let (forgotten, visited) = (server.open("prevented").await, server.open("prevented").await);
    let day = MINUTE * 60 * 24;
    sweeps(&journal, day + day / 2).await;
    // The request counts as opening the room, though nobody takes a seat and nothing is written.
    assert_eq!(look(&server, &visited).await.1["keep_days"], 2);
    sweeps(&journal, MINUTE * 60).await;
    sweeps(&journal, day).await;
    assert_eq!(look(&server, &forgotten).await.1["error"]["code"], "no_such_room");
    assert_eq!(look(&server, &visited).await.0, 200);
    sweeps(&journal, MINUTE * 60).await;
    sweeps(&journal, day * 2 + MINUTE).await;
    sweeps(&journal, MINUTE * 60).await;
    assert_eq!(look(&server, &visited).await.1["error"]["code"], "no_such_room", "its turn has come");
}

#[tokio::test]
async fn for_zero_days_a_room_is_kept_for_ever() {
    let journal = Arc::new(TestJournal::default());
    let options = Options::new("towers", None, None, Forced::Auto).unwrap();
    let long_ago = Room::open("K7QF3M", options, Seed([1; 32]), room::WallTime(1)).to_json();
    journal.append("K7QF3M", Cursor::START, vec![long_ago], 1).await.unwrap();
    let server = TestServer::with(journal.clone(), &[FAST, &["--keep-days", "0"]].concat()).await;
    let code = server.open("prevented").await;
    for _ in 0..3 {
        passes(MINUTE * 60 * 24 * 400).await;
        // After another request is answered, the hourly work is done.
        assert_eq!(request(server.address, "GET", "/readyz", "").await.0, 200);
    }
    for code in [&code, "K7QF3M"] {
        let (status, room) = look(&server, code).await;
        assert_eq!((status, &room["keep_days"]), (200, &json!(0)), "{room}");
    }
    assert_eq!(journal.sweeps.load(Ordering::SeqCst), 0, "nothing was looked for to be deleted");
}

#[tokio::test]
async fn a_sweep_that_takes_long_keeps_neither_the_running_time_nor_the_end_waiting() {
    let journal = Arc::new(TestJournal::default());
    journal.turn("", Mood::SweepsForEver);
    let server = TestServer::with(journal.clone(), FAST).await;
    swept(&journal, 1).await;
    passes(MINUTE * 10).await;
    let noted = async {
        while journal.running_ms() < 10 * 60_000 {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, noted).await.expect("how long the server has run is noted beside the sweep");
    assert_eq!(journal.sweeps_under_way.load(Ordering::SeqCst), 1);
    server.stop().await;
    assert_eq!(journal.sweeps_under_way.load(Ordering::SeqCst), 0, "nobody waited for it in vain");
}

/// Advances the time far enough for the next sweep for unopened rooms, and waits for it.
pub async fn sweeps<J>(journal: &TestJournal<J>, time: Duration) {
    let before = journal.sweeps.load(Ordering::SeqCst);
    passes(time).await;
    swept(journal, before + 1).await;
}

/// Waits until this number of sweeps has happened since the journal was opened.
pub async fn swept<J>(journal: &TestJournal<J>, times: usize) {
    let swept = async {
        while journal.sweeps.load(Ordering::SeqCst) < times {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, swept).await.expect("a sweep");
}

#[tokio::test]
async fn a_host_away_for_a_minute_hands_over() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let ana = server.join(&code, "Ana").await;
    let mut bea = server.join(&code, "Bea").await;
    let token = ana.token.clone().unwrap();
    drop(ana);
    bea.until("Ana is away", |bea| bea.room["seats"][0]["connected"] == false).await;
    for _ in 0..2 {
        passes(MINUTE / 3).await;
        bea.say(json!({"type": "ping", "t": 1})).await;
        bea.until_heard("pong").await;
    }
    assert_eq!(bea.room["host"], 0, "not yet");
    assert!(look(&server, &code).await.1["seats"][0]["away_ms"].as_u64().unwrap() >= 40_000);
    passes(MINUTE / 3).await;
    bea.until("Bea is host", |bea| bea.room["host"] == 1).await;
    let ana = Client::resume(server.address, &code, &token).await.unwrap();
    assert_eq!((ana.seat, &ana.room["host"]), (Some(0), &json!(1)));
}

#[tokio::test]
async fn a_line_without_a_sign_of_life_is_dead_after_a_minute() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut bea = server.join(&code, "Bea").await;
    ana.until("Bea comes", |ana| ana.room["seats"][1]["connected"] == true).await;
    // Ana answers. Bea's phone is asleep and does not even read.
    let mut waited = Duration::ZERO;
    while ana.room["seats"][1]["connected"] == true {
        passes(MINUTE / 6).await;
        waited += MINUTE / 6;
        ana.say(json!({"type": "ping", "t": 1})).await;
        ana.until_heard("pong").await;
    }
    assert!(waited >= MINUTE && waited <= MINUTE * 3 / 2, "{waited:?}");
    assert_eq!(bea.until_end().await, End::Closed(4008));
}

#[tokio::test]
async fn a_reader_who_stops_in_a_quiet_room_is_noticed_too() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let ws = Client::connect_with(socket, server.address, &code).await.unwrap();
    let join = json!({"type": "join", "name": "Zoe", "watch": true});
    let _sleeper = Client::introduce(ws, join).await.unwrap();
    // More than the kernel buffers for the client, but not enough to close the connection at once. Then nothing more is
    // sent.
    let text = "𝄞".repeat(500);
    for _ in 0..150 {
        ana.say(json!({"type": "chat", "text": text})).await;
        ana.until_heard("chat").await;
    }
    assert_eq!(ana.room["watchers"], 1);
    for _ in 0..8 {
        passes(MINUTE / 3).await;
        ana.say(json!({"type": "ping", "t": 1})).await;
        ana.until_heard("pong").await;
    }
    ana.until("the sleeper is gone", |ana| ana.room["watchers"] == 0).await;
}
