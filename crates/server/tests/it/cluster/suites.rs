//! Runs the socket tests again with PostgreSQL, and with every client connected to a server that does not own the room.

use std::env;
use std::process::Command;

/// The tests that use sockets.
const SUITES: &[&str] = &[
    "games::",
    "kill::",
    "resend::",
    "returning::",
    "redaction::",
    "lobby::",
    "signs::",
    "bots::",
    "past::",
    "review::",
];

/// Runs this test program again with those tests only.
fn suites_over(topology: &str) {
    let mut again = Command::new(env::current_exe().expect("the path of this program"));
    let done = again.args(SUITES).env("ROOKERY_TEST_TOPOLOGY", topology).output().expect("the program starts");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    let summary = said.lines().find(|line| line.starts_with("test result:")).expect("a summary line");
    println!("{topology}: {summary}");
    let passed = summary.split_whitespace().nth(3).and_then(|count| count.parse::<u32>().ok());
    assert!(passed.is_some_and(|passed| passed > 30), "{summary}");
}

#[test]
fn socket_suites_pass_over_postgresql() {
    suites_over("postgres");
}

#[test]
fn socket_suites_pass_with_every_client_relayed() {
    suites_over("relayed");
}
