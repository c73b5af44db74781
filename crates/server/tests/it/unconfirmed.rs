//! Joins that are cut before the welcome arrives, over real sockets: no player gets two seats, and
//! unconfirmed seats are given up.

use crate::client::Client;
use crate::harness::{FAST, PATIENCE, TestServer};
use crate::idle::{advance, look, until_seen};
use crate::lobby::{names, play_quietly};
use journal::sqlite::Sqlite;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

const SECOND: Duration = Duration::from_secs(1);

fn join(name: &str, salt: &str) -> Value {
    json!({"type": "join", "name": name, "salt": salt.repeat(16)})
}

fn newest(watcher: &Client) -> Option<&Value> {
    watcher.room["seats"].as_array().unwrap().last()
}

/// Joins on a connection that breaks before anything is read. A spectator sees the player appear and disconnect.
async fn join_and_disconnect(server: &TestServer, code: &str, join: Value, watcher: &mut Client) {
    let mut ws = Client::connect(server.address, code).await.unwrap();
    ws.send(join.to_string()).await.unwrap();
    let there = |watcher: &Client| newest(watcher).is_some_and(|seat| seat["connected"] == true);
    watcher.until("the player joins", there).await;
    drop(ws);
    watcher.until("the player is disconnected", |watcher| !there(watcher)).await;
}

#[tokio::test]
async fn three_joins_cut_before_the_welcome_leave_one_seat() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    for _ in 0..3 {
        join_and_disconnect(&server, &code, join("Ana", "0a"), &mut wil).await;
        assert_eq!(names(&wil.room), ["Ana"]);
    }
    let ana = Client::join_as(server.address, &code, join("Ana", "0a")).await.unwrap();
    assert_eq!((ana.seat(), ana.name.as_str(), &ana.room["host"]), (Some(0), "Ana", &json!(0)));
    let bea = Client::join_as(server.address, &code, join("Ana", "0b")).await.unwrap();
    assert_eq!((bea.seat(), bea.name.as_str()), (Some(1), "Ana 2"), "another salt is another player");
}

#[tokio::test]
async fn the_token_of_every_welcome_is_valid() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut tokens = Vec::new();
    let mut places = Vec::new();
    for _ in 0..3 {
        let place = Client::join_as(server.address, &code, join("Ana", "0a")).await.unwrap();
        assert_eq!((place.seat(), names(&place.room)), (Some(0), vec!["Ana"]));
        tokens.push(place.token.clone().unwrap());
        places.push(place);
    }
    assert!(tokens[0] != tokens[1] && tokens[1] != tokens[2]);
    drop(places);
    for token in &tokens {
        let back = Client::resume(server.address, &code, token).await.expect("the seat is kept");
        assert_eq!((back.seat(), back.token.as_ref()), (Some(0), Some(token)));
    }
}

#[tokio::test]
async fn an_unconfirmed_seat_expires_and_a_connected_player_is_host() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut bea = Client::watch(server.address, &code, "Bea").await;
    // An older page sends a new salt each time.
    join_and_disconnect(&server, &code, join("Ana", "0a"), &mut bea).await;
    join_and_disconnect(&server, &code, json!({"type": "join", "name": "Ana"}), &mut bea).await;
    bea.say(json!({"type": "sit"})).await;
    bea.until("Bea sits", |bea| names(&bea.room) == ["Ana", "Ana 2", "Bea"]).await;
    assert_eq!(bea.room["host"], 0);

    advance(SECOND * 15).await;
    assert_eq!(
        names(&look(&server, &code).await.1),
        ["Ana", "Ana 2", "Bea"],
        "players who never got their welcome may still reconnect"
    );
    advance(SECOND * 10).await;
    until_seen(&server, &code, "their seats are free", |room| names(room) == ["Bea"]).await;
    bea.until("Bea sees it", |bea| names(&bea.room) == ["Bea"]).await;
    assert_eq!((bea.seat(), &bea.room["host"]), (Some(0), &json!(0)));
}

