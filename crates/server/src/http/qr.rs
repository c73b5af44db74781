//! QR codes of links to a room, and to a seat for a second device.
//!
//! It does not know whether the key of a seat is valid.

use super::origin::of_our_own_page;
use super::request::{asks_much, known, object};
use crate::app_state::AppState;
use crate::client_addr::ClientAddr;
use crate::links::Links;
use crate::qr_codes::NoPicture;
use crate::refused::{Refused, busy};
use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{ConnectInfo, Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use protocol::{Code, SeatKey};
use serde_json::Value;
use std::net::SocketAddr;

/// Maximum length of the key in a seat link. Ours are half as long.
const KEY: usize = 64;

/// Returns a QR code of the join link.
pub(super) async fn qr(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
) -> Result<Response, Refused> {
    let source = asks_much(&state.base, peer, &headers)?;
    let code = known(&state, source, code).await?;
    picture_of(&state, source, Links::of(&state.base.config, &headers).absolute(&format!("r/{code}"))).await
}

/// Returns a QR code of the link to the client's own seat, for a second device. The key is in the body, because URLs
/// are logged on the way.
pub(super) async fn seat_qr(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
    body: Result<Json<Value>, JsonRejection>,
) -> Result<Response, Refused> {
    of_our_own_page(&state.base.config, &headers)?;
    let source = asks_much(&state.base, peer, &headers)?;
    let code = known(&state, source, code).await?;
    let SeatKey { key } = object(body)?;
    if !(1..=KEY).contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(Refused::new(StatusCode::BAD_REQUEST, Code::BadOptions, "a key consists of letters and digits"));
    }
    picture_of(&state, source, Links::of(&state.base.config, &headers).absolute(&format!("r/{code}#k={key}"))).await
}

async fn picture_of(state: &AppState, client: ClientAddr, link: String) -> Result<Response, Refused> {
    let svg = state.qr_codes.svg_of(link, client).await.map_err(|none| match none {
        NoPicture::Busy => busy(),
        NoPicture::TooLong => {
            let detail = "the link does not fit a QR code";
            Refused::new(StatusCode::INTERNAL_SERVER_ERROR, Code::LinkTooLong, detail)
        }
    })?;
    Ok(([(CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}
