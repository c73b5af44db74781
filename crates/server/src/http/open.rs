//! Opens rooms.
//!
//! It does not know how a room is written; see `registry`.

use super::origin::of_our_own_page;
use super::request::{object, source};
use crate::client_addr::ClientAddr;
use crate::refused::Refused;
use crate::registry::{self, NoEntry};
use crate::rooms::Rooms;
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use protocol::{Code, OpenRoom, Origin, RoomOpened};
use room::{Options, Refusal};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;

/// Response header with the code of a newly opened room.
const ROOM: HeaderName = HeaderName::from_static("x-rookery-room");

pub(super) async fn open_room(
    State(rooms): State<Arc<Rooms>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    body: Result<Json<Value>, JsonRejection>,
) -> Result<Response, Refused> {
    of_our_own_page(&rooms.base.config, &headers)?;
    let wanted: OpenRoom = object(body)?;
    let options = Options::new(&wanted.game, wanted.rules.as_ref(), wanted.clock, wanted.forced);
    let options = options.map_err(bad_options)?.at_pace(wanted.pace);
    let source = source(&rooms.base, peer, &headers);
    may_open(&rooms, source)?;
    opened(&rooms, source, options, None).await
}

/// Checks whether the client may open another room, and counts it as opened.
pub(super) fn may_open(rooms: &Rooms, source: ClientAddr) -> Result<(), Refused> {
    if rooms.base.draining.is_cancelled() {
        return Err(NoEntry::Stopping.into());
    }
    if !rooms.base.limits.may_write(source) {
        let detail = "too much was written from this address today";
        return Err(Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooMuchWritten, detail));
    }
    if !rooms.base.limits.may_open(source) {
        let detail = "too many rooms opened from this address, try again later";
        return Err(Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyRooms, detail));
    }
    if !rooms.loaded.has_space(rooms.base.config.max_rooms) {
        return Err(NoEntry::Full.into());
    }
    Ok(())
}

pub(super) async fn opened(
    rooms: &Rooms,
    source: ClientAddr,
    options: Options,
    origin: Option<Box<Origin>>,
) -> Result<Response, Refused> {
    let code = registry::open(rooms, source, options, origin).await.map_err(|error| {
        // The journal itself logs the cause, once.
        tracing::debug!(%error, "cannot write a new room");
        Refused::new(StatusCode::SERVICE_UNAVAILABLE, Code::CannotWrite, "the journal cannot be written now")
    })?;
    rooms.base.metrics.rooms_opened.increment(1);
    let opened = RoomOpened { code: code.to_string(), path: format!("/r/{code}") };
    // Lets a load balancer route later requests for the room to the server that owns it.
    Ok((StatusCode::CREATED, [(ROOM, opened.code.clone())], Json(opened)).into_response())
}

pub(super) fn bad_options(wrong: Refusal) -> Refused {
    Refused::new(StatusCode::BAD_REQUEST, Code::BadOptions, wrong.to_string())
}
