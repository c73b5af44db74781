//! Fault injection with three server processes over a real PostgreSQL. Simulated players, spread over all servers, play
//! as fast as they can, and a judge compares everything they receive with the records (`tools/chaos`).
//!
//! For longer runs with connection faults and intruders: `cargo xtask chaos --servers 3 --minutes 5`.

use super::servers::Node;
use crate::client::Client;
use crate::harness::{PATIENCE, open_with, request};
use chaos::judge::Promise;
use chaos::plan::FaultKind;
use chaos::{ChaosArgs, ChaosReport};
use clap::Parser;
use pgtest::{Disk, PostgresCluster};
use serde_json::json;
use tokio::task::{JoinSet, spawn_blocking};

/// Runs the chaos suite with three servers.
async fn chaos(words: &str) -> ChaosReport {
    chaos_of(env!("CARGO_BIN_EXE_rookery"), words).await
}

/// Runs the chaos suite with three servers of another program.
async fn chaos_of(program: &str, words: &str) -> ChaosReport {
    let words = ["rookery-chaos", "--servers", "3", "--server", program].into_iter().chain(words.split(' '));
    let settings = ChaosArgs::try_parse_from(words).expect("valid flags");
    let report = chaos::run(&settings.plan(), &settings).await.expect("the chaos run completes");
    println!(
        "{} actions, {} lost, {} doubled, {} divergent, {} games\n{report}",
        report.tally.acknowledged,
        report.count(Promise::Lost),
        report.count(Promise::Doubled),
        report.count(Promise::Diverged),
        report.tally.games,
    );
    report
}

#[tokio::test(flavor = "multi_thread")]
async fn no_fault_loses_or_doubles_actions_and_all_reconnect() {
    let words = "--singly --seconds 50 --rooms 4 --seed 3 --faults kill,stop,roll,restart,away,cut-off,apart";
    let report = chaos(words).await;
    assert!(report.holds(), "{report}");
    assert!(report.tally.acknowledged > 200 && report.tally.games >= 4, "{report}");
    for kind in [
        FaultKind::Kill,
        FaultKind::Stop,
        FaultKind::Roll,
        FaultKind::Restart,
        FaultKind::Away,
        FaultKind::CutOff,
        FaultKind::Apart,
    ] {
        assert!(report.faults.get(&kind).is_some_and(|count| *count > 0), "{kind}: {report}");
        // Measured from the start of the fault, or from its end if no client could be served meanwhile. A
        // restarted database may be back before any client notices.
        let absence = report.tally.absence_after.get(&kind).copied();
        assert!(absence.is_some() || kind == FaultKind::Restart, "no client was disconnected by {kind}: {report}");
        let absence = absence.unwrap_or_default();
        let promised = if kind == FaultKind::Roll { 2_000 } else { 10_000 };
        assert!(absence <= promised, "{kind}: {absence} ms, {report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_failover_loses_nothing() {
    let words = "--singly --seconds 40 --rooms 4 --seed 3 --faults promote,old-primary,frozen-primary,lost-standby";
    let report = chaos(words).await;
    assert!(report.holds(), "{report}");
    assert!(report.tally.acknowledged > 200, "{report}");
    for kind in [FaultKind::Promote, FaultKind::OldPrimary, FaultKind::FrozenPrimary, FaultKind::LostStandby] {
        assert!(report.faults.get(&kind).is_some_and(|count| *count > 0), "{kind}: {report}");
        let absence = report.tally.absence_after.get(&kind).copied();
        assert!(absence.is_some_and(|absence| absence <= 10_000), "{kind}: {absence:?}, {report}");
    }
}

/// The control experiment: without the comparison of timelines the run must fail, else the test above proves nothing.
#[tokio::test(flavor = "multi_thread")]
async fn without_timeline_checks_an_old_primary_is_written() {
    let rookery = std::path::PathBuf::from(env!("CARGO_BIN_EXE_rookery"));
    let program = rookery.with_file_name("examples").join("any_timeline");
    assert!(program.is_file(), "run `cargo build -p server --example any_timeline` first");
    let words = "--singly --seconds 5 --patience 30 --rooms 4 --seed 3 --faults old-primary";
    let report = chaos_of(program.to_str().unwrap(), words).await;
    assert!(!report.holds(), "{report}");
    let (lost, diverged) = (report.count(Promise::Lost), report.count(Promise::Diverged));
    println!("without the comparison: {lost} losses, {diverged} divergent histories");
    assert!(lost + diverged > 0, "no loss or divergence was found: {report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_claims_give_each_room_one_owner() {
    let postgres = spawn_blocking(|| PostgresCluster::start(Disk::Durable)).await.unwrap();
    let database = postgres.database();
    let mut nodes = Vec::new();
    for _ in 0..3 {
        nodes.push(Node::start(&database).await);
    }
    let mut codes = Vec::new();
    for _ in 0..50 {
        codes.push(open_with(nodes[0].address, json!({"game": "towers"})).await);
    }
    // The rooms have no owner after their server has stopped.
    nodes[0].end().await;
    nodes[0].run().await;
    let mut coming = JoinSet::new();
    for code in &codes {
        for (node, name) in nodes.iter().zip(["Ana", "Bea", "Cid"]) {
            let (code, address) = (code.clone(), node.address);
            coming.spawn(async move { Client::join(address, &code, name).await });
        }
    }
    let clients = tokio::time::timeout(PATIENCE, coming.join_all()).await.expect("all clients are admitted");
    let mut owned = Vec::new();
    for node in &nodes {
        owned.push(node.metric("rookery_rooms_owned").await);
    }
    assert_eq!(owned.iter().sum::<f64>(), 50.0, "each room must have one owner: {owned:?}");
    for code in &codes {
        let (_, room) = request(nodes[1].address, "GET", &format!("/api/rooms/{code}"), "").await;
        let room: serde_json::Value = serde_json::from_str(&room).unwrap();
        assert_eq!(room["seats"].as_array().unwrap().len(), 3, "all three clients must be seated: {room}");
    }
    drop(clients);
}
