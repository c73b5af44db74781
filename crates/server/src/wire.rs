//! One client's WebSocket, which two hold: its own task, which reads and sends, and its room, which may send what goes out
//! at once. So nearly every message is sent where it was made, and nobody has to be woken for it.
//!
//! It knows nothing of what is said.

use axum::Error;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use futures_util::{SinkExt, StreamExt};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

/// A WebSocket. Its lock is held while the operating system is asked and never while anybody waits.
#[derive(Clone)]
pub struct Wire(Arc<Mutex<WebSocket>>);

/// What became of a message that was to go out at once.
pub enum Sent {
    /// It is on its way.
    Whole,
    /// It was taken, and some of it waits for [`Wire::flush`]; or the connection is broken, which that will tell.
    InPart,
    /// It could not be taken now.
    Not(Utf8Bytes),
}

impl Wire {
    pub fn new(ws: WebSocket) -> Wire {
        Wire(Arc::new(Mutex::new(ws)))
    }

    /// The next message; none when there will be no more. Can be cancelled at any time.
    pub async fn recv(&self) -> Option<Result<Message, Error>> {
        poll_fn(|context| self.held().poll_next_unpin(context)).await
    }

    /// Sends a message, however long that takes.
    pub async fn send(&self, message: Message) -> Result<(), Error> {
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

    /// Sends what is left of messages that were taken.
    pub async fn flush(&self) -> Result<(), Error> {
        poll_fn(|context| self.held().poll_flush_unpin(context)).await
    }

    /// Sends a message as far as that goes without waiting. If some of it is left, `task` is woken when there is room for it.
    pub fn send_now(&self, text: Utf8Bytes, task: &Waker) -> Sent {
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

    fn held(&self) -> MutexGuard<'_, WebSocket> {
        // A panic in here would be the library's; whoever comes after it meets an error at worst.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
