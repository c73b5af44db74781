//! The path from a room to one client: messages are sent directly while the client keeps up, and through a bounded
//! queue otherwise. The room never waits for a slow reader: a full queue closes the connection.
//!
//! Two kinds of message never do that. The oldest chat line is dropped, since the next welcome contains it anyway, and
//! a new room view replaces the queued one (conflation). So a player is not disconnected because others talk, join or
//! leave.

use crate::address::Source;
use crate::limits::Account;
use crate::websocket::Utf8Bytes;
use crate::wire::{Sent, Wire};
use protocol::Close;
use room::PlayerId;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Backpressure: maximum number of queued messages, not counting chat. Games move at human pace, so a client that reads
/// at all never falls this far behind.
const QUEUE: usize = 64;
/// Maximum number of queued chat lines.
const LINES: usize = 16;
/// Queue capacity that is kept while the queue is empty.
const FEW: usize = 4;

/// Number of invalid or too frequent messages after which the connection is closed.
pub const MAX_BAD: u32 = 10;

/// The next thing to send.
pub enum Out {
    /// A message.
    Text(Utf8Bytes),
    /// The rest of a message that was sent directly.
    Rest,
    /// Nothing to send: the connection now uses another player's seat, or none.
    Moved,
    /// The close reason, after which nothing is sent.
    Close(Close),
}

/// An entry of the outgoing queue.
enum Queued {
    Message(Utf8Bytes),
    /// A room view.
    Room(Utf8Bytes),
    /// A chat line.
    Line(Utf8Bytes),
    Close(Close),
}

impl Queued {
    fn bytes(&self) -> usize {
        match self {
            Queued::Message(text) | Queued::Room(text) | Queued::Line(text) => text.len(),
            Queued::Close(_) => 0,
        }
    }
}

/// The room's end of a connection, which sends without waiting.
pub struct Line {
    shared: Arc<Shared>,
    /// The client address.
    source: Source,
}

/// The socket's end of a connection.
pub struct Waiting {
    shared: Arc<Shared>,
}

/// State shared by both ends. A tokio channel would work too, but it walks through all of its slots. At most one
/// message is queued nearly always, and then this queue touches the same few bytes each time. With thousands of
/// clients, these cache misses dominate the cost of a message.
#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    strikes: AtomicU32,
    met: AtomicBool,
    /// Accounts for the bytes in the queue.
    account: Account,
}

#[derive(Default)]
struct Queue {
    /// Where messages are sent directly.
    wire: Option<Wire>,
    messages: VecDeque<Queued>,
    /// Number of chat lines among the messages.
    lines: usize,
    /// The operating system has not accepted all of a directly sent message. The rest must be sent first.
    rest: bool,
    /// Why the connection was cut off. Nothing is sent after that.
    cut: Option<Close>,
    /// Player whose seat the connection uses, and whether the socket still has to be informed.
    seat: Option<PlayerId>,
    moved: bool,
    /// Whether each of the two ends was dropped.
    room_is_gone: bool,
    socket_is_gone: bool,
    /// The socket's task, and what it last waited for here.
    task: Option<Waker>,
    awaits: Awaits,
}

/// What the socket task waits for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Awaits {
    /// It is running and will check again.
    #[default]
    Nothing,
    /// A message to send.
    Message,
    /// The cut, while it does something else.
    Cut,
}

impl Queue {
    fn is_full(&self) -> bool {
        self.messages.len() - self.lines >= QUEUE
    }

    fn push(&mut self, queued: Queued) {
        self.messages.push_back(queued);
        if self.awaits == Awaits::Message {
            self.wake();
        }
    }

    /// Cuts the connection off. The first reason is kept.
    fn cut(&mut self, why: Close) {
        self.cut.get_or_insert(why);
        self.wake();
    }

    fn wake(&mut self) {
        if std::mem::take(&mut self.awaits) != Awaits::Nothing
            && let Some(task) = &self.task
        {
            task.wake_by_ref();
        }
    }

    fn wait<T>(&mut self, awaits: Awaits, context: &Context<'_>) -> Poll<T> {
        self.awaits = awaits;
        if !self.task.as_ref().is_some_and(|task| task.will_wake(context.waker())) {
            self.task = Some(context.waker().clone());
        }
        Poll::Pending
    }

    /// Sends a message directly if nothing is queued before it and the socket's task is idle. Returns the message if it
    /// must be queued.
    fn send_now(&mut self, message: Utf8Bytes) -> Option<Utf8Bytes> {
        let at_leisure = self.awaits == Awaits::Message && self.messages.is_empty() && !self.rest;
        let (Some(wire), Some(task), true) = (&self.wire, &self.task, at_leisure) else {
            return Some(message);
        };
        match wire.send_now(message, task) {
            Sent::Whole => None,
            Sent::InPart => {
                self.rest = true;
                self.wake();
                None
            }
            Sent::Not(message) => Some(message),
        }
    }

