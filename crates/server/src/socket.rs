//! One WebSocket connection: reads protocol messages, passes them to the room, and sends what the room answers.
//!
//! It does not know what a message does.

use crate::RoomCode;
use crate::address::Source;
use crate::frames::Unbounded;
use crate::handle::{Arrival, ConnectionId, Handle, NotJoined, Who};
use crate::limits::Pace;
use crate::limits::places::{Call, Place};
use crate::line::{Line, MAX_BAD, Out, Waiting, line};
use crate::metrics::Metrics;
use crate::registry::{self, Location, NoEntry};
use crate::shared::Shared;
use crate::websocket::{Error, Message, Utf8Bytes, WebSocket};
use crate::wire::Wire;
use game::Salt;
use journal::ownership::{Lease, Term};
use protocol::{ClientMessage, Close, Code, MAX_MESSAGE, PROTOCOL, ServerMessage};
use room::{Name, PlayerId};
use serde::Deserialize;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout};
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

/// Handshake timeout: the first message must arrive within this time after the upgrade.
const FIRST_MESSAGE: Duration = Duration::from_secs(10);
/// Handshake timeout when connection slots are scarce. The page sends its join as soon as the upgrade is answered.
const FIRST_MESSAGE_IN_VESTIBULE: Duration = Duration::from_secs(5);
/// Heartbeat: time a connection has to prove that it is alive after its seat was opened on another connection.
const PROOF: Duration = Duration::from_secs(10);
/// Heartbeat: interval between pings. Proxies close connections that are silent for a minute.
const PING: Duration = Duration::from_secs(20);
/// Heartbeat: a connection without any sign of life for this long is dead. Phones drop connections silently.
const DEAD: Duration = Duration::from_secs(60);
/// Timeout for the closing handshake. A whole shutdown has five seconds.
const GOODBYE: Duration = Duration::from_secs(3);
/// Number of attempts to join a room that is unloaded at the same moment.
const ENTRIES: usize = 8;

/// The client of a connection, as far as it is known before a join.
pub struct Visitor {
    pub source: Source,
    pub place: Arc<Place>,
    /// Connection slots are scarce: the connection may stay only if it presents a seat token.
    pub in_vestibule: bool,
}

/// A connection to a client, or to the server that relays for the client.
pub struct Socket {
    wire: Wire,
    heard: Instant,
    /// A frame that cannot be read blocks the stream, so nothing more will be received.
    deaf: bool,
    metrics: Arc<Metrics>,
    pace: Pace,
    visitor: Visitor,
    /// Player whose seat this connection uses, as reported to its slot.
    seat: Option<PlayerId>,
    /// The server's lease and the term in which the room was entered, or `None` if another server owns the room.
    term: Option<(Lease, Term)>,
    /// Another server relays the client's messages.
    relayed: bool,
    /// Number of messages that came too fast to be relayed. In a local room, `Waiting` counts them instead.
    strikes: u32,
}

/// An event received from a client.
pub enum Heard {
    /// A message.
    Text(Utf8Bytes),
    /// An answer to a ping.
    Pong,
    /// The client closed the connection, or the connection broke.
    End,
    /// The client sent something that requires closing the connection.
    Bad(Close),
}

/// Serves a connection until it ends.
// Not an `async fn`: its future would store every argument in addition to the socket that is built from them.
pub fn serve(
    ws: WebSocket,
    shared: Arc<Shared>,
    code: RoomCode,
    room: Handle,
    visitor: Visitor,
) -> impl Future<Output = ()> {
    let mut socket = Socket::new(ws, &shared, visitor);
    async move { socket.serve(&shared, code, room).await }
}

/// Serves a connection relayed by another server, which has checked admission and enforces the rate limits.
pub async fn serve_relayed(
    ws: WebSocket,
    shared: Arc<Shared>,
    code: RoomCode,
    room: Handle,
    visitor: Visitor,
) {
    let mut socket = Socket::new(ws, &shared, visitor);
    socket.relayed = true;
    socket.serve(&shared, code, room).await;
}

/// The heartbeat timer. Every message wakes the task that also waits for the timer, and polling the timer each time
/// would be wasteful. So it is polled once after it is set, which registers the task's waker, and again when it is due.
struct Heartbeat {
    timer: Pin<Box<Sleep>>,
    due: Instant,
    set: bool,
}

