//! A book of last rounds and of those before them, solved by the rules alone (`gametest::Endgame`): the hard bot finds what is best
//! in all of them.
//! `cargo run --release -p towers --example book_towers -- 120 > crates/towers/tests/data/book.json` makes another.

use crate::endings::LAST_ROUNDS;
use crate::script::play;
use game::Seat;
use gametest::finds;
use serde::Deserialize;
use towers::{Action, Phase, Towers, lay};

#[derive(Deserialize)]
struct Position {
    starter: usize,
    row: String,
    /// The cards of the row after it, if there is one.
    draw: String,
    towers: Vec<String>,
    demolished: Vec<String>,
    /// What has happened in this round.
    acts: String,
    seat: Seat,
    best: Vec<Action>,
}

impl Position {
    fn game(&self) -> Towers {
        let lay = lay::table(self.towers.len()).deal(2).starter(self.starter);
        let mut lay = lay.row(&self.row).draw(&self.draw).rest_discarded();
        for (seat, (towers, demolished)) in self.towers.iter().zip(&self.demolished).enumerate() {
            lay = lay.towers(seat, towers).demolished(seat, demolished);
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
fn the_hard_bot_finds_every_ending_of_the_book() {
    // Calls, and steps of a build; in the last round, and in the one before it.
    let mut kinds = [[0; 2]; 2];
    for position in book() {
        let game = position.game();
        assert_eq!(game.turn(), Some(position.seat));
        finds(&game, position.seat, &position.best, 200);
        let last = usize::from(!position.draw.is_empty());
        kinds[last][usize::from(game.phase() != Phase::Auction)] += 1;
    }
    println!("{} solved, {kinds:?} of each kind: all found", kinds.as_flattened().iter().sum::<usize>());
    assert!(kinds.as_flattened().iter().all(|kind| *kind >= 20), "{kinds:?} of each kind");
}

#[test]
fn the_book_is_right() {
    for position in book() {
        let game = position.game();
        assert_eq!(LAST_ROUNDS.best(&game, position.seat), position.best, "on {game:?}");
    }
}
