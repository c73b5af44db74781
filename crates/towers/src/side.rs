//! One player's five towers and demolition pile, and what could be built there. Bids and turns are not handled here.

use crate::card::{Card, Tower};
use crate::list::List;
use crate::row::{Row, Sorted};
use crate::tower::{Stack, Top, most};

/// The largest number of players.
pub const MAX_PLAYERS: usize = 5;

/// A demolition pile. A player demolishes at most one card per round, and two deals of 110 cards have at most 44
/// rounds.
pub type Pile = List<Card, 44>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Side {
    pub stacks: [Stack; 5],
    pub demolished: Pile,
}

impl Side {
    pub const EMPTY: Side = Side { stacks: [Stack::new(); 5], demolished: Pile::new() };

    pub fn stack(&self, tower: Tower) -> &Stack {
        &self.stacks[tower.index()]
    }

    pub fn top(&self, tower: Tower) -> Top {
        Top::of(self.stack(tower))
    }

    pub fn build(&mut self, card: Card) {
        self.stacks[card.tower().index()].push(card.value());
    }

    pub fn unbuild(&mut self, card: Card) {
        self.stacks[card.tower().index()].pop();
    }

    pub fn demolish(&mut self, tower: Tower) {
        if let Some(value) = self.stacks[tower.index()].pop() {
            self.demolished.push(Card::of(tower, value));
        }
    }

    /// Puts the most recently demolished card back on its tower.
    pub fn restore(&mut self) {
        if let Some(card) = self.demolished.pop() {
            self.build(card);
        }
    }

    /// Returns the types, as a bit set, whose cards could not all be placed without a demolition.
    pub fn failing(&self, cards: &Sorted) -> u8 {
        Tower::ALL
            .into_iter()
            .filter(|tower| !self.top(*tower).fits(cards.of(*tower)))
            .fold(0, |failing, tower| failing | tower.bit())
    }

    /// Returns whether demolishing this tower's top card allows all cards of its type to be placed.
    pub fn helps(&self, tower: Tower, cards: &Sorted) -> bool {
        self.top(tower).may_go() && Top::below(self.stack(tower)).fits(cards.of(tower))
    }

    /// Returns whether all these cards could be placed, with a demolition if needed.
    pub fn can_build(&self, cards: &Sorted) -> bool {
        let failing = self.failing(cards);
        // One demolition helps only one tower.
        failing == 0 || (failing.is_power_of_two() && self.helps(Tower::ALL[failing.trailing_zeros() as usize], cards))
    }

    /// Returns the largest number of cards of this row that could be placed, with a demolition if it helps.
    pub fn highest_bid(&self, row: &Row) -> u8 {
        let mut values = [List::<u8, 5>::new(); 5];
        for card in row.cards() {
            values[card.tower().index()].push(card.value());
        }
        let mut sum = 0;
        let mut gain = 0;
        for (stack, values) in self.stacks.iter().zip(&values) {
            if values.is_empty() {
                continue;
            }
            let top = Top::of(stack);
            let below = if top.may_go() { Top::below(stack) } else { top };
            let [plain, mended] = most(values, [top, below]);
            sum += plain;
            gain = gain.max(mended.saturating_sub(plain));
        }
        (sum + gain) as u8
    }
}
