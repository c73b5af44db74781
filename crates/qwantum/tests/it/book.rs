//! Last turns solved by the rules alone (`gametest::Endgame`): actions that win, or do not lose, whatever the others
//! do. The hard bot finds all of them. A new book is created with
//! `cargo run --release -p qwantum --example book_qwantum -- 60 > crates/qwantum/tests/data/book.json`.

use crate::script::play;
use game::{Game, Seat};
use gametest::Endgame;
use qwantum::{Action, Phase, Qwantum, lay};
use serde::Deserialize;

#[derive(Deserialize)]
struct Position {
    active: usize,
    dice: String,
    rows: Vec<String>,
    misses: Vec<u8>,
    /// Actions played in this turn.
    acts: String,
    seat: Seat,
    best: Vec<Action>,
}

impl Position {
    fn game(&self) -> Qwantum {
        let mut lay = lay::table(self.rows.len()).active(self.active).dice(&self.dice);
        for (seat, (rows, misses)) in self.rows.iter().zip(&self.misses).enumerate() {
            lay = lay.rows(seat, rows).misses(seat, *misses);
        }
        let mut game = lay.game().expect("a table that can be laid");
        if !self.acts.is_empty() {
            play(&mut game, &self.acts);
        }
        game
    }
}

/// Nobody can foresee the result of a re-roll or of another turn's roll.
const LAST_TURN: Endgame<Qwantum> = Endgame {
    open_ended: |game| game.phase() == Phase::Roll || game.table().rolls > 1,
    at_once: |game| game.phase() == Phase::Share,
    takes_back: |_| false,
    name: |_| None,
};

#[test]
fn the_hard_bot_finds_every_last_turn_of_the_book() {
    let book: Vec<Position> = serde_json::from_str(include_str!("../data/book.json")).unwrap();
    let mut kinds = [0; 3];
    for position in &book {
        let game = position.game();
        assert!(game.asked().contains(&position.seat));
        LAST_TURN.check(&game, position.seat, &position.best, 200);
        kinds[game.phase() as usize] += 1;
    }
    println!("{} solved, {kinds:?} of each step: all found", book.len());
    assert!(kinds.iter().all(|kind| *kind >= 10), "{kinds:?} of each step");
}
