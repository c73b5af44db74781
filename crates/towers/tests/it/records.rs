//! Recorded games stay playable: the records under `tests/data` are replayed action by action. A new one is created
//! with
//! `cargo run -p towers --example record_towers -- prevented 3 1 > crates/towers/tests/data/another.json`.

use gametest::replay;
use towers::Towers;

#[test]
fn replays_three_players_with_mistakes_prevented() {
    replay::<Towers>(include_str!("../data/prevented.json"));
}

#[test]
fn replays_five_players_with_mistakes_allowed() {
    replay::<Towers>(include_str!("../data/allowed.json"));
}
