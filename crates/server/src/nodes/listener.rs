//! Answers requests of other servers: who this server is, and what they ask about its rooms. Clients without the shared
//! secret are refused.
//!
//! It never asks a third server (one hop at most): a request for a room that is not here is answered with
//! "misdirected".

use super::list;
use crate::RoomCode;
use crate::app_state::AppState;
use crate::base::Base;
use crate::client_addr::ClientAddr;
use crate::cluster::Cluster;
use crate::handle::Handle;
use crate::limits::CpuQuota;
use crate::limits::connection_slots::{Class, ConnectionSlot, NoSlot};
use crate::peers::{FOR, Hello, RELAY, SPOKEN};
use crate::refused::{Refused, too_many};
use crate::registry::{self, Location, NoEntry};
use crate::room_info;
use crate::rooms::Rooms;
use crate::socket::{self, IncomingClient};
use crate::websocket::Upgrade;
use axum::extract::{ConnectInfo, FromRequestParts, Path, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Extension, Json, RequestPartsExt, Router};
use protocol::Code;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Timeout for measuring a write to the journal.
const PROBE: Duration = Duration::from_secs(3);

/// Returns the routes for other servers.
pub fn app(state: AppState) -> Router {
    Router::new()
        .route("/node", get(hello))
        .route("/node/journal", get(journal))
        .route("/node/unreached", get(unreached))
        .route("/api/rooms/{code}", get(look))
        .route("/api/rooms/{code}/record", get(record))
        .route("/ws/{code}", any(relayed))
        .layer(from_fn_with_state(state.clone(), only_servers))
        .with_state(state)
}

/// Passes on requests that have the secret and use the same version of the relay protocol.
async fn only_servers(State(cluster): State<Arc<Cluster>>, request: Request, next: Next) -> Response {
    let said = request.headers().get(AUTHORIZATION).map(|value| value.as_bytes());
    let token = said.and_then(|said| said.strip_prefix(b"Bearer ")).unwrap_or_default();
    let known = cluster.membership().is_some_and(|member| member.secret.is_known_to(token));
    if !known {
        return (StatusCode::FORBIDDEN, "this address is only for servers that know the secret\n").into_response();
    }
    let spoken = request.headers().get(SPOKEN).and_then(|value| value.to_str().ok());
    if spoken.and_then(|spoken| spoken.parse().ok()) != Some(RELAY) {
        return (StatusCode::UPGRADE_REQUIRED, "incompatible relay protocol; update all servers\n").into_response();
    }
    next.run(request).await
}

async fn hello(State(base): State<Arc<Base>>, State(cluster): State<Arc<Cluster>>) -> Json<Hello> {
    Json(super::hello(&base, &cluster))
}

/// Returns the other servers that cannot be reached from here.
async fn unreached(State(base): State<Arc<Base>>, State(cluster): State<Arc<Cluster>>) -> Json<Vec<String>> {
    Json(list::unreached(&base, &cluster).await)
}

