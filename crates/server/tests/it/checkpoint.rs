//! A room with many games is read from its last checkpoint. Nothing is missing, however the server ended.

use crate::client::Client;
use crate::harness::{FAST, PATIENCE, Process, TestServer, begin, open};
use crate::idle::{MINUTE, advance, has_no_clients, until_seen};
use crate::journals::TestJournal;
use crate::update::play_to_the_end;
use journal::sqlite::Sqlite;
use journal::{Journal, Opened};
use room::{Entry, Room, RoomEvent};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::time::timeout;

/// One player asks for a rematch, and all return to the lobby.
async fn rematch(players: &mut [Client]) {
    players[1].say(json!({"type": "rematch"})).await;
    for player in players {
        player.until("the room is in the lobby", |player| player.room["phase"] == "lobby").await;
    }
}

/// The host starts another game.
async fn start(players: &mut [Client]) {
    players[0].say(json!({"type": "start"})).await;
    for player in players {
        player.until("the game begins", |player| player.room["phase"] == "playing").await;
        player.until("the table is shown", |player| !player.asked().is_empty()).await;
    }
}

/// Opens the room in the journal, as the next server does.
async fn opened(journal: &impl Journal, code: &str) -> Opened {
    journal.open(code, 0).await.unwrap().expect("the room exists")
}

async fn record(server: &TestServer, code: &str) -> Value {
    let (status, body) = server.get(&format!("/api/rooms/{code}/record")).await;
    assert_eq!(status, 200, "{body}");
    room::verify(&room::read_record(&body).unwrap()).expect("the record is valid");
    serde_json::from_str(&body).unwrap()
}

#[tokio::test]
async fn an_unloaded_room_is_restored_from_its_last_checkpoint() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let (code, mut players) = server.game("prevented", 3).await;
    for game in 1..=2 {
        if game > 1 {
            start(&mut players).await;
        }
        players[2].say(json!({"type": "chat", "text": format!("game {game}")})).await;
        players[2].until_heard("chat").await;
        players = play_to_the_end(players).await;
        rematch(&mut players).await;
    }
    players[0].say(json!({"type": "chat", "text": "another?"})).await;
    players[0].until_heard("chat").await;
    let seats = players[0].room["seats"].clone();
    let tokens: Vec<String> = players.iter().map(|player| player.token.clone().unwrap()).collect();
    drop(players);
    until_seen(&server, &code, "all clients are gone", has_no_clients).await;
    let reads = journal.reads(&code);
    advance(MINUTE * 11).await;

    let mut back = Vec::new();
    for token in &tokens {
        back.push(Client::resume(server.address, &code, token).await.expect("the seat is kept"));
    }
    assert_eq!(journal.reads(&code), reads + 1, "the room was unloaded and read again");
    for (seat, player) in back.iter().enumerate() {
        assert_eq!((player.seat(), &player.room["host"]), (Some(seat as u64), &json!(0)));
        assert_eq!(player.room["seats"][seat]["wins"], seats[seat]["wins"]);
        let said: Vec<&Value> = player.chat.iter().map(|line| &line["text"]).collect();
        assert_eq!(said, ["game 1", "game 2", "another?"]);
    }
    let Opened { before, entries, .. } = opened(&*journal, &code).await;
    assert!(before > 100, "only {before} entries are before the checkpoint");
    assert!(entries.len() < 10, "{} entries are after the checkpoint", entries.len());
    start(&mut back).await;
}

#[tokio::test]
async fn the_last_record_is_complete_after_checkpoints() {
    let server = TestServer::in_memory(FAST).await;
    let (code, players) = server.game("allowed", 2).await;
    let mut players = play_to_the_end(players).await;
    let first = record(&server, &code).await;
    rematch(&mut players).await;
    assert_eq!(record(&server, &code).await, first);
    start(&mut players).await;
    let mut players = play_to_the_end(players).await;
    let second = record(&server, &code).await;
    assert_ne!(second, first);
    // The next game is abandoned: all players leave, which adds another checkpoint.
    rematch(&mut players).await;
    start(&mut players).await;
    for mut player in players {
        player.say(json!({"type": "leave"})).await;
        player.until_end().await;
    }
    until_seen(&server, &code, "the room is in the lobby", |room| room["phase"] == "lobby").await;
    assert_eq!(record(&server, &code).await, second);
}

/// The phase that a client sees.
fn phase(client: &Client) -> &str {
    client.room["phase"].as_str().expect("a phase")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_during_a_rematch_leaves_a_consistent_room() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::start(folder.path(), "127.0.0.1:0").await;
    let address = server.address;
    let code = open(address, "prevented").await;
    let mut players = begin(address, &code, 2).await;
    for kill in 0..6 {
        let mut finished = play_to_the_end(players).await;
        let wins = finished[0].room["seats"].clone();
        let tokens: Vec<String> = finished.iter().map(|player| player.token.clone().unwrap()).collect();
        finished[0].say(json!({"type": "rematch"})).await;
        // Kill while the rematch is read, decided or written, or as soon as it is shown, because what was shown must be
        // kept.
        let seen = kill % 2 == 1;
        if seen {
            finished[0].until("the room is in the lobby", |player| phase(player) == "lobby").await;
        }
        for _ in 0..kill * 20 {
            tokio::task::yield_now().await;
        }
        server.kill().await;
        server = Process::start(folder.path(), &address.to_string()).await;
        players = Vec::new();
        for token in &tokens {
            players.push(Client::resume(address, &code, token).await.expect("the seat is kept"));
        }
        for (seat, player) in players.iter().enumerate() {
            assert_eq!(player.seat(), Some(seat as u64));
            assert_eq!(player.room["seats"][seat]["wins"], wins[seat]["wins"]);
        }
        if phase(&players[0]) == "finished" {
            assert!(!seen, "the lobby had already been shown");
            rematch(&mut players).await;
        }
        assert_eq!(phase(&players[0]), "lobby");
        start(&mut players).await;
    }
    server.kill().await;

    let journal = Sqlite::open(folder.path()).unwrap();
    let lines = timeout(PATIENCE, journal.read(&code)).await.unwrap().unwrap().expect("the room exists");
    let all = Entry::read_all(0, &lines).unwrap();
    let rematches = all.iter().filter(|entry| matches!(entry.what, RoomEvent::Rematched { .. })).count();
    assert_eq!(rematches, 6, "one rematch for each game");
    for pair in all.windows(2) {
        let alone = matches!(pair[0].what, RoomEvent::Rematched { .. }) && !pair[1].is_checkpoint();
        assert!(!alone, "a rematch was written without its checkpoint");
    }
    let Opened { before, entries, .. } = opened(&journal, &code).await;
    let last = Room::rebuild(Entry::read_all(before, &entries).unwrap(), 0).unwrap();
    let whole = Room::rebuild(all, 0).unwrap();
    let shown = |room: &Room| serde_json::to_value(room.view(Vec::new(), 30, 0)).unwrap();
    assert_eq!((shown(&last), last.version()), (shown(&whole), whole.version()));
    assert!(before > 0);
}
