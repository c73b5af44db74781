//! Last turns solved by the rules alone (`gametest::SolvedEndgame`): actions that win, or do not lose, whatever the others
//! do. The hard bot finds all of them. A new book is created with
//! `cargo run --release -p qwantum --example book_qwantum -- 60 > crates/qwantum/tests/data/book.json`.

use crate::endgame::LAST_TURN;
use crate::script::play;
use game::{Game, Seat};
use qwantum::{Action, Qwantum, lay};
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
        let mut game = lay.game().expect("a possible table");
        if !self.acts.is_empty() {
            play(&mut game, &self.acts);
        }
        game
    }
}

#[test]
fn the_hard_bot_solves_every_position_of_the_book() {
    let book: Vec<Position> = serde_json::from_str(include_str!("../data/book.json")).unwrap();
    let mut kinds = [0; 3];
    for position in &book {
        let game = position.game();
        assert!(game.asked().contains(&position.seat));
        LAST_TURN.check(&game, position.seat, &position.best, 200);
        kinds[game.phase() as usize] += 1;
    }
    println!("{} positions, {kinds:?} by step: all solved", book.len());
    assert!(kinds.iter().all(|kind| *kind >= 10), "{kinds:?} by step");
}
