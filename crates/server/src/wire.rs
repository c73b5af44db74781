//! A client's WebSocket, shared by two tasks: the socket's task reads and sends, and the room's task sends what can be
//! sent without waiting. So nearly every message is sent by the task that made it, and no other task is woken. With
//! SQLite this took an act at 500 rooms from 1.7 to 1.5 times the floor, at 50 rooms from 2.4 to 2.2
//! (docs/performance.md, "rooms that send by themselves"). The room cannot own the write half instead: the library
//! keeps both halves in one object, because it answers pings and closes while it reads.
//!
//! Invariants:
//! - **The lock is held for one poll, never across an await.** Every method locks inside a poll function. The guard is
//!   not `Send`, so a task that kept it across an await would not compile (nor pass clippy's `await_holding_lock`).
//! - **The room's task never waits**, neither for the lock nor for the client
//!   (`try_send_waits_neither_for_the_lock_nor_for_the_client`).
//! - **Locks have an order**: the outbox's queue, then the wire. The socket's task never holds both, since this module
//!   does not know the queue. For the queue it may wait as long as a direct write takes, which is one system call.
//! - **After a partial write only the socket's task sends**, until the rest is flushed. The queue enforces this
//!   (`outbox::queue::nothing_overtakes_a_partly_sent_message`), and so does the wire (the test above).
//! - **The socket's task is woken to flush**, because its waker is the one that is registered with the stream (the test
//!   of the queue).
//! - **The socket's task reports a broken connection**, whichever task noticed it
//!   (`flush_reports_a_connection_that_broke_in_try_send`).
//!
//! It does not know what a message means.

use crate::websocket::{ClientStream, Error, Message, PIECE, Utf8Bytes};
use futures_util::{SinkExt, StreamExt};
use parking_lot::Mutex;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Bytes;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

/// A WebSocket behind a lock. The lock is held during system calls, but never while waiting.
pub struct Wire<S = ClientStream>(Arc<Mutex<WebSocketStream<S>>>);

impl<S> Clone for Wire<S> {
    fn clone(&self) -> Wire<S> {
        Wire(self.0.clone())
    }
}

/// Result of sending without waiting.
#[derive(Debug, PartialEq, Eq)]
pub enum TrySend {
    /// The message was sent.
    Sent,
    /// The message was accepted and the rest needs [`Wire::flush`], or the connection is broken, which [`Wire::flush`]
    /// reports.
    Unflushed,
    /// The message was not accepted, because sending it would have to wait.
    WouldBlock(Utf8Bytes),
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub fn new(ws: WebSocketStream<S>) -> Wire<S> {
        Wire(Arc::new(Mutex::new(ws)))
    }

    /// Returns the next message, or `None` at the end of the stream. Cancel-safe.
    pub async fn recv(&self) -> Option<Result<Message, Error>> {
        poll_fn(|context| self.0.lock().poll_next_unpin(context)).await
    }

    /// Sends a message and waits until it is sent. If cancelled, part of a long message may have been sent, and only a
    /// close may follow.
    pub async fn send(&self, message: Message) -> Result<(), Error> {
        match message {
            Message::Text(text) if text.len() > PIECE => self.send_in_pieces(text.into()).await,
            message => self.send_whole(message).await,
        }
    }

    async fn send_in_pieces(&self, mut rest: Bytes) -> Result<(), Error> {
        let mut opcode = Data::Text;
        while !rest.is_empty() {
            let piece = rest.split_to(PIECE.min(rest.len()));
            let frame = Frame::message(piece, OpCode::Data(opcode), rest.is_empty());
            self.send_whole(Message::Frame(frame)).await?;
            opcode = Data::Continue;
        }
        Ok(())
    }

    async fn send_whole(&self, message: Message) -> Result<(), Error> {
        let mut message = Some(message);
        poll_fn(|context| {
            let mut ws = self.0.lock();
            if message.is_some() {
                ready!(ws.poll_ready_unpin(context))?;
            }
            if let Some(message) = message.take() {
                ws.start_send_unpin(message)?;
            }
            ws.poll_flush_unpin(context)
        })
        .await
    }

