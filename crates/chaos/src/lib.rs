//! Chaos: people play whole games over lines that are cut, frozen and late, on servers that are killed, stopped and ended, among
//! strangers who guess and flood; and a judge holds everything anyone was told against everything told later, and against the
//! record.
//!
//! Of the server it knows the wire contract and its process; of games what the contract says.

mod balancer;
mod cli;
mod dice;
mod gate;
#[cfg(unix)]
mod ground;
#[cfg(not(unix))]
#[path = "ground/missing.rs"]
mod ground;
mod intruders;
pub mod judge;
mod line;
mod people;
pub mod plan;
mod proxy;
mod report;
mod run;
mod servers;

pub use cli::Settings;
pub use gate::{Gate, free_port};
pub use report::Report;
pub use run::{run, run_against};

use client::ClientError;
use plan::Kind;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a run could not be done, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum ChaosError {
    /// There is no binary to test.
    #[error("{} is not there: `cargo build --package server` makes it, `--server` names another", .0.display())]
    NoServer(PathBuf),
    /// It did not say where it is open.
    #[error("server {0} did not start")]
    NoGreeting(usize),
    /// It did not end.
    #[error("a server that was asked to end did not within {} s", .0.as_secs())]
    NoEnd(Duration),
    /// It ended badly.
    #[error("a server that was asked to end did so with a bad status")]
    BadEnd,
    /// No room could be opened.
    #[error("no room could be opened: {0}")]
    NoRoom(String),
    /// It did not answer.
    #[error("the server does not answer: {0}")]
    NoAnswer(#[from] ClientError),
    /// The machine refuses something.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Several servers need one.
    #[error("{}", pgtest::MISSING)]
    NoPostgres,
    /// A fault that needs another server, or a database.
    #[error("{0} come to several servers only: name how many with --servers")]
    OnlyOne(Kind),
    /// SIGSTOP and SIGTERM are Unix's.
    #[error("there are no signals on this system: choose other --faults")]
    NoSignals,
}
