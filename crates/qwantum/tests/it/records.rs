//! Recorded games stay playable: the records under `tests/data` are replayed action by action. A new one is created
//! with
//! `cargo run -p qwantum --example record_qwantum -- 3 1 > crates/qwantum/tests/data/another.json`.

use gametest::replay;
use qwantum::Qwantum;

#[test]
fn replays_two_players() {
    replay::<Qwantum>(include_str!("../data/two.json"));
}

#[test]
fn replays_three_players() {
    replay::<Qwantum>(include_str!("../data/three.json"));
}

#[test]
fn replays_four_players() {
    replay::<Qwantum>(include_str!("../data/four.json"));
}
