//! The path from a room to one client: messages are sent directly while the client keeps up, and through a bounded
//! queue otherwise. The room never waits for a slow reader: a full queue closes the connection.
//!
//! Two kinds of message never do that. The oldest chat line is dropped, since the next welcome contains it anyway, and
//! a new room view replaces the queued one (conflation). So a player is not disconnected because others talk, join or
//! leave.

mod queue;
mod reader;

use crate::client_addr::ClientAddr;
use crate::limits::Account;
use crate::websocket::Utf8Bytes;
use crate::wire::Wire;
use parking_lot::Mutex;
use protocol::Close;
use queue::{LINES, OutboxQueue, Queued};
use room::PlayerId;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

pub use queue::Out;
pub use reader::OutboxReader;

/// Number of invalid or too frequent messages after which the connection is closed.
pub const MAX_BAD: u32 = 10;

/// The room's end of a connection, which sends without waiting.
pub struct Outbox {
    shared: Arc<OutboxState>,
    /// The client address.
    source: ClientAddr,
}

/// State shared by both ends. A tokio channel would work too, but it walks through all of its slots. At most one
/// message is queued nearly always, and then this queue touches the same few bytes each time. With thousands of
/// clients, these cache misses dominate the cost of a message.
struct OutboxState {
    queue: Mutex<OutboxQueue>,
    strikes: AtomicU32,
    /// Whether the client has confirmed that the welcome arrived.
    confirmed: AtomicBool,
    /// Accounts for the bytes in the queue.
    account: Account,
}

impl OutboxState {
    fn strike(&self) -> bool {
        self.strikes.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_BAD
    }
}

/// Creates both ends of a connection. The account counts the queued bytes.
pub fn outbox(wire: Wire, source: ClientAddr, account: Account) -> (Outbox, OutboxReader) {
    with(Some(wire), source, account)
}

/// Creates both ends without a WebSocket, so that every message is queued.
#[cfg(test)]
pub fn without_wire(source: ClientAddr) -> (Outbox, OutboxReader) {
    with(None, source, Account::default())
}

fn with(wire: Option<Wire>, source: ClientAddr, account: Account) -> (Outbox, OutboxReader) {
    let queue = Mutex::new(OutboxQueue::new(wire));
    let (strikes, confirmed) = (AtomicU32::new(0), AtomicBool::new(false));
    let shared = Arc::new(OutboxState { queue, strikes, confirmed, account });
    (Outbox { shared: shared.clone(), source }, OutboxReader { shared })
}

