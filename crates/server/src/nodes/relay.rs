//! The relay: a client at this server whose room another one has. Messages are passed on both ways one at a time
//! (backpressure), and close codes with them; what belongs to the edge is done here, what belongs to the room there.
//!
//! It reads nothing of what is said.

use super::peers::{self, NoPeer, OwnerLine, Watch};
use crate::RoomCode;
use crate::address::Source;
use crate::handle::Handle;
use crate::http::{self, Refused};
use crate::registry::{self, Location, NoEntry};
use crate::shared::Shared;
use crate::socket::{self, Heard, Socket, Visitor};
use crate::websocket::{Message, WebSocket};
use axum::Json;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use client::{End, Message as Theirs};
use journal::ownership::Peer;
use protocol::{Close, RoomView};
use room::{Entry, Room};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How long somebody is kept waiting while their room changes servers. Whoever still cannot be served is closed and comes back,
/// perhaps to a server that can.
const HOLD: Duration = Duration::from_millis(2500);
/// How often the journal is asked meanwhile who has the room now.
const AGAIN: Duration = Duration::from_millis(200);
/// How long the owner may take to take a message in.
const TAKE: Duration = Duration::from_secs(5);

/// Where a client's room was found.
enum Found {
    Here(Handle),
    There(Box<OwnerLine>, Arc<Watch>),
}

/// Serves a client whose room is, or was a moment ago, on another server.
pub async fn serve(ws: WebSocket, shared: Arc<Shared>, code: RoomCode, visitor: Visitor) {
    let found = tokio::select! {
        () = shared.draining.cancelled() => Err(Close::Restart),
        found = find(&shared, code, visitor.source) => found,
    };
    match found {
        Ok(Found::Here(room)) => socket::serve(ws, shared, code, room, visitor).await,
        // Whose seat it is only the owner can say, so where places are short nobody is passed on.
        Ok(Found::There(..)) if visitor.in_vestibule || !shared.limits.may_join(visitor.source) => {
            Socket::new(ws, &shared, visitor).close_for_bounds(&shared, Close::TryLater).await;
        }
        Ok(Found::There(line, watch)) => {
            let _counted = Counted::new(&shared);
            let place = visitor.place.clone();
            let mut socket = Socket::new(ws, &shared, visitor);
            tokio::select! {
                () = place.must_go() => socket.close_for_bounds(&shared, Close::TryLater).await,
                () = pass_on(&mut socket, *line, &watch, &shared) => {}
            }
        }
        Err(close) => Socket::new(ws, &shared, visitor).close(close).await,
    }
}

/// One connection more that is passed on, until it is dropped.
struct Counted(Arc<Shared>);

