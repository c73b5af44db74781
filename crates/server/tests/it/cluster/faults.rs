//! Fault injection with three server processes over a real PostgreSQL. Simulated players, spread over all servers, play
//! as fast as they can, and a judge compares everything they receive with the records (`crates/chaos`).
//!
//! For longer runs with connection faults and intruders: `cargo xtask chaos --servers 3 --minutes 5`.

use super::servers::Node;
use crate::client::Client;
use crate::harness::{PATIENCE, open_with, request};
use chaos::judge::Promise;
use chaos::plan::Kind;
use chaos::{Report, Settings};
use clap::Parser;
use pgtest::{Cluster, Disk};
use serde_json::json;
use tokio::task::{JoinSet, spawn_blocking};

/// Runs the chaos suite with three servers.
async fn chaos(words: &str) -> Report {
    chaos_of(env!("CARGO_BIN_EXE_rookery"), words).await
}

/// Runs the chaos suite with three servers of another program.
async fn chaos_of(program: &str, words: &str) -> Report {
    let words = ["rookery-chaos", "--servers", "3", "--server", program].into_iter().chain(words.split(' '));
    let settings = Settings::try_parse_from(words).expect("good flags");
    let report = chaos::run(&settings.plan(), &settings).await.expect("they play");
    println!(
        "{} acts, {} lost, {} doubled, {} divergent, {} games\n{report}",
        report.tally.acknowledged,
        report.count(Promise::Lost),
        report.count(Promise::Doubled),
        report.count(Promise::Diverged),
        report.tally.games,
    );
    report
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_doubled_by_any_fault_and_everybody_is_soon_back() {
    let words = "--singly --seconds 50 --rooms 4 --seed 3 --faults kill,stop,roll,restart,away,cut-off,apart";
    let report = chaos(words).await;
    assert!(report.holds(), "{report}");
    assert!(report.tally.acknowledged > 200 && report.tally.games >= 4, "{report}");
    for kind in [Kind::Kill, Kind::Stop, Kind::Roll, Kind::Restart, Kind::Away, Kind::CutOff, Kind::Apart] {
        assert!(report.faults.get(&kind).is_some_and(|count| *count > 0), "{kind}: {report}");
        // Measured from the start of the fault, or from its end if nobody could be served meanwhile. A restarted
        // database may be back before anybody notices.
        let absence = report.tally.absence_after.get(&kind).copied();
        assert!(absence.is_some() || kind == Kind::Restart, "nobody was away for {kind}: {report}");
        let absence = absence.unwrap_or_default();
        let promised = if kind == Kind::Roll { 2_000 } else { 10_000 };
        assert!(absence <= promised, "{kind}: {absence} ms, {report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failover_of_the_database_costs_nothing_and_an_old_primary_is_never_used() {
    let words =
        "--singly --seconds 40 --rooms 4 --seed 3 --faults promote,old-primary,frozen-primary,lost-standby";
    let report = chaos(words).await;
    assert!(report.holds(), "{report}");
    assert!(report.tally.acknowledged > 200, "{report}");
    for kind in [Kind::Promote, Kind::OldPrimary, Kind::FrozenPrimary, Kind::LostStandby] {
        assert!(report.faults.get(&kind).is_some_and(|count| *count > 0), "{kind}: {report}");
        let absence = report.tally.absence_after.get(&kind).copied();
        assert!(absence.is_some_and(|absence| absence <= 10_000), "{kind}: {absence:?}, {report}");
    }
}

/// The control experiment: without the comparison of timelines the run must fail, else the test above proves nothing.
#[tokio::test(flavor = "multi_thread")]
async fn without_the_comparison_of_timelines_an_old_primary_is_written() {
    let rookery = std::path::PathBuf::from(env!("CARGO_BIN_EXE_rookery"));
    let program = rookery.with_file_name("examples").join("any_timeline");
    assert!(program.is_file(), "`cargo build -p server --example any_timeline` makes it");
    let words = "--singly --seconds 5 --patience 30 --rooms 4 --seed 3 --faults old-primary";
    let report = chaos_of(program.to_str().unwrap(), words).await;
    assert!(!report.holds(), "{report}");
    let (lost, diverged) = (report.count(Promise::Lost), report.count(Promise::Diverged));
    println!(
        "without the comparison {lost} times something was lost, and {diverged} times two histories were shown"
    );
    assert!(lost + diverged > 0, "there are two histories: {report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_rooms_that_three_servers_take_at_the_same_moment_are_each_taken_once() {
    let postgres = spawn_blocking(|| Cluster::start(Disk::Durable)).await.unwrap();
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
    let clients = tokio::time::timeout(PATIENCE, coming.join_all()).await.expect("all are let in");
    let mut owned = Vec::new();
    for node in &nodes {
        owned.push(node.metric("rookery_rooms_owned").await);
    }
    assert_eq!(owned.iter().sum::<f64>(), 50.0, "each room is on one server: {owned:?}");
    for code in &codes {
        let (_, room) = request(nodes[1].address, "GET", &format!("/api/rooms/{code}"), "").await;
        let room: serde_json::Value = serde_json::from_str(&room).unwrap();
        assert_eq!(room["seats"].as_array().unwrap().len(), 3, "all three sit: {room}");
    }
    drop(clients);
}
