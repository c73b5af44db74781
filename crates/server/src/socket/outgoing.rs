//! What a connection sends: messages, with a timeout and only during the lease term, and the closing handshake.
//!
//! It does not know what is sent, nor why a connection is closed.

use super::parse::error;
use super::{DEAD, GOODBYE, Socket};
use crate::limits::connection_slots::ConnectionSlot;
use crate::outbox::OutboxReader;
use crate::websocket::{Error, Message, Utf8Bytes};
use journal::ownership::{Lease, Term};
use protocol::{Close, Code};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

impl Socket {
    /// Sends a queued message and releases its bytes from the memory quota.
    pub(super) async fn send_queued(&mut self, waiting: &OutboxReader, text: Utf8Bytes) -> Option<()> {
        let bytes = text.len();
        let sent = self.send(waiting, Message::Text(text)).await;
        waiting.sent(bytes);
        sent
    }

    /// Sends a message. Returns `None` if the connection broke, or if it was closed here because the room cut it off,
    /// it was evicted, the lease term ended, or the client did not read for too long.
    pub(super) async fn send(&mut self, waiting: &OutboxReader, message: Message) -> Option<()> {
        self.while_it_is_ours().await?;
        let sent = in_time(self.wire.send(message), waiting, &self.incoming.slot, self.term.as_ref()).await;
        self.or_close(sent).await
    }

    /// Sends the rest of messages that the room has sent directly. Returns `None` in the same cases as `send`.
    pub(super) async fn flush_rest(&mut self, waiting: &OutboxReader) -> Option<()> {
        let sent = in_time(self.wire.flush(), waiting, &self.incoming.slot, self.term.as_ref()).await;
        self.or_close(sent).await
    }

    /// Self-fencing: closes the connection if the lease term has ended. A process that was suspended for longer than
    /// its lease has outdated messages in its queues.
    async fn while_it_is_ours(&mut self) -> Option<()> {
        if self.term.as_ref().is_some_and(|(lease, term)| !lease.holds(*term)) {
            Box::pin(self.close(Close::Restart)).await;
            return None;
        }
        Some(())
    }

    async fn or_close(&mut self, sent: Result<Option<()>, Close>) -> Option<()> {
        match sent {
            Ok(sent) => sent,
            Err(why) => {
                // Boxed, as elsewhere: closing happens once, and otherwise every connection's task would reserve space
                // for it.
                Box::pin(self.close(why)).await;
                None
            }
        }
    }

    /// Sends a message on a connection without an outgoing queue, and closes the connection if that takes too long.
    pub async fn send_in_time(&mut self, message: Message) -> Option<()> {
        match timeout(DEAD, self.wire.send(message)).await {
            Ok(sent) => sent.ok(),
            Err(_) => {
                self.close(Close::TooSlow).await;
                None
            }
        }
    }

    /// Sends a last message before closing, with a short timeout.
    pub(super) async fn send_last(&mut self, text: &str) {
        let _ = timeout(GOODBYE, self.wire.send(Message::Text(text.into()))).await;
    }

    /// Sends an `error` message that precedes a close.
    pub async fn say_error(&mut self, code: Code, detail: &str) {
        self.send_last(&error(code, detail)).await;
    }

    /// Sends the close reason and reads on until the peer has answered.
    pub async fn close(&mut self, close: Close) {
        self.close_with(close.code()).await;
    }

    /// Closes the connection, and counts it in the metrics if a limit caused it.
    pub async fn close_for_bounds(&mut self, close: Close) {
        match close {
            Close::TryLater => self.metrics.cut("sockets"),
            Close::TooMany => self.metrics.cut("messages"),
            _ => {}
        }
        self.close(close).await;
    }

    /// Closes with any code, such as one from a newer server that owns the room.
    pub async fn close_with(&mut self, code: u16) {
        // Every close with a reason passes here, whether the room, a send or the heartbeat caused it.
        self.metrics.closed(code);
        let reason = Close::from_code(code).map_or("", Close::reason);
        let frame = CloseFrame { code: code.into(), reason: Utf8Bytes::from_static(reason) };
        let goodbye = async {
            if self.wire.send(Message::Close(Some(frame))).await.is_err() {
                return;
            }
            while let Some(heard) = self.wire.recv().await {
                if let Err(error) = heard {
                    self.breaks(&error);
                }
            }
            // The peer's answer is behind data that cannot be read. Keep the connection open for a while: closing a
            // socket with unread bytes resets it, and the client may lose the close reason.
            if self.deaf {
                std::future::pending::<()>().await;
            }
        };
        let _ = timeout(GOODBYE, goodbye).await;
    }
}

/// Waits until a message is sent. Returns `None` if the connection broke, and `Err` with the close reason if it must be
/// closed. If the lease term ends while a frame is partly sent, the connection breaks (self-fencing): nothing else can
/// follow half a frame.
async fn in_time(
    sending: impl Future<Output = Result<(), Error>>,
    waiting: &OutboxReader,
    slot: &ConnectionSlot,
    term: Option<&(Lease, Term)>,
) -> Result<Option<()>, Close> {
    let mut sending = pin!(sending);
    let mut sending = poll_fn(|context| match term {
        Some((lease, term)) if !lease.holds(*term) => Poll::Ready(None),
        _ => sending.as_mut().poll(context).map(Result::ok),
    });
    // Nearly every message is sent at once. Then no timer is created and the cut is not awaited.
    if let Poll::Ready(sent) = poll_fn(|context| Poll::Ready(Pin::new(&mut sending).poll(context))).await {
        return Ok(sent);
    }
    tokio::select! {
        biased;
        sent = sending => Ok(sent),
        () = ended(term) => Ok(None),
        close = waiting.until_cut() => Err(close),
        // In a quiet room the queue never fills, and no heartbeat is checked while this waits.
        () = sleep(DEAD) => Err(Close::TooSlow),
        () = slot.evicted() => Err(Close::TryLater),
    }
}

/// Waits until the lease term ends. Never completes if another server owns the room.
async fn ended(term: Option<&(Lease, Term)>) {
    match term {
        Some((lease, term)) => lease.ended(*term).await,
        None => std::future::pending().await,
    }
}
