//! Ownership of rooms where several servers write to one journal.
//!
//! Safety does not depend on this module: an append is accepted only with the newest fencing token, which is in the
//! [`Cursor`](crate::Cursor). Ownership is for liveness: which server takes a room, which one is asked for it, and when
//! a server that lost contact with the journal must stop before others take its rooms.

mod lease;

pub use lease::{LEASE, Lease, Renewals, SELF_FENCE, Term};

use crate::{JournalError, Pending};
use std::future::ready;
use std::time::Duration;

/// Ownership of rooms. A journal with a single server uses [`Alone`].
///
/// ```
/// use journal::{Cursor, Journal, memory::Memory};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let journal = Memory::new();
/// journal.append("K7QF3M", Cursor::START, vec!["opened".to_owned()], 0).await.unwrap();
/// assert_eq!(journal.ownership().elsewhere("K7QF3M").await, Ok(None));
/// # });
/// ```
pub trait Ownership: Send + Sync {
    /// Returns the other server that owns the room and is alive, if there is one. Changes nothing: a new room belongs
    /// to its creator, and [`Journal::open`] claims a room.
    ///
    /// [`Journal::open`]: crate::Journal::open
    fn elsewhere<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Peer>, JournalError>>;

    /// Releases a room, so that the next server can claim it at once. Does nothing if it is not ours. A task that still
    /// has the room open here cannot append any more.
    fn release<'a>(&'a self, room: &'a str) -> Pending<'a, Result<(), JournalError>>;

    /// Releases all rooms and claims no more (drain). Returns how many were released. Where there are other servers to
    /// take them, no room can be opened from now on.
    fn release_all(&self) -> Pending<'_, Result<u64, JournalError>>;

    /// Returns this server's lease, which is renewed automatically.
    fn lease(&self) -> Lease;

    /// Sets the load that others read in [`Ownership::nodes`]. Published with the next renewal.
    fn report(&self, load: Load);

    /// Returns all registered servers, including this one, in the order of registration.
    fn nodes(&self) -> Pending<'_, Result<Vec<Node>, JournalError>>;

    /// Returns the newest history of the journal's database that this server knows of. `None` where there can be only
    /// one.
    fn history(&self) -> Option<History> {
        None
    }

    /// Handles a history reported by another server. If it is newer than the one in use, this server gives the older
    /// one up.
    fn learn(&self, _: History) {}

    /// Returns counters since the start.
    fn figures(&self) -> Figures;
}

/// Another server, with what is needed to ask it for a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Identifies one start of a server.
    pub node: u64,
    /// Address for other servers, or `None` if it runs alone.
    pub address: Option<String>,
}

/// The load a server reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Rooms in memory.
    pub rooms: u64,
    /// Open sockets.
    pub sockets: u64,
}

/// A registered server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Identifies one start of a server.
    pub node: u64,
    /// Address for other servers, or `None` if it runs alone.
    pub address: Option<String>,
    /// The version of its program.
    pub version: String,
    /// Whether it is the server that answers.
    pub here: bool,
    /// Remaining time of its lease on the journal's clock, or zero if it has expired.
    pub lease: Duration,
    /// The load it last reported.
    pub load: Load,
}

/// One history of a database that may fail over to a standby. Each promotion starts a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct History {
    /// PostgreSQL's system identifier, which a primary shares with its standbys.
    pub system: u64,
    /// PostgreSQL's timeline, which each promotion raises.
    pub timeline: u32,
    /// A random number drawn by the first server on the timeline, because two promotions of one base have the same
    /// timeline.
    pub branch: u64,
}

impl History {
    /// Returns whether both histories started with a promotion of the same base, so that neither is newer.
    pub(crate) fn contradicts(&self, other: &History) -> bool {
        (self.system, self.timeline) == (other.system, other.timeline) && self.branch != other.branch
    }
}

/// Ownership counters since the start, for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Rooms claimed because they had no owner or their owner was gone.
    pub claims: u64,
    /// Appends refused because another server owned the room.
    pub fenced: u64,
}

/// The ownership of a server that has its journal to itself: every room is always its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Ownership for Alone {
    fn elsewhere<'a>(&'a self, _: &'a str) -> Pending<'a, Result<Option<Peer>, JournalError>> {
        Box::pin(ready(Ok(None)))
    }

    fn release<'a>(&'a self, _: &'a str) -> Pending<'a, Result<(), JournalError>> {
        Box::pin(ready(Ok(())))
    }

    fn release_all(&self) -> Pending<'_, Result<u64, JournalError>> {
        Box::pin(ready(Ok(0)))
    }

    fn lease(&self) -> Lease {
        Lease::forever()
    }

    fn report(&self, _: Load) {}

    fn nodes(&self) -> Pending<'_, Result<Vec<Node>, JournalError>> {
        Box::pin(ready(Ok(Vec::new())))
    }

    fn figures(&self) -> Figures {
        Figures::default()
    }
}
