//! Attacks by a stranger who has a room's link. Each test fails if its protection is removed. `docs/security.md` lists
//! them.

use crate::client::{Client, End, Raw};
use crate::harness::{FAST, PATIENCE, Process, TestServer, open};
use crate::idle::{advance, look};
use client::scripted::abuse;
use journal::Journal;
use journal::memory::Memory;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Budgets apply, and messages are accepted as fast as a test sends them.
const COUNTED: &[&str] = &["--acts-per-second", "1000000", "--rooms-per-hour", "0", "--bot-delay-ms", "3600000"];

#[tokio::test]
async fn endless_chat_does_not_grow_the_journal() {
    let journal = Arc::new(Memory::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let before = journal.read(&code).await.unwrap().expect("the room exists");
    for line in 0..2000 {
        ana.say(json!({"type": "chat", "text": format!("line {line} {}", "x".repeat(400))})).await;
        ana.until_heard("chat").await;
    }
    assert_eq!(journal.read(&code).await.unwrap(), Some(before), "entries were written for chat");
    let notes = journal.open(&code, 0).await.unwrap().expect("the room exists").notes;
    assert_eq!(notes.len(), 50);
    let bytes: usize = notes.iter().map(String::len).sum();
    assert!(bytes < 50 * 600, "{bytes} bytes are stored");
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_survives_repeated_kills() {
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
            Some(token) => Client::resume(server.address, code, token).await.expect("the seat is kept"),
            None => Client::join(server.address, code, "Ana").await,
        };
        token.clone_from(&ana.token);
        let kept: Vec<String> = ana.chat.iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect();
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
async fn rate_limits_a_host_who_keeps_changing_options() {
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
        assert!(tries < 5000, "the rate limit does not apply");
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
    bea.until("Bea stands", |bea| bea.seat().is_none()).await;
    bea.say(json!({"type": "sit"})).await;
    bea.until("the player sits", |bea| bea.seat().is_some()).await;
    advance(Duration::from_secs(5)).await;
    ana.say(json!({"type": "start"})).await;
    ana.until("the game begins", |ana| ana.version > 0).await;
}

#[tokio::test]
async fn repeated_sitting_and_standing_is_rate_limited() {
    let journal = Arc::new(Memory::default());
    let server = TestServer::with(journal.clone(), COUNTED).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    server.join(&code, "Bea").await;
    let mut zoe = Client::watch(server.address, &code, "Zoe").await;
    let mut tries = 0;
    let refusal = loop {
        tries += 1;
        assert!(tries < 5000, "the rate limit does not apply");
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
    assert_eq!(late.seat(), None, "a later join becomes a spectator");
    ana.say(json!({"type": "start"})).await;
    ana.until("the game begins for the seated players", |ana| ana.version > 0).await;
}

#[tokio::test]
async fn rooms_that_are_only_viewed_do_not_fill_the_server() {
    let server = TestServer::in_memory(&[FAST, &["--max-rooms", "20"]].concat()).await;
    let mut codes = Vec::new();
    for _ in 0..60 {
        let code = server.open("prevented").await;
        assert_eq!(look(&server, &code).await.0, 200, "empty rooms must not fill the server");
        codes.push(code);
    }
    assert_eq!(server.metric("rookery_rooms").await, Some(20.0));
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    // They are unloaded seconds later, but the room with a player is not.
    advance(Duration::from_secs(6)).await;
    server.until_metric("rookery_rooms", 1.0).await;
    ana.say(json!({"type": "ping", "t": 1})).await;
    ana.until_heard("pong").await;
    assert_eq!(look(&server, &codes[0]).await.0, 200, "an unloaded room can be viewed again");
}

#[tokio::test]
async fn limits_the_rooms_of_one_address() {
    let flags = ["--rooms-per-hour", "0", "--sockets-per-ip", "1000", "--bot-delay-ms", "3600000"];
    let server = TestServer::in_memory(&flags).await;
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
    let (mut left, _) = inside.pop().expect("there is a client");
    left.say(json!({"type": "leave"})).await;
    assert_eq!(left.until_end().await, End::Closed(1000));
    let back = async {
        while Client::join_as(server.address, &code, json!({"type": "join", "name": "Zoe"})).await.is_err() {}
    };
    timeout(PATIENCE, back).await.expect("a slot becomes free");
}

/// A player takes a seat and disconnects, and their address then joins 64 other rooms. Returns the first message after
/// they rejoin by token.
async fn rejoin_from_an_address_in_64_rooms(most: &str) -> Value {
    let flags = ["--rooms-per-hour", "0", "--sockets-per-ip", "1000", "--bot-delay-ms", "3600000", "--max-rooms", most];
    let server = TestServer::in_memory(&flags).await;
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
async fn a_seat_reconnects_although_its_address_is_in_many_rooms() {
    assert_eq!(rejoin_from_an_address_in_64_rooms("130").await["type"], "welcome");
    let refused = rejoin_from_an_address_in_64_rooms("120").await;
    assert_eq!(refused["code"], "too_many_rooms", "one address may not use more than half of the rooms");
}

#[tokio::test]
async fn limits_the_spectators_of_a_room() {
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
    ana.until("fifty spectators are shown", |ana| ana.room["watchers"] == 50).await;
    assert_eq!(server.join(&code, "Bea").await.seat(), Some(1), "a free seat is still available");
    drop(audience.pop());
    ana.until("one spectator has left", |ana| ana.room["watchers"] == 49).await;
    Client::watch(server.address, &code, "Zoe").await;
}

#[tokio::test]
async fn spectators_share_a_chat_budget() {
    let server = TestServer::in_memory(COUNTED).await;
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
    assert!((20..60).contains(&heard), "{heard} of 200 messages were accepted");
    ana.say(json!({"type": "chat", "text": "those who play may speak all the same"})).await;
    ana.until("Ana's message arrives", |ana| ana.chat.iter().any(|line| line["seat"] == 0)).await;
}

#[tokio::test]
async fn rate_limits_chat_of_one_address_across_rooms() {
    let server = TestServer::in_memory(COUNTED).await;
    let (mut said, mut rooms) = (0, 0);
    // A room allows a hundred chat messages at once, and an address four hundred in all rooms.
    let refusal = 'told: loop {
        rooms += 1;
        assert!(rooms < 10, "the rate limit does not apply after {said} messages");
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
    assert!(said >= 400, "only {said} messages were accepted");
    assert_eq!(server.metric("rookery_refusals_total{code=\"too_fast\"}").await, Some(1.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_never_disconnects_a_player_on_a_slow_connection() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut bea = server.join(&code, "Bea").await;
    // A client whose connection accepts almost nothing.
    let (socket, join) = (abuse::deaf_socket().unwrap(), json!({"type": "join", "name": "Ana"}));
    let mut ana = Client::join_over(socket, server.address, &code, join).await.unwrap();
    const LINES: usize = 6000;
    for line in 0..LINES {
        bea.say(json!({"type": "chat", "text": format!("{line} {}", "語".repeat(490))})).await;
        bea.until_heard("chat").await;
    }
    bea.say(json!({"type": "start"})).await;
    ana.until("the game begins for Ana too", |ana| ana.version > 0).await;
    let last = ana.chat.last().unwrap()["text"].as_str().unwrap().to_owned();
    assert!(last.starts_with(&format!("{} ", LINES - 1)), "{}", &last[..10]);
    assert!(ana.chat.len() < LINES, "a slow connection cannot receive all messages");
    let dropped = server.metric("rookery_chat_dropped_total").await.unwrap();
    assert_eq!(ana.chat.len() + dropped as usize, LINES);
    assert_eq!(server.metric("rookery_slow_readers_total").await, Some(0.0));
}
