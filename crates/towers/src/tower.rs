//! One tower: which card may go on it, and whether a set of cards can all be placed on it. Players, rounds and other
//! towers are not handled here.

use crate::card::ROOF;
use crate::list::List;

/// The values of one tower, from bottom to top. No type has more than 22 cards.
pub type Stack = List<u8, 22>;

/// What the next card is placed on: the top card's value, or the empty ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Top(u8);

impl Top {
    /// An empty tower.
    pub const GROUND: Top = Top(16);

    /// Returns the top formed by a card of this value.
    pub const fn card(value: u8) -> Top {
        Top(value)
    }

    /// Returns the top of a tower.
    pub fn of(stack: &Stack) -> Top {
        stack.last().map_or(Top::GROUND, |value| Top(*value))
    }

    /// Returns the top that would remain after demolishing the top card.
    pub fn below(stack: &Stack) -> Top {
        stack.iter().rev().nth(1).map_or(Top::GROUND, |value| Top(*value))
    }

    /// Returns whether this is a roof, on which nothing may be placed.
    pub const fn is_roof(self) -> bool {
        self.0 == ROOF
    }

    /// Returns whether there is a card that may be demolished.
    pub const fn may_go(self) -> bool {
        self.0 != Top::GROUND.0 && !self.is_roof()
    }

    /// Returns whether a card of this value may be placed here.
    pub const fn takes(self, value: u8) -> bool {
        !self.is_roof() && (value < self.0 || self.0 == 8 || value == 9)
    }

    /// Returns the set of values that may be placed here without the help of an 8 or a 9: those below the top card, or
    /// all values on an 8 or an empty tower.
    const fn bound(self) -> u16 {
        match self.0 {
            8 | 16.. => u16::MAX,
            value => (1 << value) - 1,
        }
    }

    /// Returns whether all of `cards` can be placed here in some order.
    ///
    /// Values in a tower fall from card to card, with two exceptions: a 9 may follow anything and anything may follow
    /// an 8. There is only one of each. Two equal cards therefore need one of them in between, and the cases below
    /// depend only on which of the two is in hand. A test compares this with trying all orders.
    pub const fn fits(self, cards: Handful) -> bool {
        let Handful { once, twice } = cards;
        if once == 0 {
            return true;
        }
        let bound = self.bound();
        // Nothing may follow a roof, so a second one cannot be placed.
        if self.is_roof() || twice & 1 != 0 {
            return false;
        }
        const HIGH: u16 = 0xFC00;
        const LOW: u16 = 0x00FF;
        match once >> 8 & 0b11 {
            // Without 8 and 9 the values can only fall.
            0b00 => twice == 0 && once & !bound == 0,
            // With only the 9, higher cards must come before it, and so must one of two equal cards.
            0b10 => twice & HIGH == 0 && (once & HIGH | twice) & !bound == 0,
            // With only the 8, which itself needs a higher card below it, lower cards come after it, so no two of them
            // may be equal. Of two equal higher cards one comes before it.
            0b01 => self.0 > 8 && twice & LOW == 0 && twice & !bound == 0,
            // Placing the 9 and directly after it the 8 is best, because every single card can follow. Of two equal
            // cards one comes before them.
            _ => twice & !bound == 0,
        }
    }
}

/// Cards of one type as two sets of values: those in hand, and those in hand twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Handful {
    once: u16,
    twice: u16,
}

impl Handful {
    /// Returns the set with one more card.
    pub const fn with(self, value: u8) -> Handful {
        let bit = 1 << value;
        Handful { once: self.once | bit, twice: self.twice | self.once & bit }
    }

    /// Returns the set with one card less.
    pub const fn without(self, value: u8) -> Handful {
        let bit = 1 << value;
        Handful { once: self.once & (self.twice | !bit), twice: self.twice & !bit }
    }
}

