//! The queue of one connection: messages, the latest room view, a ring of chat lines, and the close reason. It wakes
//! the socket's task for what that task waits for.
//!
//! The room's task sends directly only if the order of messages is certain: nothing is queued, nothing is partly sent,
//! and the socket's task waits for a message, so it sends nothing itself. The module `wire` says what that buys, and
//! which locks are held.
//!
//! It knows neither the memory quota nor the room.

use crate::websocket::{ClientStream, Utf8Bytes};
use crate::wire::{TrySend, Wire};
use protocol::Close;
use room::PlayerId;
use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncRead, AsyncWrite};

/// Backpressure: maximum number of queued messages, not counting chat. Games move at human pace, so a client that reads
/// at all never falls this far behind.
pub(super) const QUEUE: usize = 64;
/// Maximum number of queued chat lines.
pub(super) const LINES: usize = 16;
/// Queue capacity that is kept while the queue is empty.
pub(super) const FEW: usize = 4;

/// The next thing to send.
pub enum Out {
    /// A message.
    Text(Utf8Bytes),
    /// A message that was sent directly is partly sent. The rest must be flushed.
    Flush,
    /// Nothing to send: the connection now uses another player's seat, or none.
    Moved,
    /// The close reason, after which nothing is sent.
    Close(Close),
}

/// An entry of the outgoing queue.
pub(super) enum Queued {
    Message(Utf8Bytes),
    /// A room view.
    Room(Utf8Bytes),
    /// A chat line.
    ChatLine(Utf8Bytes),
    Close(Close),
}

impl Queued {
    pub fn bytes(&self) -> usize {
        match self {
            Queued::Message(text) | Queued::Room(text) | Queued::ChatLine(text) => text.len(),
            Queued::Close(_) => 0,
        }
    }
}

/// What waits to be sent, and for what the socket's task waits.
pub(super) struct OutboxQueue<S = ClientStream> {
    /// Where messages are sent directly.
    pub wire: Option<Wire<S>>,
    pub messages: VecDeque<Queued>,
    /// Number of chat lines among the messages.
    pub lines: usize,
    /// A directly sent message is partly sent. The socket's task must flush it before anything else is sent.
    pub unflushed: bool,
    /// Why the connection was cut off. Nothing is sent after that.
    pub cut: Option<Close>,
    /// Player whose seat the connection uses, and whether the socket still has to be informed.
    pub seat: Option<PlayerId>,
    pub moved: bool,
    /// Whether each of the two ends was dropped.
    pub room_is_gone: bool,
    pub socket_is_gone: bool,
    /// The socket's task, and what it last waited for here.
    task: Option<Waker>,
    awaits: Awaits,
}

/// What the socket task waits for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaits {
    /// It is running and will check again.
    #[default]
    Nothing,
    /// A message to send.
    Message,
    /// The cut, while it does something else.
    Cut,
}

impl<S: AsyncRead + AsyncWrite + Unpin> OutboxQueue<S> {
    pub fn new(wire: Option<Wire<S>>) -> OutboxQueue<S> {
        OutboxQueue {
            wire,
            messages: VecDeque::new(),
            lines: 0,
            unflushed: false,
            cut: None,
            seat: None,
            moved: false,
            room_is_gone: false,
            socket_is_gone: false,
            task: None,
            awaits: Awaits::Nothing,
        }
    }

    pub fn is_full(&self) -> bool {
        self.messages.len() - self.lines >= QUEUE
    }

    pub fn push(&mut self, queued: Queued) {
        self.messages.push_back(queued);
        if self.awaits == Awaits::Message {
            self.wake();
        }
    }

    /// Cuts the connection off. The first reason is kept.
    pub fn cut(&mut self, why: Close) {
        self.cut.get_or_insert(why);
        self.wake();
    }

    pub fn wake(&mut self) {
        if std::mem::take(&mut self.awaits) != Awaits::Nothing
            && let Some(task) = &self.task
        {
            task.wake_by_ref();
        }
    }

    pub fn wait<T>(&mut self, awaits: Awaits, context: &Context<'_>) -> Poll<T> {
        self.awaits = awaits;
        if !self.task.as_ref().is_some_and(|task| task.will_wake(context.waker())) {
            self.task = Some(context.waker().clone());
        }
        Poll::Pending
    }

