//! What any server answers about a room: its public view and the record of its last game. Clients get it from `http`,
//! and other servers from `nodes`.

use crate::RoomCode;
use crate::client_addr::ClientAddr;
use crate::handle::Handle;
use crate::records::Records;
use crate::refused::Refused;
use crate::registry::NoEntry;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use protocol::{Code, RoomPhase, RoomView};
use std::sync::Arc;

/// Returns the public view of the room.
pub async fn show(room: &Handle) -> Result<RoomView, Refused> {
    // The room was unloaded at this moment. The client can retry, as for a room that cannot be read.
    room.look().await.map_err(|_| NoEntry::Failed.into())
}

/// Returns the record of the last finished game of the room with this view.
pub async fn last_record(
    records: &Arc<Records>,
    code: RoomCode,
    view: &RoomView,
    client: ClientAddr,
) -> Result<Response, Refused> {
    if view.phase == RoomPhase::Playing {
        return Err(Refused::new(
            StatusCode::CONFLICT,
            Code::GameOn,
            "the game is still running; its record is available when it ends",
        ));
    }
    match records.last(code, view, client).await {
        Ok(Some(record)) => Ok(([(CONTENT_TYPE, "application/json")], record).into_response()),
        Ok(None) => {
            let detail = "no finished game in this room";
            Err(Refused::new(StatusCode::NOT_FOUND, Code::NoRecord, detail))
        }
        Err(not_made) => Err(not_made.into()),
    }
}
