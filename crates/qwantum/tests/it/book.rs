//! A book of last turns, solved by the rules alone (`gametest::Endgame`): acts that win, or do not lose, whatever the others do, and
//! re-rolls that most likely do, over all rolls there are. The hard bot finds all of them.
//! `cargo run --release -p qwantum --example book_qwantum -- 90 > crates/qwantum/tests/data/book.json` makes another.

use crate::last_turns::{LAST_TURN, best_rerolls};
use crate::script::play;
use game::{Game, Seat};
use gametest::finds;
use qwantum::{Action, Phase, Qwantum, lay};
use serde::Deserialize;

#[derive(Deserialize)]
struct Position {
    active: usize,
    dice: String,
    rows: Vec<String>,
    misses: Vec<u8>,
    /// What has happened in this turn.
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

fn book() -> Vec<Position> {
    serde_json::from_str(include_str!("../data/book.json")).unwrap()
}

#[test]
fn the_hard_bot_finds_every_last_turn_of_the_book() {
    let mut kinds = [0; 3];
    for position in book() {
        let game = position.game();
        assert!(game.asked().contains(&position.seat));
        finds(&game, position.seat, &position.best, 200);
        kinds[game.phase() as usize] += 1;
    }
    println!("{} solved, {kinds:?} of each step: all found", kinds.iter().sum::<usize>());
    assert!(kinds.iter().all(|kind| *kind >= 20), "{kinds:?} of each step");
}

#[test]
fn the_book_is_right() {
    for position in book() {
        let (game, seat) = (position.game(), position.seat);
        let best = if game.phase() == Phase::Roll {
            best_rerolls(&game, seat).unwrap_or_default()
        } else {
            LAST_TURN.best(&game, seat)
        };
        assert_eq!(best, position.best, "on {game:?}");
    }
}
