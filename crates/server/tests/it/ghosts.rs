//! Joins that are cut before the welcome arrives, over real sockets: nobody gets two seats, and unconfirmed seats
//! (ghosts) are given up.

use crate::client::Client;
use crate::harness::{FAST, PATIENCE, TestServer};
use crate::idle::{look, passes, until_seen};
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
async fn join_and_be_cut(server: &TestServer, code: &str, join: Value, watcher: &mut Client) {
    let mut ws = Client::connect(server.address, code).await.unwrap();
    ws.send(join.to_string()).await.unwrap();
    let there = |watcher: &Client| newest(watcher).is_some_and(|seat| seat["connected"] == true);
    watcher.until("somebody came", there).await;
    drop(ws);
    watcher.until("and is gone", |watcher| !there(watcher)).await;
}

#[tokio::test]
async fn three_joins_cut_before_the_welcome_leave_one_seat() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    for _ in 0..3 {
        join_and_be_cut(&server, &code, join("Ana", "0a"), &mut wil).await;
        assert_eq!(names(&wil.room), ["Ana"]);
    }
    let ana = Client::join_as(server.address, &code, join("Ana", "0a")).await.unwrap();
    assert_eq!((ana.seat, ana.name.as_str(), &ana.room["host"]), (Some(0), "Ana", &json!(0)));
    let bea = Client::join_as(server.address, &code, join("Ana", "0b")).await.unwrap();
    assert_eq!((bea.seat, bea.name.as_str()), (Some(1), "Ana 2"), "another salt is another person");
}

#[tokio::test]
async fn whichever_welcome_arrives_its_token_is_good() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut tokens = Vec::new();
    let mut places = Vec::new();
    for _ in 0..3 {
        let place = Client::join_as(server.address, &code, join("Ana", "0a")).await.unwrap();
        assert_eq!((place.seat, names(&place.room)), (Some(0), vec!["Ana"]));
        tokens.push(place.token.clone().unwrap());
        places.push(place);
    }
    assert!(tokens[0] != tokens[1] && tokens[1] != tokens[2]);
    drop(places);
    for token in &tokens {
        let back = Client::resume(server.address, &code, token).await.expect("the seat");
        assert_eq!((back.seat, back.token.as_ref()), (Some(0), Some(token)));
    }
}

#[tokio::test]
async fn a_ghost_is_gone_after_a_while_and_somebody_real_is_host() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut bea = Client::watch(server.address, &code, "Bea").await;
    // An older page sends a new salt each time.
    join_and_be_cut(&server, &code, join("Ana", "0a"), &mut bea).await;
    join_and_be_cut(&server, &code, json!({"type": "join", "name": "Ana"}), &mut bea).await;
    bea.say(json!({"type": "sit"})).await;
    bea.until("Bea sits", |bea| names(&bea.room) == ["Ana", "Ana 2", "Bea"]).await;
    assert_eq!(bea.room["host"], 0);

    passes(SECOND * 15).await;
    assert_eq!(names(&look(&server, &code).await.1), ["Ana", "Ana 2", "Bea"], "they may still come back");
    passes(SECOND * 10).await;
    until_seen(&server, &code, "the ghosts are gone", |room| names(room) == ["Bea"]).await;
    bea.until("Bea is told", |bea| names(&bea.room) == ["Bea"]).await;
    assert_eq!((bea.seat, &bea.room["host"]), (Some(0), &json!(0)));
}

#[tokio::test]
async fn who_was_welcomed_and_sleeps_keeps_their_seat() {
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
        let gone =
            |wil: &Client| newest(wil).is_some_and(|seat| seat["name"] == name && seat["connected"] == false);
        wil.until("they sleep", gone).await;
    }
    for _ in 0..6 {
        passes(SECOND * 30).await;
        wil.say(json!({"type": "ping", "t": 1})).await;
        wil.until_heard("pong").await;
        assert_eq!(names(&look(&server, &code).await.1), ["Ana", "Bea"]);
    }
    for (token, name) in sleepers {
        assert_eq!(Client::resume(server.address, &code, &token).await.expect("the seat").name, name);
    }
}

#[tokio::test]
async fn a_line_that_is_open_is_waited_for_however_slow_it_is() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    let mut slow = Client::connect(server.address, &code).await.unwrap();
    slow.send(join("Ana", "0a").to_string()).await.unwrap();
    wil.until("Ana came", |wil| names(&wil.room) == ["Ana"]).await;
    passes(SECOND * 45).await;
    assert_eq!(names(&look(&server, &code).await.1), ["Ana"]);
    // The welcome is read only now.
    let mut ana = Client::already_welcomed(slow, &welcome_for_nobody(&wil));
    ana.until("the welcome", |ana| ana.seat == Some(0)).await;
    ana.say(json!({"type": "chat", "text": "at last"})).await;
    assert_eq!(ana.until_heard("chat").await.json["seat"], 0, "said from Ana's seat");
}

/// Returns a placeholder welcome for a client that has not received its own yet.
fn welcome_for_nobody(watcher: &Client) -> String {
    let you = json!({"seat": null, "token": null, "name": "nobody"});
    let room = &watcher.room;
    json!({"type": "welcome", "protocol": 1, "you": you, "room": room, "state": null, "history": [], "chat": []})
        .to_string()
}

#[tokio::test]
async fn a_salt_that_everybody_has_seen_brings_nobody_to_a_seat() {
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
    assert_eq!((watcher.seat, &watcher.token), (None, &None), "not in a game");
    play_quietly(&mut players).await;
    players[1].until("the end is told", Client::is_over).await;
    let watcher = Client::join_as(server.address, &code, stolen.clone()).await.unwrap();
    assert_eq!((watcher.seat, &watcher.token), (None, &None), "nor after its end");
    players[1].say(json!({"type": "rematch"})).await;
    players[1].until("the lobby", |player| player.room["phase"] == "lobby").await;
    let thief = Client::join_as(server.address, &code, stolen).await.unwrap();
    assert_eq!((thief.seat, thief.name.as_str()), (Some(2), "Ana 2"), "nor between two games");
    let fresh = Client::join_as(server.address, &code, join("Cid", "0c")).await.unwrap();
    let again = Client::join_as(server.address, &code, join("Cid", "0c")).await.unwrap();
    assert_eq!(
        (fresh.seat, again.seat),
        (Some(3), Some(3)),
        "who is new here is known by a salt nobody has seen"
    );
}

#[tokio::test]
async fn a_restart_before_the_welcome_leaves_no_second_seat() {
    let folder = tempfile::tempdir().unwrap();
    let first = TestServer::with(Arc::new(Sqlite::open(folder.path()).unwrap()), FAST).await;
    let code = first.open("prevented").await;
    let mut wil = Client::watch(first.address, &code, "Wil").await;
    join_and_be_cut(&first, &code, join("Ana", "0a"), &mut wil).await;
    let (_, ended) = tokio::join!(first.stop(), timeout(PATIENCE, wil.until_end()));
    ended.expect("told to come back");
    let second = TestServer::with(Arc::new(Sqlite::open(folder.path()).unwrap()), FAST).await;
    let ana = Client::join_as(second.address, &code, join("Ana", "0a")).await.unwrap();
    assert_eq!((ana.seat, names(&ana.room)), (Some(0), vec!["Ana"]));
}