impl Counted {
    fn new(shared: &Arc<Shared>) -> Counted {
        shared.nodes.relayed.fetch_add(1, Ordering::Relaxed);
        Counted(shared.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.nodes.relayed.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Finds the room until somebody has it who can be reached.
async fn find(shared: &Arc<Shared>, code: RoomCode, source: Source) -> Result<Found, Close> {
    let until = Instant::now() + HOLD;
    loop {
        match registry::enter(shared, code).await {
            Ok(Location::Here(room)) => return Ok(Found::Here(room)),
            Ok(Location::There(peer)) => match call(shared, &peer, code, source).await {
                Ok(line) => return Ok(line),
                Err(NoPeer::Refused(_, StatusCode::NOT_FOUND)) => return Err(Close::Expired),
                Err(NoPeer::NotOwner(_)) => {}
                Err(error) => tracing::debug!(room = %code, %error, "cannot pass a connection on"),
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

async fn call(shared: &Shared, peer: &Peer, code: RoomCode, source: Source) -> Result<Found, NoPeer> {
    let (Some(member), Some(address)) = (shared.nodes.membership(), &peer.address) else {
        return Err(no_way(peer));
    };
    let line = peers::call(&member.secret, address, code, source).await?;
    Ok(Found::There(Box::new(line), shared.nodes.peers.watch(&member.secret, address)))
}

fn no_way(peer: &Peer) -> NoPeer {
    let who = peer.address.clone().unwrap_or_else(|| "a server without --node".to_owned());
    NoPeer::Unreachable(who, "servers that share rooms are all started with --node".to_owned())
}

/// Passes messages on until one side ends.
async fn pass_on(client: &mut Socket, mut owner: OwnerLine, watch: &Watch, shared: &Shared) {
    let close = loop {
        tokio::select! {
            biased;
            () = shared.draining.cancelled() => break Some(Close::Restart),
            () = watch.until_gone() => break Some(Close::Restart),
            said = owner.frame() => {
                let message = match said {
                    Ok(Theirs::Text(text)) => Message::Text(text.to_string().into()),
                    // The owner's heartbeat, for the client to answer (see `socket`).
                    Ok(Theirs::Pong(_)) => Message::Ping(Default::default()),
                    Ok(_) => continue,
                    Err(End::Closed(code)) => {
                        client.close_with(code).await;
                        return;
                    }
                    Err(End::Broken) => break Some(Close::Restart),
                };
                if client.send_in_time(message).await.is_none() {
                    break None;
                }
            }
            heard = client.hear() => {
                let message = match heard {
                    Heard::Text(text) => Theirs::text(text.as_str()),
                    Heard::Pong => Theirs::Pong(Default::default()),
                    Heard::Bad(close) => break Some(close),
                    Heard::End => break None,
                };
                if !matches!(timeout(TAKE, owner.send(message)).await, Ok(Ok(()))) {
                    break Some(Close::Restart);
                }
            }
        }
    };
    // Before the goodbye, which may take its time: whoever is gone is gone.
    let _ = timeout(TAKE, owner.close()).await;
    if let Some(close) = close {
        client.close(close).await;
    }
}

/// The room as everyone sees it: as its owner says, or from the journal if that does not answer.
pub async fn look(shared: &Shared, peer: &Peer, code: RoomCode) -> Result<Response, Refused> {
    if let Some(answer) = ask(shared, peer, &format!("/api/rooms/{code}")).await {
        return Ok(answer);
    }
    Ok(Json(view(shared, code).await?).into_response())
}

/// The last finished game, in the same way.
pub async fn record(shared: &Shared, peer: &Peer, code: RoomCode) -> Result<Response, Refused> {
    if let Some(answer) = ask(shared, peer, &format!("/api/rooms/{code}/record")).await {
        return Ok(answer);
    }
    http::last_record(shared, code, &view(shared, code).await?).await
}

async fn ask(shared: &Shared, peer: &Peer, path: &str) -> Option<Response> {
    let (member, address) = (shared.nodes.membership()?, peer.address.as_ref()?);
    match peers::ask(&member.secret, address, path).await {
        Ok(answer) => {
            let answered = Response::builder().status(answer.status);
            let kind = answer.headers.get(CONTENT_TYPE)?;
            answered.header(CONTENT_TYPE, kind).body(Body::from(answer.body)).ok()
        }
        Err(error) => {
            tracing::debug!(%error, "cannot ask the server that has a room");
            None
        }
    }
}

/// The room as it is written. Nobody is connected to it as far as can be known.
async fn view(shared: &Shared, code: RoomCode) -> Result<RoomView, Refused> {
    let lines = shared.journal.read(code.as_str()).await.map_err(|_| NoEntry::Failed)?;
    let lines = lines.ok_or(NoEntry::Missing)?;
    let (now, keep_days) = (shared.clock.running(), shared.config.keep_days);
    let look = move || {
        Room::rebuild(Entry::read_all(0, &lines).ok()?, now)
            .ok()
            .map(|room| room.view(Vec::new(), keep_days, now))
    };
    let seen = shared.rebuilds.turn().await.work(look).await;
    Ok(seen.ok().flatten().ok_or(NoEntry::Failed)?)
}
