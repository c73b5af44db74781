//! What handlers need from a request: the client address and its limits, the body, and the room named in the path.
//!
//! It does not know what is requested.

use crate::RoomCode;
use crate::app_state::AppState;
use crate::base::Base;
use crate::client_addr::ClientAddr;
use crate::limits::CpuQuota;
use crate::refused::{Refused, too_many};
use crate::registry::{self, Location, NoEntry};
use axum::Json;
use axum::extract::Path;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::http::{HeaderMap, StatusCode};
use protocol::Code;
use serde::de::{self, DeserializeOwned};
use serde_json::Value;
use std::net::SocketAddr;

pub(super) fn source(base: &Base, peer: SocketAddr, headers: &HeaderMap) -> ClientAddr {
    ClientAddr::of(peer.ip(), headers, &base.config.trust_proxy)
}

/// Returns the client address of a costly request, if its rate limit allows it.
pub(super) fn asks_much(base: &Base, peer: SocketAddr, headers: &HeaderMap) -> Result<ClientAddr, Refused> {
    let source = source(base, peer, headers);
    if base.limits.may_request_costly(source) { Ok(source) } else { Err(too_many()) }
}

/// Returns the client address of a request that replays a journal, if its limits allow it.
pub(super) fn asks_for_a_replay(base: &Base, peer: SocketAddr, headers: &HeaderMap) -> Result<ClientAddr, Refused> {
    let source = asks_much(base, peer, headers)?;
    if base.limits.may_work(source, CpuQuota::Replaying) { Ok(source) } else { Err(too_many()) }
}

/// Parses a request body. Serde would also accept an object's fields as a list; the protocol allows objects only.
pub(super) fn object<T: DeserializeOwned>(body: Result<Json<Value>, JsonRejection>) -> Result<T, Refused> {
    let Json(body) = body?;
    let read = if body.is_object() { T::deserialize(body) } else { Err(de::Error::custom("expected an object")) };
    read.map_err(|wrong| Refused::new(StatusCode::BAD_REQUEST, Code::BadOptions, wrong.to_string()))
}

/// Finds the room with this code, and loads it if no server has it.
pub(super) async fn find(
    state: &AppState,
    source: ClientAddr,
    code: Result<Path<String>, PathRejection>,
) -> Result<(RoomCode, Location), Refused> {
    let enter =
        |code| async move { Ok((code, registry::enter(&state.rooms, code, (source, CpuQuota::Loading)).await?)) };
    counting_misses(state, source, code, enter).await
}

/// Finds the room for a client that can wait. The location is `None` while the room moves between servers.
pub(super) async fn find_or_wait(
    state: &AppState,
    source: ClientAddr,
    code: Result<Path<String>, PathRejection>,
) -> Result<(RoomCode, Option<Location>), Refused> {
    let enter = |code| async move {
        match registry::enter(&state.rooms, code, (source, CpuQuota::Loading)).await {
            Err(NoEntry::Waiting) => Ok((code, None)),
            entered => Ok((code, Some(entered?))),
        }
    };
    counting_misses(state, source, code, enter).await
}

/// Returns the code if the room exists, without loading the room.
pub(super) async fn known(
    state: &AppState,
    source: ClientAddr,
    code: Result<Path<String>, PathRejection>,
) -> Result<RoomCode, Refused> {
    let exists = |code| async move { registry::exists(&state.rooms, code).await.map(|()| code) };
    counting_misses(state, source, code, exists).await
}

/// Rate limit for guessing codes: an address that asks for too many missing rooms gets no answers for a while.
async fn counting_misses<T, Looking: Future<Output = Result<T, NoEntry>>>(
    state: &AppState,
    source: ClientAddr,
    code: Result<Path<String>, PathRejection>,
    look: impl FnOnce(RoomCode) -> Looking,
) -> Result<T, Refused> {
    let limits = &state.base.limits;
    let barred = || {
        let detail = "too many wrong codes from this address, try again in a minute";
        Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyMisses, detail)
    };
    // A path that is not valid UTF-8 is handled like any other wrong code.
    let code = code.ok().and_then(|Path(code)| RoomCode::read(&code));
    if let Some(code) = code
        && state.is_in(source, code)
    {
        // An address with a connection in the room learns nothing from this answer.
        return look(code).await.map_err(Refused::from);
    }
    if !limits.may_look(source) {
        return Err(barred());
    }
    let room = match code {
        Some(code) => look(code).await,
        None => Err(NoEntry::Missing),
    };
    // Checked again to avoid a race: parallel guesses all pass the first check before one of them is counted.
    let missing = matches!(room, Err(NoEntry::Missing));
    let may_be_told = if missing { limits.missed(source) } else { limits.may_look(source) };
    if !may_be_told {
        return Err(barred());
    }
    room.map_err(Refused::from)
}
