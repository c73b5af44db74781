//! The limits of the edge also apply over a relay: seated players are admitted before spectators, messages are
//! rate-limited, and limits cannot be bypassed by connecting through another server.

use crate::client::{Client, End};
use crate::harness::{PATIENCE, TestServer};
use crate::topology::{advance_with_leases, node_flags, renew_while_advancing};
use client::scripted::socket_at;
use journal::postgres::{DatabaseSettings, Postgres};
use pgtest::PostgresCluster;
use serde_json::json;
use server::VERSION;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Starts a server with these flags over a database.
async fn server(database: &str, flags: &[&str]) -> TestServer {
    let own = node_flags();
    let address = database.parse().expect("a valid address");
    let settings = DatabaseSettings { address, node: Some(own[1].clone()), version: VERSION.to_owned() };
    let journal = Arc::new(Postgres::open(settings).await.expect("the database is reachable"));
    renew_while_advancing(journal.clone());
    let flags: Vec<&str> = own.iter().map(String::as_str).chain(flags.iter().copied()).collect();
    TestServer::with(journal, &flags).await
}

/// A server that owns a room, another one that clients connect to, and the room's code.
async fn owner_and_edge(owner: &[&str], edge: &[&str]) -> (TestServer, TestServer, String) {
    let database = spawn_blocking(|| PostgresCluster::shared().database()).await.unwrap();
    let (owner, edge) = (server(&database, owner).await, server(&database, edge).await);
    let code = owner.open("prevented").await;
    (owner, edge, code)
}

/// Joins as a spectator from this address.
async fn watch_from(from: &str, edge: SocketAddr, code: &str, name: &str) -> Result<Client, End> {
    let socket = socket_at(from.parse::<IpAddr>().unwrap()).unwrap();
    Client::join_over(socket, edge, code, json!({"type": "join", "name": name, "watch": true})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_edge_evicts_a_spectator_for_a_relayed_seat() {
    let (owner, edge, code) = owner_and_edge(&[], &["--max-sockets", "3"]).await;
    let ana = edge.join(&code, "Ana").await;
    let token = ana.token.clone().unwrap();
    drop(ana);
    edge.until_metric("rookery_sockets", 0.0).await;
    let mut spectators = Vec::new();
    for name in ["Zoe", "Zac", "Zia"] {
        spectators.push(watch_from("127.0.0.1", edge.address, &code, name).await.expect("a slot is free"));
    }
    let refused = watch_from("127.0.0.1", edge.address, &code, "Zed").await.err();
    assert_eq!(refused, Some(End::Closed(1013)), "a join without a token is not relayed");
    // The slot of the refused client is freed with a delay.
    edge.until_metric("rookery_sockets", 3.0).await;
    let mut ana = Client::resume(edge.address, &code, &token).await.expect("a seat takes precedence");
    assert_eq!(spectators[0].until_end().await, End::Closed(1013), "the longest-connected spectator");
    let wrong = Client::resume(edge.address, &code, "wrong").await.err();
    assert_eq!(wrong, Some(End::Closed(4001)), "a wrong token evicts no spectator");
    for client in [&mut ana, &mut spectators[1]] {
        client.say(json!({"type": "ping", "t": 1})).await;
        client.until_heard("pong").await;
    }
    edge.until_metric("rookery_relayed_sockets", 3.0).await;
    drop(owner);
}

#[tokio::test]
async fn a_dead_relayed_connection_is_closed_when_its_seat_reopens() {
    let (owner, edge, code) = owner_and_edge(&[], &[]).await;
    // The connection of Ana's phone is no longer read, but not closed.
    let mut phone = edge.join(&code, "Ana").await;
    let mut bea = edge.join(&code, "Bea").await;
    let mut here = Client::resume(owner.address, &code, phone.token.as_ref().unwrap()).await.expect("the seat is kept");
    for client in [&mut here, &mut bea] {
        client.say(json!({"type": "ping", "t": 1})).await;
        client.until_heard("pong").await;
    }
    advance_with_leases(Duration::from_secs(11)).await;
    let end = timeout(PATIENCE, phone.until_end()).await.expect("the connection is closed early");
    assert_eq!(end, End::Closed(4008));
    for client in [&mut here, &mut bea] {
        client.say(json!({"type": "ping", "t": 2})).await;
        client.until_heard("pong").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_sent_too_fast_are_not_relayed() {
    let (owner, edge, code) = owner_and_edge(&[], &["--acts-per-second", "1"]).await;
    let mut ana = edge.join(&code, "Ana").await;
    let mut bea = edge.join(&code, "Bea").await;
    for _ in 0..50 {
        let _ = ana.ws.send(json!({"type": "stand"}).to_string()).await;
    }
    assert_eq!(ana.until_end().await, End::Closed(4009), "closed after ten violations");
    let cuts = "rookery_cuts_total{bound=\"messages\"}";
    assert_eq!(edge.metric(cuts).await, Some(1.0), "counted by the edge");
    assert_eq!(owner.metric(cuts).await.unwrap_or_default(), 0.0);
    bea.say(json!({"type": "ping", "t": 1})).await;
    bea.until_heard("pong").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_cannot_be_bypassed_through_another_server() {
    let (_owner, edge, code) = owner_and_edge(&["--sockets-per-ip", "2"], &["--sockets-per-ip", "0"]).await;
    let mut here = Vec::new();
    // Clients of several addresses behind one relay are counted by address.
    for last in 2..8 {
        let from = format!("127.0.0.{last}");
        here.push(watch_from(&from, edge.address, &code, "Wil").await.expect("a separate address is admitted"));
    }
    here.push(watch_from("127.0.0.9", edge.address, &code, "Zoe").await.expect("the first slot is free"));
    here.push(watch_from("127.0.0.9", edge.address, &code, "Zac").await.expect("the second slot is free"));
    let third = watch_from("127.0.0.9", edge.address, &code, "Zed").await.err();
    assert_eq!(third, Some(End::Closed(1013)), "the limit of the owner applies");
}
