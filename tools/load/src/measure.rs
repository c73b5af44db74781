//! Starts servers as separate processes, drives them over real sockets and measures what that costs them.
//!
//! It knows the wire contract, and the process as the operating system shows it.

pub mod compare;
mod cores;
mod files;
pub mod floor;
pub mod idle;
pub mod instructions;
pub mod storm;
mod subject;
mod table;

pub use cores::Cores;
pub(crate) use files::{allow as allow_files, as_usual as usual_files};
pub use subject::{Ending, Launcher, StartedServer, Subject};
pub(crate) use table::{PlainConnection, SpectatorReaders};

use crate::play::PlayError;
use client::{ClientError, End};
use std::io;
use std::path::PathBuf;

/// Why a measurement failed.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The server binary does not exist.
    #[error(
        "there is no server at {}; build it with `cargo build --release -p server`, or name one with --server",
        .0.display()
    )]
    NoServer(PathBuf),
    /// A PostgreSQL is needed and none was given.
    #[error("name a database with --postgres")]
    NoDatabase,
    /// The process could not be started.
    #[error("cannot start {0}: {1}")]
    NoStart(String, #[source] io::Error),
    /// The process ended, or printed something other than its address.
    #[error("{0} printed {1:?} instead of its address")]
    NoGreeting(String, String),
    /// `/proc` does not exist, or the process has ended.
    #[error("cannot read the usage of process {0} under /proc: it has ended, or this is not Linux")]
    NoFigures(u32),
    /// The limit on open files is too low for the connections.
    #[error(
        "{wanted} open files are needed, but only {allowed} are allowed; raise the hard limit \
         (`ulimit -Hn {wanted}` as root)"
    )]
    TooFewFiles {
        /// Number of files needed.
        wanted: u64,
        /// The hard limit.
        allowed: u64,
    },
    /// The server does not answer, or refuses the connection.
    #[error("the server does not answer: {0}")]
    Silent(#[from] ClientError),
    /// A room could not be opened.
    #[error(transparent)]
    NoRoom(#[from] PlayError),
    /// The server refused a valid message.
    #[error("the server refused: {0}")]
    Refused(String),
    /// A connection ended unexpectedly.
    #[error("a connection ended: {0}")]
    Ended(End),
    /// Not all players reconnected after a storm.
    #[error("not all players reconnected: {0}")]
    Missing(String),
    /// The server did not withstand an attack.
    #[error("the server failed an attack:\n{0}")]
    Broken(String),
    /// A folder could not be created, or a file not read.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl From<End> for MeasureError {
    fn from(end: End) -> MeasureError {
        MeasureError::Ended(end)
    }
}
