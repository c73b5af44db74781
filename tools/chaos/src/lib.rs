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

pub use cli::ChaosArgs;
pub use gate::{Gate, free_port};
pub use report::ChaosReport;
pub use run::{run, run_against};

use client::ClientError;
use plan::FaultKind;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a run could not be completed.
#[derive(Debug, thiserror::Error)]
pub enum ChaosError {
    /// The server binary does not exist.
    #[error("{} does not exist: run `cargo build --package server`, or name another with `--server`", .0.display())]
    NoServer(PathBuf),
    /// A server did not print its address in time.
    #[error("server {0} did not start")]
    NoGreeting(usize),
    /// A server did not stop in time.
    #[error("a server did not stop within {} s after SIGTERM", .0.as_secs())]
    NoEnd(Duration),
    /// A server stopped with an error status.
    #[error("a server stopped with an error status after SIGTERM")]
    BadEnd,
    /// A room could not be opened.
    #[error("cannot open a room: {0}")]
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
    #[error("the fault \"{0}\" needs several servers; set --servers")]
    OnlyOne(FaultKind),
    /// SIGSTOP and SIGTERM exist on Unix only.
    #[error("this system has no signals; choose other --faults")]
    NoSignals,
}
