//! Starts servers as processes of their own, drives them over real sockets and looks at what that costs them.
//!
//! Of a server it knows the wire contract, and its process as the operating system shows it.

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
pub use subject::{Ending, Launcher, Running, Subject};

use crate::play::PlayError;
use client::{ClientError, End};
use std::io;
use std::path::PathBuf;

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// There is no program to measure.
    #[error("there is no server at {}; build it with `cargo build --release -p server` or name one with --server", .0.display())]
    NoServer(PathBuf),
    /// There is no database to measure with.
    #[error("name a database with --postgres")]
    NoDatabase,
    /// It does not begin.
    #[error("{0} does not start: {1}")]
    NoStart(String, #[source] io::Error),
    /// It ended, or said something else than where it is open.
    #[error("{0} does not say where it is open, but {1:?}")]
    NoGreeting(String, String),
    /// `/proc` is not there, or the process is gone.
    #[error("what process {0} uses cannot be read under /proc: it is gone, or this is not Linux")]
    NoFigures(u32),
    /// More connections than a process may have files.
    #[error(
        "{wanted} open files are wanted, {allowed} allowed; raise the hard limit (`ulimit -Hn {wanted}` as root)"
    )]
    TooFewFiles {
        /// As many as are wanted.
        wanted: u64,
        /// As many as the hard limit allows.
        allowed: u64,
    },
    /// No answer over HTTP, or no connection.
    #[error("the server does not answer: {0}")]
    Silent(#[from] ClientError),
    /// A room cannot be opened.
    #[error(transparent)]
    NoRoom(#[from] PlayError),
    /// Something of the contract was refused.
    #[error("the server refused: {0}")]
    Refused(String),
    /// A connection ended that should not.
    #[error("a connection ended: {0}")]
    Ended(End),
    /// After a storm somebody is not in their seat.
    #[error("not everybody came back: {0}")]
    Missing(String),
    /// A server did not stand up to what strangers did.
    #[error("not every promise held:\n{0}")]
    Broken(String),
    /// A folder cannot be made, or a file not read.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl From<End> for MeasureError {
    fn from(end: End) -> MeasureError {
        MeasureError::Ended(end)
    }
}