impl Heartbeat {
    fn new() -> Heartbeat {
        let due = Instant::now() + PING;
        Heartbeat { timer: Box::pin(sleep_until(due)), due, set: false }
    }

    /// Completes when a ping is due, and schedules the next one. Cancel-safe, as long as it is awaited again in the
    /// same task.
    async fn beat(&mut self) {
        poll_fn(|context| {
            if self.set && Instant::now() < self.due {
                return Poll::Pending;
            }
            self.set = true;
            ready!(self.timer.as_mut().poll(context));
            self.due = Instant::now() + PING;
            self.timer.as_mut().reset(self.due);
            self.set = false;
            Poll::Ready(())
        })
        .await
    }

    /// Reschedules the next beat.
    fn within(&mut self, time: Duration) {
        self.due = Instant::now() + time;
        self.timer.as_mut().reset(self.due);
        self.set = false;
    }
}

impl Socket {
    /// Creates a connection on which nothing has been received yet.
    pub fn new(ws: WebSocket, shared: &Shared, visitor: Visitor) -> Socket {
        Socket {
            wire: Wire::new(ws),
            heard: Instant::now(),
            deaf: false,
            metrics: shared.metrics.clone(),
            pace: shared.limits.pace(visitor.source),
            visitor,
            seat: None,
            term: None,
            relayed: false,
            strikes: 0,
        }
    }

    async fn serve(&mut self, shared: &Arc<Shared>, code: RoomCode, room: Handle) {
        if let Err(close) = self.begin_term(shared) {
            return self.close(close).await;
        }
        let close = match self.first_message(shared).await {
            Ok(join) if self.may_come_in(shared, &join) => self.in_room(shared, code, room, join).await,
            Ok(_) => Some(Close::TryLater),
            Err(close) => close,
        };
        if let Some(close) = close {
            Box::pin(self.close_for_bounds(shared, close)).await;
        }
    }

    /// Records the lease term in which the room is entered. Fails if the server has no valid lease.
    fn begin_term(&mut self, shared: &Shared) -> Result<(), Close> {
        let term = shared.lease.term().ok_or(Close::Restart)?;
        self.term = Some((shared.lease.clone(), term));
        Ok(())
    }

    /// Returns the connection slot.
    pub fn place(&self) -> Arc<Place> {
        self.visitor.place.clone()
    }

    /// Returns the client address.
    pub fn source(&self) -> Source {
        self.visitor.source
    }

    /// Joins a room with a join message that was already parsed, and serves the connection until it ends. If the join
    /// fails, the connection stays open.
    pub async fn play(
        &mut self,
        shared: &Arc<Shared>,
        code: RoomCode,
        room: Handle,
        join: Arrival,
    ) -> Result<(), Close> {
        self.begin_term(shared)?;
        let (room, me, mut waiting) = self.come_in(shared, code, room, join).await?;
        if let Some(close) = self.stay(code, &room, me, &mut waiting).await {
            self.close_for_bounds(shared, close).await;
        }
        Ok(())
    }

    /// Answers an invalid first message and closes the connection.
    pub async fn refuse_join(&mut self, NoJoin { say, close }: NoJoin) {
        if let Some(refusal) = say {
            self.send_now(&refusal).await;
        }
        self.close(close).await;
    }

    /// Sends an `error` message that precedes a close.
    pub async fn say_error(&mut self, code: Code, detail: &str) {
        self.send_now(&error(code, detail)).await;
    }

    /// Closes the connection, and counts it in the metrics if a limit caused it.
    pub async fn close_for_bounds(&mut self, shared: &Shared, close: Close) {
        match close {
            Close::TryLater => shared.metrics.cut("sockets"),
            Close::TooMany => shared.metrics.cut("messages"),
            _ => {}
        }
        self.close(close).await;
    }

    /// Returns whether the client may join. When connection slots are scarce, only joins with a seat token may; the
    /// room validates the token later. The join rate limit is applied by the server to which the client is connected.
    pub fn may_come_in(&self, shared: &Shared, join: &Arrival) -> bool {
        let Visitor { source, in_vestibule, .. } = self.visitor;
        (!in_vestibule || matches!(join.who, Who::Token(_)))
            && (self.relayed || shared.limits.may_join(source))
    }

