//! A data folder written by an earlier version works with this one: every seat can be reopened by its token, and games
//! in progress can be finished. `tests/data` describes how the folders were made.

use crate::client::Client;
use crate::games::{chance, choose};
use crate::harness::{TestServer, finish, request};
use journal::Journal;
use journal::sqlite::Sqlite;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

/// Bots play at once. Rooms are kept for the default time: it must not matter that the folders were written long ago,
/// possibly with a wrong clock.
const FLAGS: &[&str] = &["--bot-delay-ms", "0", "--acts-per-second", "0", "--sockets-per-ip", "0"];

/// A room as it was when the earlier version stopped.
#[derive(Deserialize)]
pub struct KeptRoom {
    what: String,
    code: String,
    version: Option<u64>,
    table: Option<Value>,
    seats: Vec<Owner>,
}

#[derive(Deserialize)]
struct Owner {
    seat: u64,
    name: String,
    token: String,
    next: Option<u32>,
}

/// Copies the folder of a version to a writable place. Returns it with the rooms it contains.
pub fn folder_of(version: &str) -> (tempfile::TempDir, Vec<KeptRoom>) {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(version);
    let folder = tempfile::tempdir().unwrap();
    fs::copy(kept.join("rookery.db"), folder.path().join("rookery.db")).unwrap();
    let rooms = serde_json::from_str(&fs::read_to_string(kept.join("rooms.json")).unwrap()).unwrap();
    (folder, rooms)
}

/// Returns whether everything shown then is still shown now. Additional fields are allowed.
fn is_unchanged(then: &Value, now: &Value) -> bool {
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            then.iter().all(|(key, value)| now.get(key).is_some_and(|now| is_unchanged(value, now)))
        }
        (Value::Array(then), Value::Array(now)) => {
            then.len() == now.len() && then.iter().zip(now).all(|(then, now)| is_unchanged(then, now))
        }
        _ => then == now,
    }
}

/// Rejoins with all players, and checks that seats and table are unchanged.
async fn reconnect(address: SocketAddr, room: &KeptRoom) -> Vec<Client> {
    let mut clients = Vec::new();
    for owner in &room.seats {
        let client = Client::resume(address, &room.code, &owner.token).await.expect("the seat is kept");
        assert_eq!((client.seat(), &client.name), (Some(owner.seat), &owner.name), "{}", room.what);
        assert_eq!(client.version, room.version.unwrap_or(0), "{}", room.what);
        if let Some(table) = &room.table {
            assert!(is_unchanged(table, &client.table()), "{}: the table has changed", room.what);
            assert_eq!(Some(client.next()), owner.next);
        }
        clients.push(client);
    }
    clients
}

/// Plays every client's actions until the game is over.
pub async fn play_to_the_end(clients: Vec<Client>) -> Vec<Client> {
    let play = |seat: usize, mut client: Client| async move {
        let mut chance = chance(50 + seat as u8);
        while !client.is_over() {
            if client.actions().is_empty() {
                client.hear().await.expect("the connection is open");
                continue;
            }
            let (action, n) = (choose(&client, &mut chance), client.next());
            client.act(&action).await;
            client.until("the action is acknowledged", |client| client.next() > n || client.is_over()).await;
        }
        client.until("the final state is shown", |client| client.table()["phase"] == "finished").await;
        client
    };
    let playing: Vec<_> =
        clients.into_iter().enumerate().map(|(seat, client)| tokio::spawn(play(seat, client))).collect();
    finish(playing).await
}

#[tokio::test(flavor = "multi_thread")]
async fn rooms_of_v0_1_0_open_and_their_games_can_be_finished() {
    let (folder, rooms) = folder_of("v0.1.0");
    finish_all_games(Arc::new(Sqlite::open(folder.path()).unwrap()), &rooms).await;
}

