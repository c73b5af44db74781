//! Games once played stay playable: the records under `tests/data` are replayed act by act. A record is made with
//! `cargo run -p towers --example record -- prevented 3 1 > crates/towers/tests/data/prevented.json`.

use game::{Game, Outcome, Seat, Seed};
use serde::Deserialize;
use towers::{Action, Rules, Towers};

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
    assert_eq!(record.rules_version, Towers::RULES_VERSION);
    let (mut game, _) = Towers::new(&record.rules, record.players, record.seed);
    for (n, Act { seat, action }) in record.acts.iter().enumerate() {
        assert!(game.outcome().is_none(), "over before act {n}");
        game.apply(*seat, action).unwrap_or_else(|refusal| panic!("act {n}, {action:?}: {refusal}"));
    }
    assert_eq!(game.outcome(), Some(record.outcome));
}

#[test]
fn three_players_with_mistakes_prevented() {
    replay(include_str!("../data/prevented.json"));
}

#[test]
fn five_players_with_mistakes_allowed() {
    replay(include_str!("../data/allowed.json"));
}
