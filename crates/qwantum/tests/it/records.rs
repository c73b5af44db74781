//! Games once played stay playable: the records under `tests/data` are replayed act by act. A record is made with
//! `cargo run -p qwantum --example record -- 3 1 > crates/qwantum/tests/data/three.json`.

use game::{Game, Outcome, Seat, Seed};
use qwantum::{Action, Qwantum, Rules};
use serde::Deserialize;

#[derive(Deserialize)]
struct Record {
    rules_version: u32,
    seed: Seed,
    rules: Rules,
    players: usize,
    acts: Vec<Act>,
    outcome: Outcome,
}

#[derive(Deserialize)]
struct Act {
    seat: Seat,
    action: Action,
}

fn replay(text: &str) {
    let record: Record = serde_json::from_str(text).unwrap();
    assert_eq!(record.rules_version, Qwantum::RULES_VERSION);
    let (mut game, _) = Qwantum::new(&record.rules, record.players, record.seed);
    for (n, Act { seat, action }) in record.acts.iter().enumerate() {
        assert!(game.outcome().is_none(), "over before act {n}");
        game.apply(*seat, action).unwrap_or_else(|refusal| panic!("act {n}, {action:?}: {refusal}"));
    }
    assert_eq!(game.outcome(), Some(record.outcome));
}

#[test]
fn two_players() {
    replay(include_str!("../data/two.json"));
}

#[test]
fn three_players() {
    replay(include_str!("../data/three.json"));
}

#[test]
fn four_players() {
    replay(include_str!("../data/four.json"));
}
