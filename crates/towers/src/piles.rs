//! The draw pile and the discard pile, in one array. Drawn cards free space at the front for discarded ones, which are
//! never more.

use crate::card::{Card, Cards, MAX_DECK, deck};
use crate::list::Item;
use game::Chance;

#[derive(Clone, Copy)]
pub struct Piles {
    cards: [Card; MAX_DECK],
    /// The discard pile is everything before this index, oldest first.
    discarded: u8,
    /// The draw pile starts at this index, next card first.
    drawn: u8,
    /// End of the draw pile.
    end: u8,
}

impl Piles {
    /// Creates the shuffled deck for `players`.
    pub fn shuffled(players: usize, chance: &mut Chance) -> Piles {
        let mut cards = [Card::BLANK; MAX_DECK];
        let mut end = 0;
        for (place, card) in cards.iter_mut().zip(deck(players)) {
            *place = card;
            end += 1;
        }
        chance.shuffle(&mut cards[..end]);
        Piles { cards, discarded: 0, drawn: 0, end: end as u8 }
    }

    /// Creates these piles from a deck of `whole` cards, all others of which were drawn before.
    pub fn laid(whole: usize, draw: &[Card], discard: &[Card]) -> Piles {
        let mut cards = [Card::BLANK; MAX_DECK];
        let drawn = whole - draw.len();
        cards[..discard.len()].copy_from_slice(discard);
        cards[drawn..whole].copy_from_slice(draw);
        Piles { cards, discarded: discard.len() as u8, drawn: drawn as u8, end: whole as u8 }
    }

    /// Returns the number of cards left to draw.
    pub fn left(&self) -> u8 {
        self.end - self.drawn
    }

    pub fn draw_pile(&self) -> &[Card] {
        &self.cards[usize::from(self.drawn)..usize::from(self.end)]
    }

    pub fn discard_pile(&self) -> &[Card] {
        &self.cards[..usize::from(self.discarded)]
    }

    /// Turns up five cards, or as many as are left.
    pub fn turn_up(&mut self) -> Cards {
        let pile = self.draw_pile();
        let row = Cards::from(&pile[..pile.len().min(5)]);
        self.drawn += row.len() as u8;
        row
    }

    pub fn discard(&mut self, card: Card) {
        debug_assert!(self.discarded < self.drawn, "only what was drawn can be discarded");
        self.cards[usize::from(self.discarded)] = card;
        self.discarded += 1;
    }

    /// Shuffles the draw pile in place.
    pub fn shuffle_draw_pile(&mut self, chance: &mut Chance) {
        chance.shuffle(&mut self.cards[usize::from(self.drawn)..usize::from(self.end)]);
    }

    /// Shuffles the discard pile into a new draw pile.
    pub fn reshuffle(&mut self, chance: &mut Chance) {
        debug_assert!(self.left() == 0, "there is still something to draw");
        *self = Piles { drawn: 0, end: self.discarded, discarded: 0, ..*self };
        chance.shuffle(&mut self.cards[..usize::from(self.end)]);
    }
}

// Equality compares the piles, because leftover cards between the two do not matter.
impl PartialEq for Piles {
    fn eq(&self, other: &Piles) -> bool {
        self.draw_pile() == other.draw_pile() && self.discard_pile() == other.discard_pile()
    }
}

impl Eq for Piles {}
