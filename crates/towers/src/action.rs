//! The game's types on the wire: options, actions and events. Legality is checked elsewhere.

use crate::card::{Card, Cards, Tower};
use crate::list::List;
use crate::side::MAX_PLAYERS;
use game::Seat;
use serde::{Deserialize, Serialize};

/// Options that the host may choose before the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Whether players can bid, take or build in a way that cannot be completed.
    pub mistakes: Mistakes,
}

/// Handling of mistakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mistakes {
    /// Mistakes are impossible.
    #[default]
    Prevented,
    /// Mistakes are possible, and are retracted.
    Allowed,
}

/// An act of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Bids a number of cards to build.
    Bid {
        /// Number of cards.
        count: u8,
    },
    /// Leaves the auction.
    Pass {},
    /// Takes as many cards from the row as were bid.
    Take {
        /// The cards, in any order.
        cards: Cards,
    },
    /// Demolishes the top card of a tower, before any card is placed.
    Demolish {
        /// Type of the tower.
        tower: Tower,
    },
    /// Places a taken card on the tower of its type.
    Build {
        /// The card.
        card: Card,
    },
    /// Undoes the last step of this build.
    Undo {},
    /// Takes back the whole build and the bid, where mistakes are allowed and the bid cannot be kept.
    Retract {},
    /// Ends the build.
    Finish {},
}

/// An event of the game. Every viewer may see every event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A new row was turned up.
    Round {
        /// Number of the round, counted from 1 through both deals.
        round: u8,
        /// Seat that opens the auction.
        starter: Seat,
        /// Cards of the row.
        row: Cards,
    },
    /// A player bid.
    Bid {
        /// Seat that bid.
        seat: Seat,
        /// Number of cards.
        count: u8,
    },
    /// A player passed.
    Pass {
        /// Seat that passed.
        seat: Seat,
    },
    /// The builder took cards from the row.
    Take {
        /// Seat of the builder.
        seat: Seat,
        /// The cards, in row order.
        cards: Cards,
    },
    /// The top card of a tower was demolished. Everyone saw the card there, so it is no secret at this point.
    Demolish {
        /// Seat of the builder.
        seat: Seat,
        /// Type of the tower.
        tower: Tower,
    },
    /// A card was placed.
    Build {
        /// Seat of the builder.
        seat: Seat,
        /// The card.
        card: Card,
    },
    /// The last step of the build was undone.
    Undo {
        /// Seat of the builder.
        seat: Seat,
    },
    /// The build and its bid were taken back.
    Retract {
        /// Seat of the builder.
        seat: Seat,
    },
    /// The builder ended the build.
    Finish {
        /// Seat of the builder.
        seat: Seat,
    },
    /// The rest of the row was discarded.
    Discard {
        /// The cards, in row order.
        cards: Cards,
    },
    /// The discard pile became the draw pile of the second deal.
    Reshuffle {
        /// Number of shuffled cards.
        cards: u8,
    },
    /// The game is over.
    End {
        /// Seats with the highest score, in order.
        winners: List<Seat, MAX_PLAYERS>,
        /// Points of all players, in seat order.
        scores: List<i16, MAX_PLAYERS>,
    },
}
