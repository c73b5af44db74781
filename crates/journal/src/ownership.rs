//! Which server has a room, where several write to one journal.
//!
//! Safety does not rest on anything here: an append is accepted only with the newest fencing token, which is in the
//! [`Cursor`](crate::Cursor). This is for liveness: who takes a room, who is asked for it, and when a server that lost touch
//! with the journal has to stop before others take its rooms.

mod lease;

pub use lease::{LEASE, Lease, Renewals, SELF_FENCE, Term};

use crate::{JournalError, Pending};
use std::future::ready;
use std::time::Duration;

/// Who has which room. A journal that one server has to itself answers as [`Alone`].
///
/// ```
/// use journal::ownership::Claim;
/// use journal::{Cursor, Journal, memory::Memory};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let journal = Memory::new();
/// journal.append("K7QF3M", Cursor::START, vec!["opened".to_owned()], 0).await.unwrap();
/// assert_eq!(journal.ownership().claim("K7QF3M").await, Ok(Claim::Ours));
/// # });
/// ```
pub trait Ownership: Send + Sync {
    /// Takes the room if nobody has it, or whoever had it is gone (its lease has run out); answers who has it now. It does
    /// not say whether there is such a room: one that is not there is nobody's, and [`Journal::open`] will say so.
    ///
    /// A room that is created is its creator's at once. [`Journal::open`] claims too, so that no append can be refused
    /// for want of a claim; ask here first if the answer may be another server.
    ///
    /// [`Journal::open`]: crate::Journal::open
    fn claim<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Claim, JournalError>>;

    /// The other server that has the room and is alive, if there is one. It changes nothing.
    fn elsewhere<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Peer>, JournalError>>;

    /// Gives a room up, so that the next server takes it at once; does nothing if it is not ours. Whoever still has it open
    /// here cannot append any more.
    fn release<'a>(&'a self, room: &'a str) -> Pending<'a, Result<(), JournalError>>;

    /// Gives all rooms up and takes no more (drain); answers how many. Where there are other servers to take them, a claim
    /// answers [`Claim::Wait`] from now on.
    fn release_all(&self) -> Pending<'_, Result<u64, JournalError>>;

    /// This server's lease, which renews itself.
    fn lease(&self) -> Lease;

    /// What others read of this server in [`Ownership::nodes`]; told with the next renewal.
    fn report(&self, load: Load);

    /// All servers that are registered, this one among them, in the order in which they came.
    fn nodes(&self) -> Pending<'_, Result<Vec<Node>, JournalError>>;

    /// The newest history of the journal's database that this server knows of; none where there is only one.
    fn history(&self) -> Option<History> {
        None
    }

    /// Learns from another server of a history. If it is newer than what this server uses, that is given up.
    fn learn(&self, _: History) {}

    /// What was counted since the start.
    fn figures(&self) -> Figures;
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is this server's now, or was already.
    Ours,
    /// Another server has it, which is alive.
    Theirs(Peer),
    /// Nobody may have it just now: its owner is gone but may yet come back, for the journal itself was away until a
    /// moment ago; or this server has no lease. Ask again in a second.
    Wait,
}

/// Another server, as far as one must know it to ask it for a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Tells one start of a server from the next.
    pub node: u64,
    /// Where servers reach it; none if it was started to be alone.
    pub address: Option<String>,
}

/// What a server tells the others of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Rooms in memory.
    pub rooms: u64,
    /// Open sockets.
    pub sockets: u64,
}

/// A server that is registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Tells one start of a server from the next.
    pub node: u64,
    /// Where servers reach it; none if it was started to be alone.
    pub address: Option<String>,
    /// The version of its program.
    pub version: String,
    /// Whether it is the one that answers.
    pub here: bool,
    /// How long its lease still runs on the journal's clock; zero if it has run out.
    pub lease: Duration,
    /// What it told last.
    pub load: Load,
}

/// One history of a database that may fail over to a standby. Each promotion begins another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct History {
    /// PostgreSQL's system identifier, which a primary shares with its standbys.
    pub system: u64,
    /// PostgreSQL's timeline, which each promotion raises.
    pub timeline: u32,
    /// A random number drawn by the first server on the timeline: two promotions of one base have the same timeline.
    pub branch: u64,
}

impl History {
    /// Whether both began with a promotion of one base, so that neither is newer.
    pub(crate) fn contradicts(&self, other: &History) -> bool {
        (self.system, self.timeline) == (other.system, other.timeline) && self.branch != other.branch
    }
}

/// What a server's ownership has come to since the start, for its metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Rooms that were taken because nobody had them or their owner was gone.
    pub claims: u64,
    /// Appends that were refused because somebody else had the room by then.
    pub fenced: u64,
}

/// The ownership of a server that has its journal to itself: every room is its own, for ever, and it costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Ownership for Alone {
    fn claim<'a>(&'a self, _: &'a str) -> Pending<'a, Result<Claim, JournalError>> {
        Box::pin(ready(Ok(Claim::Ours)))
    }

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
