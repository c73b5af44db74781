//! A room as everyone in it sees it.

use crate::OriginView;
use game::{Commitment, Level, Salt, Seat};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// The `room` object: nothing in it is secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "Room"), schemars(rename = "Room"))]
pub struct RoomView {
    /// What people type to find it.
    pub code: String,
    /// Which game is played.
    pub game: Cow<'static, str>,
    /// Where the room is between opening and the next game.
    pub phase: RoomPhase,
    /// The game's own options.
    #[cfg_attr(
        feature = "types",
        ts(type = "Record<string, unknown>"),
        schemars(with = "serde_json::Map<String, Value>")
    )]
    pub rules: Value,
    /// Seconds for each decision, or none.
    pub clock: Option<u32>,
    /// What happens when a seat has only one act.
    pub forced: Forced,
    /// How fast bots play. Earlier servers omit it.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<Pace>"))]
    #[serde(default)]
    pub pace: Pace,
    /// The seat that the host chose to begin the next game; null for chance. Earlier servers omit it.
    #[cfg_attr(feature = "types", ts(optional = nullable))]
    #[serde(default)]
    pub starter: Option<Seat>,
    /// The fewest players.
    pub min: usize,
    /// The most players.
    pub max: usize,
    /// Who may start and configure; none while nobody sits.
    pub host: Option<Seat>,
    /// How many connections watch without a seat.
    pub watchers: usize,
    /// Who sits, in seat order.
    pub seats: Vec<SeatView>,
    /// What makes the deal one that can be checked.
    pub fair: Fair,
    /// For how many days a room that nobody opens is kept; 0 for ever.
    pub keep_days: u32,
    /// Who watches, in the order they came.
    #[serde(default)]
    pub audience: Vec<Watcher>,
    /// The earlier game that the next one, or the one on the table, begins with. It is there only if so.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginView>,
    /// The seats that must act before the game goes on. Only whoever asks for the room from outside is told, while a game is on;
    /// those inside know it from the game.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Vec<Seat>>,
}

/// Somebody who watches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Watcher {
    /// Names their connection in this room, as long as it lasts.
    pub id: u64,
    /// What they are called.
    pub name: String,
    /// Whether the host lets them not talk.
    pub muted: bool,
}

/// Where a room is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "Phase"), schemars(rename = "Phase"))]
#[serde(rename_all = "snake_case")]
pub enum RoomPhase {
    /// People come and the host chooses.
    Lobby,
    /// A game is on.
    Playing,
    /// The last game is over and still on the table.
    Finished,
}

/// What happens when a seat has only one legal act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Forced {
    /// It is played for them after a short pause.
    #[default]
    Auto,
    /// They are asked all the same.
    Ask,
}

/// How fast what is played for others comes: people look at what happened before the next act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// With time to look at everything.
    Calm,
    /// So that one can follow.
    #[default]
    Normal,
    /// For those who know the game well.
    Brisk,
}

impl Pace {
    /// Returns whether this is the default, which is not serialised.
    pub fn is_normal(&self) -> bool {
        *self == Pace::Normal
    }
}

/// One seat as everyone sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "SeatInfo"), schemars(rename = "SeatInfo"))]
pub struct SeatView {
    /// Its number.
    pub seat: Seat,
    /// Who sits there.
    pub name: String,
    /// Human or bot.
    pub kind: Kind,
    /// Whether any of its connections is alive.
    pub connected: bool,
    /// For how long none has been.
    pub away_ms: u64,
    /// Games won in this room.
    pub wins: u32,
    /// The level of the bot that plays this seat now.
    pub bot: Option<Level>,
    /// Whoever sits here came with the word that they are a program. It is there only if so.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub program: bool,
    /// Whoever sits here has said that they want another game. It is there only if so.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ready: bool,
    /// Whose place of the earlier game this is, where there is one: its seat then.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chair: Option<Seat>,
}

/// What can be said without words.
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

/// What plays a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A person.
    Human,
    /// A program of the server's.
    Bot,
}

/// What the server has bound itself to for this game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Fair {
    /// SHA-256 of the server's seed.
    pub commitment: Commitment,
    /// The seated humans' salts in seat order, once the game has started and they are public.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub salts: Option<Vec<Option<Salt>>>,
}