    /// Returns the first message of a client whose room is on another server, or the reason to close the connection.
    /// The other server validates the message; only admission is checked here.
    pub async fn join_to_pass_on(&mut self, shared: &Shared) -> Result<Utf8Bytes, Option<Close>> {
        let text = self.first_text(shared).await?;
        let may_come_in = read_join(&text).map_or(true, |join| self.may_come_in(shared, &join));
        if may_come_in { Ok(text) } else { Err(Some(Close::TryLater)) }
    }

    /// Returns the first message, or the reason to close the connection (`None` if it is already gone).
    pub async fn first_text(&mut self, shared: &Shared) -> Result<Utf8Bytes, Option<Close>> {
        let (within, late) = if self.visitor.in_vestibule {
            (FIRST_MESSAGE_IN_VESTIBULE, Close::TryLater)
        } else {
            (FIRST_MESSAGE, Close::BadJoin)
        };
        let place = self.visitor.place.clone();
        let heard = tokio::select! {
            () = shared.draining.cancelled() => return Err(Some(Close::Restart)),
            () = place.must_go() => return Err(Some(Close::TryLater)),
            heard = timeout(within, self.hear_first()) => heard.unwrap_or(Heard::Bad(late)),
        };
        match heard {
            Heard::Text(text) => Ok(text),
            Heard::Bad(close) => Err(Some(close)),
            Heard::Pong | Heard::End => Err(None),
        }
    }

    /// Returns the parsed join, or the reason to close the connection (`None` if it is already gone).
    async fn first_message(&mut self, shared: &Shared) -> Result<Arrival, Option<Close>> {
        let text = self.first_text(shared).await?;
        match read_join(&text) {
            Ok(join) => Ok(join),
            Err(NoJoin { say, close }) => {
                if let Some(refusal) = say {
                    self.send_now(&refusal).await;
                }
                Err(Some(close))
            }
        }
    }

    /// Joins the room and serves the connection. Returns the reason to close it, or `None` if it is already gone.
    async fn in_room(
        &mut self,
        shared: &Arc<Shared>,
        code: RoomCode,
        room: Handle,
        join: Arrival,
    ) -> Option<Close> {
        let (room, me, mut waiting) = match self.come_in(shared, code, room, join).await {
            Ok(entered) => entered,
            Err(close) => return Some(close),
        };
        self.stay(code, &room, me, &mut waiting).await
    }

    /// Joins the room, or returns the reason to close the connection.
    async fn come_in(
        &self,
        shared: &Arc<Shared>,
        code: RoomCode,
        room: Handle,
        join: Arrival,
    ) -> Result<(Handle, ConnectionId, Waiting), Close> {
        let source = self.visitor.source;
        let (line, waiting) = line(self.wire.clone(), source, shared.limits.account(source));
        let (room, me) = enter(shared, code, room, join, line).await?;
        Ok((room, me, waiting))
    }

    /// Serves a connection that has joined. Returns the reason to close it, or `None` if it is already gone.
    async fn stay(
        &mut self,
        code: RoomCode,
        room: &Handle,
        me: ConnectionId,
        waiting: &mut Waiting,
    ) -> Option<Close> {
        let end = match self.tell_seat(code, waiting).await {
            Ok(()) => self.talk(code, room, me, waiting).await,
            Err(close) => close,
        };
        // Deregister before the closing handshake, which may be slow.
        room.gone(me).await;
        end
    }

    /// Reports to the connection slot whose seat the connection uses. Seated connections are evicted last.
    pub fn move_to_seat(&mut self, code: RoomCode, seat: Option<PlayerId>) -> Result<(), Close> {
        if seat != self.seat {
            self.seat = seat;
            match seat {
                Some(PlayerId(id)) => {
                    self.visitor.place.seat((code, id.into())).map_err(|_| Close::TryLater)?
                }
                None => self.visitor.place.unseat(),
            }
        }
        Ok(())
    }

    /// Reports the seat to the connection slot. For a relayed client it also reports the seat to the relaying server,
    /// which needs it for its own slots. This precedes the welcome.
    async fn tell_seat(&mut self, code: RoomCode, waiting: &Waiting) -> Result<(), Option<Close>> {
        let seat = waiting.seat();
        if self.relayed && seat != self.seat {
            self.send(waiting, seat_frame(seat)).await.ok_or(None)?;
        }
        self.move_to_seat(code, seat).map_err(Some)
    }

