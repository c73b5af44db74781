//! The interface to a room's task: every request is a method here, and the channel is private.
//!
//! It does not know what a room does with a request, nor how a room is found.

use crate::line::Line;
use game::Salt;
use protocol::{ClientMessage, Close, RoomView};
use room::Name;
use tokio::sync::mpsc::error::SendError;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

/// Backpressure: number of requests that may wait for a room before its sockets stop reading.
const INBOX: usize = 64;

/// Identifies a connection within its room. Later connections have higher ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConnectionId(pub u64);

/// A request to a room's task.
pub enum Ask {
    /// Returns the public view of the room.
    Look { answer: oneshot::Sender<RoomView> },
    /// Adds a connection. The answer is its id, or the close reason.
    Join { join: Arrival, line: Line, answer: oneshot::Sender<Result<ConnectionId, Close>> },
    /// Handles a message from a connection.
    Say { from: ConnectionId, message: ClientMessage },
    /// Removes a connection that has ended.
    Gone { from: ConnectionId },
    /// Eviction: leave memory if nobody is connected. `gone` is dropped when that is done, or at once if somebody is
    /// connected.
    MakeWay { gone: oneshot::Sender<()> },
}

/// A join request, validated as far as possible without the room.
pub struct Arrival {
    /// How the client identifies itself.
    pub who: Who,
    /// The client's salt for the next deal.
    pub salt: Option<Salt>,
    /// Whether the client says that it is a program.
    pub program: bool,
}

/// How a client identifies itself when it joins.
pub enum Who {
    /// By the token of its seat.
    Token(String),
    /// By name, to take a seat if possible.
    Player(Name),
    /// By name, as a spectator.
    Watcher(Name),
}

/// The state of a room's task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// It is reading the journal.
    Reading,
    /// The room is open. `empty_since` is when the last connection ended, or `None` while somebody is connected.
    Open { empty_since: Option<Instant> },
    /// There is no such room.
    Missing,
    /// The room could not be read.
    Failed,
}

/// The room's task has ended: the room was unloaded, or the server is stopping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended;

/// Why a connection did not join.
pub enum NotJoined {
    /// The connection must be closed.
    Closed(Close),
    /// The task ended before it received the request. The arguments are returned, for the task that follows.
    Ended(Arrival, Line),
}

/// A handle to a room's task.
#[derive(Clone)]
pub struct Handle {
    asks: mpsc::Sender<Ask>,
    opening: watch::Receiver<Opening>,
}

/// The task's end of a [`Handle`].
pub struct Inbox {
    /// Requests to the task.
    pub asks: mpsc::Receiver<Ask>,
    /// Where the task publishes its state.
    pub opening: watch::Sender<Opening>,
}

impl Handle {
    /// Creates a handle and the task's end.
    pub fn new() -> (Handle, Inbox) {
        let (sender, asks) = mpsc::channel(INBOX);
        let (opening, seen) = watch::channel(Opening::Reading);
        (Handle { asks: sender, opening: seen }, Inbox { asks, opening })
    }

    /// Returns the state of the task, once it has read the journal.
    pub async fn opening(&mut self) -> Opening {
        let opening = self.opening.wait_for(|opening| *opening != Opening::Reading).await;
        // A task that ended without publishing a state has failed.
        opening.map_or(Opening::Failed, |opening| *opening)
    }

    /// Returns whether the room is open, without waiting.
    pub fn is_open(&self) -> bool {
        matches!(*self.opening.borrow(), Opening::Open { .. })
    }

    /// Returns since when nobody is connected to the room, or `None` while somebody is.
    pub fn empty_since(&self) -> Option<Instant> {
        match *self.opening.borrow() {
            Opening::Open { empty_since } => empty_since,
            _ => None,
        }
    }

    /// Adds a connection to the room.
    pub async fn join(&self, join: Arrival, line: Line) -> Result<ConnectionId, NotJoined> {
        let (answer, answered) = oneshot::channel();
        match self.asks.send(Ask::Join { join, line, answer }).await {
            // The room may have carried out the join before it ended, so the client must reconnect.
            Ok(()) => answered.await.unwrap_or(Err(Close::Restart)).map_err(NotJoined::Closed),
            Err(SendError(Ask::Join { join, line, .. })) => Err(NotJoined::Ended(join, line)),
            Err(_) => unreachable!("what could not be sent comes back"),
        }
    }

    /// Passes a client's message to the room. Waits while the room's queue is full (backpressure).
    pub async fn say(&self, from: ConnectionId, message: ClientMessage) -> Result<(), Ended> {
        self.asks.send(Ask::Say { from, message }).await.map_err(|_| Ended)
    }

    /// Returns the public view of the room.
    pub async fn look(&self) -> Result<RoomView, Ended> {
        let (answer, answered) = oneshot::channel();
        self.asks.send(Ask::Look { answer }).await.map_err(|_| Ended)?;
        answered.await.map_err(|_| Ended)
    }

    /// Removes a connection from the room.
    pub async fn gone(&self, from: ConnectionId) {
        // A task that has ended has no connections.
        let _ = self.asks.send(Ask::Gone { from }).await;
    }

    /// Asks the room to leave memory, and waits until it has, or until it turns out to be in use.
    pub async fn make_way(&self) {
        let (gone, is_gone) = oneshot::channel();
        if self.asks.send(Ask::MakeWay { gone }).await.is_ok() {
            let _ = is_gone.await;
        }
    }
}
