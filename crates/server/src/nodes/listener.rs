//! Answers requests of other servers: who this server is, and what they ask about its rooms. Clients without the shared
//! secret are refused.
//!
//! It never asks a third server (one hop at most): a request for a room that is not here is answered with
//! "misdirected".

use super::{FOR, Hello, RELAY, SPOKEN, list};
use crate::RoomCode;
use crate::address::Source;
use crate::handle::Handle;
use crate::http::{self, Refused};
use crate::limits::places::{Class, NoPlace, Place};
use crate::registry::{self, Location, NoEntry};
use crate::shared::Shared;
use crate::socket::{self, Visitor};
use crate::websocket::Upgrade;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Extension, Json, Router};
use protocol::Code;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Timeout for measuring a write to the journal.
const PROBE: Duration = Duration::from_secs(3);

type SharedState = State<Arc<Shared>>;

/// Returns the routes for other servers.
pub fn app(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/node", get(hello))
        .route("/node/journal", get(journal))
        .route("/node/unreached", get(unreached))
        .route("/api/rooms/{code}", get(look))
        .route("/api/rooms/{code}/record", get(record))
        .route("/ws/{code}", any(relayed))
        .layer(from_fn_with_state(shared.clone(), only_servers))
        .with_state(shared)
}

/// Passes on requests that have the secret and use the same version of the relay protocol.
async fn only_servers(State(shared): SharedState, request: Request, next: Next) -> Response {
    let said = request.headers().get(AUTHORIZATION).map(|value| value.as_bytes());
    let token = said.and_then(|said| said.strip_prefix(b"Bearer ")).unwrap_or_default();
    let known = shared.nodes.membership().is_some_and(|member| member.secret.is_known_to(token));
    if !known {
        return (StatusCode::FORBIDDEN, "this is for servers that know the secret\n").into_response();
    }
    let spoken = request.headers().get(SPOKEN).and_then(|value| value.to_str().ok());
    if spoken.and_then(|spoken| spoken.parse().ok()) != Some(RELAY) {
        return (StatusCode::UPGRADE_REQUIRED, "another relay protocol; update all servers\n")
            .into_response();
    }
    next.run(request).await
}

async fn hello(State(shared): SharedState) -> Json<Hello> {
    Json(Hello::of(&shared))
}

/// Returns the other servers that cannot be reached from here.
async fn unreached(State(shared): SharedState) -> Json<Vec<String>> {
    Json(list::unreached(&shared).await)
}

/// Returns how long a write to the journal takes from here, in milliseconds.
async fn journal(State(shared): SharedState) -> Response {
    match journal_ms(&shared).await {
        Some(ms) => Json(ms).into_response(),
        None => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// Measures how long a write to the journal takes, in milliseconds. Returns `None` if it fails.
pub async fn journal_ms(shared: &Shared) -> Option<f64> {
    let begun = Instant::now();
    let written = timeout(PROBE, shared.journal.probe()).await;
    matches!(written, Ok(Ok(()))).then(|| begun.elapsed().as_secs_f64() * 1000.0)
}

async fn look(State(shared): SharedState, Path(code): Path<String>) -> Result<Response, NotHere> {
    let (_, room) = find(&shared, &code, None).await?;
    Ok(http::show(&room).await.map(Json)?.into_response())
}

async fn record(State(shared): SharedState, Path(code): Path<String>) -> Result<Response, NotHere> {
    let (code, room) = find(&shared, &code, None).await?;
    Ok(http::last_record(&shared, code, &http::show(&room).await?, None).await?)
}

async fn relayed(
    State(shared): SharedState,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(place): Extension<Arc<Place>>,
    Path(code): Path<String>,
    headers: HeaderMap,
    upgrade: Result<Upgrade, Refused>,
) -> Result<Response, NotHere> {
    // The client's address is taken from the other server.
    let client = headers.get(FOR).and_then(|value| value.to_str().ok()?.parse().ok());
    let source = Source::of(client.unwrap_or(peer.ip()), &HeaderMap::new(), &[]);
    let (code, room) = find(&shared, &code, Some(source)).await?;
    let upgrade = upgrade?;
    let class = place.upgrade(source).map_err(|NoPlace| {
        let detail = "too many connections, from this address or in all";
        Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManySockets, detail)
    })?;
    let token = shared.tasks.token();
    let (answer, socket) = upgrade.accept();
    tokio::spawn(async move {
        if let Some(ws) = socket.await {
            let visitor = Visitor { source, place, in_vestibule: class == Class::Vestibule };
            socket::serve_relayed(ws, shared, code, room, visitor).await;
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

async fn find(
    shared: &Arc<Shared>,
    code: &str,
    source: Option<Source>,
) -> Result<(RoomCode, Handle), NotHere> {
    let code = RoomCode::read(code).ok_or_else(|| Refused::from(NoEntry::Missing))?;
    match registry::enter(shared, code, source).await {
        Ok(Location::Here(room)) => Ok((code, room)),
        Ok(Location::There(_)) | Err(NoEntry::Waiting | NoEntry::Stopping) => {
            Err(NotHere(StatusCode::MISDIRECTED_REQUEST.into_response()))
        }
        Err(no_entry) => Err(Refused::from(no_entry).into()),
    }
}
