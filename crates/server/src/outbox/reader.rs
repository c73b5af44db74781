//! The socket's end of a connection: what to send next, and when to stop.
//!
//! It does not know how messages are sent.

use super::OutboxState;
use super::queue::{Awaits, Out};
use protocol::Close;
use room::PlayerId;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

/// The socket's end of a connection.
pub struct OutboxReader {
    pub(super) shared: Arc<OutboxState>,
}

impl OutboxReader {
    /// Returns what to send next. If the room ended without a close reason, the client is asked to reconnect.
    pub async fn next(&mut self) -> Out {
        poll_fn(|context| {
            let mut queue = self.shared.queue.lock();
            if let Some(why) = queue.cut {
                return Poll::Ready(Out::Close(why));
            }
            if std::mem::take(&mut queue.unflushed) {
                return Poll::Ready(Out::Flush);
            }
            if queue.moved {
                return Poll::Ready(Out::Moved);
            }
            match queue.take() {
                Some(out) => Poll::Ready(out),
                None if queue.room_is_gone => Poll::Ready(Out::Close(Close::Restart)),
                None => queue.wait(Awaits::Message, context),
            }
        })
        .await
    }

    /// Counts an invalid message. Returns true if there were too many.
    #[must_use]
    pub fn strike(&self) -> bool {
        self.shared.strike()
    }

    /// Releases the bytes of a queued message that was sent.
    pub fn sent(&self, bytes: usize) {
        self.shared.account.give_back(bytes);
    }

    /// Takes a change of seat: returns the player whose seat the connection uses, and `next` no longer reports it.
    pub fn take_seat_change(&self) -> Option<PlayerId> {
        let mut queue = self.shared.queue.lock();
        queue.moved = false;
        queue.seat
    }

    /// Records that the client has confirmed the welcome.
    pub fn confirm(&self) {
        self.shared.confirmed.store(true, Ordering::Relaxed);
    }

    /// Waits until the connection is cut off. Used while the socket waits for something else.
    pub async fn until_cut(&self) -> Close {
        poll_fn(|context| {
            let mut queue = self.shared.queue.lock();
            match queue.cut {
                Some(why) => Poll::Ready(why),
                None => queue.wait(Awaits::Cut, context),
            }
        })
        .await
    }
}

impl Drop for OutboxReader {
    fn drop(&mut self) {
        let mut queue = self.shared.queue.lock();
        queue.socket_is_gone = true;
        self.shared.account.give_back(queue.clear());
        // The room may learn of this only later, and the connection stays open while anyone has the WebSocket.
        queue.wire = None;
    }
}