    /// Sends a message directly if nothing comes before it and that does not wait. Returns the message if it must be
    /// queued.
    pub fn try_send(&mut self, message: Utf8Bytes) -> Option<Utf8Bytes> {
        let socket_is_idle = self.awaits == Awaits::Message;
        let is_next = socket_is_idle && self.messages.is_empty() && !self.unflushed;
        let (Some(wire), Some(task), true) = (&self.wire, &self.task, is_next) else {
            return Some(message);
        };
        match wire.try_send(message, task) {
            TrySend::Sent => None,
            TrySend::Unflushed => {
                self.unflushed = true;
                self.wake();
                None
            }
            TrySend::WouldBlock(message) => Some(message),
        }
    }

    pub fn take(&mut self) -> Option<Out> {
        let out = self.messages.pop_front().map(|queued| match queued {
            Queued::Message(text) | Queued::Room(text) => Out::Text(text),
            Queued::ChatLine(text) => {
                self.lines -= 1;
                Out::Text(text)
            }
            Queued::Close(why) => Out::Close(why),
        });
        // Release the memory that a burst has used.
        if self.messages.is_empty() && self.messages.capacity() > FEW {
            self.messages.shrink_to(FEW);
        }
        out
    }

    /// Returns the queued room view that a newer one replaces: the last, if only chat was queued since.
    pub fn room_view(&mut self) -> Option<&mut Utf8Bytes> {
        match self.messages.iter_mut().rev().find(|queued| !matches!(queued, Queued::ChatLine(_))) {
            Some(Queued::Room(view)) => Some(view),
            _ => None,
        }
    }

    /// Queues a chat line, or a message that counts as one.
    pub fn push_line(&mut self, line: Utf8Bytes) {
        self.lines += 1;
        self.push(Queued::ChatLine(line));
    }

    /// Drops the oldest chat line if no other may be queued, and returns its bytes.
    pub fn make_room_for_line(&mut self) -> Option<usize> {
        if self.lines < LINES {
            return None;
        }
        let oldest = self.messages.iter().position(|queued| matches!(queued, Queued::ChatLine(_)))?;
        let oldest = self.messages.remove(oldest)?;
        self.lines -= 1;
        Some(oldest.bytes())
    }

    /// Drops all messages, and returns their bytes.
    pub fn clear(&mut self) -> usize {
        self.lines = 0;
        std::mem::take(&mut self.messages).iter().map(Queued::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Alarm;
    use super::*;
    use crate::websocket::open;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn nothing_overtakes_a_partly_sent_message() {
        let (near, mut far) = tokio::io::duplex(100);
        let wire = Wire::new(open(near).await);
        let mut queue = OutboxQueue::new(Some(wire.clone()));
        let alarm = Arc::<Alarm>::default();
        let (waker, woken) = (Waker::from(alarm.clone()), || alarm.0.load(Ordering::Relaxed));
        let mut context = Context::from_waker(&waker);
        assert!(queue.try_send("too early".into()).is_some(), "the socket's task is not idle yet");
        assert!(queue.wait::<()>(Awaits::Message, &context).is_pending());

        assert!(queue.try_send("x".repeat(300).into()).is_none());
        assert_eq!((queue.unflushed, woken()), (true, 1), "the socket's task is to flush the rest");
        assert!(queue.try_send("second".into()).is_some());
        // The socket's task has taken note, but it is still flushing.
        queue.unflushed = false;
        assert!(queue.try_send("second".into()).is_some());
        let mut flushing = std::pin::pin!(wire.flush());
        assert!(flushing.as_mut().poll(&mut context).is_pending());
        far.read_exact(&mut [0; 100]).await.unwrap();
        assert_eq!(woken(), 2, "the client reads again");
        let rest = 2 + 2 + 300 - 100;
        let (flushed, read) = tokio::join!(flushing, async { far.read_exact(&mut [0; 204]).await });
        assert_eq!((flushed.is_ok(), read.unwrap()), (true, rest));

        // The socket's task has taken a queued message and is about to send it.
        assert!(queue.wait::<()>(Awaits::Message, &context).is_pending());
        queue.push(Queued::Message("second".into()));
        assert_eq!(woken(), 3);
        assert!(queue.try_send("third".into()).is_some(), "a message is queued");
        assert!(queue.take().is_some());
        assert!(queue.try_send("third".into()).is_some(), "the second message is not sent yet");
        assert!(queue.wait::<()>(Awaits::Message, &context).is_pending());
        assert!(queue.try_send("third".into()).is_none());
        let mut frame = [0; 7];
        far.read_exact(&mut frame).await.unwrap();
        assert_eq!(&frame[2..], b"third");
    }
}
