//! The limits of the edge also apply over a relay: seated players are admitted before spectators, messages are
//! rate-limited, and limits cannot be bypassed by connecting through another server.

use crate::client::{Client, End};
use crate::harness::{PATIENCE, TestServer};
use crate::topology::{keeps_time_with, moves_on, node_flags};
use journal::postgres::{Postgres, Settings};
use pgtest::Cluster;
use serde_json::json;
use server::VERSION;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpSocket;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Starts a server with these flags over a database.
async fn server(database: &str, flags: &[&str]) -> TestServer {
    let own = node_flags();
    let address = database.parse().expect("an address");
    let settings = Settings { address, node: Some(own[1].clone()), version: VERSION.to_owned() };
    let journal = Arc::new(Postgres::open(settings).await.expect("a database"));
    keeps_time_with(&*journal);
    let flags: Vec<&str> = own.iter().map(String::as_str).chain(flags.iter().copied()).collect();
    TestServer::with(journal, &flags).await
}

/// A server that owns a room, another one that clients connect to, and the room's code.
async fn owner_and_edge(owner: &[&str], edge: &[&str]) -> (TestServer, TestServer, String) {
    let database = spawn_blocking(|| Cluster::shared().database()).await.unwrap();
    let (owner, edge) = (server(&database, owner).await, server(&database, edge).await);
    let code = owner.open("prevented").await;
    (owner, edge, code)
}

/// Joins as a spectator from this address.
async fn watches(from: &str, edge: SocketAddr, code: &str, name: &str) -> Result<Client, End> {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(format!("{from}:0").parse().unwrap()).unwrap();
    let ws = Client::connect_with(socket, edge, code).await.expect("an upgrade");
    Client::introduce(ws, json!({"type": "join", "name": name, "watch": true})).await
}

/// Waits until a metric has this value, because no other signal reports the change.
async fn until_metric(server: &TestServer, name: &str, number: f64) {
    let until = async { while server.metric(name).await != Some(number) {} };
    timeout(PATIENCE, until).await.unwrap_or_else(|_| panic!("{name} is never {number}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_full_edge_a_stranger_makes_way_for_a_seat_in_another_servers_room() {
    let (owner, edge, code) = owner_and_edge(&[], &["--max-sockets", "3"]).await;
    let ana = edge.join(&code, "Ana").await;
    let token = ana.token.clone().unwrap();
    drop(ana);
    until_metric(&edge, "rookery_sockets", 0.0).await;
    let mut strangers = Vec::new();
    for name in ["Zoe", "Zac", "Zia"] {
        strangers.push(watches("127.0.0.1", edge.address, &code, name).await.expect("there is a place"));
    }
    let nobody = watches("127.0.0.1", edge.address, &code, "Zed").await.err();
    assert_eq!(nobody, Some(End::Closed(1013)), "who brings no token is not passed on");
    // The slot of the refused client is freed with a delay.
    until_metric(&edge, "rookery_sockets", 3.0).await;
    let mut ana = Client::resume(edge.address, &code, &token).await.expect("a seat comes first");
    assert_eq!(strangers[0].until_end().await, End::Closed(1013), "the one who was there for longest");
    let wrong = Client::resume(edge.address, &code, "wrong").await.err();
    assert_eq!(wrong, Some(End::Closed(4001)), "what opens no seat takes nobody's place");
    for client in [&mut ana, &mut strangers[1]] {
        client.say(json!({"type": "ping", "t": 1})).await;
        client.until_heard("pong").await;
    }
    until_metric(&edge, "rookery_relayed_sockets", 3.0).await;
    drop(owner);
}

#[tokio::test]
async fn a_dead_line_at_another_server_must_show_that_it_lives_when_its_seat_opens_at_the_owner() {
    let (owner, edge, code) = owner_and_edge(&[], &[]).await;
    // Nobody reads her phone's connection any more, but it is not closed.
    let mut phone = edge.join(&code, "Ana").await;
    let mut bea = edge.join(&code, "Bea").await;
    let mut here =
        Client::resume(owner.address, &code, phone.token.as_ref().unwrap()).await.expect("her seat");
    for client in [&mut here, &mut bea] {
        client.say(json!({"type": "ping", "t": 1})).await;
        client.until_heard("pong").await;
    }
    moves_on(Duration::from_secs(11)).await;
    let end = timeout(PATIENCE, phone.until_end()).await.expect("a minute is not waited for it");
    assert_eq!(end, End::Closed(4008));
    for client in [&mut here, &mut bea] {
        client.say(json!({"type": "ping", "t": 2})).await;
        client.until_heard("pong").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_come_too_fast_are_not_passed_on() {
    let (owner, edge, code) = owner_and_edge(&[], &["--acts-per-second", "1"]).await;
    let mut ana = edge.join(&code, "Ana").await;
    let mut bea = edge.join(&code, "Bea").await;
    for _ in 0..50 {
        let _ = ana.ws.send(json!({"type": "stand"}).to_string()).await;
    }
    assert_eq!(ana.until_end().await, End::Closed(4009), "after ten that came too fast");
    let cuts = "rookery_cuts_total{bound=\"messages\"}";
    assert_eq!(edge.metric(cuts).await, Some(1.0), "where she is");
    assert_eq!(owner.metric(cuts).await.unwrap_or_default(), 0.0);
    bea.say(json!({"type": "ping", "t": 1})).await;
    bea.until_heard("pong").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_has_more_of_a_server_by_coming_through_another() {
    let (_owner, edge, code) = owner_and_edge(&["--sockets-per-ip", "2"], &["--sockets-per-ip", "0"]).await;
    let mut here = Vec::new();
    // Clients of several addresses behind one relay are counted by address.
    for last in 2..8 {
        let from = format!("127.0.0.{last}");
        here.push(watches(&from, edge.address, &code, "Wil").await.expect("an address of their own"));
    }
    here.push(watches("127.0.0.9", edge.address, &code, "Zoe").await.expect("the first"));
    here.push(watches("127.0.0.9", edge.address, &code, "Zac").await.expect("the second"));
    let third = watches("127.0.0.9", edge.address, &code, "Zed").await.err();
    assert_eq!(third, Some(End::Closed(1013)), "as at the server itself");
}
