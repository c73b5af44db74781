//! The exported Prometheus metrics.

use crate::client::{Client, End};
use crate::games::{chance, choose, until_version};
use crate::harness::TestServer;
use crate::idle::advance;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn gauges_of_rooms_and_connections_are_current() {
    let server = TestServer::start().await;
    assert_eq!(server.metric("rookery_sockets").await, Some(0.0));
    assert_eq!(server.metric("rookery_rooms").await, Some(0.0));
    let code = server.open("prevented").await;
    let ana = server.join(&code, "Ana").await;
    let bea = server.join(&code, "Bea").await;
    assert_eq!(server.metric("rookery_sockets").await, Some(2.0));
    assert_eq!(server.metric("rookery_rooms").await, Some(1.0));
    drop((ana, bea));
    server.until_metric("rookery_sockets", 0.0).await;
}

#[tokio::test]
async fn durations_use_fixed_histogram_buckets() {
    let server = TestServer::start().await;
    let bounds = |metrics: &str, name: &str| -> Vec<String> {
        let start = format!("{name}_bucket{{le=\"");
        let lines = metrics.lines().filter_map(|line| line.strip_prefix(&start)?.split('"').next());
        lines.map(str::to_owned).collect()
    };
    let before = server.metrics().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    ana.say(json!({"type": "chat", "text": "hello"})).await;
    ana.until_heard("chat").await;
    let metrics = server.metrics().await;
    assert!(!metrics.contains("quantile="), "{metrics}");
    for name in ["rookery_append_seconds", "rookery_thinking_seconds"] {
        assert!(metrics.contains(&format!("# TYPE {name} histogram")), "{metrics}");
        let found = bounds(&metrics, name);
        assert!(found.len() > 5 && found.last().unwrap() == "+Inf", "{name}: {found:?}");
        assert_eq!(found, bounds(&before, name), "the buckets must not depend on the values");
    }
    assert_eq!(
        server.metric("rookery_append_seconds_bucket{le=\"+Inf\"}").await,
        Some(2.0),
        "one for the seat, one for the chat message"
    );
    assert_eq!(server.metric("rookery_append_seconds_count").await, Some(2.0));
}

#[tokio::test]
async fn every_metric_is_described_and_exported_from_the_start() {
    let server = TestServer::start().await;
    let metrics = server.metrics().await;
    let named = |start: &str| -> Vec<String> {
        let names = metrics.lines().filter_map(|line| line.strip_prefix(start)?.split(' ').next());
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort();
        names
    };
    let typed = named("# TYPE ");
    assert_eq!(
        typed,
        [
            "rookery_acts_total",
            "rookery_append_seconds",
            "rookery_chat_dropped_total",
            "rookery_claims_total",
            "rookery_connections",
            "rookery_fenced_appends_total",
            "rookery_lease_age_seconds",
            "rookery_relayed_sockets",
            "rookery_reviews_total",
            "rookery_rooms",
            "rookery_rooms_opened_total",
            "rookery_rooms_owned",
            "rookery_slow_readers_total",
            "rookery_sockets",
            "rookery_thinking_seconds",
            "rookery_waiting_bytes",
        ],
        "refusals are exported with their codes only"
    );
    assert_eq!(named("# HELP "), typed, "{metrics}");
}

#[tokio::test]
async fn actions_and_refusals_are_counted_per_server() {
    let (server, other) = (TestServer::start().await, TestServer::start().await);
    let (_, mut players) = server.game("prevented", 2).await;
    let turn = players[0].table()["turn"].as_u64().unwrap() as usize;
    let action = players[turn].actions()[0].clone();
    players[turn].act(&action).await;
    players[turn].until("the action is shown", |player| player.version == 2).await;
    players[1].say(json!({"type": "start"})).await;
    players[1].until_heard("error").await;
    assert_eq!(server.metric("rookery_acts_total").await, Some(1.0));
    let refusals = server.metrics().await;
    assert!(refusals.contains("\nrookery_refusals_total{code=\"not_in_lobby\"} 1\n"), "{refusals}");
    assert!(refusals.contains("# HELP rookery_refusals_total "), "{refusals}");
    assert_eq!(other.metric("rookery_acts_total").await, Some(0.0));
}

#[tokio::test]
async fn closes_are_counted_by_code() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    ana.say(json!({"type": "leave"})).await;
    assert_eq!(ana.until_end().await, End::Closed(1000));
    for _ in 0..2 {
        assert_eq!(Client::resume(server.address, &code, "wrong").await.err(), Some(End::Closed(4001)));
    }
    assert_eq!(server.metric("rookery_closes_total{code=\"1000\"}").await, Some(1.0));
    assert_eq!(server.metric("rookery_closes_total{code=\"4001\"}").await, Some(2.0));
    assert_eq!(server.metric("rookery_closes_total{code=\"4009\"}").await, None);
}

#[tokio::test]
async fn a_slow_reader_is_counted_once_however_it_is_detected() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 2).await;
    let text = "𝄞".repeat(500);

    // Detected by the room: its queue for the client is full of states. Chat fills the kernel's buffers first.
    let first = Client::sleeper(server.address, &code).await;
    players[0].until("Zoe watches", |ana| ana.room["watchers"] == 1).await;
    let mut chance = chance(6);
    while players[0].room["watchers"] == 1 {
        let turn = players[0].asked()[0] as usize;
        let action = choose(&players[turn], &mut chance);
        players[turn].say(json!({"type": "chat", "text": text})).await;
        players[turn].act(&action).await;
        let version = players[turn].version + 1;
        until_version(&mut players, version).await;
    }
    server.until_metric("rookery_slow_readers_total", 1.0).await;
    let mut ana = players.remove(0);
    drop(players);

    // Detected by the heartbeat: nothing is sent, and no answer to the pings arrives.
    let second = Client::sleeper(server.address, &code).await;
    ana.until("Zoe watches again", |ana| ana.room["watchers"] == 1).await;
    while ana.room["watchers"] == 1 {
        advance(Duration::from_secs(10)).await;
        ana.say(json!({"type": "ping", "t": 1})).await;
        ana.until_heard("pong").await;
    }
    server.until_metric("rookery_slow_readers_total", 2.0).await;

    // Detected by the send timeout: the kernel's buffers are full, and the room sends too little to fill its queue.
    let third = Client::sleeper(server.address, &code).await;
    ana.until("Zoe watches once more", |ana| ana.room["watchers"] == 1).await;
    for _ in 0..150 {
        ana.say(json!({"type": "chat", "text": text})).await;
        ana.until_heard("chat").await;
    }
    assert_eq!(ana.room["watchers"], 1, "the queue must not be full yet");
    while ana.room["watchers"] == 1 {
        advance(Duration::from_secs(20)).await;
        ana.say(json!({"type": "ping", "t": 1})).await;
        ana.until_heard("pong").await;
    }
    server.until_metric("rookery_slow_readers_total", 3.0).await;
    drop((first, second, third));
    assert_eq!(server.metric("rookery_slow_readers_total").await, Some(3.0), "each is counted once");
}