    /// Sends the rest of accepted messages, and the library's automatic answers such as pongs.
    pub async fn flush(&self) -> Result<(), Error> {
        poll_fn(|context| self.0.lock().poll_flush_unpin(context)).await
    }

    /// Sends as much of a message as possible without waiting. If a part remains, `task` is woken when the socket is
    /// writable.
    pub fn try_send(&self, text: Utf8Bytes, task: &Waker) -> TrySend {
        if text.len() > PIECE {
            return TrySend::WouldBlock(text);
        }
        let Some(mut ws) = self.0.try_lock() else { return TrySend::WouldBlock(text) };
        let mut context = Context::from_waker(task);
        match ws.poll_ready_unpin(&mut context) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(_)) | Poll::Pending => return TrySend::WouldBlock(text),
        }
        if ws.start_send_unpin(Message::Text(text)).is_err() {
            return TrySend::Unflushed;
        }
        match ws.poll_flush_unpin(&mut context) {
            Poll::Ready(Ok(())) => TrySend::Sent,
            Poll::Ready(Err(_)) | Poll::Pending => TrySend::Unflushed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::websocket::open;
    use tokio::io::{AsyncReadExt, DuplexStream};

    #[tokio::test]
    async fn never_buffers_a_welcome_of_megabytes_in_one_piece() {
        let (near, mut far) = tokio::io::duplex(1000);
        let text = "é".repeat(1_000_000);
        let sent = text.clone();
        let sending = tokio::spawn(async move {
            let wire = Wire::new(open(near).await);
            wire.send(Message::Text(sent.into())).await.unwrap();
        });
        let (mut received, mut last) = (Vec::new(), false);
        while !last {
            let head = far.read_u16().await.unwrap();
            let opcode = (head >> 8) & 0x0f;
            assert_eq!(opcode, u16::from(received.is_empty()), "a text frame, then continuation frames");
            last = head & 0x8000 != 0;
            let length = match head & 0x7f {
                126 => far.read_u16().await.unwrap().into(),
                127 => far.read_u64().await.unwrap() as usize,
                length => length.into(),
            };
            assert!(length <= PIECE, "a piece of {length} bytes");
            let mut piece = vec![0; length];
            far.read_exact(&mut piece).await.unwrap();
            received.extend(piece);
        }
        assert_eq!(received, text.as_bytes());
        sending.await.unwrap();
    }

    /// Reads one short unmasked frame, and returns its text.
    async fn frame(far: &mut DuplexStream) -> String {
        let length = match far.read_u16().await.unwrap() & 0x7f {
            126 => far.read_u16().await.unwrap(),
            length => length,
        };
        let mut text = vec![0; length.into()];
        far.read_exact(&mut text).await.unwrap();
        String::from_utf8(text).unwrap()
    }

    #[tokio::test]
    async fn try_send_waits_neither_for_the_lock_nor_for_the_client() {
        let (near, mut far) = tokio::io::duplex(100);
        let wire = Wire::new(open(near).await);
        let try_send = |text: &str| wire.try_send(text.into(), Waker::noop());
        let locked = wire.0.lock();
        assert_eq!(try_send("while it is locked"), TrySend::WouldBlock("while it is locked".into()));
        drop(locked);
        assert_eq!(try_send("first"), TrySend::Sent);
        let long = "x".repeat(1000);
        assert_eq!(try_send(&long), TrySend::Unflushed);
        assert_eq!(try_send("too early"), TrySend::WouldBlock("too early".into()));
        assert!(matches!(try_send(&"x".repeat(PIECE + 1)), TrySend::WouldBlock(_)), "sent in pieces, which wait");
        let (flushed, read) = tokio::join!(wire.flush(), async { [frame(&mut far).await, frame(&mut far).await] });
        flushed.unwrap();
        assert_eq!(read, ["first".to_owned(), long]);
        assert_eq!(try_send("second"), TrySend::Sent);
        assert_eq!(frame(&mut far).await, "second");
    }

    #[tokio::test]
    async fn flush_reports_a_connection_that_broke_in_try_send() {
        let (near, far) = tokio::io::duplex(100);
        let wire = Wire::new(open(near).await);
        drop(far);
        assert_eq!(wire.try_send("lost".into(), Waker::noop()), TrySend::Unflushed);
        assert!(wire.flush().await.is_err());
    }
}