    async fn talk(
        &mut self,
        code: RoomCode,
        room: &Handle,
        me: ConnectionId,
        waiting: &mut Waiting,
    ) -> Option<Close> {
        // No ping is sent before the welcome, and the first ping follows it immediately: its pong confirms that the
        // welcome arrived.
        match waiting.next().await {
            Out::Text(welcome) => self.send_queued(waiting, welcome).await?,
            Out::Rest => self.send_rest(waiting).await?,
            // The slot already knows the seat.
            Out::Moved => {}
            Out::Close(close) => return Some(close),
        }
        self.send(waiting, self.heartbeat()).await?;
        let mut ping = Heartbeat::new();
        // Set while the connection has to prove that it is alive because its seat was opened on another connection.
        let mut asked: Option<Instant> = None;
        let place = self.visitor.place.clone();
        // Reused across loop iterations, until it completes.
        let mut called = pin!(place.called());
        loop {
            let heard = tokio::select! {
                // Queued messages are sent before the socket is read: a read that finds nothing costs more.
                biased;
                out = waiting.next() => {
                    match out {
                        Out::Text(text) => self.send_queued(waiting, text).await?,
                        Out::Rest => self.send_rest(waiting).await?,
                        Out::Moved => {
                            if let Err(close) = self.tell_seat(code, waiting).await {
                                return close;
                            }
                        }
                        Out::Close(close) => return Some(close),
                    }
                    continue;
                }
                heard = self.hear() => heard,
                call = called.as_mut() => {
                    if call == Call::MakeWay {
                        return Some(Close::TryLater);
                    }
                    called.set(place.called());
                    asked = Some(Instant::now());
                    self.send(waiting, self.heartbeat()).await?;
                    ping.within(PROOF);
                    continue;
                }
                () = ping.beat() => {
                    let dead = match asked.take() {
                        Some(asked) => self.heard < asked,
                        None => self.heard.elapsed() > DEAD,
                    };
                    if dead {
                        return Some(Close::TooSlow);
                    }
                    self.send(waiting, self.heartbeat()).await?;
                    continue;
                }
            };
            let text = match heard {
                Heard::Text(text) => text,
                Heard::Pong => {
                    waiting.meet();
                    continue;
                }
                Heard::Bad(close) => return Some(close),
                Heard::End => return None,
            };
            waiting.meet();
            // The relaying server enforces the rate limit, and messages that it delayed may arrive in a burst.
            let pace = (!self.relayed).then_some(&self.pace);
            let answer = match read(&text, pace) {
                Ok(ClientMessage::Ping { t }) => ServerMessage::Pong { t: &t }.to_json(),
                Ok(message) => {
                    tokio::select! {
                        biased;
                        said = room.say(me, message) => {
                            if said.is_err() {
                                return Some(Close::Restart);
                            }
                        }
                        close = waiting.until_cut() => return Some(close),
                    }
                    continue;
                }
                Err(refusal) => {
                    if waiting.strike() {
                        self.send_now(&refusal).await;
                        return Some(Close::TooMany);
                    }
                    refusal
                }
            };
            self.send(waiting, Message::Text(answer.into())).await?;
        }
    }

    /// Returns the first message. Pongs are skipped: nothing has been pinged yet.
    async fn hear_first(&mut self) -> Heard {
        loop {
            match self.hear().await {
                Heard::Pong => {}
                heard => return heard,
            }
        }
    }

    /// Returns the next message, with control frames and connection errors handled. Cancel-safe.
    pub async fn hear(&mut self) -> Heard {
        loop {
            let message = match self.wire.recv().await {
                None => return Heard::End,
                Some(Err(error)) => return self.breaks(&error),
                Some(Ok(message)) => message,
            };
            self.heard = Instant::now();
            match message {
                // Flood control: answering pings costs as much as answering messages.
                Message::Ping(_) | Message::Pong(_) if !self.relayed && !self.pace.allows_control() => {
                    return Heard::Bad(Close::TooMany);
                }
                Message::Text(text) if text.len() > MAX_MESSAGE => return Heard::Bad(Close::TooLong),
                Message::Text(text) => return Heard::Text(text),
                Message::Binary(bytes) if bytes.len() > MAX_MESSAGE => return Heard::Bad(Close::TooLong),
                Message::Binary(_) => return Heard::Bad(Close::NotText),
                Message::Pong(_) => return Heard::Pong,
                // Backpressure: the pong is sent before anything else is read. A client that sends pings without
                // reading is not read either, so at most one pong is pending.
                Message::Ping(_) => match self.wire.flush().await {
                    Ok(()) => {}
                    Err(error) => return self.breaks(&error),
                },
                Message::Frame(_) => {}
                // Read to the end of the stream, so that the peer can finish the closing handshake before the socket is
                // closed.
                Message::Close(_) => {
                    let to_the_end = async { while let Some(Ok(_)) = self.wire.recv().await {} };
                    let _ = Box::pin(timeout(GOODBYE, to_the_end)).await;
                    return Heard::End;
                }
            }
        }
    }