/// Returns the largest number of these cards of one type that can be placed on each of two tops, in some order.
pub fn most(values: &[u8], tops: [Top; 2]) -> [u32; 2] {
    let mut choices = [Handful::default(); 32];
    let mut best = [0; 2];
    for choice in 1..1_usize << values.len() {
        let first = choice.trailing_zeros();
        let cards = choices[choice & (choice - 1)].with(values[first as usize]);
        choices[choice] = cards;
        let count = choice.count_ones();
        for (best, top) in best.iter_mut().zip(tops) {
            if count > *best && top.fits(cards) {
                *best = count;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{EXTRA, HIGHEST};

    fn tops() -> impl Iterator<Item = Top> {
        (0..=HIGHEST).map(Top::card).chain([Top::GROUND])
    }

    fn fits_in_some_order(top: Top, cards: &mut Vec<u8>) -> bool {
        cards.is_empty()
            || (0..cards.len()).any(|i| {
                let card = cards.remove(i);
                let fits = top.takes(card) && fits_in_some_order(Top::card(card), cards);
                cards.insert(i, card);
                fits
            })
    }

    fn handful(cards: &[u8]) -> Handful {
        cards.iter().fold(Handful::default(), |handful, card| handful.with(*card))
    }

    /// Visits every choice of up to `left` more cards, from the value `from` on, out of a type's 22.
    fn choices(from: u8, left: usize, cards: &mut Vec<u8>, visit: &mut impl FnMut(&[u8])) {
        visit(cards);
        for value in from..=HIGHEST {
            if left > 0 {
                let again = EXTRA.contains(&value) && cards.last() != Some(&value);
                cards.push(value);
                choices(if again { value } else { value + 1 }, left - 1, cards, visit);
                cards.pop();
            }
        }
    }

    #[test]
    fn fits_agrees_with_trying_all_orders() {
        let mut tried = 0;
        choices(0, 5, &mut Vec::new(), &mut |cards| {
            for top in tops() {
                // There is only one 8 and one 9, and no third copy of any value.
                let copies = cards.iter().filter(|card| Top::card(**card) == top).count();
                if copies > usize::from(EXTRA.contains(&top.0)) {
                    continue;
                }
                tried += 1;
                let expected = fits_in_some_order(top, &mut cards.to_vec());
                assert_eq!(top.fits(handful(cards)), expected, "{cards:?} on {top:?}");
            }
        });
        assert!(tried > 100_000, "{tried}");
    }

    #[test]
    fn most_agrees_with_trying_all_choices() {
        choices(0, 4, &mut Vec::new(), &mut |cards| {
            for top in tops() {
                let expected = (0..1_u32 << cards.len())
                    .filter(|choice| {
                        let chosen = cards.iter().enumerate().filter(|(i, _)| choice >> i & 1 == 1);
                        top.fits(handful(&chosen.map(|(_, card)| *card).collect::<Vec<_>>()))
                    })
                    .map(u32::count_ones)
                    .max();
                assert_eq!(Some(most(cards, [top, Top::GROUND])[0]), expected, "{cards:?} on {top:?}");
            }
        });
    }

    #[test]
    fn follows_the_rules_for_placing_cards() {
        for (card, top) in [(9, 8), (8, 9), (15, 8), (0, 8), (9, 3), (9, 15), (4, 5), (0, 1)] {
            assert!(Top::card(top).takes(card), "{card} on {top}");
        }
        for (card, top) in [(5, 5), (8, 5), (15, 9), (9, 0), (0, 0), (10, 9)] {
            assert!(!Top::card(top).takes(card), "{card} on {top}");
        }
        assert!((0..=HIGHEST).all(|card| Top::GROUND.takes(card)));
    }

    #[test]
    fn removing_a_card_undoes_adding_it() {
        let one = handful(&[5, 9]);
        assert_eq!(one.with(5).without(5), one);
        assert_eq!(one.with(7).without(7), one);
    }
}
