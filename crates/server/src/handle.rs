//! The interface to a room's task: every request is a method here, and the channel is private.
//!
//! It does not know what a room does with a request, nor how a room is found.

use crate::outbox::Outbox;
use game::Salt;
use journal::ownership::Peer;
use protocol::{ClientMessage, Close, Code, Have, RoomView, ServerMessage};
use room::{LastReview, Name};
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
    /// Returns the review of the last game.
    Review { answer: oneshot::Sender<LastReview> },
    /// Adds a connection. The answer is its id, or why it was refused.
    Join { join: Arrival, outbox: Outbox, answer: oneshot::Sender<Result<ConnectionId, JoinRefusal>> },
    /// Handles a message from a connection.
    Say { from: ConnectionId, message: ClientMessage },
    /// Removes a connection that has ended.
    Gone { from: ConnectionId },
    /// Eviction: unload the room if no client is connected. `gone` is dropped when that is done, or at once if a client
    /// is connected.
    Evicted { gone: oneshot::Sender<()> },
}

/// A join request, validated as far as possible without the room.
pub struct Arrival {
    /// How the client identifies itself.
    pub who: Who,
    /// The client's salt for the next deal.
    pub salt: Option<Salt>,
    /// Whether the client says that it is a program.
    pub program: bool,
    /// The events that the client already has.
    pub have: Option<Have>,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskState {
    /// It is reading the journal.
    Reading,
    /// The room is open. `empty_since` is when the last connection ended, or `None` while a client is connected.
    Open { empty_since: Option<Instant> },
    /// There is no such room.
    Missing,
    /// Another server owns the room, or `None` if no server may own it at the moment.
    Elsewhere(Option<Peer>),
    /// The room could not be read.
    Failed,
}

/// The room's task has ended: the room was unloaded, or the server is stopping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended;

/// The refusal of a join: the connection must be closed, after an error message if there is one.
pub struct JoinRefusal {
    /// The error message, as JSON.
    pub error: Option<String>,
    pub close: Close,
}

impl JoinRefusal {
    /// Creates a refusal with an error message.
    pub fn with_error(code: Code, detail: &str, close: Close) -> JoinRefusal {
        let error = ServerMessage::Error { code: code.as_str(), detail }.to_json();
        JoinRefusal { error: Some(error), close }
    }
}

impl From<Close> for JoinRefusal {
    fn from(close: Close) -> JoinRefusal {
        JoinRefusal { error: None, close }
    }
}

/// Why a connection did not join.
pub enum NotJoined {
    /// The room refused it.
    Refused(JoinRefusal),
    /// The task ended before it received the request. The arguments are returned, for the task that follows.
    Ended(Arrival, Outbox),
}

/// A handle to a room's task.
#[derive(Clone)]
pub struct Handle {
    asks: mpsc::Sender<Ask>,
    state: watch::Receiver<TaskState>,
}

/// The task's end of a [`Handle`].
pub struct Inbox {
    /// Requests to the task.
    pub asks: mpsc::Receiver<Ask>,
    /// Where the task publishes its state.
    pub state: watch::Sender<TaskState>,
}

impl Handle {
    /// Creates a handle and the task's end.
    pub fn new() -> (Handle, Inbox) {
        let (sender, asks) = mpsc::channel(INBOX);
        let (state, seen) = watch::channel(TaskState::Reading);
        (Handle { asks: sender, state: seen }, Inbox { asks, state })
    }

    /// Returns the state of the task, once it has read the journal.
    pub async fn state(&mut self) -> TaskState {
        let state = self.state.wait_for(|state| *state != TaskState::Reading).await;
        // A task that ended without publishing a state has failed.
        state.map_or(TaskState::Failed, |state| state.clone())
    }

    /// Returns whether the room is open, without waiting.
    pub fn is_open(&self) -> bool {
        matches!(*self.state.borrow(), TaskState::Open { .. })
    }

    /// Returns the time since which no client is connected to the room, or `None` while one is.
    pub fn empty_since(&self) -> Option<Instant> {
        match *self.state.borrow() {
            TaskState::Open { empty_since } => empty_since,
            _ => None,
        }
    }

    /// Adds a connection to the room.
    pub async fn join(&self, join: Arrival, outbox: Outbox) -> Result<ConnectionId, NotJoined> {
        let (answer, answered) = oneshot::channel();
        match self.asks.send(Ask::Join { join, outbox, answer }).await {
            // The room may have carried out the join before it ended, so the client must reconnect.
            Ok(()) => answered.await.unwrap_or(Err(Close::Restart.into())).map_err(NotJoined::Refused),
            Err(SendError(Ask::Join { join, outbox, .. })) => Err(NotJoined::Ended(join, outbox)),
            Err(_) => unreachable!("the error returns the unsent message"),
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

    /// Returns the review of the last game.
    pub async fn last_review(&self) -> Result<LastReview, Ended> {
        let (answer, answered) = oneshot::channel();
        self.asks.send(Ask::Review { answer }).await.map_err(|_| Ended)?;
        answered.await.map_err(|_| Ended)
    }

    /// Removes a connection from the room.
    pub async fn gone(&self, from: ConnectionId) {
        // A task that has ended has no connections.
        let _ = self.asks.send(Ask::Gone { from }).await;
    }

    /// Asks the room to leave memory, and waits until it has, or until it turns out to be in use.
    pub async fn evict(&self) {
        let (gone, is_gone) = oneshot::channel();
        if self.asks.send(Ask::Evicted { gone }).await.is_ok() {
            let _ = is_gone.await;
        }
    }
}
