//! A room as everyone in it sees it.

use crate::OriginView;
use game::{Commitment, Level, Salt, Seat};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// The `room` object, which contains nothing secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "Room"), schemars(rename = "Room"))]
pub struct RoomView {
    /// Code that people enter to find the room.
    pub code: String,
    /// Id of the game.
    pub game: Cow<'static, str>,
    /// Phase of the room.
    pub phase: RoomPhase,
    /// Options of the game.
    #[cfg_attr(
        feature = "types",
        ts(type = "Record<string, unknown>"),
        schemars(with = "serde_json::Map<String, Value>")
    )]
    pub rules: Value,
    /// Seconds for each decision, or null for no clock.
    pub clock: Option<u32>,
    /// Handling of a seat that has only one legal act.
    pub forced: Forced,
    /// Pace of the bots. Earlier servers omit it.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<Pace>"))]
    #[serde(default)]
    pub pace: Pace,
    /// Seat that the host chose to begin the next game, or null for a random one. Earlier servers omit it.
    #[cfg_attr(feature = "types", ts(optional = nullable))]
    #[serde(default)]
    pub starter: Option<Seat>,
    /// Minimum number of players.
    pub min: usize,
    /// Maximum number of players.
    pub max: usize,
    /// Seat of the host, who may start and configure, or null if no human is seated.
    pub host: Option<Seat>,
    /// Number of connections that watch without a seat.
    pub watchers: usize,
    /// Taken seats, in order.
    pub seats: Vec<SeatView>,
    /// Commitment and salts that make the deal verifiable.
    pub fair: Fair,
    /// Number of days that an unopened room is kept, or 0 for no limit.
    pub keep_days: u32,
    /// Watchers, in the order they joined.
    #[serde(default)]
    pub audience: Vec<Watcher>,
    /// Earlier game that the next game, or the one on the table, begins with. Omitted if there is none.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginView>,
    /// Seats that must act before the game continues. Only in the response of `GET /api/rooms/{code}` during a game;
    /// clients in the room have it in `state`.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Vec<Seat>>,
    /// Time until the next game starts without the host, because everyone at the table has asked for it.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_in_ms: Option<u64>,
}

/// A watcher.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Watcher {
    /// Id of the connection in this room, for as long as it is open.
    pub id: u64,
    /// Name of the watcher.
    pub name: String,
    /// Whether the host has muted the watcher.
    pub muted: bool,
}

/// Phase of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "Phase"), schemars(rename = "Phase"))]
#[serde(rename_all = "snake_case")]
pub enum RoomPhase {
    /// Players join and the host chooses the options.
    Lobby,
    /// A game is being played.
    Playing,
    /// The last game has ended and is still on the table.
    Finished,
}

/// Handling of a seat that has only one legal act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Forced {
    /// The act is played automatically after a short pause.
    #[default]
    Auto,
    /// The game waits for the player to act.
    Ask,
}

/// Pace of bots and forced acts, which leaves people time to look before the next act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// Slow, with time to look at everything.
    Calm,
    /// Easy to follow.
    #[default]
    Normal,
    /// Fast, for players who know the game well.
    Brisk,
}

impl Pace {
    /// Returns whether this is the default, which is not serialised.
    pub fn is_normal(&self) -> bool {
        *self == Pace::Normal
    }
}

/// Public view of a seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "SeatInfo"), schemars(rename = "SeatInfo"))]
pub struct SeatView {
    /// Number of the seat.
    pub seat: Seat,
    /// Name of the player.
    pub name: String,
    /// Kind of player: human or bot.
    pub kind: Kind,
    /// Whether the seat has a live connection. Always true for a bot.
    pub connected: bool,
    /// Milliseconds since the seat's last connection ended, or 0 while it has one.
    pub away_ms: u64,
    /// Games won in this room.
    pub wins: u32,
    /// Level of the bot that plays this seat now, or null.
    pub bot: Option<Level>,
    /// Whether the player declared itself a program when it joined. Omitted if false.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub program: bool,
    /// Whether the player wants another game. Omitted if false.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ready: bool,
    /// Seat that this place had in the earlier game. Omitted if the game does not begin with an earlier one.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chair: Option<Seat>,
}

/// A reaction without words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reaction {
    /// Well done.
    Clap,
    /// That is funny.
    Laugh,
    /// I did not expect that.
    Wow,
    /// Let me think.
    Think,
    /// That hurts.
    Ouch,
    /// I like that.
    Heart,
}

/// Kind of player in a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A player who joined over the wire.
    Human,
    /// A bot of the server.
    Bot,
}

/// The server's commitment for this game, and the players' salts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Fair {
    /// SHA-256 of the server's seed.
    pub commitment: Commitment,
    /// Salts in seat order, null for a bot. They are public, and present, once the game has started.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub salts: Option<Vec<Option<Salt>>>,
}
