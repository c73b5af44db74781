//! What the tests of every game share: acts in few words, records played again, laws for views and for bots, endgames solved by the rules alone, and the
//! least squares with which bots' weights are fitted. Only ever a dev-dependency.
//!
//! It knows the traits of `game` and no game: a new game brings its words and its cases.

mod book;
mod bots;
mod least_squares;
mod records;
mod script;
pub mod training;
mod views;

pub use book::{Endgame, finds, surely_best};
pub use bots::{BotTrial, LEVELS};
pub use least_squares::LeastSquares;
pub use records::{record, replay};
pub use script::Script;
pub use views::{differ_only_for, shown, viewers};

use game::{Chance, Luck, Seed};
use proptest::test_runner::Config;

/// Chance for a test, another for every number.
pub fn chance(number: u64) -> Chance {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    Chance::new(Seed(seed))
}

/// Luck for the choices of a test, another for every number.
pub fn luck(number: u64) -> Luck {
    Luck::new(&mut chance(number))
}

/// So many cases of a property. A failing one is not written to a file: it is printed, and becomes a test by hand.
pub fn cases(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}