/// Checks that the rooms in this journal can be opened, and their games finished.
pub async fn finish_all_games(journal: Arc<dyn Journal>, rooms: &[KeptRoom]) {
    let server = TestServer::with(journal, FLAGS).await;
    let kinds: Vec<&str> = rooms.iter().map(|room| room.what.as_str()).collect();
    assert_eq!(kinds, ["lobby", "build", "auction", "bots", "finished"]);
    for room in rooms {
        let mut clients = reconnect(server.address, room).await;
        if room.what == "finished" {
            assert!(clients[0].is_over());
            let wins = clients[0].room["seats"].clone();
            clients[1].say(json!({"type": "rematch"})).await;
            clients[0].until("the room is in the lobby", |client| client.room["phase"] == "lobby").await;
            let counted = |seats: &Value| (seats[0]["wins"].clone(), seats[1]["wins"].clone());
            assert_eq!(counted(&clients[0].room["seats"]), counted(&wins), "wins are kept");
        }
        if clients[0].room["phase"] == "lobby" {
            clients[0].say(json!({"type": "start"})).await;
            for client in &mut clients {
                client.until("the game begins", |client| client.room["phase"] == "playing").await;
            }
        }
        let before = room.version.unwrap_or(0);
        for client in play_to_the_end(clients).await {
            assert!(client.version > before && client.table()["outcome"].is_object(), "{}", room.what);
            assert_eq!(client.history.last().unwrap()["type"], "end");
        }
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_of_v0_1_0_keeps_its_rules() {
    let (folder, rooms) = folder_of("v0.1.0");
    let server = TestServer::with(Arc::new(Sqlite::open(folder.path()).unwrap()), FLAGS).await;
    let room = rooms.iter().find(|room| room.what == "auction").unwrap();
    let mut clients = reconnect(server.address, room).await;
    assert_eq!(clients[0].room["rules"]["mistakes"], "allowed");
    assert_eq!(clients[0].mine["highest_bid"], 4, "a bid of four is possible");
    clients[0].act(&json!({"type": "bid", "count": 4})).await;
    clients[1].until("the second player must act", |client| !client.actions().is_empty()).await;
    clients[1].act(&json!({"type": "pass"})).await;
    clients[0].until("the phase is take", |client| client.table()["phase"] == "take").await;
    let retract = json!({"type": "retract"});
    assert!(clients[0].actions().contains(&retract), "{:?}", clients[0].actions());
    clients[0].act(&retract).await;
    clients[0].until("the auction resumes", |client| client.table()["phase"] == "auction").await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_of_v0_1_0_is_reopened_from_a_checkpoint() {
    let (folder, rooms) = folder_of("v0.1.0");
    let room = rooms.iter().find(|room| room.what == "finished").unwrap();
    let first = TestServer::with(Arc::new(Sqlite::open(folder.path()).unwrap()), FLAGS).await;
    let mut clients = reconnect(first.address, room).await;
    let wins = clients[0].room["seats"].clone();
    let record = |address| async move {
        let (status, body) = request(address, "GET", &format!("/api/rooms/{}/record", room.code), "").await;
        assert_eq!(status, 200, "{body}");
        body
    };
    let old = record(first.address).await;
    clients[0].say(json!({"type": "rematch"})).await;
    for client in &mut clients {
        client.until("the room is in the lobby", |client| client.room["phase"] == "lobby").await;
    }
    assert_eq!(record(first.address).await, old, "the record of the old game");
    drop(clients);
    first.stop().await;

    let journal = Arc::new(Sqlite::open(folder.path()).unwrap());
    let opened = journal.open(&room.code, 0).await.unwrap().expect("the room exists");
    assert!(opened.before > 0 && opened.entries[0].contains("checkpoint"), "the room is not read from a checkpoint");
    let second = TestServer::with(journal, FLAGS).await;
    let mut clients = Vec::new();
    for owner in &room.seats {
        clients.push(Client::resume(second.address, &room.code, &owner.token).await.expect("the seat is kept"));
    }
    for (client, owner) in clients.iter().zip(&room.seats) {
        assert_eq!((client.seat(), &client.name), (Some(owner.seat), &owner.name));
        let seat = owner.seat as usize;
        assert_eq!(client.room["seats"][seat]["wins"], wins[seat]["wins"]);
    }
    assert_eq!(record(second.address).await, old);
    clients[0].say(json!({"type": "start"})).await;
    for client in &mut clients {
        client.until("the game begins", |client| client.room["phase"] == "playing").await;
    }
    for client in play_to_the_end(clients).await {
        assert!(client.version > room.version.unwrap(), "versions must increase");
    }
    assert_ne!(record(second.address).await, old);
    second.stop().await;
}
