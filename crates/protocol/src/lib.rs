//! The message types of the protocol. `docs/protocol.md` describes their meaning.
//!
//! This crate contains no behaviour: rooms decide what a message does, and the server how it travels.

mod book;
mod client;
mod close;
mod code;
mod have;
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
pub use have::Have;
pub use http::{
    Failure, GameOffer, OpenRoom, OpenRoomFrom, OptionOffer, Record, RecordDigest, RecordedAct, RoomOpened, SeatKey,
};
pub use past::{By, GamePlayed, Moment, Origin, OriginView, RecordDoubt};
pub use raw_action::RawAction;
pub use review::{CurvePoint, HintedAct, Mistake, Review, ReviewedPlayer};
pub use room::{Fair, Forced, Kind, Pace, Reaction, RoomPhase, RoomView, SeatView, Watcher};
pub use server::{ChatLine, Received, ServerMessage, State, You};
pub use state_messages::StateMessages;

/// Protocol version, raised with every breaking change.
pub const PROTOCOL: u32 = 1;

/// Maximum size of a client message in bytes.
pub const MAX_MESSAGE: usize = 4 * 1024;
