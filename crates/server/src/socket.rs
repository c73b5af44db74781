//! One WebSocket: reads messages of the contract, hands them to the room, and writes what the room says.
//!
//! It knows nothing of what a message does.

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

/// Handshake timeout: the first message must come within this time of the upgrade.
const FIRST_MESSAGE: Duration = Duration::from_secs(10);
/// The same for whoever comes when places are short: a page sends its join with the upgrade's answer.
const FIRST_MESSAGE_IN_VESTIBULE: Duration = Duration::from_secs(5);
/// Heartbeat: how long a line may take to show that it lives when its seat was opened on another.
const PROOF: Duration = Duration::from_secs(10);
/// Heartbeat: how often the other side is asked for a sign of life. Proxies cut lines that are silent for a minute.
const PING: Duration = Duration::from_secs(20);
/// Heartbeat: a line without any sign of life for this long is dead: phones drop lines without a word.
const DEAD: Duration = Duration::from_secs(60);
/// How long a closing line may take. Whole shutdowns have five seconds.
const GOODBYE: Duration = Duration::from_secs(3);
/// How often a room that is put away just as somebody comes is asked for again.
const ENTRIES: usize = 8;

/// Whose connection it is, as the edge knows it.
pub struct Visitor {
    pub source: Source,
    pub place: Arc<Place>,
    /// Places are short: only who has a seat may stay.
    pub in_vestibule: bool,
}

/// One connection to a client, or to the server at which the client is (relay).
pub struct Socket {
    wire: Wire,
    heard: Instant,
    /// A frame that cannot be read stands in the way: nothing more will ever be heard.
    deaf: bool,
    metrics: Arc<Metrics>,
    pace: Pace,
    visitor: Visitor,
    /// Whose seat the connection is in, as its place has it.
    seat: Option<PlayerId>,
    /// The server's lease and the term in which the room was entered; none where another server has the room.
    term: Option<(Lease, Term)>,
    /// Another server passes the client's messages on (relay).
    relayed: bool,
    /// How often messages came too fast to be passed on to another server; the room's line counts what is said in a room here.
    strikes: u32,
}

/// What a client sent.
pub enum Heard {
    /// A message.
    Text(Utf8Bytes),
    /// An answer to a ping.
    Pong,
    /// The client closed the connection, or it broke.
    End,
    /// The client sent what closes the connection.
    Bad(Close),
}

/// Serves one connection to its end.
// No `async fn`: its task would have room for each argument beside that for the socket made of them.
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

/// Serves a connection that another server passes on; that one counts it, and has looked at who may come.
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

/// The heartbeat's timer. Whatever comes and goes wakes the task that also waits for this, so the timer itself is asked
/// only once it is set, and again when its time has come: it wakes the task meanwhile.
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

    /// Ends when it is time for a ping, and sets the timer for the next. Can be cancelled, and waited for again in the same
    /// task.
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

    /// The next is due after this long.
    fn within(&mut self, time: Duration) {
        self.due = Instant::now() + time;
        self.timer.as_mut().reset(self.due);
        self.set = false;
    }
}

impl Socket {
    /// A connection on which nothing was said.
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

    /// Notes the term of the server's lease in which the room is entered.
    fn begin_term(&mut self, shared: &Shared) -> Result<(), Close> {
        let term = shared.lease.term().ok_or(Close::Restart)?;
        self.term = Some((shared.lease.clone(), term));
        Ok(())
    }

    /// The connection's place.
    pub fn place(&self) -> Arc<Place> {
        self.visitor.place.clone()
    }

    /// The client's address.
    pub fn source(&self) -> Source {
        self.visitor.source
    }

    /// Enters a room with a join that was read already, and serves the connection to its end. Fails, with the connection
    /// still open, if the room does not let it in.
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

    /// Answers a first message that lets nobody in, and closes.
    pub async fn refuse_join(&mut self, NoJoin { say, close }: NoJoin) {
        if let Some(refusal) = say {
            self.send_now(&refusal).await;
        }
        self.close(close).await;
    }

    /// Sends an `error` before a close.
    pub async fn say_error(&mut self, code: Code, detail: &str) {
        self.send_now(&error(code, detail)).await;
    }

    /// Closes, and counts what was cut to keep a bound.
    pub async fn close_for_bounds(&mut self, shared: &Shared, close: Close) {
        match close {
            Close::TryLater => shared.metrics.cut("sockets"),
            Close::TooMany => shared.metrics.cut("messages"),
            _ => {}
        }
        self.close(close).await;
    }

