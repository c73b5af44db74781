//! One client's WebSocket, which two hold: its own task, which reads and sends, and its room, which may send what goes out
//! at once. So nearly every message is sent where it was made, and nobody has to be woken for it.
//!
//! It knows nothing of what is said.

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

/// Fragmentation: a longer message goes in pieces of this size, each sent before the next is taken. The library copies what it
/// sends and never gives the memory back, so a welcome of megabytes in one piece would be kept for as long as its reader is there.
pub const PIECE: usize = 16 * 1024;

/// A WebSocket. Its lock is held while the operating system is asked and never while anybody waits.
pub struct Wire<S = Metered<TokioIo<Upgraded>>>(Arc<Mutex<WebSocketStream<S>>>);

impl<S> Clone for Wire<S> {
    fn clone(&self) -> Wire<S> {
        Wire(self.0.clone())
    }
}

/// What became of a message that was to go out at once.
pub enum Sent {
    /// It is on its way.
    Whole,
    /// It was taken, and some of it waits for [`Wire::flush`]; or the connection is broken, which that will tell.
    InPart,
    /// It could not be taken now.
    Not(Utf8Bytes),
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub fn new(ws: WebSocketStream<S>) -> Wire<S> {
        Wire(Arc::new(Mutex::new(ws)))
    }

    /// The next message; none when there will be no more. Can be cancelled at any time.
    pub async fn recv(&self) -> Option<Result<Message, Error>> {
        poll_fn(|context| self.held().poll_next_unpin(context)).await
    }

    /// Sends a message, however long that takes. If it is cancelled, part of a long one may have gone out, and nothing but a close
    /// may follow.
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

    /// Sends what is left of messages that were taken, and what the library answers by itself, such as a pong.
    pub async fn flush(&self) -> Result<(), Error> {
        poll_fn(|context| self.held().poll_flush_unpin(context)).await
    }

    /// Sends a message as far as that goes without waiting. If some of it is left, `task` is woken when there is room for it.
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
        // A panic in here would be the library's; whoever comes after it meets an error at worst.
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
