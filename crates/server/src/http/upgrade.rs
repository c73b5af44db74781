//! The upgrade to a room's WebSocket, and the task that serves it.
//!
//! It does not know what is sent over the WebSocket.

use super::origin::of_our_own_page;
use super::request::{find_or_wait, source};
use crate::app_state::AppState;
use crate::limits::connection_slots::{Class, ConnectionSlot, NoSlot};
use crate::refused::Refused;
use crate::registry::Location;
use crate::socket::IncomingClient;
use crate::websocket::{Upgrade, WebSocket};
use crate::{RoomCode, barred, nodes, socket};
use axum::Extension;
use axum::extract::rejection::PathRejection;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use protocol::Code;
use std::net::SocketAddr;
use std::sync::Arc;

pub(super) async fn upgrade(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(slot): Extension<Arc<ConnectionSlot>>,
    headers: HeaderMap,
    code: Result<Path<String>, PathRejection>,
    upgrade: Result<Upgrade, Refused>,
) -> Result<Response, Refused> {
    of_our_own_page(&state.base.config, &headers)?;
    let source = source(&state.base, peer, &headers);
    let wanted = code.as_ref().ok().and_then(|Path(code)| RoomCode::read(code));
    let found = match find_or_wait(&state, source, code).await {
        Ok(found) => Ok(found),
        // An address beyond a limit is upgraded whatever the code: only the first message shows whether it has a seat
        // token.
        Err(refused) if refused.is_waived_by_a_token() && upgrade.is_ok() => Err(refused),
        Err(refused) => return Err(refused),
    };
    let upgrade = upgrade?;
    let class = slot.upgrade(source).map_err(|NoSlot| {
        let detail = "too many connections from this address or in total";
        Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManySockets, detail)
    })?;
    let (answer, socket) = upgrade.accept();
    let incoming = IncomingClient { source, slot, unverified: class == Class::Unverified };
    // The socket outlives this request, and shutdown waits for its closing handshake.
    match found {
        Ok((code, location)) => {
            state.base.tasks.spawn(serve(socket, state.clone(), code, location, incoming));
        }
        Err(refused) => {
            let task = state.clone();
            state.base.tasks.spawn(async move {
                if let Some(ws) = socket.await {
                    barred::serve(ws, task, wanted, incoming, (refused.code, refused.detail)).await;
                }
            });
        }
    }
    Ok(answer)
}

/// Serves a WebSocket until it ends.
async fn serve<Upgrading: Future<Output = Option<WebSocket>>>(
    socket: Upgrading,
    state: AppState,
    code: RoomCode,
    location: Option<Location>,
    incoming: IncomingClient,
) {
    let Some(ws) = socket.await else { return };
    match location {
        Some(Location::Here(room)) => socket::serve(ws, state.rooms, code, room, incoming).await,
        // Boxed: a task has the size of its largest branch, and a relay is twice as large as a socket.
        Some(Location::There(_)) | None => Box::pin(nodes::serve(ws, state, code, incoming)).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_task_of_a_connection_is_small() {
        fn size_of<A, B, C, D, E, Task>(_: impl Fn(A, B, C, D, E) -> Task) -> usize {
            std::mem::size_of::<Task>()
        }
        let task = size_of(serve::<std::future::Ready<Option<WebSocket>>>);
        assert!(task <= 3456, "{task} bytes for each of ten thousand idle connections");
    }
}