    /// When places are short only those come in who bring the token of a seat; the room will say whether it is one. How fast people
    /// come, the server counts at which they are.
    pub fn may_come_in(&self, shared: &Shared, join: &Arrival) -> bool {
        let Visitor { source, in_vestibule, .. } = self.visitor;
        (!in_vestibule || matches!(join.who, Who::Token(_)))
            && (self.relayed || shared.limits.may_join(source))
    }

    /// The first message of somebody whose room is elsewhere, or why the connection is to be closed. What it says is for the other
    /// server to judge; here it counts only whether it brings a token.
    pub async fn join_to_pass_on(&mut self, shared: &Shared) -> Result<Utf8Bytes, Option<Close>> {
        let text = self.first_text(shared).await?;
        let may_come_in = read_join(&text).map_or(true, |join| self.may_come_in(shared, &join));
        if may_come_in { Ok(text) } else { Err(Some(Close::TryLater)) }
    }

    /// The first message, or why the connection is to be closed; none if it is gone already.
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

    /// The join, or why the connection is to be closed; none if it is gone already.
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

    /// Plays until the connection is to be closed (with what) or is gone (none).
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

    /// Joins the room; fails with how the connection is to be closed.
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

    /// Plays in a room that was joined, until the connection is to be closed (with what) or is gone (none).
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
        // Before the goodbye, which may take its time: whoever is gone is gone.
        room.gone(me).await;
        end
    }

    /// Tells the connection's place whose seat it is in: whoever has one is the last to make way.
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

    /// The same, and tells the server at which the client is, if that is another: places are short there. It goes before the welcome.
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
        // The first ping follows the welcome at once and no ping goes before it: a pong says that it arrived.
        match waiting.next().await {
            Out::Text(welcome) => self.send_queued(waiting, welcome).await?,
            Out::Rest => self.send_rest(waiting).await?,
            // Its place knows the seat already.
            Out::Moved => {}
            Out::Close(close) => return Some(close),
        }
        self.send(waiting, self.heartbeat()).await?;
        let mut ping = Heartbeat::new();
        // Since when the line has to show that it lives, because its seat was opened on another.
        let mut asked: Option<Instant> = None;
        let place = self.visitor.place.clone();
        // Once for all turns of the loop, as long as nobody calls.
        let mut called = pin!(place.called());
        loop {
            let heard = tokio::select! {
                // What waits goes out before the socket is read again: a read that finds nothing costs more.
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
            // Over a relay the other server has counted, and what it held back may come all at once.
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

    /// The first message. Before it nobody was pinged, so a pong is none.
    async fn hear_first(&mut self) -> Heard {
        loop {
            match self.hear().await {
                Heard::Pong => {}
                heard => return heard,
            }
        }
    }

    /// The next message, with control frames and broken lines sorted out. Can be cancelled at any time.
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
                // Backpressure: the answer goes out before anything else is read. Who sends pings and does not read is not read
                // either, so no more than one pong waits.
                Message::Ping(_) => match self.wire.flush().await {
                    Ok(()) => {}
                    Err(error) => return self.breaks(&error),
                },
                Message::Frame(_) => {}
                // Read on to the end, or the other side's answer meets a closed door.
                Message::Close(_) => {
                    let to_the_end = async { while let Some(Ok(_)) = self.wire.recv().await {} };
                    let _ = Box::pin(timeout(GOODBYE, to_the_end)).await;
                    return Heard::End;
                }
            }
        }
    }

    /// What a client is answered whose message comes too fast to be passed on, and whether that was once too often.
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

    /// Sends what waited in the queue.
    async fn send_queued(&mut self, waiting: &Waiting, text: Utf8Bytes) -> Option<()> {
        let bytes = text.len();
        let sent = self.send(waiting, Message::Text(text)).await;
        waiting.sent(bytes);
        sent
    }

    /// Sends, unless the line is cut meanwhile or nothing of it is read for too long; it is then closed here, and
    /// the answer is none, as it is when the line broke.
    async fn send(&mut self, waiting: &Waiting, message: Message) -> Option<()> {
        self.while_it_is_ours().await?;
        let sent = in_time(self.wire.send(message), waiting, &self.visitor.place, self.term.as_ref()).await;
        self.or_close(sent).await
    }

    /// The same of what is left of messages that the room has sent.
    async fn send_rest(&mut self, waiting: &Waiting) -> Option<()> {
        let sent = in_time(self.wire.flush(), waiting, &self.visitor.place, self.term.as_ref()).await;
        self.or_close(sent).await
    }

    /// Self-fencing: a process that was stopped for longer than its lease has messages in its queues that are of the past.
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
                // In a box, as in other places: a goodbye happens once, and every connection has room for it from the beginning.
                Box::pin(self.close(why)).await;
                None
            }
        }
    }

    /// The same where no room waits for it.
    pub async fn send_in_time(&mut self, message: Message) -> Option<()> {
        match timeout(DEAD, self.wire.send(message)).await {
            Ok(sent) => sent.ok(),
            Err(_) => {
                self.close(Close::TooSlow).await;
                None
            }
        }
    }

    /// A ping; over a relay a pong, which is answered only when the client has answered the ping the other server sends for it.
    /// To a ping that server's own end would answer by itself, and nobody would know whether the welcome arrived.
    fn heartbeat(&self) -> Message {
        if self.relayed { Message::Pong(Default::default()) } else { Message::Ping(Default::default()) }
    }

    /// A last word before closing, for which nobody waits long.
    async fn send_now(&mut self, text: &str) {
        let _ = timeout(GOODBYE, self.wire.send(Message::Text(text.into()))).await;
    }

    /// Says why, and reads on until the other side has heard it.
    pub async fn close(&mut self, close: Close) {
        self.close_with(close.code()).await;
    }

    /// The same with any code, such as one of the server that has the room, which may be newer.
    pub async fn close_with(&mut self, code: u16) {
        // Here everyone passes who is told why, whether the room, a send or the heartbeat noticed.
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
            // The answer lies behind what cannot be read. Leave the line open for a while: closing it with unread
            // bytes would take back what was just said.
            if self.deaf {
                std::future::pending::<()>().await;
            }
        };
        let _ = timeout(GOODBYE, goodbye).await;
    }
}

