//! The relay: serves a client whose room is on another server. Messages are forwarded one at a time in both directions
//! (backpressure), and so are close codes. Connection limits are enforced here, and the room's rules there.
//!
//! The only content it looks at is whether a join has a token: when connection slots are scarce, players with a seat
//! are admitted first. The owner reports the seat in a binary frame that clients never see.

use crate::RoomCode;
use crate::app_state::AppState;
use crate::client_addr::ClientAddr;
use crate::cluster::Cluster;
use crate::handle::Handle;
use crate::limits::CpuQuota;
use crate::limits::rooms::Quota;
use crate::peers::{self, NoPeer, OwnerLine, Watch};
use crate::refused::{Refused, too_many};
use crate::registry::{self, Location, NoEntry};
use crate::room_info;
use crate::socket::{self, Heard, IncomingClient, Socket, read_seat};
use crate::websocket::{Message, WebSocket};
use axum::Json;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use client::{End, Message as Theirs};
use journal::ownership::Peer;
use protocol::{Close, RoomView};
use room::Room;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How long a client waits while its room moves between servers. If it still cannot be served, it is closed and
/// reconnects, perhaps to a server that can serve it.
const HOLD: Duration = Duration::from_millis(2500);
/// How often the journal is asked meanwhile which server owns the room.
const AGAIN: Duration = Duration::from_millis(200);
/// Timeout for sending a message to the owner.
const TAKE: Duration = Duration::from_secs(5);

/// Where a client's room was found.
enum RoomLocation {
    Here(Handle),
    There(Box<OwnerLine>, Arc<Watch>),
}

/// Serves a client whose room is, or just was, on another server.
pub async fn serve(ws: WebSocket, state: AppState, code: RoomCode, incoming: IncomingClient) {
    let found = tokio::select! {
        () = state.base.draining.cancelled() => Err(Close::Restart),
        found = find(&state, code, incoming.source) => found,
    };
    match found {
        Ok(RoomLocation::Here(room)) => socket::serve(ws, state.rooms, code, room, incoming).await,
        Ok(RoomLocation::There(line, watch)) => {
            let _counted = Counted::new(&state.cluster);
            let (slot, mut owner) = (incoming.slot.clone(), *line);
            let mut client = Socket::new(ws, &state.base, incoming);
            let close = tokio::select! {
                () = slot.evicted() => Some(Goodbye::Say(Close::TryLater)),
                close = pass_on(&mut client, &mut owner, &watch, code, &state) => close,
            };
            // Deregister before the client's closing handshake, which may be slow.
            let _ = timeout(TAKE, owner.close()).await;
            say_goodbye(&mut client, close).await;
        }
        Err(close) => Socket::new(ws, &state.base, incoming).close_for_bounds(close).await,
    }
}

/// The owner did not admit a barred client.
pub struct NotWelcomed;

/// Serves a client from a barred address, whose join has a token, until the connection ends. If the owner does not seat
/// the client, this fails and the connection stays open.
pub async fn serve_barred(
    client: &mut Socket,
    state: &AppState,
    peer: &Peer,
    code: RoomCode,
    join: &str,
) -> Result<(), NotWelcomed> {
    let called = call(state, peer, code, client.source()).await;
    let Ok(RoomLocation::There(mut owner, watch)) = called else { return Err(NotWelcomed) };
    let _counted = Counted::new(&state.cluster);
    pass(&mut owner, Theirs::text(join)).await.map_err(|_| NotWelcomed)?;
    // The owner reports the seat before its welcome.
    let seat = match timeout(TAKE, owner.frame()).await {
        Ok(Ok(Theirs::Binary(seat))) => read_seat(&seat),
        _ => None,
    };
    if seat.is_none() {
        let _ = timeout(TAKE, owner.close()).await;
        return Err(NotWelcomed);
    }
    let slot = client.slot();
    let close = match client.move_to_seat(code, seat) {
        Err(close) => Some(close.into()),
        Ok(()) => tokio::select! {
            () = slot.evicted() => Some(Goodbye::Say(Close::TryLater)),
            close = pass_on_the_rest(client, &mut owner, &watch, code, state) => close,
        },
    };
    let _ = timeout(TAKE, owner.close()).await;
    say_goodbye(client, close).await;
    Ok(())
}

