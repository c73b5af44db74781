//! Plays many games at once and prints figures: bots against each other ([`tournament`]), what reviews find in their
//! games ([`review`]), people made up here against a running server, over real sockets ([`play`]), what such play
//! costs a server ([`measure`]), and what strangers with a script can do to one ([`attack`]).
//!
//! Of a game it knows what the `game` crate says; of the server what the wire contract says, and nothing else.

pub mod attack;
mod choice;
mod cli;
mod games;
pub mod measure;
pub mod play;
mod process;
mod progress;
pub mod review;
mod statistics;
pub mod think;
pub mod tournament;

pub use cli::{Cli, Command, Servers};
pub use games::{TournamentGame, games};
pub use statistics::Times;
