//! Connections from an address beyond a limit: it guessed too many room codes, or too many rooms were loaded for it. A
//! seat token lets them in. Everything else gets the same refusal after the same time, whether or not the room exists.
//!
//! It does not know how the limits are counted.

use crate::RoomCode;
use crate::app_state::AppState;
use crate::handle::Who;
use crate::limits::CpuQuota;
use crate::metrics::Metrics;
use crate::nodes;
use crate::registry::{self, Location};
use crate::socket::{IncomingClient, Socket, read_join};
use crate::websocket::WebSocket;
use protocol::{Close, Code};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Time from a join to its refusal. Finding and loading a room takes less, so the time does not reveal whether the room
/// exists.
const REFUSED_AFTER: Duration = Duration::from_secs(1);

/// Serves a connection until it ends. `code` is `None` if the path is not a room code.
pub async fn serve(
    ws: WebSocket,
    state: AppState,
    code: Option<RoomCode>,
    incoming: IncomingClient,
    refusal: (Code, String),
) {
    let mut socket = Socket::new(ws, &state.base, incoming);
    let text = match socket.first_text(&state.base).await {
        Ok(text) => text,
        Err(Some(close)) => return socket.close_for_bounds(close).await,
        Err(None) => return,
    };
    let refused_at = Instant::now() + REFUSED_AFTER;
    let join = match read_join(&text) {
        Ok(join) => join,
        Err(no_join) => return socket.refuse_join(no_join).await,
    };
    let Who::Token(_) = join.who else { return refuse(&mut socket, &state.base.metrics, refusal).await };
    if !socket.may_join(&state.base, &join) {
        return socket.close_for_bounds(Close::TryLater).await;
    }
    let found = match code {
        // Check existence first: a missing room must not evict another one from a full server.
        Some(code) if registry::exists(&state.rooms, code).await.is_ok() => {
            registry::enter(&state.rooms, code, (socket.source(), CpuQuota::LoadingWithToken))
                .await
                .ok()
                .map(|location| (code, location))
        }
        _ => None,
    };
    let welcomed = match found {
        Some((code, Location::Here(room))) => socket.play(&state.rooms, code, room, join).await.is_ok(),
        Some((code, Location::There(peer))) => {
            nodes::serve_barred(&mut socket, &state, &peer, code, &text).await.is_ok()
        }
        None => false,
    };
    if !welcomed {
        sleep_until(refused_at).await;
        refuse(&mut socket, &state.base.metrics, refusal).await;
    }
}

/// Informs the client of the limit, and closes the connection.
async fn refuse(socket: &mut Socket, metrics: &Metrics, (code, detail): (Code, String)) {
    metrics.refused(code.as_str());
    socket.say_error(code, &detail).await;
    socket.close(Close::TryLater).await;
}
