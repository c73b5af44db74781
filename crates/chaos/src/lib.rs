//! Fault injection: simulated players play whole games over connections that are cut, frozen and delayed, on servers
//! that are killed, paused and restarted, among intruders that guess tokens and flood. A judge compares everything any
//! client receives with everything received before, and with the record of the game.
//!
//! This crate knows the wire contract and the server's process, but neither its internals nor the rules of the games.

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

/// Why a run could not be completed.
#[derive(Debug, thiserror::Error)]
pub enum ChaosError {
    /// The server binary does not exist.
    #[error("{} is not there: `cargo build --package server` makes it, `--server` names another", .0.display())]
    NoServer(PathBuf),
    /// A server did not print its address in time.
    #[error("server {0} did not start")]
    NoGreeting(usize),
    /// A server did not stop in time.
    #[error("a server that was asked to end did not within {} s", .0.as_secs())]
    NoEnd(Duration),
    /// A server stopped with an error status.
    #[error("a server that was asked to end did so with a bad status")]
    BadEnd,
    /// A room could not be opened.
    #[error("no room could be opened: {0}")]
    NoRoom(String),
    /// The server did not answer.
    #[error("the server does not answer: {0}")]
    NoAnswer(#[from] ClientError),
    /// An operation of the operating system failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Several servers need PostgreSQL, which is not installed.
    #[error("{}", pgtest::MISSING)]
    NoPostgres,
    /// A fault that requires several servers was chosen for one.
    #[error("{0} come to several servers only: name how many with --servers")]
    OnlyOne(Kind),
    /// SIGSTOP and SIGTERM exist on Unix only.
    #[error("there are no signals on this system: choose other --faults")]
    NoSignals,
}
