//! The draw pile and the discard pile. They share one array: what is drawn makes room at its front for what is
//! discarded, which can never be more. Who drew a card, and why, is not known here.

use crate::card::{Card, Cards, MAX_DECK, deck};
use crate::list::Item;
use game::Chance;

#[derive(Clone, Copy)]
pub struct Piles {
    cards: [Card; MAX_DECK],
    /// The discard pile is everything before this, oldest first.
    discarded: u8,
    /// The draw pile is everything from this on, the next card first.
    drawn: u8,
    /// Where the draw pile ends.
    end: u8,
}

impl Piles {
    /// The shuffled deck for `players`.
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

    /// These piles of a deck of `whole` cards, all others of which were drawn before.
    pub fn laid(whole: usize, draw: &[Card], discard: &[Card]) -> Piles {
        let mut cards = [Card::BLANK; MAX_DECK];
        let drawn = whole - draw.len();
        cards[..discard.len()].copy_from_slice(discard);
        cards[drawn..whole].copy_from_slice(draw);
        Piles { cards, discarded: discard.len() as u8, drawn: drawn as u8, end: whole as u8 }
    }

    /// How many cards are left to draw.
    pub fn left(&self) -> u8 {
        self.end - self.drawn
    }

    pub fn draw_pile(&self) -> &[Card] {
        &self.cards[usize::from(self.drawn)..usize::from(self.end)]
    }

    pub fn discard_pile(&self) -> &[Card] {
        &self.cards[..usize::from(self.discarded)]
    }

    /// Turns up five cards, or what is left.
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

    /// Shuffles the draw pile as it lies, the next card first.
    pub fn shuffle_draw_pile(&mut self, chance: &mut Chance) {
        chance.shuffle(&mut self.cards[usize::from(self.drawn)..usize::from(self.end)]);
    }

    /// Shuffles the discard pile, as it lies, into a new draw pile.
    pub fn reshuffle(&mut self, chance: &mut Chance) {
        debug_assert!(self.left() == 0, "there is still something to draw");
        *self = Piles { drawn: 0, end: self.discarded, discarded: 0, ..*self };
        chance.shuffle(&mut self.cards[..usize::from(self.end)]);
    }
}

// What once lay between the two piles makes no difference, so equality reads the piles.
impl PartialEq for Piles {
    fn eq(&self, other: &Piles) -> bool {
        self.draw_pile() == other.draw_pile() && self.discard_pile() == other.discard_pile()
    }
}

impl Eq for Piles {}