    /// Returns the refusal of a message that comes too fast to be relayed, and whether the client has done so too
    /// often.
    pub fn too_fast_to_pass_on(&mut self, text: &str) -> Option<(String, bool)> {
        let refusal = too_fast(text, &self.pace)?;
        self.strikes += 1;
        Some((refusal, self.strikes >= MAX_BAD))
    }

    fn breaks(&mut self, error: &Error) -> Heard {
        let meaning = broken(error);
        self.deaf = matches!(meaning, Heard::Bad(_));
        meaning
    }

    /// Sends a queued message and releases its bytes from the memory quota.
    async fn send_queued(&mut self, waiting: &Waiting, text: Utf8Bytes) -> Option<()> {
        let bytes = text.len();
        let sent = self.send(waiting, Message::Text(text)).await;
        waiting.sent(bytes);
        sent
    }

    /// Sends a message. Returns `None` if the connection broke, or if it was closed here because the room cut it off,
    /// it was evicted, the lease term ended, or the client did not read for too long.
    async fn send(&mut self, waiting: &Waiting, message: Message) -> Option<()> {
        self.while_it_is_ours().await?;
        let sent = in_time(self.wire.send(message), waiting, &self.visitor.place, self.term.as_ref()).await;
        self.or_close(sent).await
    }

