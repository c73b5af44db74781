//! What the server says.

use crate::RoomView;
use game::Seat;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use serde_json::value::RawValue;

/// One message to a client. It borrows, so that the open table is serialised once and copied as bytes.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage<'a> {
    /// The answer to a join: all there is to know.
    Welcome {
        /// [`crate::PROTOCOL`].
        protocol: u32,
        /// Where this connection sits.
        you: You<'a>,
        /// The room.
        room: &'a RoomView,
        /// The game; none in the lobby.
        state: Option<State<'a>>,
        /// Every event of this game so far.
        #[cfg_attr(feature = "types", ts(type = "unknown[]"))]
        history: &'a [Box<RawValue>],
        /// The last lines said.
        chat: &'a [ChatLine],
    },
    /// This connection's own place changed.
    You {
        /// The new seat; none for a watcher.
        seat: Option<Seat>,
        /// What brings this player back to it.
        token: Option<&'a str>,
        /// The name at the table.
        name: &'a str,
    },
    /// Something in the room changed.
    Room {
        /// The room.
        room: &'a RoomView,
    },
    /// The game changed.
    State {
        /// The game.
        state: State<'a>,
    },
    /// An act was refused and changed nothing.
    Rejected {
        /// The act's own number.
        n: u32,
        /// Why, for the client to word.
        code: &'a str,
        /// Why, for developers.
        detail: &'a str,
    },
    /// Any other message was refused.
    Error {
        /// Why, for the client to word.
        code: &'a str,
        /// Why, for developers.
        detail: &'a str,
    },
    /// Somebody said something.
    Chat {
        /// Their seat, if they had one.
        seat: Option<Seat>,
        /// Their name.
        name: &'a str,
        /// What they said.
        text: &'a str,
        /// When, in milliseconds since 1970.
        at: u64,
    },
    /// A code that brings another device to this seat, once.
    Handover {
        /// What the other device sends as its token.
        code: &'a str,
        /// For how long it is good.
        expires_ms: u64,
    },
    /// The line is alive.
    Pong {
        /// As it came.
        #[cfg_attr(feature = "types", ts(type = "number"))]
        t: &'a Number,
    },
}

impl ServerMessage<'_> {
    /// The message as it travels.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("messages have string keys only")
    }
}

/// Where a connection sits.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct You<'a> {
    /// None for a watcher.
    pub seat: Option<Seat>,
    /// None for a watcher.
    pub token: Option<&'a str>,
    /// The name at the table.
    pub name: &'a str,
}

/// A game as one viewer sees it. `table` and `events` are the same bytes for everyone.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct State<'a> {
    /// Rises by one with each change of the game and never falls in a room.
    pub version: u64,
    /// The number of this seat's next act; none for a watcher. It rises with every act of this seat, and by one more
    /// when choices made together are counted.
    pub next: Option<u32>,
    /// The seats that must act before the game goes on, the same for everyone.
    pub asked: Vec<Seat>,
    /// What everyone sees.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub table: &'a RawValue,
    /// What this seat alone sees.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub mine: Option<Box<RawValue>>,
    /// What this seat may do now.
    #[cfg_attr(feature = "types", ts(type = "unknown[]"))]
    pub actions: Box<RawValue>,
    /// What happened since the version before.
    #[cfg_attr(feature = "types", ts(type = "unknown[]"))]
    pub events: &'a RawValue,
    /// Time left for whoever must act.
    pub deadline_ms: Option<u64>,
}

/// One line of the chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct ChatLine {
    /// The speaker's seat, if they had one.
    pub seat: Option<Seat>,
    /// The speaker's name.
    pub name: String,
    /// What they said.
    pub text: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
}