/// Waits until something is sent (none if the line broke), or until the line is to be closed because it is not. What is sent in part
/// when the server's term ends is left at that (self-fencing): the line breaks, for nothing else can follow half a frame.
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
    // Nearly everything goes out at once: then no timer is made and nobody listens for the cut.
    if let Poll::Ready(sent) = poll_fn(|context| Poll::Ready(Pin::new(&mut sending).poll(context))).await {
        return Ok(sent);
    }
    tokio::select! {
        biased;
        sent = sending => Ok(sent),
        () = ended(term) => Ok(None),
        close = waiting.until_cut() => Err(close),
        // In a quiet room the queue never fills, and while this waits nobody looks for signs of life.
        () = sleep(DEAD) => Err(Close::TooSlow),
        () = place.must_go() => Err(Close::TryLater),
    }
}

/// Waits until the server's term is over; for ever where another server has the room.
async fn ended(term: Option<&(Lease, Term)>) {
    match term {
        Some((lease, term)) => lease.ended(*term).await,
        None => std::future::pending().await,
    }
}

/// Joins the room, which may be put away and rebuilt between finding and entering it.
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
            // Whoever comes back finds the way there.
            Location::There(_) => return Err(Close::Restart),
        }
    }
    Err(Close::Restart)
}

/// Whose seat a connection is in, for the server at which its client is: a number, or nothing for nobody's. Clients never see it.
fn seat_frame(seat: Option<PlayerId>) -> Message {
    Message::Binary(seat.map(|PlayerId(id)| id.to_be_bytes().to_vec()).unwrap_or_default().into())
}

/// The same as it is read there.
pub fn read_seat(frame: &[u8]) -> Option<PlayerId> {
    frame.try_into().ok().map(|id| PlayerId(u32::from_be_bytes(id)))
}

/// What is answered to a message that comes too fast; none if it does not.
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

/// Why a first message lets nobody in.
pub struct NoJoin {
    /// What is wrong with it, to be said before closing.
    say: Option<String>,
    close: Close,
}

impl From<String> for NoJoin {
    fn from(refusal: String) -> NoJoin {
        NoJoin { say: Some(refusal), close: Close::BadJoin }
    }
}

/// Reads the first message.
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

/// Looked at before anything else: a join of another protocol may have fields that this one does not know.
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

/// What a broken line means: frames that cannot be read are the client's doing, all else is the end.
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
