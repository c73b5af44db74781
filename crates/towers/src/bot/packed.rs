//! A compact representation of one player's side for searches: a tower is one number with four bits per card. Values of
//! towers beyond their points are not handled here.

use crate::card::ROOF;
use crate::tower::{Stack, Top};
use crate::view::{PlayerView, Skyline};

/// One tower, which may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spire {
    /// The top card is in the lowest four bits. No type has more than 22 cards, which take 88 bits.
    cards: u128,
    height: u8,
}

impl Spire {
    pub const NOTHING: Spire = Spire { cards: 0, height: 0 };

    pub fn new(stack: &Stack) -> Spire {
        stack.iter().fold(Spire::NOTHING, |spire, value| spire.with(*value))
    }

    pub fn height(self) -> u8 {
        self.height
    }

    /// Returns the value of the card with `above` cards below it, if the tower is that tall.
    pub fn card(self, above: u8) -> Option<u8> {
        let down = self.height.checked_sub(above + 1)?;
        Some((self.cards >> (4 * u32::from(down)) & 15) as u8)
    }

    /// Returns the top card's value, or 16 for an empty tower, as an index into tables of tops.
    pub fn top_index(self) -> usize {
        if self.height == 0 { 16 } else { (self.cards & 15) as usize }
    }

    pub fn top(self) -> Top {
        if self.height == 0 { Top::GROUND } else { Top::card((self.cards & 15) as u8) }
    }

    pub fn roofed(self) -> bool {
        self.height > 0 && (self.cards & 15) as u8 == ROOF
    }

    pub fn with(self, value: u8) -> Spire {
        Spire { cards: self.cards << 4 | u128::from(value), height: self.height + 1 }
    }

    /// Returns the tower without its top card, if that may be demolished.
    pub fn demolished(self) -> Option<Spire> {
        self.top().may_go().then(|| Spire { cards: self.cards >> 4, height: self.height - 1 })
    }
}

/// A player's five towers, packed, and the number of cards they have demolished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedSide {
    pub spires: [Spire; 5],
    pub demolished: u8,
}

impl PackedSide {
    pub const EMPTY: PackedSide = PackedSide { spires: [Spire::NOTHING; 5], demolished: 0 };

    pub fn new(player: &PlayerView) -> PackedSide {
        let Skyline { candy, spooky, tree, scrap, sand } = &player.towers;
        PackedSide { spires: [candy, spooky, tree, scrap, sand].map(Spire::new), demolished: player.demolished }
    }

    pub fn tallest(&self) -> u8 {
        self.spires.iter().map(|spire| spire.height).max().unwrap_or(0)
    }

    /// Returns the score if the game ended now.
    pub fn score(&self) -> i16 {
        let towers = self.spires.iter().map(|spire| {
            let height = i16::from(spire.height);
            if spire.roofed() { 2 * height } else { height }
        });
        let demolished = i16::from(self.demolished);
        towers.sum::<i16>() + i16::from(self.tallest()) - demolished * (demolished + 1) / 2
    }
}
