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

/// What everyone may see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Table {
    /// The part of the round.
    pub phase: Phase,
    /// Counted from 1, on through the second deal.
    pub round: u8,
    /// 1 or 2: which time through the cards.
    pub deal: u8,
    /// Who opened, or opens, this round's auction; once the game is finished, that of the last round.
    pub starter: Seat,
    /// Who must act. Nobody once the game is finished.
    pub turn: Option<Seat>,
    /// What lies in the row now.
    pub row: Cards,
    /// How many cards are left to draw.
    pub draw: u8,
    /// The discard pile, the oldest card first.
    pub discard: List<Card, MAX_DECK>,
    /// This auction's calls, in order.
    pub calls: ArrayVec<Call, MAX_PLAYERS>,
    /// The highest bid; none before the first.
    pub standing: Option<Standing>,
    /// What the builder still has to place.
    pub hand: Cards,
    /// The type demolished in this build.
    pub demolished_now: Option<Tower>,
    /// Everyone's towers and points, in seat order.
    pub players: ArrayVec<PlayerView, MAX_PLAYERS>,
    /// Who won, once the game is finished.
    pub outcome: Option<Outcome>,
}

/// One call of an auction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Call {
    /// Whose.
    pub seat: Seat,
    /// The number named; none for a pass.
    pub count: Option<u8>,
}

/// The bid to beat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Standing {
    /// Whose.
    pub seat: Seat,
    /// How many cards.
    pub count: u8,
}

/// One player, as everyone sees them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "Player"), schemars(rename = "Player"))]
pub struct PlayerView {
    /// Where they sit.
    pub seat: Seat,
    /// Their towers.
    pub towers: Skyline,
    /// How many cards they have demolished.
    pub demolished: u8,
    /// Which ones: shown to all at the end, and not before.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub demolished_cards: Option<Pile>,
    /// What they would have if the game ended now.
    pub score: Score,
}

/// The five towers of a player, each from the ground up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[allow(missing_docs, reason = "the names say it all")]
pub struct Skyline {
    pub candy: Stack,
    pub spooky: Stack,
    pub tree: Stack,
    pub scrap: Stack,
    pub sand: Stack,
}

/// What one seat alone may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Mine {
    /// Its demolition pile, the oldest card first.
    pub demolished: Pile,
    /// The most cards of this row it could build, all through the round; 0 once the game is finished.
    pub highest_bid: u8,
    /// What each number would mean for it, in an auction.
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
