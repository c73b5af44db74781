//! The game's types on the wire: options, actions and events. Legality is checked elsewhere.

use crate::card::{Card, Cards, Tower};
use crate::list::List;
use crate::side::MAX_PLAYERS;
use game::Seat;
use serde::{Deserialize, Serialize};

/// What a host may choose before the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Whether a player can bid, take or build what then cannot be carried out.
    pub mistakes: Mistakes,
}

/// What becomes of mistakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mistakes {
    /// Nobody can make one.
    #[default]
    Prevented,
    /// They happen, and are retracted.
    Allowed,
}

/// Something a player asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Name a number of cards to build.
    Bid {
        /// How many.
        count: u8,
    },
    /// Leave the auction.
    Pass {},
    /// Take cards of the row, as many as bid, in any order.
    Take {
        /// Which.
        cards: Cards,
    },
    /// Demolish a tower's top card, before anything is placed.
    Demolish {
        /// Which tower.
        tower: Tower,
    },
    /// Place a taken card on the tower of its type.
    Build {
        /// Which card.
        card: Card,
    },
    /// Go back one step of this build.
    Undo {},
    /// Take back the whole build and the bid, where mistakes are allowed and the bid cannot be kept.
    Retract {},
    /// End the build.
    Finish {},
}

/// Something that happened. Every viewer may see every event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A row was turned up.
    Round {
        /// Counted from 1, on through the second deal.
        round: u8,
        /// Who opens the auction.
        starter: Seat,
        /// The cards.
        row: Cards,
    },
    /// A number was named.
    Bid {
        /// By whom.
        seat: Seat,
        /// How many cards.
        count: u8,
    },
    /// Somebody passed.
    Pass {
        /// Who.
        seat: Seat,
    },
    /// The builder took cards of the row.
    Take {
        /// Who.
        seat: Seat,
        /// Which, in row order.
        cards: Cards,
    },
    /// A tower's top card was demolished. Everyone saw it lie there, so which one it was is no secret now.
    Demolish {
        /// By whom.
        seat: Seat,
        /// Which tower.
        tower: Tower,
    },
    /// A card was placed.
    Build {
        /// By whom.
        seat: Seat,
        /// Which.
        card: Card,
    },
    /// The last step of the build was undone.
    Undo {
        /// By whom.
        seat: Seat,
    },
    /// The build and its bid were taken back.
    Retract {
        /// By whom.
        seat: Seat,
    },
    /// The build is done.
    Finish {
        /// By whom.
        seat: Seat,
    },
    /// What was left of the row was discarded.
    Discard {
        /// The cards, in row order.
        cards: Cards,
    },
    /// The discard pile became the draw pile of the second deal.
    Reshuffle {
        /// How many cards were shuffled.
        cards: u8,
    },
    /// The game is over.
    End {
        /// All who share the highest score, in seat order.
        winners: List<Seat, MAX_PLAYERS>,
        /// Everyone's points, in seat order.
        scores: List<i16, MAX_PLAYERS>,
    },
}
