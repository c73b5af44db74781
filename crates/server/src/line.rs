//! The way from a room to one client: a bounded queue. Backpressure stops here, since nobody waits for a slow reader:
//! what does not fit into the queue closes the connection.

use axum::extract::ws::Utf8Bytes;
use protocol::Close;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::{Notify, mpsc};

/// Backpressure: how many messages may wait for a client. A client that reads at all is never this far behind: a game moves
/// at the pace of people.
const QUEUE: usize = 64;

/// The tenth message that is not of the contract, or comes too fast, closes the connection.
const MAX_BAD: u32 = 10;

/// What waits to be sent.
pub enum Out {
    /// A message.
    Text(Utf8Bytes),
    /// The last thing sent.
    Close(Close),
}

/// The room's end, which sends without ever waiting.
pub struct Line {
    queue: mpsc::Sender<Out>,
    cut: Arc<Cut>,
}

/// The socket's end.
pub struct Waiting {
    queue: mpsc::Receiver<Out>,
    cut: Arc<Cut>,
}

/// What both ends share.
#[derive(Default)]
struct Cut {
    why: OnceLock<Close>,
    /// Wakes whoever waits for the cut.
    made: Notify,
    strikes: AtomicU32,
    met: AtomicBool,
}

impl Cut {
    fn strike(&self) -> bool {
        self.strikes.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_BAD
    }
}

/// A line and its other end.
pub fn line() -> (Line, Waiting) {
    let (sender, receiver) = mpsc::channel(QUEUE);
    let cut = Arc::new(Cut::default());
    (Line { queue: sender, cut: cut.clone() }, Waiting { queue: receiver, cut })
}

impl Line {
    /// Queues a message; false if the queue was full and the line has been cut.
    #[must_use]
    pub fn send(&self, message: Utf8Bytes) -> bool {
        match self.queue.try_send(Out::Text(message)) {
            Ok(()) => true,
            Err(mpsc::error::TrySendError::Full(_)) => {
                self.cut(Close::TooSlow);
                false
            }
            // The socket has ended by itself and will say so.
            Err(mpsc::error::TrySendError::Closed(_)) => true,
        }
    }

    /// The client sent something that is not of the contract; true if that was once too often.
    #[must_use]
    pub fn strike(&self) -> bool {
        self.cut.strike()
    }

    /// Whether anything was heard that shows that the welcome arrived.
    pub fn is_met(&self) -> bool {
        self.cut.met.load(Ordering::Relaxed)
    }

    /// Closes after what is queued.
    pub fn hang_up(self, why: Close) {
        if self.queue.try_send(Out::Close(why)).is_err() {
            self.cut(why);
        }
    }

    /// Only ever called when the queue is full.
    fn cut(&self, why: Close) {
        // The first reason is the true one.
        let _ = self.cut.why.set(why);
        self.cut.made.notify_waiters();
    }
}

impl Waiting {
    /// What to send next. A room that ended without a word leaves a line that says: come back.
    pub async fn next(&mut self) -> Out {
        let out = self.queue.recv().await;
        // A line is cut when its queue is full, so nobody waits here for anything while that happens; and after it
        // nothing more is sent.
        match self.cut.why.get() {
            Some(why) => Out::Close(*why),
            None => out.unwrap_or(Out::Close(Close::Restart)),
        }
    }

    /// The client sent something that is not of the contract; true if that was once too often.
    #[must_use]
    pub fn strike(&self) -> bool {
        self.cut.strike()
    }

    /// Something was heard that shows that the welcome arrived.
    pub fn meet(&self) {
        self.cut.met.store(true, Ordering::Relaxed);
    }

    /// Ends when the line is cut, for whoever waits for something else meanwhile.
    pub async fn until_cut(&self) -> Close {
        loop {
            // Listens before it looks, or a cut between the two would be missed.
            let made = self.cut.made.notified();
            if let Some(why) = self.cut.why.get() {
                return *why;
            }
            made.await;
        }
    }
}
