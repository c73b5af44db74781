//! The game's types on the wire: options, actions and events. Legality is checked elsewhere.

use crate::dice::{DICE, Die};
use crate::sheet::Row;
use arrayvec::ArrayVec;
use game::Seat;
use serde::{Deserialize, Serialize};

/// What a host may choose before the start: nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rules {}

/// Something a player asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Roll all seven dice.
    Roll {},
    /// Roll some of the dice once more.
    Reroll {
        /// Which, in any order. Whatever the number and however many, it is read, and refused by the rules:
        /// a slip of the hand has a code of its own.
        dice: Vec<u64>,
    },
    /// Leave the dice as they lie.
    Keep {},
    /// Enter a colour's total in its row.
    Enter {
        /// Which row.
        row: Row,
    },
    /// Enter nothing.
    Skip {},
}

/// What a seat has chosen in the shared step, before all are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Choice {
    /// To enter a colour's total in its row.
    Enter {
        /// Which row.
        row: Row,
    },
    /// To enter nothing.
    Skip {},
}

/// Something that happened. Every viewer may see every event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// Somebody is active now.
    Turn {
        /// Who.
        seat: Seat,
    },
    /// Dice were rolled, all of them or some once more.
    Roll {
        /// By whom.
        seat: Seat,
        /// What all seven show now.
        dice: [Die; DICE],
    },
    /// The dice stay as they lie.
    Keep {
        /// Who said so.
        seat: Seat,
    },
    /// A total was entered.
    Enter {
        /// By whom.
        seat: Seat,
        /// In which row.
        row: Row,
        /// The number.
        value: u8,
    },
    /// Somebody entered nothing.
    Skip {
        /// Who.
        seat: Seat,
    },
    /// The active player entered nothing in the whole turn.
    Miss {
        /// Who.
        seat: Seat,
    },
    /// The game is over.
    End {
        /// All who share the highest score, in seat order.
        winners: ArrayVec<Seat, { game::MAX_PLAYERS }>,
        /// Everyone's points, in seat order.
        scores: ArrayVec<i16, { game::MAX_PLAYERS }>,
    },
}
