//! Past and current games: the list of a room's games, and one game moment by moment.

use crate::{RawAction, Record};
use game::{Outcome, Seat};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// One game of `GET /api/rooms/{code}/games`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct GamePlayed {
    /// Counted from 1 in each room, in the order they were started.
    pub number: u32,
    /// Which game.
    pub game: String,
    /// Names in seat order, as they were at the start.
    pub players: Vec<String>,
    /// When it was started, in milliseconds since 1970.
    pub start: u64,
    /// When it was over, or everyone had left it; none while it is on.
    pub end: Option<u64>,
    /// How it ended; none if it did not come to its end.
    pub outcome: Option<Outcome>,
    /// What it had of an earlier game. It is there only if so.
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

/// The same as everyone in a room sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "Origin"), schemars(rename = "Origin"))]
pub struct OriginView {
    /// From which moment of the earlier game it goes on, counted from 0; none if it is dealt as that was.
    pub moment: Option<u32>,
    /// Who played the earlier game, in seat order.
    pub players: Vec<String>,
    /// How that ended.
    pub outcome: Outcome,
}

impl Origin {
    /// Returns the public part.
    pub fn view(&self) -> OriginView {
        let Record { players, outcome, .. } = &self.record;
        OriginView { moment: self.moment, players: players.clone(), outcome: outcome.clone() }
    }
}

/// One line of `GET /api/rooms/{code}/games/{number}/moments`: the open table right after one change of a game, as
/// everyone was shown it, and what brought it about.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Moment {
    /// The version of the state that showed it; counted from 1 where there is only a record.
    pub version: u64,
    /// When, in milliseconds since 1970; none for the start where there is only a record.
    pub at: Option<u64>,
    /// Whose act it was; nobody's for the start.
    pub seat: Option<Seat>,
    /// Who made that decision; none for the start, and where there is only a record.
    pub by: Option<By>,
    /// The act; none for the start, and for a choice that is still hidden.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub action: Option<RawAction>,
    /// What happened.
    #[cfg_attr(feature = "types", ts(type = "unknown[]"))]
    pub events: Vec<Box<RawValue>>,
    /// What everyone saw then.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub table: Box<RawValue>,
}

/// Who made a seat's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Its player.
    #[default]
    Player,
    /// The bot that plays the seat.
    Bot,
    /// A bot, since the player's time had run out.
    Clock,
    /// Nobody: there was only one thing to do.
    Force,
}

impl By {
    /// Returns whether the player decided.
    pub fn is_player(&self) -> bool {
        *self == By::Player
    }
}

/// What exactly does not hold in a record, for the client to word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RecordDoubt {
    /// It is larger than any record.
    TooLarge {},
    /// It is not a record at all, or was cut short.
    Unreadable {},
    /// Only a newer Rookery reads records of this version.
    Version {
        /// Which.
        version: u32,
    },
    /// It names another protocol than every record does.
    Protocol {
        /// Which.
        version: u32,
    },
    /// A game that is not on offer here.
    Game {},
    /// Rules of a version that this Rookery does not have.
    RulesVersion {
        /// Which.
        version: u32,
    },
    /// Options that the game does not have.
    Rules {},
    /// So many cannot play it, or salts are missing.
    Players {
        /// How many.
        count: usize,
    },
    /// The server's seed is not the one the commitment was made for.
    Commitment {},
    /// An act that the rules refuse: it, an earlier one, a salt or the seed was changed.
    Act {
        /// Which, counted from 0.
        n: usize,
        /// Whose.
        seat: Seat,
        /// The game's own code; none if it is no act of the game at all.
        code: Option<String>,
    },
    /// Something is not what it was when the record was written.
    Changed {
        /// The name of the field.
        part: String,
        /// Of the acts the first that is another, counted from 0.
        n: Option<usize>,
    },
    /// The acts stop before the end.
    NoEnd {},
    /// The acts lead to another outcome.
    Outcome {},
    /// The earlier game it begins with does not hold.
    Origin {
        /// What does not hold in that.
        doubt: Box<RecordDoubt>,
    },
    /// The earlier game is another game, by other rules or of another number of players.
    OriginOther {},
    /// The earlier game has no such moment, or it is its end.
    OriginMoment {},
    /// Too many earlier games, one before the other.
    OriginDeep {},
    /// It has no such moment, or it is its end.
    Moment {},
    /// Somebody in it has a name that nobody can have.
    Names {},
}