/// Returns how long a write to the journal takes from here, in milliseconds.
async fn journal(State(base): State<Arc<Base>>) -> Response {
    match journal_ms(&base).await {
        Some(ms) => Json(ms).into_response(),
        None => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// Measures how long a write to the journal takes, in milliseconds. Returns `None` if it fails.
pub async fn journal_ms(base: &Base) -> Option<f64> {
    let begun = Instant::now();
    let written = timeout(PROBE, base.journal.probe()).await;
    matches!(written, Ok(Ok(()))).then(|| begun.elapsed().as_secs_f64() * 1000.0)
}

/// The client for which another server asks. Earlier versions do not name it for every request, and then it is the
/// server itself.
struct ForClient(ClientAddr);

impl<S: Send + Sync> FromRequestParts<S> for ForClient {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<ForClient, Infallible> {
        let ConnectInfo(peer): ConnectInfo<SocketAddr> =
            parts.extract().await.expect("the listener adds the peer address to each request");
        let client = parts.headers.get(FOR).and_then(|value| value.to_str().ok()?.parse().ok());
        Ok(ForClient(ClientAddr::of(client.unwrap_or(peer.ip()), &HeaderMap::new(), &[])))
    }
}

async fn look(
    State(rooms): State<Arc<Rooms>>,
    ForClient(client): ForClient,
    Path(code): Path<String>,
) -> Result<Response, NotHere> {
    let (_, room) = find(&rooms, &code, client).await?;
    Ok(room_info::show(&room).await.map(Json)?.into_response())
}

async fn record(
    State(rooms): State<Arc<Rooms>>,
    ForClient(client): ForClient,
    Path(code): Path<String>,
) -> Result<Response, NotHere> {
    if !rooms.base.limits.may_work(client, CpuQuota::Replaying) {
        return Err(too_many().into());
    }
    let (code, room) = find(&rooms, &code, client).await?;
    Ok(room_info::last_record(&rooms.records, code, &room_info::show(&room).await?, client).await?)
}

async fn relayed(
    State(rooms): State<Arc<Rooms>>,
    ForClient(source): ForClient,
    Extension(slot): Extension<Arc<ConnectionSlot>>,
    Path(code): Path<String>,
    upgrade: Result<Upgrade, Refused>,
) -> Result<Response, NotHere> {
    let (code, room) = find(&rooms, &code, source).await?;
    let upgrade = upgrade?;
    let class = slot.upgrade(source).map_err(|NoSlot| {
        let detail = "too many connections from this address or in total";
        Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManySockets, detail)
    })?;
    let token = rooms.base.tasks.token();
    let (answer, socket) = upgrade.accept();
    tokio::spawn(async move {
        if let Some(ws) = socket.await {
            let incoming = IncomingClient { source, slot, unverified: class == Class::Unverified };
            socket::serve_relayed(ws, rooms, code, room, incoming).await;
        }
        drop(token);
    });
    Ok(answer)
}

/// Why a room is not served here.
struct NotHere(Response);

impl IntoResponse for NotHere {
    fn into_response(self) -> Response {
        self.0
    }
}

impl From<Refused> for NotHere {
    fn from(refused: Refused) -> NotHere {
        NotHere(refused.into_response())
    }
}

async fn find(rooms: &Arc<Rooms>, code: &str, client: ClientAddr) -> Result<(RoomCode, Handle), NotHere> {
    let code = RoomCode::read(code).ok_or_else(|| Refused::from(NoEntry::Missing))?;
    match registry::enter(rooms, code, (client, CpuQuota::Loading)).await {
        Ok(Location::Here(room)) => Ok((code, room)),
        Ok(Location::There(_)) | Err(NoEntry::Waiting | NoEntry::Stopping) => {
            Err(NotHere(StatusCode::MISDIRECTED_REQUEST.into_response()))
        }
        Err(no_entry) => Err(Refused::from(no_entry).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client_addr::client;
    use crate::peers::NoPeer;
    use crate::{Cli, Server};
    use clap::Parser;
    use journal::memory::Memory;
    use room::Options;

    #[tokio::test]
    async fn a_forwarded_request_is_charged_to_the_client() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (node, listen) = (format!("http://{free}"), free.to_string());
        let flags = ["--node", &node, "--node-listen", &listen, "--node-secret", "of sixteen letters"];
        let alone = ["rookery", "--listen", "127.0.0.1:0", "--admin", "off"];
        let config = Cli::parse_from(alone.into_iter().chain(flags)).config;
        let state = AppState::new(config, Arc::new(Memory::default()));
        let _server = Server::start(state.clone()).await.unwrap();
        let (ana, other_server) = (client("192.0.2.1"), client("127.0.0.1"));
        let options = Options::new("towers", None, None, protocol::Forced::Auto).unwrap();
        let code = registry::open(&state.rooms, ana, options, None).await.unwrap();
        let (secret, peers) = (&state.cluster.membership().unwrap().secret, &state.cluster.peers);
        let path = format!("/api/rooms/{code}/record");
        let answer = peers.ask(secret, &node, &path, Some(ana)).await.unwrap();
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "no game was played");
        for quota in [CpuQuota::Loading, CpuQuota::Replaying] {
            assert!(state.base.limits.was_charged(ana, quota), "{quota:?}");
            assert!(!state.base.limits.was_charged(other_server, quota), "{quota:?}");
        }
        state.base.limits.worked(ana, CpuQuota::Replaying, Duration::from_secs(60));
        let refused = peers.ask(secret, &node, &path, Some(ana)).await;
        assert!(matches!(refused, Err(NoPeer::Refused(_, StatusCode::TOO_MANY_REQUESTS))));
        let other = peers.ask(secret, &node, &path, Some(client("192.0.2.2"))).await;
        assert_eq!(other.unwrap().status, StatusCode::NOT_FOUND, "another client is not refused");
    }
}
