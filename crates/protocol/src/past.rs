//! Past and current games: the list of a room's games, and one game moment by moment.

use crate::{RawAction, Record};
use game::{Outcome, Seat};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// One game of `GET /api/rooms/{code}/games`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct GamePlayed {
    /// Number of the game in its room, counted from 1 in the order of starts.
    pub number: u32,
    /// Id of the game.
    pub game: String,
    /// Names in seat order, including renames during the game.
    pub players: Vec<String>,
    /// Start time in milliseconds since 1970.
    pub start: u64,
    /// Time in milliseconds since 1970 when the game ended or everyone had left it, or null during the game.
    pub end: Option<u64>,
    /// Outcome, or null if the game was not played to its end.
    pub outcome: Option<Outcome>,
    /// Earlier game that this game began with. Omitted if there is none.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginView>,
}

/// The earlier game that a game started from, with everything needed to verify it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Number of actions of the earlier game to keep. Everything hidden at that point is randomised again. `None` if
    /// only the deal of the earlier game is used.
    pub moment: Option<u32>,
    /// The earlier game.
    pub record: Record,
}

/// Public view of the earlier game that a game begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "Origin"), schemars(rename = "Origin"))]
pub struct OriginView {
    /// Moment of the earlier game from which it continues, counted from 0, or null if only the deal is the same.
    pub moment: Option<u32>,
    /// Players of the earlier game, in seat order.
    pub players: Vec<String>,
    /// Outcome of the earlier game.
    pub outcome: Outcome,
}

impl Origin {
    /// Returns the public part.
    pub fn view(&self) -> OriginView {
        let Record { players, outcome, .. } = &self.record;
        OriginView { moment: self.moment, players: players.clone(), outcome: outcome.clone() }
    }
}

/// One line of `GET /api/rooms/{code}/games/{number}/moments`: the public table after one change of a game, as everyone
/// was shown it, and the cause of the change.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Moment {
    /// Version of the state that showed it. Counted from 1 if the moments come from a record alone.
    pub version: u64,
    /// Time in milliseconds since 1970, or null for the start if the moments come from a record alone.
    pub at: Option<u64>,
    /// Seat that acted, or null for the start.
    pub seat: Option<Seat>,
    /// Source of the decision, or null for the start and if the moments come from a record alone.
    pub by: Option<By>,
    /// The act, or null for the start and for a choice that is still hidden.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub action: Option<RawAction>,
    /// Events of the change.
    #[cfg_attr(feature = "types", ts(type = "unknown[]"))]
    pub events: Vec<Box<RawValue>>,
    /// Public table after the change.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub table: Box<RawValue>,
}

/// Source of a seat's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The player of the seat.
    #[default]
    Player,
    /// The bot that plays the seat.
    Bot,
    /// A bot, because the player's time had run out.
    Clock,
    /// Automatic, because there was only one legal act.
    Force,
}

impl By {
    /// Returns whether the player decided.
    pub fn is_player(&self) -> bool {
        *self == By::Player
    }
}

/// The failed check of a record, which the client turns into a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RecordDoubt {
    /// The record exceeds the size limit.
    TooLarge {},
    /// The input is not a record, or is truncated.
    Unreadable {},
    /// Only a newer Rookery can read records of this version.
    Version {
        /// Version of the record.
        version: u32,
    },
    /// The record names another protocol version than the one every record has.
    Protocol {
        /// Protocol version that the record names.
        version: u32,
    },
    /// This Rookery does not offer the game.
    Game {},
    /// This Rookery does not have this version of the rules.
    RulesVersion {
        /// Version of the rules.
        version: u32,
    },
    /// The game does not have these options.
    Rules {},
    /// The game does not allow this number of players, or salts are missing.
    Players {
        /// Number of players.
        count: usize,
    },
    /// The server's seed does not match the commitment.
    Commitment {},
    /// An act is illegal: this act, an earlier one, a salt or the seed was changed.
    Act {
        /// Number of the act, counted from 0.
        n: usize,
        /// Seat that acted.
        seat: Seat,
        /// Refusal code of the game, or null if it is not an act of this game.
        code: Option<String>,
    },
    /// A part was changed after the record was written.
    Changed {
        /// Name of the changed field.
        part: String,
        /// For a change in the acts, number of the first changed act, counted from 0.
        n: Option<usize>,
    },
    /// The acts stop before the end of the game.
    NoEnd {},
    /// The acts lead to a different outcome.
    Outcome {},
    /// The earlier game that the game begins with fails a check.
    Origin {
        /// Failed check of the earlier game.
        doubt: Box<RecordDoubt>,
    },
    /// The earlier game is a different game, or has other rules or another number of players.
    OriginOther {},
    /// The earlier game has no such moment, or the moment is its end.
    OriginMoment {},
    /// The chain of earlier games is too long.
    OriginDeep {},
    /// The game has no such moment, or the moment is its end.
    Moment {},
    /// A player has an invalid name.
    Names {},
}
