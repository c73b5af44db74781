//! What players see. These types are built from scratch and have no field for a secret: neither the order of the draw
//! pile nor another player's demolition pile before the end.

use crate::card::{Card, Cards, MAX_DECK, Tower};
use crate::list::List;
use crate::means::Means;
use crate::score::Score;
use crate::side::{MAX_PLAYERS, Pile};
use crate::tower::Stack;
use crate::{Phase, Towers};
use arrayvec::ArrayVec;
use game::{Outcome, Seat};
use serde::Serialize;

/// Public view of the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Table {
    /// Phase of the round.
    pub phase: Phase,
    /// Number of the round, counted from 1 through both deals.
    pub round: u8,
    /// Number of the deal: 1, or 2 after the reshuffle.
    pub deal: u8,
    /// Seat that opens or opened this round's auction; after the end, that of the last round.
    pub starter: Seat,
    /// Seat that must act, or null after the end.
    pub turn: Option<Seat>,
    /// Cards in the row now.
    pub row: Cards,
    /// Number of cards in the draw pile.
    pub draw: u8,
    /// Discard pile, oldest card first.
    pub discard: List<Card, MAX_DECK>,
    /// Calls of this auction, in order.
    pub calls: ArrayVec<Call, MAX_PLAYERS>,
    /// Standing bid, or null before the first.
    pub standing: Option<Standing>,
    /// Cards that the builder still has to place.
    pub hand: Cards,
    /// Type of the tower demolished in this build, or null.
    pub demolished_now: Option<Tower>,
    /// Towers and points of all players, in seat order.
    pub players: ArrayVec<PlayerView, MAX_PLAYERS>,
    /// Outcome, or null before the end.
    pub outcome: Option<Outcome>,
}

/// A call in an auction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Call {
    /// Seat that called.
    pub seat: Seat,
    /// Number of cards bid, or null for a pass.
    pub count: Option<u8>,
}

/// The standing bid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Standing {
    /// Seat that bid.
    pub seat: Seat,
    /// Number of cards.
    pub count: u8,
}

/// Public view of a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "Player"), schemars(rename = "Player"))]
pub struct PlayerView {
    /// Seat of the player.
    pub seat: Seat,
    /// Towers of the player.
    pub towers: Skyline,
    /// Number of demolished cards.
    pub demolished: u8,
    /// The demolished cards, present only after the end.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub demolished_cards: Option<Pile>,
    /// Score if the game ended now.
    pub score: Score,
}

/// The five towers of a player, each from the ground up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Skyline {
    pub candy: Stack,
    pub spooky: Stack,
    pub tree: Stack,
    pub scrap: Stack,
    pub sand: Stack,
}

/// Private view of one seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Mine {
    /// Demolition pile of this seat, oldest card first.
    pub demolished: Pile,
    /// Most cards of this round's row that this seat could build, the same through the whole round; 0 after the end.
    pub highest_bid: u8,
    /// What each bid would mean for this seat. Present only in an auction.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub means: Option<Means>,
}

impl Skyline {
    /// Returns the tower of this type.
    pub fn of(&self, tower: Tower) -> &Stack {
        match tower {
            Tower::Candy => &self.candy,
            Tower::Spooky => &self.spooky,
            Tower::Tree => &self.tree,
            Tower::Scrap => &self.scrap,
            Tower::Sand => &self.sand,
        }
    }
}

impl Towers {
    pub(crate) fn show_table(&self) -> Table {
        let finished = self.phase == Phase::Finished;
        let calls = self.auction.calls().enumerate();
        Table {
            phase: self.phase,
            round: self.round,
            deal: self.deal,
            starter: self.starter,
            turn: self.turn(),
            row: self.row.left(),
            draw: self.piles.left(),
            discard: List::from(self.piles.discard_pile()),
            calls: calls.map(|(place, count)| Call { seat: self.caller(place), count }).collect(),
            standing: self.standing().map(|(seat, count)| Standing { seat, count }),
            hand: self.row.hand(),
            demolished_now: self.build.demolished(),
            players: Seat::all(self.players()).map(|seat| self.show_player(seat, finished)).collect(),
            outcome: finished.then(|| self.reckon()),
        }
    }

    fn show_player(&self, seat: Seat, finished: bool) -> PlayerView {
        let side = &self.sides[seat.index()];
        let [candy, spooky, tree, scrap, sand] = side.stacks;
        PlayerView {
            seat,
            towers: Skyline { candy, spooky, tree, scrap, sand },
            demolished: side.demolished.len() as u8,
            demolished_cards: finished.then_some(side.demolished),
            score: Score::of(side),
        }
    }

    pub(crate) fn show_mine(&self, seat: Seat) -> Mine {
        match self.sides().get(seat.index()) {
            Some(side) => Mine {
                demolished: side.demolished,
                highest_bid: self.highest[seat.index()],
                means: (self.phase == Phase::Auction).then(|| Means::of(side, &self.row)),
            },
            None => Mine { demolished: Pile::new(), highest_bid: 0, means: None },
        }
    }
}
