//! One WebSocket connection: reads protocol messages, passes them to the room, and sends what the room answers.
//!
//! It does not know what a message does.

mod heartbeat;
mod incoming;
mod joining;
mod outgoing;
mod parse;
mod remote;

use crate::RoomCode;
use crate::base::Base;
use crate::client_addr::ClientAddr;
use crate::handle::{Arrival, ConnectionId, Handle, JoinRefusal};
use crate::limits::connection_slots::{ConnectionRequest, ConnectionSlot};
use crate::limits::messages::MessageRate;
use crate::metrics::Metrics;
use crate::outbox::{Out, OutboxReader};
use crate::rooms::Rooms;
use crate::websocket::{Message, WebSocket};
use crate::wire::Wire;
use heartbeat::Heartbeat;
use journal::ownership::{Lease, Term};
use parse::read;
use protocol::{ClientMessage, Close, ServerMessage};
use remote::{Remote, seat_frame};
use room::PlayerId;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

pub use incoming::Heard;
pub use parse::read_join;
pub use remote::read_seat;

/// Heartbeat: time a connection has to prove that it is alive after its seat was opened on another connection.
const PROOF: Duration = Duration::from_secs(10);
/// Heartbeat: a connection without any sign of life for this long is dead. Phones drop connections silently.
const DEAD: Duration = Duration::from_secs(60);
/// Timeout for the closing handshake. A whole shutdown has five seconds.
const GOODBYE: Duration = Duration::from_secs(3);

/// The client of a connection, as far as it is known before a join.
pub struct IncomingClient {
    pub source: ClientAddr,
    pub slot: Arc<ConnectionSlot>,
    /// Connection slots are scarce: the connection may stay only if it presents a seat token.
    pub unverified: bool,
}

/// A connection to a client, or to the server that relays for the client.
pub struct Socket {
    wire: Wire,
    heard: Instant,
    /// A frame that cannot be read blocks the stream, so nothing more will be received.
    deaf: bool,
    metrics: Arc<Metrics>,
    rate: MessageRate,
    incoming: IncomingClient,
    /// Player whose seat this connection uses, as reported to its slot.
    seat: Option<PlayerId>,
    /// The server's lease and the term in which the room was entered, or `None` if another server owns the room.
    term: Option<(Lease, Term)>,
    remote: Remote,
    /// Number of messages that came too fast to be relayed. In a local room, `OutboxReader` counts them instead.
    strikes: u32,
}

/// Serves a connection until it ends.
// Not an `async fn`: its future would store every argument in addition to the socket that is built from them.
pub fn serve(
    ws: WebSocket,
    rooms: Arc<Rooms>,
    code: RoomCode,
    room: Handle,
    incoming: IncomingClient,
) -> impl Future<Output = ()> {
    let mut socket = Socket::new(ws, &rooms.base, incoming);
    async move { socket.serve(&rooms, code, room).await }
}

/// Serves a connection relayed by another server, which has checked admission and enforces the rate limits.
pub async fn serve_relayed(ws: WebSocket, rooms: Arc<Rooms>, code: RoomCode, room: Handle, incoming: IncomingClient) {
    let mut socket = Socket { remote: Remote::RelayingServer, ..Socket::new(ws, &rooms.base, incoming) };
    socket.serve(&rooms, code, room).await;
}

impl Socket {
    /// Creates a connection on which nothing has been received yet.
    pub fn new(ws: WebSocket, base: &Base, incoming: IncomingClient) -> Socket {
        Socket {
            wire: Wire::new(ws),
            heard: Instant::now(),
            deaf: false,
            metrics: base.metrics.clone(),
            rate: base.limits.message_rate(incoming.source),
            incoming,
            seat: None,
            term: None,
            remote: Remote::Client,
            strikes: 0,
        }
    }

    async fn serve(&mut self, rooms: &Arc<Rooms>, code: RoomCode, room: Handle) {
        if let Err(close) = self.begin_term(&rooms.base) {
            return self.close(close).await;
        }
        let close = match self.first_message(&rooms.base).await {
            Ok(join) if self.may_join(&rooms.base, &join) => self.in_room(rooms, code, room, join).await,
            Ok(_) => Some(Close::TryLater),
            Err(close) => close,
        };
        if let Some(close) = close {
            Box::pin(self.close_for_bounds(close)).await;
        }
    }

    /// Records the lease term in which the room is entered. Fails if the server has no valid lease.
    fn begin_term(&mut self, base: &Base) -> Result<(), Close> {
        let term = base.lease.term().ok_or(Close::Restart)?;
        self.term = Some((base.lease.clone(), term));
        Ok(())
    }

