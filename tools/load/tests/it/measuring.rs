//! Runs the commands that start servers themselves, with a few rooms and for a second, against the server of this
//! build. Times depend on the machine, so they are not checked.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Path of the server that `cargo test` built next to this test.
pub fn server() -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    let built = test.ancestors().nth(2).expect("the test is in target/debug/deps");
    let server = built.join(format!("examples/rookery{}", std::env::consts::EXE_SUFFIX));
    assert!(server.is_file(), "`cargo test -p load` builds {}; `--test processes` alone does not", server.display());
    server
}

fn run(words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rookery-load"));
    command.args(words.split(' ')).arg("--server").arg(server()).output().expect("rookery-load was built")
}

/// Returns the output of a successful run. Standard error must be empty, because it is not a terminal.
fn printed(words: &str) -> String {
    let output = run(words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{words}: {} {said}", output.status);
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

fn json(words: &str) -> Value {
    let printed = printed(&format!("{words} --json"));
    assert_eq!(printed.lines().count(), 1, "more than one line: {printed}");
    serde_json::from_str(&printed).expect("one JSON object")
}

fn number(object: &Value, field: &str) -> f64 {
    object[field].as_f64().unwrap_or_else(|| panic!("no number {field} in {object}"))
}

#[test]
fn a_comparison_measures_floor_memory_and_sqlite_in_each_round() {
    let comparison = json("compare --rounds 2 --rooms 4 --acts 3000 --warm-up 0.1");
    let rounds = comparison["rounds"].as_array().expect("rounds");
    assert_eq!(rounds.len(), 2);
    for round in rounds {
        let round = round.as_array().expect("measurements");
        let subjects: Vec<&str> = round.iter().filter_map(|measured| measured["subject"].as_str()).collect();
        assert_eq!(subjects, ["floor", "memory", "sqlite"]);
        for measured in round {
            assert!(number(measured, "acts") >= 3000.0, "{measured}");
            assert!(number(measured, "p99_ms") >= number(measured, "p50_ms"), "{measured}");
            assert!(number(measured, "processor_ms_per_1000_acts") > 0.0, "{measured}");
        }
        // SQLite writes whole pages, at least one per action.
        let handed = |measured: &Value| number(measured, "handed_bytes_per_act");
        assert!(handed(&round[2]) > 1000.0 && handed(&round[1]) < 1000.0, "{round:?}");
    }
    let ratios = comparison["ratios"].as_array().expect("ratios");
    let subjects: Vec<&str> = ratios.iter().filter_map(|ratio| ratio["subject"].as_str()).collect();
    assert_eq!(subjects, ["memory", "sqlite"]);
    for ratio in ratios {
        let [least, median, most] = ["least", "median", "most"].map(|field| number(ratio, field));
        assert!(0.0 < least && least <= median && median <= most, "{ratio}");
    }
}

#[test]
fn a_comparison_of_one_journal_is_printed_as_a_table() {
    let printed = printed("compare --rounds 1 --rooms 2 --people 2 --acts 1000 --warm-up 0 --only memory");
    let firsts = printed.lines().filter_map(|line| line.split_whitespace().nth(1));
    assert_eq!(firsts.filter(|word| ["floor", "memory", "sqlite"].contains(word)).count(), 2, "{printed}");
    assert!(printed.starts_with("2 rooms of 2 people; "), "{printed}");
    assert!(printed.contains("memory: ") && printed.contains(" times the floor's processor time"), "{printed}");
}

#[test]
fn idle_measures_the_memory_of_each_server() {
    let idle = json("idle --connections 130 --rooms 40 --playing --settle 0.5");
    assert_eq!((number(&idle, "connections"), number(&idle, "rooms")), (130.0, 40.0));
    let measured = idle["measured"].as_array().expect("measurements");
    let servers: Vec<&str> = measured.iter().filter_map(|measured| measured["server"].as_str()).collect();
    assert_eq!(servers, ["floor", "memory", "sqlite"]);
    for measured in measured {
        // The two buffers of a connection alone take pages of memory.
        let more = number(measured, "resident_after") - number(measured, "resident_before");
        assert!(more >= 130.0 * 2048.0, "{measured}");
        assert!((number(measured, "bytes_per_connection") - more / 130.0).abs() < 1.0, "{measured}");
    }
}

#[test]
fn idle_measures_a_running_server() {
    let mut command = Command::new(server());
    command.args(["--listen", "127.0.0.1:0", "--admin", "off", "--data", "memory", "--sockets-per-ip", "0"]);
    let mut running = command.stdout(Stdio::piped()).spawn().expect("the server was built");
    let mut greeting = String::new();
    BufReader::new(running.stdout.take().expect("stdout is piped"))
        .read_line(&mut greeting)
        .expect("the server prints its address");
    let url = greeting.split_whitespace().last().expect("the line ends with the address");
    let idle = json(&format!("idle --connections 50 --rooms 10 --settle 0 --url {url} --pid {}", running.id()));
    running.kill().and_then(|()| running.wait()).expect("the server was running");
    assert_eq!(idle["measured"][0]["server"], "running", "{idle}");
    assert!(number(&idle["measured"][0], "bytes_per_connection") > 0.0, "{idle}");
}

#[test]
fn all_players_return_after_every_connection_was_cut() {
    let storm = json("storm --people 22 --per-room 4");
    let counts = ["people", "rooms", "back", "missing"].map(|field| number(&storm, field));
    assert_eq!(counts, [22.0, 6.0, 22.0, 0.0], "{storm}");
    let [p50, p99, longest] = ["p50_ms", "p99_ms", "longest_ms"].map(|field| number(&storm, field));
    assert!(p50 <= p99 && p99 <= longest, "{storm}");
    assert_eq!(storm["open_again_ms"], Value::Null);
}

#[test]
fn all_players_return_after_the_server_was_killed() {
    let storm = json("storm --people 12 --per-room 3 --restart --default-limits");
    let counts = ["people", "rooms", "back", "missing"].map(|field| number(&storm, field));
    assert_eq!(counts, [12.0, 4.0, 12.0, 0.0], "{storm}");
    // No player can be back before the server is up.
    assert!(number(&storm, "open_again_ms") <= number(&storm, "longest_ms"), "{storm}");
}

/// A substitute for valgrind: it runs the server until SIGTERM, then reports 1,000 instructions the first time and
/// 5,000 the second.
#[cfg(unix)]
const COUNTER: &str = r#"#!/bin/sh
for word; do
    shift
    case "$word" in
        --callgrind-out-file=*) file="${word#*=}" ;;
        --*) test -n "$server" && set -- "$@" "$word" ;;
        *) server=1; set -- "$@" "$word" ;;
    esac
done
"$@" &
trap 'kill $!' TERM
wait
test -e "$0.once" && total=5000 || total=1000
touch "$0.once"
echo "totals: $total" > "$file"
"#;

#[cfg(unix)]
#[test]
fn instructions_are_counted_between_a_long_and_a_short_sequence() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let counter = folder.path().join("counter");
    std::fs::write(&counter, COUNTER).unwrap();
    std::fs::set_permissions(&counter, std::fs::Permissions::from_mode(0o755)).unwrap();
    let words = "instructions --rounds 1 --short 10 --more 40 --only memory --valgrind";
    let counted = json(&format!("{words} {}", counter.display()));
    assert_eq!(counted["acts"], serde_json::json!([10, 50]), "{counted}");
    let expected = serde_json::json!([{"subject": "memory", "per_act": [100.0]}]);
    assert_eq!(counted["counts"], expected, "40 more acts are 4,000 more instructions");
}

#[test]
fn a_missing_server_binary_is_reported() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rookery-load"));
    let output = command.args(["compare", "--rooms", "1", "--server", "/nowhere/rookery"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("there is no server at /nowhere/rookery"), "{said}");
}
