//! A room whose server stops, is paused, or loses the database: the server goes silent, and another one takes over.

use super::servers::Node;
use crate::client::{Client, End};
use crate::games::{chance, choose, until_version};
use crate::harness::{PATIENCE, begin, open_with, request};
use pgtest::{Disk, PostgresCluster};
use serde_json::json;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

/// Two servers over their own database, and a game in a room of the first, with its players connected.
async fn game() -> (Node, Node, String, Vec<Client>) {
    game_at(env!("CARGO_BIN_EXE_rookery").as_ref()).await
}

/// The setup of `game` with servers of another program.
pub async fn game_at(program: &Path) -> (Node, Node, String, Vec<Client>) {
    let database = spawn_blocking(|| PostgresCluster::shared().database()).await.unwrap();
    let first = Node::start_program(program.to_owned(), &database).await;
    let second = Node::start_program(program.to_owned(), &database).await;
    // Forced actions would be played by the server that owns the room, and these tests count actions.
    let code = open_with(first.address, json!({"game": "towers", "forced": "ask"})).await;
    let clients = begin(first.address, &code, 2).await;
    (first, second, code, clients)
}

/// Reconnects by token, with as many attempts as necessary.
pub async fn reconnect(address: SocketAddr, code: &str, client: &Client) -> Client {
    let token = client.token.as_deref().expect("the client is seated");
    Client::reconnect(address, code, token, &[1012, 1011]).await
}

/// Plays one action of the seat that must act.
async fn act(clients: &mut [Client]) {
    let actor = clients.iter().position(Client::is_asked).expect("a player must act");
    let (version, action) = (clients[actor].version, choose(&clients[actor], &mut chance(3)));
    clients[actor].act(&action).await;
    until_version(clients, version + 1).await;
}

async fn ready(node: &Node) -> (u16, String) {
    request(node.address, "GET", "/readyz", "").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopping_server_releases_its_rooms_before_closing() {
    let (mut first, second, code, mut clients) = game().await;
    act(&mut clients).await;
    let mut relayed = Client::watch(second.address, &code, "Wat").await;
    let (stopping, ends) = tokio::join!(first.end(), async {
        let end = relayed.until_end().await;
        let begun = Instant::now();
        let (ana, bea) = (clients[0].until_end().await, clients[1].until_end().await);
        let mut here = Vec::new();
        for client in &clients {
            here.push(reconnect(second.address, &code, client).await);
        }
        (end, ana, bea, begun.elapsed(), here)
    });
    let () = stopping;
    let (watcher, ana, bea, took, mut here) = ends;
    assert_eq!([watcher, ana, bea], [End::Closed(1012); 3]);
    // No client waited for a lease to expire, which takes five seconds.
    assert!(took < Duration::from_millis(4_900), "reconnected after {took:?}");
    assert_eq!(here[0].version, clients[0].version);
    act(&mut here).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_server_sends_nothing_after_losing_its_lease() {
    let (first, second, code, mut clients) = game().await;
    act(&mut clients).await;
    let version = clients[0].version;
    first.pause();
    // The action stays in the socket buffer of the paused server.
    let actor = clients.iter().position(Client::is_asked).unwrap();
    let action = choose(&clients[actor], &mut chance(3));
    clients[actor].act(&action).await;
    let mut here = Vec::new();
    for client in &clients {
        here.push(reconnect(second.address, &code, client).await);
    }
    assert_eq!(here[actor].version, version, "the action must not be played yet");
    act(&mut here).await;
    first.resume();
    for client in &mut clients {
        assert_eq!(
            client.hear().await.err(),
            Some(End::Closed(1012)),
            "the resumed server must not send outdated state"
        );
    }
    assert_eq!(here[0].version, version + 1, "the action is played once");
    let (_, room) = request(first.address, "GET", &format!("/api/rooms/{code}"), "").await;
    let room: serde_json::Value = serde_json::from_str(&room).unwrap();
    assert!(
        room["seats"].as_array().unwrap().iter().all(|seat| seat["connected"] == true),
        "the request is relayed to the owner: {room}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_database_releases_its_rooms_and_rejoins() {
    let (first, second, code, mut clients) = game().await;
    act(&mut clients).await;
    first.database.shut();
    for client in &mut clients {
        assert_eq!(client.until_end().await, End::Closed(1012));
    }
    let (status, why) = ready(&first).await;
    assert_eq!((status, why.contains("the database is unavailable")), (503, true), "{why}");
    let mut here = Vec::new();
    for client in &clients {
        here.push(reconnect(second.address, &code, client).await);
    }
    act(&mut here).await;
    first.database.open();
    let well = async {
        while ready(&first).await.0 != 200 {
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(PATIENCE, well).await.expect("the server becomes ready again");
    let mut there = reconnect(first.address, &code, &here[0]).await;
    assert_eq!(there.version, here[0].version, "the relay shows the same version");
    there.say(json!({"type": "chat", "text": "back"})).await;
    here[1].until("the chat message arrives", |client| !client.chat.is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn seats_and_games_survive_a_database_outage() {
    let postgres = std::sync::Arc::new(spawn_blocking(|| PostgresCluster::start(Disk::Durable)).await.unwrap());
    let database = postgres.database();
    let (first, second) = (Node::start(&database).await, Node::start(&database).await);
    let code = open_with(first.address, json!({"game": "towers"})).await;
    let mut clients = begin(first.address, &code, 2).await;
    act(&mut clients).await;
    let stopped = postgres.clone();
    spawn_blocking(move || stopped.stop()).await.unwrap();
    for client in &mut clients {
        assert_eq!(client.until_end().await, End::Closed(1012));
    }
    assert_eq!(ready(&second).await.0, 503);
    let again = postgres.clone();
    spawn_blocking(move || again.run()).await.unwrap();
    let mut here = Vec::new();
    for (client, node) in clients.iter().zip([&first, &second]) {
        here.push(reconnect(node.address, &code, client).await);
    }
    assert_eq!([here[0].version, here[1].version], [clients[0].version; 2]);
    act(&mut here).await;
    assert_eq!(first.metric("rookery_fenced_appends_total").await, 0.0);
}
