//! `--data postgres://…`: a server over a database works, reports errors in one sentence, and never shows the password.

use crate::harness::{PATIENCE, Process, begin, open};
use pgtest::{PASSWORD, PostgresCluster};
use std::path::Path;
use std::process::{Output, Stdio};
use tokio::process::Command;
use tokio::time::timeout;

/// Runs `rookery` with the URL in the environment, until it exits.
async fn rookery(words: &[&str], address: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rookery"));
    command.args(words).env("ROOKERY_DATA", address).env("ROOKERY_MOVE_TO", address);
    command.env("ROOKERY_LISTEN", "127.0.0.1:0").env("ROOKERY_ADMIN", "off").stdin(Stdio::null());
    // A server that starts unexpectedly must not outlive the test.
    command.kill_on_drop(true);
    let output = timeout(PATIENCE, command.output()).await.expect("the process exits").expect("the program starts");
    for said in [&output.stdout, &output.stderr] {
        let said = String::from_utf8_lossy(said);
        assert!(!said.contains(PASSWORD) && !said.contains("wr0ng"), "{said}");
    }
    output
}

#[tokio::test]
async fn reports_errors_in_one_sentence_without_the_password() {
    let address = PostgresCluster::shared().address("postgres");
    for (address, sentence) in [
        (address.replace(PASSWORD, "wr0ng"), "refuses the user or the password; check them in --data or ROOKERY_DATA"),
        (PostgresCluster::shared().address("nowhere"), "there is no database \"nowhere\""),
        (format!("{address}?sslmode=perhaps"), "--data is not a database address: an address such as"),
    ] {
        let output = rookery(&[], &address).await;
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.starts_with("rookery: ") && said.contains(sentence) && said.lines().count() == 1, "{said}");
    }
    for words in [&["--help"][..], &["backup", "--help"], &["move", "--help"], &["--keep-days", "x"]] {
        rookery(words, &address).await;
    }
    let output = rookery(&["backup", "copy"], &address).await;
    assert!(String::from_utf8_lossy(&output.stderr).contains("pg_dump"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_server_does_not_wait_for_its_own_lease() {
    let address = PostgresCluster::shared().database();
    let process = Process::start(Path::new(&address), "127.0.0.1:0").await;
    let code = open(process.address, "prevented").await;
    let seats = begin(process.address, &code, 3).await;
    let tokens: Vec<String> = seats.iter().map(|seat| seat.token.clone().unwrap()).collect();
    process.kill().await;

    let process = Process::start(Path::new(&address), "127.0.0.1:0").await;
    let begun = std::time::Instant::now();
    for (seat, token) in tokens.iter().enumerate() {
        let back = crate::client::Client::resume(process.address, &code, token).await.expect("the seat is kept");
        assert_eq!((back.seat(), back.room["phase"].as_str()), (Some(seat as u64), Some("playing")));
    }
    assert!(begun.elapsed() < journal::ownership::SELF_FENCE, "{:?}", begun.elapsed());
    process.kill().await;
}
