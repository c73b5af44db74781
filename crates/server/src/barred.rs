//! Connections from an address that is barred for guessing room codes. A seat token lets them in. Everything else gets
//! the same refusal after the same time, whether or not the room exists.
//!
//! It does not know how guesses are counted.

use crate::RoomCode;
use crate::handle::Who;
use crate::nodes;
use crate::registry::{self, Location};
use crate::shared::Shared;
use crate::socket::{Socket, Visitor, read_join};
use crate::websocket::WebSocket;
use protocol::{Close, Code};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Time from a join to its refusal. Finding and loading a room takes less, so the time does not reveal whether the room
/// exists.
const REFUSED_AFTER: Duration = Duration::from_secs(1);

/// Serves a connection until it ends. `code` is `None` if the path is not a room code.
pub async fn serve(ws: WebSocket, shared: Arc<Shared>, code: Option<RoomCode>, visitor: Visitor) {
    let mut socket = Socket::new(ws, &shared, visitor);
    let text = match socket.first_text(&shared).await {
        Ok(text) => text,
        Err(Some(close)) => return socket.close_for_bounds(&shared, close).await,
        Err(None) => return,
    };
    let refused_at = Instant::now() + REFUSED_AFTER;
    let join = match read_join(&text) {
        Ok(join) => join,
        Err(no_join) => return socket.refuse_join(no_join).await,
    };
    let Who::Token(_) = join.who else { return refuse(&mut socket, &shared).await };
    if !socket.may_come_in(&shared, &join) {
        return socket.close_for_bounds(&shared, Close::TryLater).await;
    }
    let found = match code {
        // Check existence first: a missing room must not evict another one from a full server.
        Some(code) if registry::exists(&shared, code).await.is_ok() => {
            registry::enter(&shared, code, Some(socket.source())).await.ok().map(|location| (code, location))
        }
        _ => None,
    };
    let welcomed = match found {
        Some((code, Location::Here(room))) => socket.play(&shared, code, room, join).await.is_ok(),
        Some((code, Location::There(peer))) => {
            nodes::serve_barred(&mut socket, &shared, &peer, code, &text).await.is_ok()
        }
        None => false,
    };
    if !welcomed {
        sleep_until(refused_at).await;
        refuse(&mut socket, &shared).await;
    }
}

/// Informs the client that its address is barred, and closes the connection.
async fn refuse(socket: &mut Socket, shared: &Shared) {
    shared.metrics.refused(Code::TooManyMisses.as_str());
    let detail = "too many wrong codes from this address, try in a minute";
    socket.say_error(Code::TooManyMisses, detail).await;
    socket.close(Close::TryLater).await;
}
