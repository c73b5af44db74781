//! Any server accepts any request: a room can be played from all of them, whichever owns it.

use super::servers::Node;
use crate::client::{Client, End};
use crate::games::{chance, choose};
use crate::harness::{PATIENCE, open_with, request};
use game::Chance;
use pgtest::{Disk, PostgresCluster};
use serde_json::{Value, json};
use tokio::time::timeout;

/// Plays one action of the seat that must act, and waits until all see it.
async fn act(clients: &mut [Client], chance: &mut Chance) {
    let actor = clients.iter().position(Client::is_asked).expect("a player must act");
    let version = clients[actor].version;
    let action = choose(&clients[actor], chance);
    clients[actor].act(&action).await;
    for client in clients {
        client.until("all clients see the action", |client| client.version > version).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_is_playable_from_any_server_and_fails_over() {
    let postgres = PostgresCluster::start(Disk::Durable);
    let database = postgres.database();
    let mut nodes = Vec::new();
    for _ in 0..3 {
        nodes.push(Node::start(&database).await);
    }
    let code = open_with(nodes[0].address, json!({"game": "towers"})).await;
    let mut clients = Vec::new();
    for (node, name) in nodes.iter().zip(["Ana", "Bea", "Cid"]) {
        clients.push(Client::join(node.address, &code, name).await);
    }
    clients[0].say(json!({"type": "start"})).await;
    for client in &mut clients {
        client.until("the game begins", |client| client.version > 0).await;
    }
    let mut chance = chance(7);
    for _ in 0..10 {
        act(&mut clients, &mut chance).await;
    }
    let tables: Vec<&str> = clients.iter().map(|client| client.table.as_str()).collect();
    assert!(tables.iter().all(|table| table == &tables[0]), "the clients see different tables");
    assert_eq!(nodes[1].metric("rookery_relayed_sockets").await, 1.0);
    assert_eq!(nodes[0].metric("rookery_rooms_owned").await, 1.0);

    // The owner answers, whichever server is asked, because it knows who is connected.
    let (status, room) = request(nodes[2].address, "GET", &format!("/api/rooms/{code}"), "").await;
    assert_eq!(status, 200);
    let room: Value = serde_json::from_str(&room).unwrap();
    assert!(room["seats"].as_array().unwrap().iter().all(|seat| seat["connected"] == true), "{room}");
    let (status, refused) = request(nodes[1].address, "GET", &format!("/api/rooms/{code}/record"), "").await;
    assert_eq!((status, refused.contains("game_on")), (409, true), "{refused}");

    // Moments are also available from every server.
    let (status, told) = request(nodes[2].address, "GET", &format!("/api/rooms/{code}/games/1/moments"), "").await;
    let last: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
    assert_eq!((status, last["version"].as_u64()), (200, Some(clients[2].version)));
    assert_eq!(last["table"], clients[2].table());
    let (status, games) = request(nodes[1].address, "GET", &format!("/api/rooms/{code}/games"), "").await;
    assert_eq!((status, games.contains("\"number\":1")), (200, true), "{games}");

    // Close codes of the room pass through the relay: a client that leaves receives its code.
    let mut watcher = Client::watch(nodes[1].address, &code, "Wat").await;
    watcher.say(json!({"type": "leave"})).await;
    assert_eq!(watcher.until_end().await, End::Closed(1000));

    // The list of servers is available from each of them.
    let list = timeout(PATIENCE, nodes[1].nodes()).await.unwrap();
    assert_eq!(list.len(), 3, "{list:?}");
    assert_eq!(list.iter().filter(|node| node["here"] == true).count(), 1);
    assert!(list.iter().all(|node| node["lease_ms"].as_u64().unwrap() > 0 && node["unreachable"].is_null()));
    assert!(list.iter().all(|node| node["database_ms"].as_f64().is_some()), "{list:?}");

    let (version, history) = (clients[1].version, clients[1].history.clone());
    nodes[0].kill().await;
    assert_eq!(clients[1].until_end().await, End::Closed(1012), "a broken relay asks the client to reconnect");
    let tokens: Vec<String> = clients.iter().map(|client| client.token.clone().unwrap()).collect();
    let mut back = Vec::new();
    for (seat, token) in tokens.iter().enumerate() {
        let node = &nodes[1 + seat % 2];
        let resume = async {
            loop {
                match Client::resume(node.address, &code, token).await {
                    Ok(client) => return client,
                    Err(End::Closed(1012) | End::Broken) => {}
                    Err(end) => panic!("{end:?}"),
                }
            }
        };
        back.push(timeout(PATIENCE, resume).await.expect("the client reconnects in time"));
    }
    for client in &mut back {
        assert_eq!(client.version, version);
        assert_eq!(client.history, history);
    }
    for _ in 0..5 {
        act(&mut back, &mut chance).await;
    }
    let claims = nodes[1].metric("rookery_claims_total").await + nodes[2].metric("rookery_claims_total").await;
    assert!(claims >= 1.0, "no server has claimed the room");
}
