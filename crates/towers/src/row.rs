//! The row of a round: up to five cards at fixed positions, with marks for those that are taken and placed. Cards that
//! are put back therefore return to their positions, and leftovers stay in row order.

use crate::card::{Card, Cards, Tower};
use crate::tower::Handful;

/// Positions in a row, as a bit set.
pub type Places = u8;

/// The cards turned up for a round.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Row {
    cards: Cards,
    taken: Places,
    placed: Places,
}

impl Row {
    pub fn new(cards: Cards) -> Row {
        Row { cards, taken: 0, placed: 0 }
    }

    /// Returns all cards that were turned up, including taken ones.
    pub fn cards(&self) -> &Cards {
        &self.cards
    }

    pub fn size(&self) -> u8 {
        self.cards.len() as u8
    }

    /// Returns the cards still in the row.
    pub fn left(&self) -> Cards {
        self.at(!self.taken)
    }

    /// Returns the cards that are taken but not placed yet.
    pub fn hand(&self) -> Cards {
        self.at(self.in_hand())
    }

    pub fn in_hand(&self) -> Places {
        self.taken & !self.placed
    }

    pub fn take(&mut self, places: Places) {
        self.taken = places;
    }

    pub fn place(&mut self, place: u8) {
        self.placed |= 1 << place;
    }

    pub fn take_back(&mut self, place: u8) {
        self.placed &= !(1 << place);
    }

    /// Returns all cards to the row.
    pub fn restore(&mut self) {
        self.taken = 0;
        self.placed = 0;
    }

    /// Returns the cards at these positions, in row order.
    pub fn at(&self, places: Places) -> Cards {
        let mut cards = Cards::new();
        for (place, card) in self.cards.iter().enumerate() {
            if places >> place & 1 == 1 {
                cards.push(*card);
            }
        }
        cards
    }

    /// Returns the first of `places` that holds this card.
    pub fn find(&self, card: Card, places: Places) -> Option<u8> {
        (0..self.size()).find(|place| places >> place & 1 == 1 && self.cards[usize::from(*place)] == card)
    }

    /// Returns the positions of these cards, or `None` if one is not in the row. Of two equal cards the first is taken
    /// first, so that every replay leaves the same cards in the same order.
    pub fn find_all(&self, cards: &Cards) -> Option<Places> {
        let mut places = 0;
        for card in cards {
            places |= 1 << self.find(*card, !places)?;
        }
        Some(places)
    }

    /// Returns every distinct choice of `count` cards. Equal cards are interchangeable.
    pub fn choices(&self, count: u8) -> impl Iterator<Item = Places> + '_ {
        let twins = self.twins();
        (0..1_u8 << self.size())
            .filter(move |places| places.count_ones() == u32::from(count))
            .filter(move |places| twins.iter().all(|[first, both]| places & both != both & !first))
    }

    /// Returns, for each card that occurs twice in the row, the bit of its first position and the bits of both. A row
    /// has at most two such pairs.
    fn twins(&self) -> [[Places; 2]; 2] {
        // No choice contains every position but lacks the first, so this default filters nothing.
        let mut twins = [[0, Places::MAX]; 2];
        let mut found = 0;
        for (second, card) in self.cards.iter().enumerate() {
            if let Some(first) = self.cards[..second].iter().position(|c| c == card) {
                twins[found] = [1 << first, 1 << first | 1 << second];
                found += 1;
            }
        }
        twins
    }

    /// Returns the cards at these positions, grouped by type.
    pub fn sorted(&self, places: Places) -> Sorted {
        let mut sorted = Sorted([Handful::default(); 5]);
        for (place, card) in self.cards.iter().enumerate() {
            if places >> place & 1 == 1 {
                let handful = &mut sorted.0[card.tower().index()];
                *handful = handful.with(card.value());
            }
        }
        sorted
    }
}

/// Cards grouped by type, for checks against each tower.
#[derive(Clone, Copy)]
pub struct Sorted([Handful; 5]);

impl Sorted {
    pub fn of(&self, tower: Tower) -> Handful {
        self.0[tower.index()]
    }
}
