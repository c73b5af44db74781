//! The way from a room to one client: straight out while the client keeps up, and else a bounded queue. Backpressure
//! stops here, since nobody waits for a slow reader: what does not fit into the queue closes the connection.
//!
//! Two kinds of message never do, however slowly somebody reads: of chat the oldest line is dropped, for the next welcome has it
//! all the same, and what the room looks like replaces what it looked like before (conflation). So a player is not cut off
//! by what others say, or by how many come and go.

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

/// Backpressure: how many messages may wait for a client, but for chat. A client that reads at all is never this far behind: a
/// game moves at the pace of people.
const QUEUE: usize = 64;
/// How many lines of chat may wait for a client.
const LINES: usize = 16;
/// Places for so many are kept when nothing waits.
const FEW: usize = 4;

/// The tenth message that is not of the contract, or comes too fast, closes the connection.
pub const MAX_BAD: u32 = 10;

/// What waits to be sent.
pub enum Out {
    /// A message.
    Text(Utf8Bytes),
    /// What is left of a message that went straight out.
    Rest,
    /// Nothing: the line is in another's seat now, or in nobody's.
    Moved,
    /// The last thing sent.
    Close(Close),
}

/// What waits in the queue.
enum Queued {
    Message(Utf8Bytes),
    /// What the room looks like.
    Room(Utf8Bytes),
    /// A line of chat.
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

/// The room's end, which sends without ever waiting.
pub struct Line {
    shared: Arc<Shared>,
    /// Who is at the other end.
    source: Source,
}

/// The socket's end.
pub struct Waiting {
    shared: Arc<Shared>,
}

/// What both ends share. A channel of the runtime's would do for the queue; but nearly always at most one message waits, and then
/// this one touches the same few bytes each time, where a channel walks through all of its slots. With thousands
/// of clients it is such bytes that a message has to wait for (cache misses).
#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    strikes: AtomicU32,
    met: AtomicBool,
    /// What waits in the queue, in bytes.
    account: Account,
}

#[derive(Default)]
struct Queue {
    /// What goes straight out goes here.
    wire: Option<Wire>,
    messages: VecDeque<Queued>,
    /// How many of these are lines of chat.
    lines: usize,
    /// Not all of what went straight out has been taken by the operating system. Nothing goes out before the rest of it.
    rest: bool,
    /// Why the line was cut. Nothing is sent after that.
    cut: Option<Close>,
    /// In whose seat the line is, and whether the socket is still to be told.
    seat: Option<PlayerId>,
    moved: bool,
    /// One of the two ends is no longer there.
    room_is_gone: bool,
    socket_is_gone: bool,
    /// The socket's task, and what it was last seen waiting for here.
    task: Option<Waker>,
    awaits: Awaits,
}

/// What the socket's task waits for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Awaits {
    /// It is at work, and will look.
    #[default]
    Nothing,
    /// Something to send.
    Message,
    /// To get something else done, unless the line is cut.
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

    /// The first reason is the true one.
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

    /// Sends a message straight out, if nothing goes before it and its client is at leisure; answers with what is to be queued.
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
        // What a burst has taken is given back.
        if self.messages.is_empty() && self.messages.capacity() > FEW {
            self.messages.shrink_to(FEW);
        }
        out
    }
}

impl Shared {
    fn held(&self) -> MutexGuard<'_, Queue> {
        // Nothing here panics halfway through a change, so what a poisoned lock holds is whole.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn strike(&self) -> bool {
        self.strikes.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_BAD
    }
}

/// A line to whoever is at the other end of this wire, and its other end, with the account of what waits between them.
pub fn line(wire: Wire, source: Source, account: Account) -> (Line, Waiting) {
    with(Some(wire), source, account)
}

/// The same without a wire: everything waits in the queue.
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
    /// Who is at the other end.
    pub fn source(&self) -> Source {
        self.source
    }

    /// Sends or queues a message; false if the queue was full, in messages or in bytes, and the line has been cut.
    #[must_use]
    pub fn send(&self, message: Utf8Bytes) -> bool {
        self.send_as(message, Queued::Message)
    }

    /// The same for what the room looks like. It takes the place of what it looked like before if that still waits and nothing but
    /// chat was sent since.
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

    /// Sends or queues a line of chat; answers how many were dropped for it: older ones, or itself if too many bytes wait.
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

    /// Sends or queues what means something only now. It takes a place among the lines of chat, and is dropped where half of them are
    /// taken: so it never drives out what somebody wrote.
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
            // It has ended by itself and will say so.
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

    /// The client sent something that is not of the contract; true if that was once too often.
    #[must_use]
    pub fn strike(&self) -> bool {
        self.shared.strike()
    }

    /// Whether anything was heard that shows that the welcome arrived.
    pub fn is_met(&self) -> bool {
        self.shared.met.load(Ordering::Relaxed)
    }

    /// The line is in this player's seat from now on, or in nobody's. What says so to the client is sent after it.
    pub fn seat(&self, player: Option<PlayerId>) {
        let mut queue = self.shared.held();
        if std::mem::replace(&mut queue.seat, player) != player {
            // The socket is told by itself, for what the client is told may go straight out.
            queue.moved = true;
            queue.wake();
        }
    }

    /// Closes after what is queued, or at once if there is no place for that.
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
    /// What to send next. A room that ended without a word leaves a line that says: come back.
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

    /// The client sent something that is not of the contract; true if that was once too often.
    #[must_use]
    pub fn strike(&self) -> bool {
        self.shared.strike()
    }

    /// So many bytes of what waited are sent.
    pub fn sent(&self, bytes: usize) {
        self.shared.account.give_back(bytes);
    }

    /// In whose seat the line is.
    pub fn seat(&self) -> Option<PlayerId> {
        let mut queue = self.shared.held();
        queue.moved = false;
        queue.seat
    }

    /// Something was heard that shows that the welcome arrived.
    pub fn meet(&self) {
        self.shared.met.store(true, Ordering::Relaxed);
    }

    /// Ends when the line is cut, for whoever waits for something else meanwhile.
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
        // The room may not hear of it at once, and the connection ends with the last who holds it.
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

    /// All that waits, and how the line ends.
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

    /// Looks once, as this task would, for what a future has.
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
        // What follows a state was made for it, and stays behind it.
        assert!(line.send("state".into()) && line.send_room("after".into()));
        drop(line);
        let mut heard = all(waiting);
        heard.retain(|heard| heard != "psst");
        assert_eq!(heard, ["room 999", "state", "after", "1012"]);
    }
}