    /// Sends the rest of messages that the room has sent directly. Returns `None` in the same cases as `send`.
    async fn send_rest(&mut self, waiting: &Waiting) -> Option<()> {
        let sent = in_time(self.wire.flush(), waiting, &self.visitor.place, self.term.as_ref()).await;
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

    /// Returns a heartbeat: a ping, or a pong on a relayed connection. The relaying server turns the pong into a ping
    /// for the client and returns the client's answer. It would answer a ping by itself, which would not show that the
    /// welcome arrived.
    fn heartbeat(&self) -> Message {
        if self.relayed { Message::Pong(Default::default()) } else { Message::Ping(Default::default()) }
    }

    /// Sends a last message before closing, with a short timeout.
    async fn send_now(&mut self, text: &str) {
        let _ = timeout(GOODBYE, self.wire.send(Message::Text(text.into()))).await;
    }

    /// Sends the close reason and reads on until the peer has answered.
    pub async fn close(&mut self, close: Close) {
        self.close_with(close.code()).await;
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
    waiting: &Waiting,
    place: &Place,
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
        () = place.must_go() => Err(Close::TryLater),
    }
}

/// Waits until the lease term ends. Never completes if another server owns the room.
async fn ended(term: Option<&(Lease, Term)>) {
    match term {
        Some((lease, term)) => lease.ended(*term).await,
        None => std::future::pending().await,
    }
}

/// Joins the room. It may be unloaded between lookup and join, so a failed attempt looks it up again.
async fn enter(
    shared: &Arc<Shared>,
    code: RoomCode,
    mut room: Handle,
    mut join: Arrival,
    mut line: Line,
) -> Result<(Handle, ConnectionId), Close> {
    for _ in 0..ENTRIES {
        match room.join(join, line).await {
            Ok(me) => return Ok((room, me)),
            Err(NotJoined::Closed(close)) => return Err(close),
            Err(NotJoined::Ended(back, kept)) => (join, line) = (back, kept),
        }
        tokio::task::yield_now().await;
        match registry::enter(shared, code, Some(line.source())).await.map_err(NoEntry::close)? {
            Location::Here(next) => room = next,
            // The client reconnects and is relayed there.
            Location::There(_) => return Err(Close::Restart),
        }
    }
    Err(Close::Restart)
}

/// Encodes whose seat a connection uses, for the relaying server: the player id, or nothing for no seat. Clients never
/// receive this frame.
fn seat_frame(seat: Option<PlayerId>) -> Message {
    Message::Binary(seat.map(|PlayerId(id)| id.to_be_bytes().to_vec()).unwrap_or_default().into())
}

/// Decodes a frame made by `seat_frame`.
pub fn read_seat(frame: &[u8]) -> Option<PlayerId> {
    frame.try_into().ok().map(|id| PlayerId(u32::from_be_bytes(id)))
}

/// Returns the refusal of a message that exceeds the rate limit, or `None` if it is allowed.
fn too_fast(text: &str, pace: &Pace) -> Option<String> {
    if pace.allows_message() {
        return None;
    }
    let n = match ClientMessage::read(text) {
        Ok(ClientMessage::Act { n, .. }) => Some(n),
        _ => None,
    };
    let (code, detail) = (Code::TooFast.as_str(), "too many messages at once");
    let refusal = match n {
        Some(n) => ServerMessage::Rejected { n, code, detail },
        None => ServerMessage::Error { code, detail },
    };
    Some(refusal.to_json())
}

fn read(text: &str, pace: Option<&Pace>) -> Result<ClientMessage, String> {
    if let Some(refusal) = pace.and_then(|pace| too_fast(text, pace)) {
        return Err(refusal);
    }
    match ClientMessage::read(text) {
        Ok(ClientMessage::Join { .. }) => Err(error(Code::BadMessage, "already joined")),
        Ok(message) => Ok(message),
        Err(wrong) => Err(error(Code::BadMessage, &wrong.to_string())),
    }
}

/// A first message that is not a valid join.
pub struct NoJoin {
    /// The error to send before closing.
    say: Option<String>,
    close: Close,
}

impl From<String> for NoJoin {
    fn from(refusal: String) -> NoJoin {
        NoJoin { say: Some(refusal), close: Close::BadJoin }
    }
}

/// Parses the first message.
pub fn read_join(text: &str) -> Result<Arrival, NoJoin> {
    if speaks_another_protocol(text) {
        return Err(NoJoin { say: None, close: Close::OtherProtocol });
    }
    let message = ClientMessage::read(text).map_err(|wrong| error(Code::BadMessage, &wrong.to_string()))?;
    let ClientMessage::Join { name, token, watch, salt, bot, .. } = message else {
        return Err(error(Code::BadMessage, "the first message is a join").into());
    };
    let salt = salt.map(|salt| read_salt(&salt)).transpose()?;
    let who = match (token, name) {
        (Some(token), _) => Who::Token(token),
        (None, name) => {
            let name = name.and_then(|name| Name::new(&name));
            let name = name.ok_or_else(|| error(Code::BadName, "1–20 visible characters"))?;
            if watch { Who::Watcher(name) } else { Who::Player(name) }
        }
    };
    Ok(Arrival { who, salt, program: bot })
}

/// Returns whether the message is a join of another protocol version. This is checked before parsing, because such a
/// join may have unknown fields.
fn speaks_another_protocol(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Spoken {
        r#type: String,
        protocol: Option<u32>,
    }
    let spoken = serde_json::from_str::<Spoken>(text).ok().filter(|spoken| spoken.r#type == "join");
    spoken.and_then(|spoken| spoken.protocol).is_some_and(|protocol| protocol != PROTOCOL)
}

fn read_salt(text: &str) -> Result<Salt, String> {
    let mut salt = [0; 16];
    let read = hex::decode_to_slice(text, &mut salt).is_ok() && Salt(salt).is_fit();
    if read { Ok(Salt(salt)) } else { Err(error(Code::BadMessage, "a salt is 32 random hex digits")) }
}

fn error(code: Code, detail: &str) -> String {
    ServerMessage::Error { code: code.as_str(), detail }.to_json()
}

/// Interprets a connection error: an unreadable frame is the client's fault, anything else ends the connection.
fn broken(error: &Error) -> Heard {
    match error {
        Error::Capacity(_) => Heard::Bad(Close::TooLong),
        Error::Utf8(_) => Heard::Bad(Close::NotUtf8),
        Error::Protocol(
            ProtocolError::ResetWithoutClosingHandshake
            | ProtocolError::ReceivedAfterClosing
            | ProtocolError::SendAfterClosing,
        ) => Heard::End,
        Error::Protocol(_) => Heard::Bad(Close::BadFrame),
        Error::Io(error) => match error.get_ref().and_then(|error| error.downcast_ref()) {
            Some(Unbounded::TooMany) => Heard::Bad(Close::TooMany),
            Some(Unbounded::TooLong) => Heard::Bad(Close::TooLong),
            None => Heard::End,
        },
        _ => Heard::End,
    }
}