impl Outbox {
    /// Returns the client address.
    pub fn source(&self) -> ClientAddr {
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
        let mut queue = self.shared.queue.lock();
        if let Some(before) = queue.room_view() {
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
        let mut queue = self.shared.queue.lock();
        if queue.socket_is_gone {
            return 0;
        }
        let Some(message) = queue.try_send(message) else { return 0 };
        let mut dropped = 0;
        if let Some(bytes) = queue.make_room_for_line() {
            self.shared.account.give_back(bytes);
            dropped += 1;
        }
        if !self.shared.account.take(message.len()) {
            return dropped + 1;
        }
        queue.push_line(message);
        dropped
    }

    /// Sends or queues a message that matters only at this moment. It counts as a chat line and is dropped if half of
    /// the chat slots are used, so it never displaces chat.
    pub fn send_passing(&self, message: Utf8Bytes) {
        let mut queue = self.shared.queue.lock();
        if queue.socket_is_gone {
            return;
        }
        let Some(message) = queue.try_send(message) else { return };
        if queue.lines < LINES / 2 && self.shared.account.take(message.len()) {
            queue.push_line(message);
        }
    }

    fn send_as(&self, message: Utf8Bytes, kind: fn(Utf8Bytes) -> Queued) -> bool {
        let mut queue = self.shared.queue.lock();
        if queue.socket_is_gone {
            // The socket has ended and will report that itself.
            return true;
        }
        let Some(message) = queue.try_send(message) else { return true };
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
    pub fn is_confirmed(&self) -> bool {
        self.shared.confirmed.load(Ordering::Relaxed)
    }

    /// Sets the player whose seat the connection uses, or none. The message that informs the client is sent after this.
    pub fn seat(&self, player: Option<PlayerId>) {
        let mut queue = self.shared.queue.lock();
        if std::mem::replace(&mut queue.seat, player) != player {
            // Wake the socket separately, because the message to the client may be sent directly.
            queue.moved = true;
            queue.wake();
        }
    }

    /// Closes the connection after the queued messages, or at once if the queue is full.
    pub fn hang_up(self, why: Close) {
        let mut queue = self.shared.queue.lock();
        if queue.is_full() { queue.cut(why) } else { queue.push(Queued::Close(why)) }
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        let mut queue = self.shared.queue.lock();
        queue.room_is_gone = true;
        queue.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::queue::{FEW, QUEUE};
    use super::*;
    use axum::http::HeaderMap;
    use std::pin::pin;
    use std::sync::atomic::AtomicUsize;
    use std::task::{Context, Poll, Wake, Waker};

    /// Counts how often a task is woken.
    #[derive(Default)]
    pub(super) struct Alarm(pub AtomicUsize);

    impl Wake for Alarm {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn an_outbox() -> (Outbox, OutboxReader) {
        without_wire(ClientAddr::of([192, 0, 2, 1].into(), &HeaderMap::new(), &[]))
    }

    /// Returns all queued messages and the close code, if any.
    fn all(mut waiting: OutboxReader) -> Vec<String> {
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
            Poll::Ready(Out::Flush | Out::Moved) => unreachable!("there is no wire, and no seat changes"),
            Poll::Pending => Err(None),
        }
    }

    #[test]
    fn wakes_a_socket_once_and_delivers_messages_in_order() {
        let ((outbox, mut waiting), alarm) = (an_outbox(), Arc::default());
        assert_eq!(said(look(waiting.next(), &alarm)), Err(None));
        assert!(outbox.send("one".into()) && outbox.send("two".into()));
        assert_eq!(alarm.0.load(Ordering::Relaxed), 1);
        outbox.hang_up(Close::Left);
        assert_eq!(said(look(waiting.next(), &alarm)).unwrap(), "one");
        assert_eq!(said(look(waiting.next(), &alarm)).unwrap(), "two");
        assert_eq!(said(look(waiting.next(), &alarm)), Err(Some(Close::Left)));
    }

    #[test]
    fn cuts_a_connection_whose_queue_is_full() {
        let ((outbox, mut waiting), alarm) = (an_outbox(), Arc::default());
        assert!((0..QUEUE).all(|_| outbox.send("a state".into())));
        assert!(look(waiting.until_cut(), &alarm).is_pending(), "a full queue alone does not cut the connection");
        assert!(!outbox.send("one too many".into()));
        assert_eq!(alarm.0.load(Ordering::Relaxed), 1, "the waiting sender is woken by the cut");
        assert_eq!(look(waiting.until_cut(), &alarm), Poll::Ready(Close::TooSlow));
        outbox.hang_up(Close::Removed);
        assert_eq!(said(look(waiting.next(), &alarm)), Err(Some(Close::TooSlow)), "the first reason is kept");
    }

    #[test]
    fn dropping_one_end_notifies_the_other_and_frees_the_queue() {
        let ((room, mut waiting), alarm) = (an_outbox(), Arc::default());
        assert_eq!(said(look(waiting.next(), &alarm)), Err(None));
        drop(room);
        assert_eq!(alarm.0.load(Ordering::Relaxed), 1);
        assert_eq!(said(look(waiting.next(), &alarm)), Err(Some(Close::Restart)));

        let (room, waiting) = an_outbox();
        assert!(room.send("never read".into()));
        drop(waiting);
        assert!((0..2 * QUEUE).all(|_| room.send("never read".into())), "the socket itself reports that it is gone");
        assert_eq!(room.shared.queue.lock().messages.capacity(), 0);
    }

    #[test]
    fn notifies_the_socket_of_its_seat() {
        let ((outbox, mut waiting), alarm) = (an_outbox(), Arc::default());
        assert_eq!(said(look(waiting.next(), &alarm)), Err(None));
        outbox.seat(Some(PlayerId(3)));
        assert_eq!(alarm.0.load(Ordering::Relaxed), 1);
        assert!(matches!(look(waiting.next(), &alarm), Poll::Ready(Out::Moved)));
        assert_eq!(waiting.take_seat_change(), Some(PlayerId(3)));
        outbox.seat(Some(PlayerId(3)));
        assert_eq!(said(look(waiting.next(), &alarm)), Err(None), "the seat has not changed");
    }

    #[test]
    fn releases_memory_after_a_burst() {
        let ((outbox, mut waiting), alarm) = (an_outbox(), Arc::default());
        assert!((0..QUEUE).all(|_| outbox.send("a state".into())));
        for _ in 0..QUEUE {
            said(look(waiting.next(), &alarm)).unwrap();
        }
        assert!(waiting.shared.queue.lock().messages.capacity() <= FEW);
    }

    #[test]
    fn drops_old_chat_lines_instead_of_cutting_a_slow_reader() {
        let (outbox, waiting) = an_outbox();
        assert!(outbox.send("state".into()));
        let dropped: usize = (0..1000).map(|n| outbox.send_line(format!("line {n}").into())).sum();
        assert_eq!(dropped, 1000 - LINES);
        assert!((1..QUEUE).all(|_| outbox.send("state".into())), "chat takes no slots of states");
        drop(outbox);
        let mut heard = all(waiting);
        heard.retain(|heard| heard != "state");
        assert_eq!((heard.len(), &*heard[0], &*heard[LINES - 1]), (LINES + 1, "line 984", "line 999"));
    }

    #[test]
    fn drops_reactions_before_chat_lines() {
        let (outbox, waiting) = an_outbox();
        (0..1000).for_each(|_| outbox.send_passing("clap".into()));
        let dropped: usize = (0..LINES / 2).map(|n| outbox.send_line(format!("line {n}").into())).sum();
        outbox.send_passing("clap".into());
        assert_eq!(dropped, 0);
        assert!((0..QUEUE).all(|_| outbox.send("state".into())), "reactions take no slots of states");
        drop(outbox);
        let heard = all(waiting);
        assert_eq!(heard.iter().filter(|heard| *heard == "clap").count(), LINES / 2);
        assert_eq!(heard.iter().filter(|heard| heard.starts_with("line")).count(), LINES / 2);
    }

    #[test]
    fn a_new_room_view_replaces_a_queued_one() {
        let (outbox, waiting) = an_outbox();
        for n in 0..1000 {
            assert!(outbox.send_room(format!("room {n}").into()));
            outbox.send_line("psst".into());
        }
        // A room view after a state belongs to that state and stays behind it.
        assert!(outbox.send("state".into()) && outbox.send_room("after".into()));
        drop(outbox);
        let mut heard = all(waiting);
        heard.retain(|heard| heard != "psst");
        assert_eq!(heard, ["room 999", "state", "after", "1012"]);
    }
}
