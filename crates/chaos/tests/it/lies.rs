//! Every violation is detected, and a correct server is not accused.

use crate::liar::{self, Lie};
use chaos::judge::Promise;
use chaos::plan::{Kind, Plan};
use chaos::{Report, run_against};
use clap::Parser;
use journal::memory::Memory;
use server::{Cli, Server, Shared};
use std::sync::Arc;
use std::time::Duration;

/// No rate limits, and fast bots.
const FLAGS: &[&str] = &[
    "rookery",
    "--listen",
    "127.0.0.1:0",
    "--admin",
    "off",
    "--acts-per-second",
    "0",
    "--rooms-per-hour",
    "0",
    "--misses-per-minute",
    "0",
    "--sockets-per-ip",
    "0",
    "--connections-per-ip",
    "0",
    "--requests-per-second",
    "0",
    "--bot-delay-ms",
    "1",
];

/// Starts a correct server.
pub async fn honest() -> Server {
    let config = Cli::try_parse_from(FLAGS).expect("good flags").config;
    Server::start(Shared::new(config, Arc::new(Memory::default()))).await.expect("a free port")
}

/// Runs the suite against a server behind this proxy.
async fn found(lie: Lie, faults: &[Kind]) -> Report {
    let server = honest().await;
    let plan = Plan {
        seed: 7,
        // Without a violation each table plays one or two games. Otherwise the run ends at the first violation.
        time: Duration::from_secs(if lie == Lie::None { 6 } else { 30 }),
        tables: 6,
        faults: faults.to_vec(),
        singly: false,
        patience: Duration::from_secs(150),
        memory: u64::MAX,
    };
    let address = liar::start(lie, server.address()).await;
    let report = run_against(&plan, vec![address], None).await.expect("rooms are opened");
    server.stop().await;
    report
}

#[tokio::test(flavor = "multi_thread")]
async fn an_honest_server_is_not_accused_though_lines_are_cut_and_strangers_come() {
    let faults = [Kind::Cut, Kind::Freeze, Kind::Delay, Kind::Intruders];
    let report = found(Lie::None, &faults).await;
    assert!(report.holds(), "{report}");
    assert!(report.tally.acknowledged > 50 && report.tally.games >= 3, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_swallowed_act_is_found() {
    let report = found(Lie::SwallowsActs, &[]).await;
    assert!(report.count(Promise::Lost) + report.count(Promise::Diverged) > 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_doubled_act_is_found() {
    let report = found(Lie::DoublesActs, &[]).await;
    assert!(report.count(Promise::Doubled) > 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_state_is_found() {
    let report = found(Lie::ShowsOldStates, &[]).await;
    assert!(report.count(Promise::Diverged) > 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_table_is_found() {
    let report = found(Lie::ChangesTables, &[]).await;
    assert!(report.count(Promise::Diverged) > 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leak_is_found() {
    let report = found(Lie::LeaksToWatchers, &[]).await;
    assert!(report.count(Promise::Leaked) > 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_seat_is_found() {
    let report = found(Lie::OpensSeats, &[Kind::Intruders]).await;
    assert!(report.count(Promise::Foreign) > 0, "{report}");
}
