//! The game's types on the wire: options, actions and events. Legality is checked elsewhere.

use crate::dice::{DICE, Die};
use crate::sheet::Row;
use arrayvec::ArrayVec;
use game::Seat;
use serde::{Deserialize, Serialize};

/// Options that the host may choose before the start. There are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rules {}

/// An act of a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Rolls all seven dice.
    Roll {},
    /// Rolls some of the dice again.
    Reroll {
        /// Indices of the dice, in any order. Any numbers are parsed, so that the rules can refuse invalid ones with a
        /// precise code.
        dice: Vec<u64>,
    },
    /// Keeps the dice as they are.
    Keep {},
    /// Enters the total of a colour in its row.
    Enter {
        /// The row.
        row: Row,
    },
    /// Enters nothing.
    Skip {},
}

/// A seat's choice in the shared step, before all choices are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Choice {
    /// Enters the total of a colour in its row.
    Enter {
        /// The row.
        row: Row,
    },
    /// Enters nothing.
    Skip {},
}

/// An event of the game. Every viewer may see every event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A player's turn began.
    Turn {
        /// Seat of the active player.
        seat: Seat,
    },
    /// The active player rolled all dice, or some of them again.
    Roll {
        /// Seat of the active player.
        seat: Seat,
        /// All seven dice after the roll.
        dice: [Die; DICE],
    },
    /// The active player kept the dice.
    Keep {
        /// Seat of the active player.
        seat: Seat,
    },
    /// A player entered a total.
    Enter {
        /// Seat of the player.
        seat: Seat,
        /// The row.
        row: Row,
        /// The entered total.
        value: u8,
    },
    /// A player entered nothing.
    Skip {
        /// Seat of the player.
        seat: Seat,
    },
    /// The active player entered nothing in the whole turn.
    Miss {
        /// Seat of the active player.
        seat: Seat,
    },
    /// The game is over.
    End {
        /// Seats with the highest score, in order.
        winners: ArrayVec<Seat, { game::MAX_PLAYERS }>,
        /// Points of all players, in seat order.
        scores: ArrayVec<i16, { game::MAX_PLAYERS }>,
    },
}