    /// Returns the connection slot.
    pub fn slot(&self) -> Arc<ConnectionSlot> {
        self.incoming.slot.clone()
    }

    /// Returns the client address.
    pub fn source(&self) -> ClientAddr {
        self.incoming.source
    }

    /// Joins a room with a join message that was already parsed, and serves the connection until it ends. If the join
    /// fails without an error message to send, the connection stays open.
    pub async fn play(&mut self, rooms: &Arc<Rooms>, code: RoomCode, room: Handle, join: Arrival) -> Result<(), Close> {
        self.begin_term(&rooms.base)?;
        let end = match self.join_room(rooms, code, room, join).await {
            Ok((room, me, mut waiting)) => self.stay(code, &room, me, &mut waiting).await,
            Err(JoinRefusal { error: None, close }) => return Err(close),
            Err(refusal) => Some(self.explain(refusal).await),
        };
        if let Some(close) = end {
            self.close_for_bounds(close).await;
        }
        Ok(())
    }

    /// Joins the room and serves the connection. Returns the reason to close it, or `None` if it is already gone.
    async fn in_room(&mut self, rooms: &Arc<Rooms>, code: RoomCode, room: Handle, join: Arrival) -> Option<Close> {
        match self.join_room(rooms, code, room, join).await {
            Ok((room, me, mut waiting)) => self.stay(code, &room, me, &mut waiting).await,
            Err(refusal) => Some(self.explain(refusal).await),
        }
    }

    /// Serves a connection that has joined. Returns the reason to close it, or `None` if it is already gone.
    async fn stay(
        &mut self,
        code: RoomCode,
        room: &Handle,
        me: ConnectionId,
        waiting: &mut OutboxReader,
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
                Some(PlayerId(id)) => self.incoming.slot.seat((code, id.into())).map_err(|_| Close::TryLater)?,
                None => self.incoming.slot.unseat(),
            }
        }
        Ok(())
    }

    /// Reports the seat to the connection slot, and to a relaying server. This precedes the welcome.
    async fn tell_seat(&mut self, code: RoomCode, waiting: &OutboxReader) -> Result<(), Option<Close>> {
        let seat = waiting.take_seat_change();
        if self.remote.is_sent_seats() && seat != self.seat {
            self.send(waiting, seat_frame(seat)).await.ok_or(None)?;
        }
        self.move_to_seat(code, seat).map_err(Some)
    }

    async fn talk(
        &mut self,
        code: RoomCode,
        room: &Handle,
        me: ConnectionId,
        waiting: &mut OutboxReader,
    ) -> Option<Close> {
        // No ping is sent before the welcome, and the first ping follows it immediately: its pong confirms that the
        // welcome arrived.
        match waiting.next().await {
            Out::Text(welcome) => self.send_queued(waiting, welcome).await?,
            Out::Flush => self.flush_rest(waiting).await?,
            // The slot already knows the seat.
            Out::Moved => {}
            Out::Close(close) => return Some(close),
        }
        self.send(waiting, self.remote.heartbeat()).await?;
        let mut ping = Heartbeat::new();
        // Set while the connection has to prove that it is alive because its seat was opened on another connection.
        let mut asked: Option<Instant> = None;
        let slot = self.incoming.slot.clone();
        // Reused across loop iterations, until it completes.
        let mut called = pin!(slot.called());
        loop {
            let heard = tokio::select! {
                // Queued messages are sent before the socket is read: a read that finds nothing costs more.
                biased;
                out = waiting.next() => {
                    match out {
                        Out::Text(text) => self.send_queued(waiting, text).await?,
                        Out::Flush => self.flush_rest(waiting).await?,
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
                    if call == ConnectionRequest::Evicted {
                        return Some(Close::TryLater);
                    }
                    called.set(slot.called());
                    asked = Some(Instant::now());
                    self.send(waiting, self.remote.heartbeat()).await?;
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
                    self.send(waiting, self.remote.heartbeat()).await?;
                    continue;
                }
            };
            let text = match heard {
                Heard::Text(text) => text,
                Heard::Pong => {
                    waiting.confirm();
                    continue;
                }
                Heard::Bad(close) => return Some(close),
                Heard::End => return None,
            };
            waiting.confirm();
            let rate = self.remote.is_rate_limited().then_some(&mut self.rate);
            let answer = match read(&text, rate) {
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
                        self.send_last(&refusal).await;
                        return Some(Close::TooMany);
                    }
                    refusal
                }
            };
            self.send(waiting, Message::Text(answer.into())).await?;
        }
    }
}
