//! What a stranger with a room's link may try. Each test is named after the attack, and fails if the protection is
//! removed. `docs/security.md` lists them.

use crate::client::{Client, End, Raw};
use crate::harness::{FAST, PATIENCE, Process, TestServer, open};
use crate::idle::{look, passes};
use journal::Journal;
use journal::memory::Memory;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpSocket;
use tokio::time::timeout;

/// Budgets apply, and messages are accepted as fast as a test sends them.
const COUNTED: &[&str] =
    &["--acts-per-second", "1000000", "--rooms-per-hour", "0", "--bot-delay-ms", "3600000"];

#[tokio::test]
async fn talking_without_end_does_not_grow_the_journal() {
    let journal = Arc::new(Memory::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let before = journal.read(&code).await.unwrap().expect("the room");
    for line in 0..2000 {
        ana.say(json!({"type": "chat", "text": format!("line {line} {}", "x".repeat(400))})).await;
        ana.until_heard("chat").await;
    }
    assert_eq!(journal.read(&code).await.unwrap(), Some(before), "no entry was written");
    let notes = journal.open(&code, 0).await.unwrap().expect("the room").notes;
    assert_eq!(notes.len(), 50);
    let bytes: usize = notes.iter().map(String::len).sum();
    assert!(bytes < 50 * 600, "{bytes} bytes are kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_heard_survives_a_kill_and_a_second_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut said = 0;
    let mut token: Option<String> = None;
    let mut code: Option<String> = None;
    for _ in 0..3 {
        let server = Process::start(folder.path(), "127.0.0.1:0").await;
        let code = match &code {
            Some(code) => code,
            None => code.insert(open(server.address, "prevented").await),
        };
        let mut ana = match &token {
            Some(token) => Client::resume(server.address, code, token).await.expect("the seat"),
            None => Client::join(server.address, code, "Ana").await,
        };
        token.clone_from(&ana.token);
        let kept: Vec<String> =
            ana.chat.iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect();
        let last = said - kept.len();
        assert_eq!(kept, (last..said).map(|line| format!("line {line}")).collect::<Vec<_>>());
        assert_eq!(kept.len(), said.min(50));
        for _ in 0..40 {
            ana.say(json!({"type": "chat", "text": format!("line {said}")})).await;
            ana.until_heard("chat").await;
            said += 1;
        }
        server.kill().await;
    }
}

#[tokio::test]
async fn a_host_who_chooses_back_and_forth_is_told_to_wait() {
    let journal = Arc::new(Memory::default());
    let server = TestServer::with(journal.clone(), COUNTED).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut bea = server.join(&code, "Bea").await;
    ana.until("Bea sits", |ana| ana.room["seats"][1]["name"] == "Bea").await;
    let mut tries = 0;
    let refusal = loop {
        ana.say(json!({"type": "configure", "clock": 10 + tries % 2})).await;
        tries += 1;
        assert!(tries < 5000, "nobody stops it");
        match ana.hear().await.unwrap() {
            told if told.kind() == "error" => break told.json["code"].clone(),
            _ => {}
        }
    };
    assert_eq!(refusal, "room_busy");
    let bytes: usize = journal.read(&code).await.unwrap().unwrap().iter().map(String::len).sum();
    assert!(bytes < 150_000, "{bytes} bytes were written");
    assert_eq!(server.metric("rookery_refusals_total{code=\"room_busy\"}").await, Some(1.0));
    // Others can sit and stand meanwhile, and the budget refills with time.
    bea.say(json!({"type": "stand"})).await;
    bea.until("she stands", |bea| bea.seat.is_none()).await;
    bea.say(json!({"type": "sit"})).await;
    bea.until("she sits", |bea| bea.seat.is_some()).await;
    passes(Duration::from_secs(5)).await;
    ana.say(json!({"type": "start"})).await;
    ana.until("the game begins", |ana| ana.version > 0).await;
}

#[tokio::test]
async fn coming_and_going_in_circles_ends_in_the_audience_and_keeps_nobody_from_playing() {
    let journal = Arc::new(Memory::default());
    let server = TestServer::with(journal.clone(), COUNTED).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    server.join(&code, "Bea").await;
    let mut zoe = Client::watch(server.address, &code, "Zoe").await;
    let mut tries = 0;
    let refusal = loop {
        tries += 1;
        assert!(tries < 5000, "nobody stops it");
        zoe.say(json!({"type": "sit"})).await;
        let told = zoe.until_any(&["you", "error"]).await;
        if told.kind() == "error" {
            break told.json["code"].clone();
        }
        zoe.say(json!({"type": "stand"})).await;
        zoe.until_heard("you").await;
    };
    assert_eq!(refusal, "room_busy");
    let bytes: usize = journal.read(&code).await.unwrap().unwrap().iter().map(String::len).sum();
    assert!(bytes < 150_000, "{bytes} bytes were written");
    let late = server.join(&code, "Cid").await;
    assert_eq!(late.seat, None, "whoever comes now may look on");
    ana.say(json!({"type": "start"})).await;
    ana.until("those who are seated play", |ana| ana.version > 0).await;
}

#[tokio::test]
async fn rooms_opened_and_only_looked_at_do_not_fill_the_server() {
    let server =
        TestServer::with(Arc::new(Memory::default()), &[FAST, &["--max-rooms", "20"]].concat()).await;
    let mut codes = Vec::new();
    for _ in 0..60 {
        let code = server.open("prevented").await;
        assert_eq!(look(&server, &code).await.0, 200, "a server full of rooms that nobody is in is not full");
        codes.push(code);
    }
    assert_eq!(server.metric("rookery_rooms").await, Some(20.0));
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    // They are unloaded seconds later, but the room with a player is not.
    passes(Duration::from_secs(6)).await;
    let empty = async { while server.metric("rookery_rooms").await != Some(1.0) {} };
    timeout(PATIENCE, empty).await.expect("nobody needs them");
    ana.say(json!({"type": "ping", "t": 1})).await;
    ana.until_heard("pong").await;
    assert_eq!(look(&server, &codes[0]).await.0, 200, "they can be looked at again");
}

#[tokio::test]
async fn one_address_cannot_be_in_every_room() {
    let flags = ["--rooms-per-hour", "0", "--sockets-per-ip", "1000", "--bot-delay-ms", "3600000"];
    let server = TestServer::with(Arc::new(Memory::default()), &flags).await;
    let mut inside = Vec::new();
    for _ in 0..64 {
        let code = server.open("prevented").await;
        inside.push((server.join(&code, "Zoe").await, code));
    }
    let code = server.open("prevented").await;
    let mut raw = Raw::open(server.address, &code).await.says(r#"{"type":"join","name":"Zoe"}"#).await;
    assert_eq!(raw.hear().await.unwrap()["code"], "too_many_rooms");
    assert_eq!(raw.until_end().await.1, End::Closed(1013));
    // They may join again where they already are, and leaving a room makes a slot available.
    server.join(&inside[0].1, "Zoe too").await;
    let (mut left, _) = inside.pop().expect("one of them");
    left.say(json!({"type": "leave"})).await;
    assert_eq!(left.until_end().await, End::Closed(1000));
    let back = async {
        while Client::join_as(server.address, &code, json!({"type": "join", "name": "Zoe"})).await.is_err() {}
    };
    timeout(PATIENCE, back).await.expect("there is a place again");
}

/// A player takes a seat and disconnects, and their address then joins 64 other rooms. Returns the first message after
/// they rejoin by token.
async fn comes_back_from_an_address_in_64_rooms(most: &str) -> Value {
    let flags = [
        "--rooms-per-hour",
        "0",
        "--sockets-per-ip",
        "1000",
        "--bot-delay-ms",
        "3600000",
        "--max-rooms",
        most,
    ];
    let server = TestServer::with(Arc::new(Memory::default()), &flags).await;
    let code = server.open("prevented").await;
    let ana = server.join(&code, "Ana").await;
    let back = json!({"type": "join", "token": ana.token});
    drop(ana);
    let mut inside = Vec::new();
    for _ in 0..64 {
        inside.push(server.join(&server.open("prevented").await, "Zoe").await);
    }
    let stranger = r#"{"type":"join","name":"Zoe"}"#;
    let mut raw = Raw::open(server.address, &code).await.says(stranger).await;
    assert_eq!(raw.hear().await.unwrap()["code"], "too_many_rooms");
    let mut raw = Raw::open(server.address, &code).await.says(back.to_string()).await;
    raw.hear().await.unwrap()
}

#[tokio::test]
async fn whoever_has_a_seat_comes_back_though_their_address_is_in_many_rooms() {
    assert_eq!(comes_back_from_an_address_in_64_rooms("130").await["type"], "welcome");
    let refused = comes_back_from_an_address_in_64_rooms("120").await;
    assert_eq!(refused["code"], "too_many_rooms", "more than half of the server is not for one address");
}

#[tokio::test]
async fn an_audience_without_end_is_turned_away() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut audience = Vec::new();
    for n in 0..50 {
        audience.push(Client::watch(server.address, &code, &format!("Wil {n}")).await);
    }
    let watch = r#"{"type":"join","name":"Zoe","watch":true}"#;
    let mut raw = Raw::open(server.address, &code).await.says(watch).await;
    assert_eq!(raw.hear().await.unwrap()["code"], "too_many_watchers");
    assert_eq!(raw.until_end().await.1, End::Closed(1013));
    ana.until("they are fifty", |ana| ana.room["watchers"] == 50).await;
    assert_eq!(server.join(&code, "Bea").await.seat, Some(1), "whoever finds a seat comes in");
    drop(audience.pop());
    ana.until("one has left", |ana| ana.room["watchers"] == 49).await;
    Client::watch(server.address, &code, "Zoe").await;
}

#[tokio::test]
async fn ten_chatting_watchers_have_a_budget_together() {
    let server = TestServer::with(Arc::new(Memory::default()), COUNTED).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut watchers = Vec::new();
    for n in 0..10 {
        watchers.push(Client::watch(server.address, &code, &format!("Wil {n}")).await);
    }
    let mut heard = 0;
    for line in 0..200 {
        let wil = &mut watchers[line % 10];
        wil.say(json!({"type": "chat", "text": format!("line {line}")})).await;
        let mine = format!("line {line}");
        loop {
            let told = wil.until_any(&["chat", "error"]).await;
            if told.kind() == "error" {
                assert_eq!(told.json["code"], "room_busy");
                break;
            }
            if told.json["text"] == *mine {
                heard += 1;
                break;
            }
        }
    }
    // Two messages per second become available while the test runs.
    assert!((20..60).contains(&heard), "{heard} of 200 lines were heard");
    ana.say(json!({"type": "chat", "text": "those who play may speak all the same"})).await;
    ana.until("she is heard", |ana| ana.chat.iter().any(|line| line["seat"] == 0)).await;
}

#[tokio::test]
async fn one_address_that_talks_in_many_rooms_is_told_to_slow_down() {
    let server = TestServer::with(Arc::new(Memory::default()), COUNTED).await;
    let (mut said, mut rooms) = (0, 0);
    // A room allows a hundred chat messages at once, and an address four hundred in all rooms.
    let refusal = 'told: loop {
        rooms += 1;
        assert!(rooms < 10, "{said} lines and nobody stops it");
        let code = server.open("prevented").await;
        let mut zoe = server.join(&code, "Zoe").await;
        for line in 0..90 {
            zoe.say(json!({"type": "chat", "text": format!("line {line}")})).await;
            let told = zoe.until_any(&["chat", "error"]).await;
            if told.kind() == "error" {
                break 'told told.json["code"].clone();
            }
            said += 1;
        }
    };
    assert_eq!(refusal, "too_fast");
    assert!(said >= 400, "{said} lines were heard");
    assert_eq!(server.metric("rookery_refusals_total{code=\"too_fast\"}").await, Some(1.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn talk_never_cuts_a_player_on_a_slow_line() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut bea = server.join(&code, "Bea").await;
    // A client whose connection accepts almost nothing.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let ws = Client::connect_with(socket, server.address, &code).await.unwrap();
    let mut ana = Client::introduce(ws, json!({"type": "join", "name": "Ana"})).await.unwrap();
    const LINES: usize = 6000;
    for line in 0..LINES {
        bea.say(json!({"type": "chat", "text": format!("{line} {}", "語".repeat(490))})).await;
        bea.until_heard("chat").await;
    }
    bea.say(json!({"type": "start"})).await;
    ana.until("the game begins for her too", |ana| ana.version > 0).await;
    let last = ana.chat.last().unwrap()["text"].as_str().unwrap().to_owned();
    assert!(last.starts_with(&format!("{} ", LINES - 1)), "{}", &last[..10]);
    assert!(ana.chat.len() < LINES, "a line that slow cannot have taken all of it");
    let dropped = server.metric("rookery_chat_dropped_total").await.unwrap();
    assert_eq!(ana.chat.len() + dropped as usize, LINES);
    assert_eq!(server.metric("rookery_slow_readers_total").await, Some(0.0));
}
