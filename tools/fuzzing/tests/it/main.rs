//! Runs every target for a few seconds. The long runs are `cargo xtask fuzz`.

use fuzzing::{TARGETS, corpus, run, target};

/// A fixed seed makes failures reproducible.
const SEED: u32 = 12;

fn tries(name: &str, things: u64, taken: u64) {
    let target = target(name).expect("the target exists");
    let report = run(target, things, SEED).expect("the corpus can be read");
    println!("{report}");
    // A target whose inputs are all rejected by the first check would test nothing.
    assert!(report.tried.taken >= taken, "{report}");
}

#[test]
fn client_messages() {
    tries("messages", 30_000, 1000);
}

#[test]
fn sessions_in_a_room() {
    tries("sessions", 20_000, 4000);
}

#[test]
fn journal_entries() {
    tries("entries", 2000, 50);
}

#[test]
fn records_of_finished_games() {
    tries("records", 1000, 50);
}

#[test]
fn names_and_chat() {
    tries("names", 5000, 1000);
}

#[test]
fn requests_over_sockets() {
    tries("http", 2000, 100);
}

#[test]
fn sessions_over_sockets() {
    tries("sockets", 3000, 300);
}

#[test]
fn every_target_has_a_corpus_and_a_cargo_fuzz_target() {
    let manifest = include_str!("../../../../fuzz/Cargo.toml");
    for target in TARGETS {
        let cases = corpus(target.name).unwrap_or_else(|error| panic!("{}: {error}", target.name));
        let bytes: usize = cases.iter().map(Vec::len).sum();
        let (name, count) = (target.name, cases.len());
        assert!(count >= 3 && bytes <= 256 * 1024, "{name}: {count} cases, {bytes} bytes");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not in fuzz/Cargo.toml");
    }
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
}