    fn take(&mut self) -> Option<Out> {
        let out = self.messages.pop_front().map(|queued| match queued {
            Queued::Message(text) | Queued::Room(text) => Out::Text(text),
            Queued::Line(text) => {
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
}

impl Shared {
    fn held(&self) -> MutexGuard<'_, Queue> {
        // No change here can panic halfway, so the data behind a poisoned lock is consistent.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn strike(&self) -> bool {
        self.strikes.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_BAD
    }
}

/// Creates both ends of a connection. The account counts the queued bytes.
pub fn line(wire: Wire, source: Source, account: Account) -> (Line, Waiting) {
    with(Some(wire), source, account)
}

/// Creates both ends without a WebSocket, so that every message is queued.
#[cfg(test)]
pub fn without_wire(source: Source) -> (Line, Waiting) {
    with(None, source, Account::default())
}

fn with(wire: Option<Wire>, source: Source, account: Account) -> (Line, Waiting) {
    let queue = Mutex::new(Queue { wire, ..Queue::default() });
    let shared = Arc::new(Shared { queue, account, ..Shared::default() });
    (Line { shared: shared.clone(), source }, Waiting { shared })
}

impl Line {
    /// Returns the client address.
    pub fn source(&self) -> Source {
        self.source
    }

    /// Sends or queues a message. Returns false if the queue was full, in messages or bytes, and the connection was cut
    /// off.
    #[must_use]
    pub fn send(&self, message: Utf8Bytes) -> bool {
        self.send_as(message, Queued::Message)
    }

    /// Sends or queues a room view. It replaces a queued room view if only chat was queued since. Returns false if the
    /// connection was cut off.
    #[must_use]
    pub fn send_room(&self, message: Utf8Bytes) -> bool {
        let mut queue = self.shared.held();
        let last = queue.messages.iter_mut().rev().find(|queued| !matches!(queued, Queued::Line(_)));
        if let Some(Queued::Room(before)) = last {
            self.shared.account.give_back(before.len());
            if !self.shared.account.take(message.len()) {
                *before = Utf8Bytes::default();
                queue.cut(Close::TooSlow);
                return false;
            }
            *before = message;
            return true;
        }
        drop(queue);
        self.send_as(message, Queued::Room)
    }

    /// Sends or queues a chat line. Returns the number of lines dropped for it: older ones, or the line itself if too
    /// many bytes are queued.
    pub fn send_line(&self, message: Utf8Bytes) -> usize {
        let mut queue = self.shared.held();
        if queue.socket_is_gone {
            return 0;
        }
        let Some(message) = queue.send_now(message) else { return 0 };
        let mut dropped = 0;
        if queue.lines >= LINES
            && let Some(oldest) = queue.messages.iter().position(|queued| matches!(queued, Queued::Line(_)))
            && let Some(oldest) = queue.messages.remove(oldest)
        {
            self.shared.account.give_back(oldest.bytes());
            queue.lines -= 1;
            dropped += 1;
        }
        if !self.shared.account.take(message.len()) {
            return dropped + 1;
        }
        queue.lines += 1;
        queue.push(Queued::Line(message));
        dropped
    }

    /// Sends or queues a message that matters only at this moment. It counts as a chat line and is dropped if half of
    /// the chat slots are used, so it never displaces what somebody wrote.
    pub fn send_passing(&self, message: Utf8Bytes) {
        let mut queue = self.shared.held();
        if queue.socket_is_gone {
            return;
        }
        let Some(message) = queue.send_now(message) else { return };
        if queue.lines < LINES / 2 && self.shared.account.take(message.len()) {
            queue.lines += 1;
            queue.push(Queued::Line(message));
        }
    }

    fn send_as(&self, message: Utf8Bytes, kind: fn(Utf8Bytes) -> Queued) -> bool {
        let mut queue = self.shared.held();
        if queue.socket_is_gone {
            // The socket has ended and will report that itself.
            return true;
        }
        let Some(message) = queue.send_now(message) else { return true };
        if queue.is_full() || !self.shared.account.take(message.len()) {
            queue.cut(Close::TooSlow);
            return false;
        }
        queue.push(kind(message));
        true
    }

    /// Counts an invalid message. Returns true if there were too many.
    #[must_use]
    pub fn strike(&self) -> bool {
        self.shared.strike()
    }

    /// Returns whether the client has confirmed that the welcome arrived.
    pub fn is_met(&self) -> bool {
        self.shared.met.load(Ordering::Relaxed)
    }

    /// Sets the player whose seat the connection uses, or none. The message that informs the client is sent after this.
    pub fn seat(&self, player: Option<PlayerId>) {
        let mut queue = self.shared.held();
        if std::mem::replace(&mut queue.seat, player) != player {
            // Wake the socket separately, because the message to the client may be sent directly.
            queue.moved = true;
            queue.wake();
        }
    }

    /// Closes the connection after the queued messages, or at once if the queue is full.
    pub fn hang_up(self, why: Close) {
        let mut queue = self.shared.held();
        if queue.is_full() { queue.cut(why) } else { queue.push(Queued::Close(why)) }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let mut queue = self.shared.held();
        queue.room_is_gone = true;
        queue.wake();
    }
}

impl Waiting {
    /// Returns what to send next. If the room ended without a close reason, the client is asked to reconnect.
    pub async fn next(&mut self) -> Out {
        poll_fn(|context| {
            let mut queue = self.shared.held();
            if let Some(why) = queue.cut {
                return Poll::Ready(Out::Close(why));
            }
            if std::mem::take(&mut queue.rest) {
                return Poll::Ready(Out::Rest);
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

    /// Returns the player whose seat the connection uses, and marks the change as seen.
    pub fn seat(&self) -> Option<PlayerId> {
        let mut queue = self.shared.held();
        queue.moved = false;
        queue.seat
    }

    /// Records that the client has confirmed the welcome.
    pub fn meet(&self) {
        self.shared.met.store(true, Ordering::Relaxed);
    }

    /// Waits until the connection is cut off. Used while the socket waits for something else.
    pub async fn until_cut(&self) -> Close {
        poll_fn(|context| {
            let mut queue = self.shared.held();
            match queue.cut {
                Some(why) => Poll::Ready(why),
                None => queue.wait(Awaits::Cut, context),
            }
        })
        .await
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut queue = self.shared.held();
        queue.socket_is_gone = true;
        for queued in std::mem::take(&mut queue.messages) {
            self.shared.account.give_back(queued.bytes());
        }
        queue.lines = 0;
        // The room may learn of this only later, and the connection stays open while anyone has the WebSocket.
        queue.wire = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderMap;
    use std::pin::pin;
    use std::sync::atomic::AtomicUsize;
    use std::task::Wake;

    /// Counts how often a task is woken.
    #[derive(Default)]
    struct Alarm(AtomicUsize);

    impl Wake for Alarm {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn a_line() -> (Line, Waiting) {
        without_wire(Source::of([192, 0, 2, 1].into(), &HeaderMap::new(), &[]))
    }

    /// Returns all queued messages and the close code, if any.
    fn all(mut waiting: Waiting) -> Vec<String> {
        let (mut heard, alarm) = (Vec::new(), Arc::default());
        loop {
            match said(look(waiting.next(), &alarm)) {
                Ok(text) => heard.push(text),
                Err(end) => {
                    heard.extend(end.map(|close| close.code().to_string()));
                    return heard;
                }
            }
        }
    }

    /// Polls a future once with the alarm as its waker.
    fn look<T>(future: impl Future<Output = T>, alarm: &Arc<Alarm>) -> Poll<T> {
        pin!(future).poll(&mut Context::from_waker(&Waker::from(alarm.clone())))
    }

    fn said(out: Poll<Out>) -> Result<String, Option<Close>> {
        match out {
            Poll::Ready(Out::Text(text)) => Ok(text.to_string()),
            Poll::Ready(Out::Close(close)) => Err(Some(close)),
            Poll::Ready(Out::Rest | Out::Moved) => unreachable!("there is no wire, and nobody sits down"),
            Poll::Pending => Err(None),
        }
    }

    #[test]
    fn a_socket_is_woken_once_for_all_that_came_while_it_slept_and_gets_it_in_order() {
        let ((line, mut waiting), alarm) = (a_line(), Arc::default());
        assert_eq!(said(look(waiting.next(), &alarm)), Err(None));
        assert!(line.send("one".into()) && line.send("two".into()));
        assert_eq!(alarm.0.load(Ordering::Relaxed), 1);
        line.hang_up(Close::Left);
        assert_eq!(said(look(waiting.next(), &alarm)).unwrap(), "one");
        assert_eq!(said(look(waiting.next(), &alarm)).unwrap(), "two");
        assert_eq!(said(look(waiting.next(), &alarm)), Err(Some(Close::Left)));
    }

    #[test]
    fn a_line_whose_queue_is_full_is_cut_and_says_nothing_more() {
        let ((line, mut waiting), alarm) = (a_line(), Arc::default());
        assert!((0..QUEUE).all(|_| line.send("a state".into())));
        assert!(look(waiting.until_cut(), &alarm).is_pending(), "it is full and not yet cut");
        assert!(!line.send("one too many".into()));
        assert_eq!(alarm.0.load(Ordering::Relaxed), 1, "whoever waits to send hears of the cut");
        assert_eq!(look(waiting.until_cut(), &alarm), Poll::Ready(Close::TooSlow));
        line.hang_up(Close::Removed);
        assert_eq!(said(look(waiting.next(), &alarm)), Err(Some(Close::TooSlow)), "the first reason stays");
    }

    #[test]
    fn a_line_that_loses_one_end_tells_the_other_and_holds_nothing() {
        let ((room, mut waiting), alarm) = (a_line(), Arc::default());
        assert_eq!(said(look(waiting.next(), &alarm)), Err(None));
        drop(room);
        assert_eq!(alarm.0.load(Ordering::Relaxed), 1);
        assert_eq!(said(look(waiting.next(), &alarm)), Err(Some(Close::Restart)));

        let (room, waiting) = a_line();
        assert!(room.send("never read".into()));
        drop(waiting);
        assert!((0..2 * QUEUE).all(|_| room.send("to nobody".into())), "it will say itself that it is gone");
        assert_eq!(room.shared.held().messages.capacity(), 0);
    }

    #[test]
    fn a_socket_is_told_whose_seat_it_is_in() {
        let ((line, mut waiting), alarm) = (a_line(), Arc::default());
        assert_eq!(said(look(waiting.next(), &alarm)), Err(None));
        line.seat(Some(PlayerId(3)));
        assert_eq!(alarm.0.load(Ordering::Relaxed), 1);
        assert!(matches!(look(waiting.next(), &alarm), Poll::Ready(Out::Moved)));
        assert_eq!(waiting.seat(), Some(PlayerId(3)));
        line.seat(Some(PlayerId(3)));
        assert_eq!(said(look(waiting.next(), &alarm)), Err(None), "that is known");
    }

    #[test]
    fn what_a_burst_took_is_given_back() {
        let ((line, mut waiting), alarm) = (a_line(), Arc::default());
        assert!((0..QUEUE).all(|_| line.send("a state".into())));
        for _ in 0..QUEUE {
            said(look(waiting.next(), &alarm)).unwrap();
        }
        assert!(waiting.shared.held().messages.capacity() <= FEW);
    }

    #[test]
    fn a_slow_reader_misses_old_chat_and_is_not_cut_for_it() {
        let (line, waiting) = a_line();
        assert!(line.send("state".into()));
        let dropped: usize = (0..1000).map(|n| line.send_line(format!("line {n}").into())).sum();
        assert_eq!(dropped, 1000 - LINES);
        assert!((1..QUEUE).all(|_| line.send("state".into())), "chat takes nobody's place");
        drop(line);
        let mut heard = all(waiting);
        heard.retain(|heard| heard != "state");
        assert_eq!((heard.len(), &*heard[0], &*heard[LINES - 1]), (LINES + 1, "line 984", "line 999"));
    }

    #[test]
    fn what_passes_is_dropped_before_anything_that_somebody_wrote() {
        let (line, waiting) = a_line();
        (0..1000).for_each(|_| line.send_passing("clap".into()));
        let dropped: usize = (0..LINES / 2).map(|n| line.send_line(format!("line {n}").into())).sum();
        line.send_passing("clap".into());
        assert_eq!(dropped, 0);
        assert!((0..QUEUE).all(|_| line.send("state".into())), "nor is anybody cut for it");
        drop(line);
        let heard = all(waiting);
        assert_eq!(heard.iter().filter(|heard| *heard == "clap").count(), LINES / 2);
        assert_eq!(heard.iter().filter(|heard| heard.starts_with("line")).count(), LINES / 2);
    }

    #[test]
    fn what_the_room_looks_like_now_takes_the_place_of_what_it_looked_like() {
        let (line, waiting) = a_line();
        for n in 0..1000 {
            assert!(line.send_room(format!("room {n}").into()));
            line.send_line("psst".into());
        }
        // A room view after a state belongs to that state and stays behind it.
        assert!(line.send("state".into()) && line.send_room("after".into()));
        drop(line);
        let mut heard = all(waiting);
        heard.retain(|heard| heard != "psst");
        assert_eq!(heard, ["room 999", "state", "after", "1012"]);
    }
}
