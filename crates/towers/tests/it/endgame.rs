//! Last rounds solved by the rules alone. The example that makes the book includes this file by its path.

use game::Game;
use gametest::SolvedEndgame;
use towers::{Action, Phase, Towers};

pub const LAST_ROUND: SolvedEndgame<Towers> = SolvedEndgame {
    open_ended: |_| false,
    at_once: |_| false,
    takes_back: |act| matches!(act, Action::Undo {} | Action::Retract {}),
    name: |game| {
        let bid = |game: &Towers| game.table().standing.map(|bid| u32::from(bid.seat.0) << 8 | u32::from(bid.count));
        Some(game).filter(|game| game.phase() == Phase::Take).and_then(bid)
    },
};
