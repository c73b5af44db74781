//! Last rounds solved by the rules alone (`gametest::SolvedEndgame`). The hard bot finds a best action in all of them.
//! A new book is created with
//! `cargo run --release -p towers --example book_towers -- 60 > crates/towers/tests/data/book.json`.

use crate::endgame::LAST_ROUND;
use crate::script::play;
use game::{Game, Seat};
use serde::Deserialize;
use towers::{Action, Phase, Towers, lay};

#[derive(Deserialize)]
struct Position {
    starter: usize,
    row: String,
    towers: Vec<String>,
    demolished: Vec<String>,
    /// Actions played in this round.
    acts: String,
    seat: Seat,
    best: Vec<Action>,
}

impl Position {
    fn game(&self) -> Towers {
        let mut lay = lay::table(self.towers.len()).deal(2).starter(self.starter).row(&self.row).rest_discarded();
        for (seat, (towers, demolished)) in self.towers.iter().zip(&self.demolished).enumerate() {
            lay = lay.towers(seat, towers).demolished(seat, demolished);
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
    let mut calls = 0;
    for position in &book {
        let game = position.game();
        assert_eq!((game.turn(), game.table().draw), (Some(position.seat), 0), "a decision of the last round");
        LAST_ROUND.check(&game, position.seat, &position.best, 200);
        calls += usize::from(game.phase() == Phase::Auction);
    }
    println!("{} positions, {} of them calls: all solved", book.len(), calls);
    assert!(calls >= 20 && book.len() - calls >= 20, "{calls} of {}", book.len());
}
