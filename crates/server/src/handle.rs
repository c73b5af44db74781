//! The way to a room's task: everything it can be asked is a method here, and nobody else sees its channel.
//!
//! It knows nothing of what a room does with it, nor of how a room is found.

use crate::line::Line;
use game::Salt;
use protocol::{ClientMessage, Close, RoomView};
use room::Name;
use tokio::sync::mpsc::error::SendError;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

/// Backpressure: how many asks may wait for a room before its sockets stop reading.
const INBOX: usize = 64;

/// Names a connection within its room; a later one has a higher number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConnectionId(pub u64);

/// What a room's task is asked.
pub enum Ask {
    /// What does the room look like?
    Look { answer: oneshot::Sender<RoomView> },
    /// A connection introduces itself; the answer is its name here, or why it is closed.
    Join { join: Arrival, line: Line, answer: oneshot::Sender<Result<ConnectionId, Close>> },
    /// A connection says something.
    Say { from: ConnectionId, message: ClientMessage },
    /// A connection is gone.
    Gone { from: ConnectionId },
    /// Eviction: leave memory, if nobody is here. `gone` is dropped once that is done, or at once if somebody is.
    MakeWay { gone: oneshot::Sender<()> },
}

/// Who somebody is, checked as far as it can be without the room.
pub struct Arrival {
    /// What brings them here.
    pub who: Who,
    /// Their part in the next deal.
    pub salt: Option<Salt>,
    /// Whether they say that they are a program.
    pub program: bool,
}

/// By what somebody comes in.
pub enum Who {
    /// By the token of their seat.
    Token(String),
    /// By name, to sit if they can.
    Player(Name),
    /// By name, to look on.
    Watcher(Name),
}

/// How far a room's task has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// It reads the journal.
    Reading,
    /// The room is open; since when nobody is connected to it, if nobody is.
    Open { empty_since: Option<Instant> },
    /// There is no such room.
    Missing,
    /// The room could not be read.
    Failed,
}

/// The room's task has ended: it was put away, or the server stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended;

/// Why a connection is not in the room.
pub enum NotJoined {
    /// It is to be closed.
    Closed(Close),
    /// The task had ended before it heard of it. What was brought comes back, for the task that follows.
    Ended(Arrival, Line),
}

/// One room's task, for those who ask it.
#[derive(Clone)]
pub struct Handle {
    asks: mpsc::Sender<Ask>,
    opening: watch::Receiver<Opening>,
}

/// The task's end of a [`Handle`].
pub struct Inbox {
    /// What it is asked.
    pub asks: mpsc::Receiver<Ask>,
    /// Where it tells how far it has come.
    pub opening: watch::Sender<Opening>,
}

impl Handle {
    /// A handle and its other end.
    pub fn new() -> (Handle, Inbox) {
        let (sender, asks) = mpsc::channel(INBOX);
        let (opening, seen) = watch::channel(Opening::Reading);
        (Handle { asks: sender, opening: seen }, Inbox { asks, opening })
    }

    /// How far the task has come, once it has read the journal.
    pub async fn opening(&mut self) -> Opening {
        let opening = self.opening.wait_for(|opening| *opening != Opening::Reading).await;
        // A task that ended without an answer has failed.
        opening.map_or(Opening::Failed, |opening| *opening)
    }

    /// Whether the room is open as far as anybody can tell without waiting.
    pub fn is_open(&self) -> bool {
        matches!(*self.opening.borrow(), Opening::Open { .. })
    }

    /// Since when nobody is connected to the room; none while somebody is.
    pub fn empty_since(&self) -> Option<Instant> {
        match *self.opening.borrow() {
            Opening::Open { empty_since } => empty_since,
            _ => None,
        }
    }

    /// Brings a connection into the room.
    pub async fn join(&self, join: Arrival, line: Line) -> Result<ConnectionId, NotJoined> {
        let (answer, answered) = oneshot::channel();
        match self.asks.send(Ask::Join { join, line, answer }).await {
            // A room that ended while it heard the join may have carried it out: the client must ask again.
            Ok(()) => answered.await.unwrap_or(Err(Close::Restart)).map_err(NotJoined::Closed),
            Err(SendError(Ask::Join { join, line, .. })) => Err(NotJoined::Ended(join, line)),
            Err(_) => unreachable!("what could not be sent comes back"),
        }
    }

    /// Hands the room what a connection says. Waits while the room has more to do than it can: backpressure.
    pub async fn say(&self, from: ConnectionId, message: ClientMessage) -> Result<(), Ended> {
        self.asks.send(Ask::Say { from, message }).await.map_err(|_| Ended)
    }

    /// The room as everyone sees it.
    pub async fn look(&self) -> Result<RoomView, Ended> {
        let (answer, answered) = oneshot::channel();
        self.asks.send(Ask::Look { answer }).await.map_err(|_| Ended)?;
        answered.await.map_err(|_| Ended)
    }

    /// Tells the room that a connection is gone.
    pub async fn gone(&self, from: ConnectionId) {
        // A task that has ended has no connections.
        let _ = self.asks.send(Ask::Gone { from }).await;
    }

    /// Asks the room to leave memory, and waits until it has or somebody turned out to be there.
    pub async fn make_way(&self) {
        let (gone, is_gone) = oneshot::channel();
        if self.asks.send(Ask::MakeWay { gone }).await.is_ok() {
            let _ = is_gone.await;
        }
    }
}
