//! Fuzzing of everything that clients can send. A [`FuzzTarget`] accepts any bytes and panics if a promise of
//! `docs/security.md` is broken. `fuzz/` passes the same targets to cargo-fuzz, which looks for inputs that reach new
//! code. Here they run on the stable toolchain: a driver mutates the stored corpus, reproducibly for each seed.
//!
//! This crate knows the contract, the room and its journal, and the server as seen through a socket.

mod corpus;
mod driver;
mod entries;
mod forge;
mod http;
mod messages;
mod mutate;
mod names;
mod records;
mod running;
mod session;
mod sockets;
mod table;

pub use corpus::corpus;
pub use driver::{FuzzReport, run};

/// A function that accepts any bytes and must neither panic nor hang.
pub struct FuzzTarget {
    /// Name of the target, its corpus and its cargo-fuzz target.
    pub name: &'static str,
    /// Description for the list of targets.
    pub about: &'static str,
    /// Tries one input.
    pub try_one: fn(&[u8]) -> Tried,
}

/// How much one input tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tried {
    /// Number of messages, requests or entries.
    pub things: u64,
    /// Number of those that were accepted. It shows that not everything is rejected by the first check.
    pub taken: u64,
}

/// All targets.
pub const TARGETS: &[FuzzTarget] = &[
    FuzzTarget { name: "messages", about: "client messages, parsed and sent in a room", try_one: messages::try_one },
    FuzzTarget {
        name: "sessions",
        about: "whole sessions of messages in any order, without sockets",
        try_one: session::try_one,
    },
    FuzzTarget { name: "entries", about: "journals, parsed and replayed", try_one: entries::try_one },
    FuzzTarget { name: "records", about: "records of finished games, verified", try_one: records::try_one },
    FuzzTarget { name: "names", about: "names and chat lines", try_one: names::try_one },
    FuzzTarget { name: "http", about: "raw request bytes over a real socket", try_one: http::try_one },
    FuzzTarget { name: "sockets", about: "whole sessions over real WebSockets", try_one: sockets::try_one },
];

/// Returns the target with this name.
pub fn target(name: &str) -> Option<&'static FuzzTarget> {
    TARGETS.iter().find(|target| target.name == name)
}
