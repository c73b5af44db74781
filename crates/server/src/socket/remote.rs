//! The other end of a connection: a client, or a server that relays for one. This is all that differs between them, and
//! the frame that reports a seat to a relaying server.
//!
//! It does not know how a relaying server uses them; see `nodes::relay`.

use crate::websocket::Message;
use room::PlayerId;

/// The other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remote {
    Client,
    /// A server that relays for a client and has checked its admission.
    RelayingServer,
}

impl Remote {
    /// Returns whether rate limits are enforced on this connection. The relaying server enforces them for its clients,
    /// and messages that it delayed may arrive in a burst.
    pub fn is_rate_limited(self) -> bool {
        self == Remote::Client
    }

    /// Returns whether the remote is sent the seat of the connection. A relaying server needs it for its own slots.
    pub fn is_sent_seats(self) -> bool {
        self == Remote::RelayingServer
    }

    /// Returns a heartbeat: a ping, or a pong to a relaying server. That server turns the pong into a ping for the
    /// client and returns the client's answer. It would answer a ping by itself, which would not show that the welcome
    /// arrived.
    pub fn heartbeat(self) -> Message {
        match self {
            Remote::Client => Message::Ping(Default::default()),
            Remote::RelayingServer => Message::Pong(Default::default()),
        }
    }
}

/// Encodes whose seat a connection uses, for the relaying server: the player id, or nothing for no seat. Clients never
/// receive this frame.
pub(super) fn seat_frame(seat: Option<PlayerId>) -> Message {
    Message::Binary(seat.map(|PlayerId(id)| id.to_be_bytes().to_vec()).unwrap_or_default().into())
}

/// Decodes a frame made by `seat_frame`.
pub fn read_seat(frame: &[u8]) -> Option<PlayerId> {
    frame.try_into().ok().map(|id| PlayerId(u32::from_be_bytes(id)))
}
