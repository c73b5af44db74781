//! The row of a round: five places whose cards never move, and which of them are taken and placed. So cards that
//! go back are in their places again, and leftovers are in row order. Whose cards they are is not known here.

use crate::card::{Card, Cards, Tower};
use crate::tower::Handful;

/// Places of a row, as bits.
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

    /// All cards turned up, wherever they are now.
    pub fn cards(&self) -> &Cards {
        &self.cards
    }

    pub fn size(&self) -> u8 {
        self.cards.len() as u8
    }

    /// What still lies in the row.
    pub fn left(&self) -> Cards {
        self.at(!self.taken)
    }

    /// What is taken and not placed yet.
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

    /// Every card is back where it was turned up.
    pub fn restore(&mut self) {
        self.taken = 0;
        self.placed = 0;
    }

    /// The cards at these places, in row order.
    pub fn at(&self, places: Places) -> Cards {
        let mut cards = Cards::new();
        for (place, card) in self.cards.iter().enumerate() {
            if places >> place & 1 == 1 {
                cards.push(*card);
            }
        }
        cards
    }

    /// The first of `places` that holds this card.
    pub fn find(&self, card: Card, places: Places) -> Option<u8> {
        (0..self.size()).find(|place| places >> place & 1 == 1 && self.cards[usize::from(*place)] == card)
    }

    /// The places of these cards. Of two equal cards in the row the first is taken first, so that everyone who
    /// replays a game has the same leftovers in the same order.
    pub fn find_all(&self, cards: &Cards) -> Option<Places> {
        let mut places = 0;
        for card in cards {
            places |= 1 << self.find(*card, !places)?;
        }
        Some(places)
    }

    /// Every different choice of `count` cards, equal cards being interchangeable.
    pub fn choices(&self, count: u8) -> impl Iterator<Item = Places> + '_ {
        let twins = self.twins();
        (0..1_u8 << self.size())
            .filter(move |places| places.count_ones() == u32::from(count))
            .filter(move |places| twins.iter().all(|[first, both]| places & both != both & !first))
    }

    /// For each card that lies in the row twice: its first place, and both. Two pairs at most fit in a row.
    fn twins(&self) -> [[Places; 2]; 2] {
        // No choice has all of the places and not the first of them, so this pair filters nothing.
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

    /// The cards at these places, sorted by type.
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

/// Cards sorted by type, so that each type can be asked of its tower.
#[derive(Clone, Copy)]
pub struct Sorted([Handful; 5]);

impl Sorted {
    pub fn of(&self, tower: Tower) -> Handful {
        self.0[tower.index()]
    }
}
