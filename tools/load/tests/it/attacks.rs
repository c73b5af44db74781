//! Runs each attack briefly against the server of this build. Whether a server withstands them is measured with a
//! release build on an idle machine, so memory and times are not checked here.

use crate::measuring::server;
use serde_json::Value;
use std::process::{Command, Output};

fn attack(words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rookery-load"));
    command.arg("attack").args(words.split(' ')).arg("--server").arg(server()).output().expect("rookery-load was built")
}

/// The report, which is printed to standard error if a promise was broken.
fn printed(output: &Output) -> String {
    let text = if output.status.success() { &output.stdout } else { &output.stderr };
    String::from_utf8(text.clone()).expect("the output is UTF-8")
}

#[test]
fn every_attack_prints_a_row() {
    let printed = printed(&attack("all --seconds 0.3"));
    let rows = printed.lines().filter(|line| line.starts_with("| ")).skip(1);
    let names: Vec<&str> = rows.filter_map(|row| row.split('|').nth(1)).map(str::trim).collect();
    let all = "pipelining headers loris records qr guesses uploads pings frames chat watchers joins configure rooms drops mixed";
    assert_eq!(names, all.split(' ').collect::<Vec<_>>(), "{printed}");
}

#[test]
fn an_attack_from_many_addresses_prints_json() {
    let output = attack("qr --addresses 3 --seconds 1 --json");
    let printed = printed(&output);
    let json = printed.lines().find(|line| line.starts_with('{')).expect("one JSON object");
    let onslaught: Value = serde_json::from_str(json).expect("valid JSON");
    let attacked = &onslaught["attacks"][0];
    assert_eq!((&attacked["attack"], &attacked["addresses"]), (&"qr".into(), &3.into()), "{attacked}");
    // The two players played, and there were visitors.
    assert!(attacked["acts"].as_u64() > Some(0) && attacked["visitors"].as_u64() > Some(0), "{attacked}");
    assert!(attacked["resident_peak"].as_u64() >= attacked["resident_before"].as_u64(), "{attacked}");
    assert_eq!(onslaught["holds"], output.status.success());
}
