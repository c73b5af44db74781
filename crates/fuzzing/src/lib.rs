//! Fuzzing: what strangers may send, tried by the million. A [`Target`] takes any bytes and panics if a promise of
//! `docs/security.md` is broken; `fuzz/` hands the same targets to cargo-fuzz, which looks for bytes that reach new code.
//! Here they run on the stable toolchain: a driver mutates the kept corpus, the same way for the same seed.
//!
//! It knows the contract, the room and its journal; of the server what a socket shows.

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
pub use driver::{Report, run};

/// Something that takes any bytes and must neither panic nor hang.
pub struct Target {
    /// Its name, which is also that of its corpus and of its cargo-fuzz target.
    pub name: &'static str,
    /// What it tries, for the list.
    pub about: &'static str,
    /// How many messages one case tries on average, if it is not one.
    pub try_one: fn(&[u8]) -> Tried,
}

/// How much one case tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tried {
    /// Messages, requests, entries: whatever the target is about.
    pub things: u64,
    /// How many of them were taken, so that one sees that not all was thrown away at the door.
    pub taken: u64,
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target {
        name: "messages",
        about: "client messages, read and said in a room",
        try_one: messages::try_one,
    },
    Target {
        name: "sessions",
        about: "whole sessions of messages in any order, without sockets",
        try_one: session::try_one,
    },
    Target { name: "entries", about: "journals, read and rebuilt", try_one: entries::try_one },
    Target { name: "records", about: "records of finished games, verified", try_one: records::try_one },
    Target { name: "names", about: "names, and lines of chat", try_one: names::try_one },
    Target { name: "http", about: "requests as bytes, to a real socket", try_one: http::try_one },
    Target { name: "sockets", about: "whole sessions over real WebSockets", try_one: sockets::try_one },
];

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