#[tokio::test]
async fn a_welcomed_player_keeps_the_seat_while_disconnected() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    let mut sleepers = Vec::new();
    for (name, speaks) in [("Ana", false), ("Bea", true)] {
        // A page need not send anything: the browser answers the ping after the welcome by itself.
        let mut sleeper = server.join(&code, name).await;
        if speaks {
            sleeper.say(json!({"type": "ping", "t": 1})).await;
            sleeper.until_heard("pong").await;
        }
        sleepers.push((sleeper.token.clone().unwrap(), name));
        // Closed properly, so that the last message arrives.
        sleeper.ws.close().await;
        let gone = |wil: &Client| newest(wil).is_some_and(|seat| seat["name"] == name && seat["connected"] == false);
        wil.until("the player is disconnected", gone).await;
    }
    for _ in 0..6 {
        advance(SECOND * 30).await;
        wil.say(json!({"type": "ping", "t": 1})).await;
        wil.until_heard("pong").await;
        assert_eq!(names(&look(&server, &code).await.1), ["Ana", "Bea"]);
    }
    for (token, name) in sleepers {
        assert_eq!(Client::resume(server.address, &code, &token).await.expect("the seat is kept").name, name);
    }
}

#[tokio::test]
async fn a_slow_open_connection_keeps_its_seat() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    let mut slow = Client::connect(server.address, &code).await.unwrap();
    slow.send(join("Ana", "0a").to_string()).await.unwrap();
    wil.until("Ana joins", |wil| names(&wil.room) == ["Ana"]).await;
    advance(SECOND * 45).await;
    assert_eq!(names(&look(&server, &code).await.1), ["Ana"]);
    // The welcome is read only now.
    let mut ana = Client::already_welcomed(slow, &placeholder_welcome(&wil));
    ana.until("the welcome arrives", |ana| ana.seat() == Some(0)).await;
    ana.say(json!({"type": "chat", "text": "at last"})).await;
    assert_eq!(ana.until_heard("chat").await.json["seat"], 0, "the message is from Ana's seat");
}

/// Returns a placeholder welcome for a client that has not received its own yet.
fn placeholder_welcome(watcher: &Client) -> String {
    let you = json!({"seat": null, "token": null, "name": "nobody"});
    let room = &watcher.room;
    json!({"type": "welcome", "protocol": 1, "you": you, "room": room, "state": null, "history": [], "chat": []})
        .to_string()
}

#[tokio::test]
async fn a_published_salt_opens_no_seat() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut players = Vec::new();
    for (name, salt) in [("Ana", "0a"), ("Bea", "0b")] {
        players.push(Client::join_as(server.address, &code, join(name, salt)).await.unwrap());
    }
    players[0].say(json!({"type": "start"})).await;
    for player in &mut players {
        player.until("the game begins", |player| player.version > 0).await;
    }
    let salt = players[1].room["fair"]["salts"][0].as_str().unwrap().to_owned();
    let stolen = json!({"type": "join", "name": "Ana", "salt": salt});
    let watcher = Client::join_as(server.address, &code, stolen.clone()).await.unwrap();
    assert_eq!((watcher.seat(), &watcher.token), (None, &None), "not during a game");
    play_quietly(&mut players).await;
    players[1].until("the game is over", Client::is_over).await;
    let watcher = Client::join_as(server.address, &code, stolen.clone()).await.unwrap();
    assert_eq!((watcher.seat(), &watcher.token), (None, &None), "not after its end");
    players[1].say(json!({"type": "rematch"})).await;
    players[1].until("the room is in the lobby", |player| player.room["phase"] == "lobby").await;
    let thief = Client::join_as(server.address, &code, stolen).await.unwrap();
    assert_eq!((thief.seat(), thief.name.as_str()), (Some(2), "Ana 2"), "not between two games");
    let fresh = Client::join_as(server.address, &code, join("Cid", "0c")).await.unwrap();
    let again = Client::join_as(server.address, &code, join("Cid", "0c")).await.unwrap();
    assert_eq!((fresh.seat(), again.seat()), (Some(3), Some(3)), "an unpublished salt identifies a new player");
}

#[tokio::test]
async fn a_restart_before_the_welcome_leaves_no_second_seat() {
    let folder = tempfile::tempdir().unwrap();
    let first = TestServer::with(Arc::new(Sqlite::open(folder.path()).unwrap()), FAST).await;
    let code = first.open("prevented").await;
    let mut wil = Client::watch(first.address, &code, "Wil").await;
    join_and_disconnect(&first, &code, join("Ana", "0a"), &mut wil).await;
    let (_, ended) = tokio::join!(first.stop(), timeout(PATIENCE, wil.until_end()));
    ended.expect("the connection is closed in time");
    let second = TestServer::with(Arc::new(Sqlite::open(folder.path()).unwrap()), FAST).await;
    let ana = Client::join_as(second.address, &code, join("Ana", "0a")).await.unwrap();
    assert_eq!((ana.seat(), names(&ana.room)), (Some(0), vec!["Ana"]));
}
