//! The messages of the wire contract and nothing else; `docs/protocol.md` says in words what they mean.
//!
//! Nothing here decides anything: what a message does is the room's business, how it travels the server's.

mod book;
mod client;
mod close;
mod code;
mod http;
mod past;
mod raw_action;
mod review;
mod room;
mod server;
mod state_messages;

pub use book::{Best, Book, BookGame, BookPlayer, Chapter, Pair};
pub use client::ClientMessage;
pub use close::Close;
pub use code::Code;
pub use game::Level;
pub use http::{
    Failure, GameOffer, OpenRoom, OpenRoomFrom, OptionOffer, Record, RecordDigest, RecordedAct, RoomOpened,
    SeatKey,
};
pub use past::{By, GamePlayed, Moment, Origin, OriginView, RecordDoubt};
pub use raw_action::RawAction;
pub use review::{CurvePoint, HintedAct, Mistake, Review, ReviewedPlayer};
pub use room::{Fair, Forced, Kind, Pace, Reaction, RoomPhase, RoomView, SeatView, Watcher};
pub use server::{ChatLine, Received, ServerMessage, State, You};
pub use state_messages::StateMessages;

/// Raised with every breaking change of the contract.
pub const PROTOCOL: u32 = 1;

/// The longest message a client may send, in bytes.
pub const MAX_MESSAGE: usize = 4 * 1024;
