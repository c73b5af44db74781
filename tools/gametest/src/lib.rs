//! Test support shared by all games: scripts of actions, replay of records, invariants of views and bots, endgames
//! solved by the rules alone, and least squares for fitting the weights of bots. Used as a dev-dependency only.
//!
//! It knows the traits of `game` but no particular game.

mod book;
mod bots;
mod least_squares;
mod perft;
mod records;
mod script;
pub mod training;
mod views;

pub use book::{Bounds, SolvedEndgame};
pub use bots::{BotTrial, LEVELS};
pub use least_squares::LeastSquares;
pub use perft::Perft;
pub use records::{record, replay};
pub use script::Script;
pub use views::{differ_only_for, shown, viewers};

use game::{Chance, Luck, Seed};
use proptest::test_runner::Config;

/// Returns a random stream for a test, different for every number.
pub fn chance(number: u64) -> Chance {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    Chance::new(Seed(seed))
}

/// Returns random numbers for the choices of a test, different for every number.
pub fn luck(number: u64) -> Luck {
    Luck::new(&mut chance(number))
}

/// Returns a proptest configuration for `cases` cases. A failing case is printed instead of saved to a file, and can be
/// turned into a test by hand.
pub fn cases(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}
