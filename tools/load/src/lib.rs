//! Load generator and benchmarks: bots against each other ([`tournament`]), how well reviews find blunders
//! ([`review`]), simulated players against a running server over real sockets ([`play`]), what that costs a server
//! ([`measure`]), and how a server withstands attacks ([`attack`]).
//!
//! This crate knows games through the `game` crate, and the server through the wire contract only.

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

pub use cli::{LoadArgs, LoadCommand, ServerArgs};
pub use games::{TournamentGame, games};
pub use statistics::Times;
