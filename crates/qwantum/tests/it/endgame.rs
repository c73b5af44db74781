//! Last turns solved by the rules alone. The example that makes the book includes this file by its path.

use game::Game;
use gametest::SolvedEndgame;
use qwantum::{Phase, Qwantum};

/// The dice of a re-roll or of another turn cannot be predicted, so the solver stops there.
pub const LAST_TURN: SolvedEndgame<Qwantum> = SolvedEndgame {
    open_ended: |game| game.phase() == Phase::Roll || game.table().rolls > 1,
    at_once: |game| game.phase() == Phase::Share,
    takes_back: |_| false,
    name: |_| None,
};
