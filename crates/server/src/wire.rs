//! A client's WebSocket, shared by its own task, which reads and sends, and its room, which may send without waiting.
//! So nearly every message is sent by the task that made it, and no other task is woken.
//!
//! It does not know what a message means.

use crate::frames::Metered;
use crate::websocket::{Error, Message, Utf8Bytes};
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Bytes;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

/// Fragmentation: longer messages are sent in frames of this size, one at a time. The library copies what it sends and
/// never releases the buffer, so a welcome of megabytes in one frame would occupy memory as long as the client stays.
pub const PIECE: usize = 16 * 1024;

/// A WebSocket behind a lock. The lock is held during system calls, but never while waiting.
pub struct Wire<S = Metered<TokioIo<Upgraded>>>(Arc<Mutex<WebSocketStream<S>>>);

impl<S> Clone for Wire<S> {
    fn clone(&self) -> Wire<S> {
        Wire(self.0.clone())
    }
}

/// Result of sending without waiting.
pub enum Sent {
    /// The message was sent.
    Whole,
    /// The message was accepted and the rest needs [`Wire::flush`], or the connection is broken, which [`Wire::flush`]
    /// reports.
    InPart,
    /// The message was not accepted.
    Not(Utf8Bytes),
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub fn new(ws: WebSocketStream<S>) -> Wire<S> {
        Wire(Arc::new(Mutex::new(ws)))
    }

    /// Returns the next message, or `None` at the end of the stream. Cancel-safe.
    pub async fn recv(&self) -> Option<Result<Message, Error>> {
        poll_fn(|context| self.held().poll_next_unpin(context)).await
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
            let mut ws = self.held();
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
        poll_fn(|context| self.held().poll_flush_unpin(context)).await
    }

    /// Sends as much of a message as possible without waiting. If a part remains, `task` is woken when the socket is
    /// writable.
    pub fn send_now(&self, text: Utf8Bytes, task: &Waker) -> Sent {
        if text.len() > PIECE {
            return Sent::Not(text);
        }
        let Ok(mut ws) = self.0.try_lock() else { return Sent::Not(text) };
        let mut context = Context::from_waker(task);
        match ws.poll_ready_unpin(&mut context) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(_)) | Poll::Pending => return Sent::Not(text),
        }
        if ws.start_send_unpin(Message::Text(text)).is_err() {
            return Sent::InPart;
        }
        match ws.poll_flush_unpin(&mut context) {
            Poll::Ready(Ok(())) => Sent::Whole,
            Poll::Ready(Err(_)) | Poll::Pending => Sent::InPart,
        }
    }

    fn held(&self) -> MutexGuard<'_, WebSocketStream<S>> {
        // A panic here would come from the library. Later callers get an error at worst.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::websocket::open;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn a_welcome_of_megabytes_is_never_held_in_one_piece() {
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
            assert_eq!(opcode, u16::from(received.is_empty()), "a text, and what continues it");
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
}