async fn say_goodbye(client: &mut Socket, goodbye: Option<Goodbye>) {
    match goodbye {
        Some(Goodbye::Say(close)) => client.close_for_bounds(close).await,
        Some(Goodbye::PassOn(code)) => client.close_with(code).await,
        None => {}
    }
}

/// How a client that is still connected is closed.
enum Goodbye {
    /// For a reason of this server.
    Say(Close),
    /// With the owner's close code.
    PassOn(u16),
}

impl From<Close> for Goodbye {
    fn from(close: Close) -> Goodbye {
        Goodbye::Say(close)
    }
}

/// Counts a relayed connection until it is dropped.
struct Counted(Arc<Cluster>);

impl Counted {
    fn new(cluster: &Arc<Cluster>) -> Counted {
        cluster.relayed.fetch_add(1, Ordering::Relaxed);
        Counted(cluster.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.relayed.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Looks for the room until a reachable server has it.
async fn find(state: &AppState, code: RoomCode, source: ClientAddr) -> Result<RoomLocation, Close> {
    let until = Instant::now() + HOLD;
    loop {
        match registry::enter(&state.rooms, code, (source, CpuQuota::Loading)).await {
            Ok(Location::Here(room)) => return Ok(RoomLocation::Here(room)),
            Ok(Location::There(peer)) => match call(state, &peer, code, source).await {
                Ok(line) => return Ok(line),
                Err(NoPeer::Refused(_, StatusCode::NOT_FOUND)) => return Err(Close::Expired),
                Err(NoPeer::Refused(_, StatusCode::TOO_MANY_REQUESTS)) => return Err(Close::TryLater),
                Err(NoPeer::NotOwner(_)) => {}
                Err(error) => tracing::debug!(room = %code, %error, "cannot relay a connection"),
            },
            Err(NoEntry::Waiting) => {}
            Err(no_entry) => return Err(no_entry.close()),
        }
        if Instant::now() >= until {
            return Err(Close::Restart);
        }
        sleep(AGAIN).await;
    }
}

async fn call(state: &AppState, peer: &Peer, code: RoomCode, source: ClientAddr) -> Result<RoomLocation, NoPeer> {
    let (Some(member), Some(address)) = (state.cluster.membership(), &peer.address) else {
        return Err(no_way(peer));
    };
    let line = peers::call(&member.secret, address, code, source).await?;
    Ok(RoomLocation::There(Box::new(line), state.cluster.peers.watch(&member.secret, address)))
}

fn no_way(peer: &Peer) -> NoPeer {
    let who = peer.address.clone().unwrap_or_else(|| "a server without --node".to_owned());
    NoPeer::Unreachable(who, "all servers that share rooms must be started with --node".to_owned())
}

/// Relays messages until one side ends. Returns how to close the client, or `None` if it is gone.
async fn pass_on(
    client: &mut Socket,
    owner: &mut OwnerLine,
    watch: &Watch,
    code: RoomCode,
    state: &AppState,
) -> Option<Goodbye> {
    let join = tokio::select! {
        () = watch.until_gone() => return Some(Close::Restart.into()),
        join = client.join_to_pass_on(&state.base) => join,
    };
    let passed = match join {
        Ok(join) => pass(owner, Theirs::text(join.as_str())).await.map_err(Some),
        Err(close) => Err(close),
    };
    if let Err(close) = passed {
        return close.map(Goodbye::Say);
    }
    pass_on_the_rest(client, owner, watch, code, state).await
}

/// Relays everything after the join. Returns how to close the client, or `None` if it is gone.
async fn pass_on_the_rest(
    client: &mut Socket,
    owner: &mut OwnerLine,
    watch: &Watch,
    code: RoomCode,
    state: &AppState,
) -> Option<Goodbye> {
    // The first message of the owner shows that the client was admitted.
    let mut visit = None;
    loop {
        tokio::select! {
            biased;
            () = state.base.draining.cancelled() => return Some(Close::Restart.into()),
            () = watch.until_gone() => return Some(Close::Restart.into()),
            said = owner.frame() => {
                if visit.is_none() && said.is_ok() {
                    visit = state.cluster.visited.enter(client.source(), code, Quota::Beyond);
                }
                let message = match said {
                    Ok(Theirs::Text(text)) => Message::Text(text.to_string().into()),
                    Ok(Theirs::Binary(seat)) => match client.move_to_seat(code, read_seat(&seat)) {
                        Ok(()) => continue,
                        Err(close) => return Some(close.into()),
                    },
                    // The owner's heartbeat, which the client must answer (see `socket`).
                    Ok(Theirs::Pong(_)) => Message::Ping(Default::default()),
                    Ok(_) => continue,
                    Err(End::Closed(code)) => return Some(Goodbye::PassOn(code)),
                    Err(End::Broken) => return Some(Close::Restart.into()),
                };
                client.send_in_time(message).await?;
            }
            heard = client.hear() => {
                let message = match heard {
                    Heard::Text(text) => match client.too_fast_to_pass_on(&text) {
                        None => Theirs::text(text.as_str()),
                        Some((refusal, once_too_often)) => {
                            client.send_in_time(Message::Text(refusal.into())).await?;
                            if once_too_often {
                                return Some(Close::TooMany.into());
                            }
                            continue;
                        }
                    },
                    Heard::Pong => Theirs::Pong(Default::default()),
                    Heard::Bad(close) => return Some(close.into()),
                    Heard::End => return None,
                };
                if let Err(close) = pass(owner, message).await {
                    return Some(close.into());
                }
            }
        }
    }
}

/// Sends a message to the owner.
async fn pass(owner: &mut OwnerLine, message: Theirs) -> Result<(), Close> {
    let taken = timeout(TAKE, owner.send(message)).await;
    if matches!(taken, Ok(Ok(()))) { Ok(()) } else { Err(Close::Restart) }
}

/// Returns the public view of the room from its owner, or from the journal if the owner does not answer.
pub async fn look(state: &AppState, peer: &Peer, code: RoomCode, client: ClientAddr) -> Result<Response, Refused> {
    if let Some(answer) = ask(state, peer, &format!("/api/rooms/{code}"), client).await? {
        return Ok(answer);
    }
    Ok(Json(view(state, code, client).await?).into_response())
}

/// Returns the record of the last finished game from its owner, or from the journal if the owner does not answer.
pub async fn record(state: &AppState, peer: &Peer, code: RoomCode, client: ClientAddr) -> Result<Response, Refused> {
    if let Some(answer) = ask(state, peer, &format!("/api/rooms/{code}/record"), client).await? {
        return Ok(answer);
    }
    room_info::last_record(&state.records, code, &view(state, code, client).await?, client).await
}

/// Asks the owner for a client. Returns `None` if it does not answer.
async fn ask(state: &AppState, peer: &Peer, path: &str, client: ClientAddr) -> Result<Option<Response>, Refused> {
    let (Some(member), Some(address)) = (state.cluster.membership(), &peer.address) else { return Ok(None) };
    match state.cluster.peers.ask(&member.secret, address, path, Some(client)).await {
        Ok(answer) => {
            let kind = answer.headers.get(CONTENT_TYPE);
            let answered = kind.map(|kind| Response::builder().status(answer.status).header(CONTENT_TYPE, kind));
            Ok(answered.and_then(|answered| answered.body(Body::from(answer.body)).ok()))
        }
        Err(NoPeer::Refused(_, StatusCode::TOO_MANY_REQUESTS)) => Err(too_many()),
        Err(error) => {
            tracing::debug!(%error, "cannot ask the server that owns a room");
            Ok(None)
        }
    }
}

/// Returns the public view of the room from its journal, without any connections.
async fn view(state: &AppState, code: RoomCode, client: ClientAddr) -> Result<RoomView, Refused> {
    if !state.base.limits.may_work(client, CpuQuota::Replaying) {
        return Err(too_many());
    }
    let (now, keep_days) = (state.base.clock.running(), state.base.config.keep_days);
    let look = move |lines: Vec<String>| {
        if lines.is_empty() {
            return Ok(None);
        }
        Ok(Some(Room::from_journal(0, &lines, now)?.view(Vec::new(), keep_days, now)))
    };
    Ok(state.records.read(code, client, look).await?.ok_or(NoEntry::Missing)?)
}
