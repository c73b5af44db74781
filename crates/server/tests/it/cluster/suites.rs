//! Runs the socket tests again with PostgreSQL, and with every client connected to a server that does not own the room.

use std::env;
use std::process::Command;

/// The tests that use sockets.
const SUITES: &[&str] =
    &["games::", "kill::", "resend::", "redaction::", "lobby::", "signs::", "bots::", "past::", "review::"];

/// Runs this test program again with those tests only.
fn suites_over(topology: &str) {
    let mut again = Command::new(env::current_exe().expect("this program"));
    let done = again.args(SUITES).env("ROOKERY_TEST_TOPOLOGY", topology).output().expect("it runs");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    let summary = said.lines().find(|line| line.starts_with("test result:")).expect("a summary");
    println!("{topology}: {summary}");
    let passed = summary.split_whitespace().nth(3).and_then(|count| count.parse::<u32>().ok());
    assert!(passed.is_some_and(|passed| passed > 30), "{summary}");
}

#[test]
fn the_socket_suites_hold_over_postgresql() {
    suites_over("postgres");
}

#[test]
fn the_socket_suites_hold_with_every_client_at_another_server_than_its_room() {
    suites_over("relayed");
}
