//! Every violation is detected, and a correct server is not accused.

use crate::liar::{self, Lie};
use chaos::judge::Promise;
use chaos::plan::{ChaosPlan, FaultKind};
use chaos::{ChaosReport, run_against};
use clap::Parser;
use client::scripted::UNLIMITED;
use journal::memory::Memory;
use server::{AppState, Cli, Server};
use std::sync::Arc;
use std::time::Duration;

/// Starts a correct server.
pub async fn honest() -> Server {
    let flags = ["rookery", "--listen", "127.0.0.1:0", "--admin", "off", "--bot-delay-ms", "1"];
    let config = Cli::try_parse_from(flags.iter().chain(UNLIMITED)).expect("the flags are valid").config;
    Server::start(AppState::new(config, Arc::new(Memory::default()))).await.expect("a port is free")
}

/// Runs the suite against a server behind this proxy.
async fn found(lie: Lie, faults: &[FaultKind]) -> ChaosReport {
    let server = honest().await;
    let plan = ChaosPlan {
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
    let report = run_against(&plan, vec![address], None).await.expect("the rooms can be opened");
    server.stop().await;
    report
}

#[tokio::test(flavor = "multi_thread")]
async fn a_correct_server_passes_under_faults_and_intruders() {
    let faults = [FaultKind::Cut, FaultKind::Freeze, FaultKind::Delay, FaultKind::Intruders];
    let report = found(Lie::None, &faults).await;
    assert!(report.holds(), "{report}");
    assert!(report.tally.acknowledged > 50 && report.tally.games >= 3, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_act_is_found() {
    let report = found(Lie::SwallowsActs, &[]).await;
    assert!(report.count(Promise::Lost) + report.count(Promise::Diverged) > 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_doubled_act_is_found() {
    let report = found(Lie::DoublesActs, &[]).await;
    assert!(report.count(Promise::Doubled) > 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outdated_state_is_found() {
    let report = found(Lie::ShowsOldStates, &[]).await;
    assert!(report.count(Promise::Diverged) > 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_divergent_table_is_found() {
    let report = found(Lie::ChangesTables, &[]).await;
    assert!(report.count(Promise::Diverged) > 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leak_is_found() {
    let report = found(Lie::LeaksToWatchers, &[]).await;
    assert!(report.count(Promise::Leaked) > 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_opened_without_its_token_is_found() {
    let report = found(Lie::OpensSeats, &[FaultKind::Intruders]).await;
    assert!(report.count(Promise::Foreign) > 0, "{report}");
}
