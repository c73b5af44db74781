//! Plays many games at once and prints figures: bots against each other ([`tournament`]), or people made up here
//! against a running server, over real sockets ([`play`]).
//!
//! Of a game it knows what the `game` crate says; of the server what the wire contract says, and nothing else.

mod cli;
mod games;
pub mod play;
mod processor;
mod statistics;
pub mod tournament;

pub use cli::{Cli, Command};
pub use games::{TournamentGame, games};
pub use statistics::Times;
