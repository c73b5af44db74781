//! From row to row: the first deal, the clean-up of a round, the reshuffle and the end.

use crate::auction::Auction;
use crate::build::Build;
use crate::list::List;
use crate::piles::Piles;
use crate::row::Row;
use crate::score::Score;
use crate::side::Side;
use crate::{Event, Events, Rules, Towers};
use game::{Chance, Outcome, Seat, Seed};
use serde::Serialize;

/// Phase of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Players bid.
    Auction,
    /// The builder takes cards from the row.
    Take,
    /// The builder demolishes and places cards.
    Build,
    /// The game is over.
    Finished,
}

impl Towers {
    /// Returns the table before its first row.
    pub(crate) fn deal(rules: &Rules, players: usize, seed: Seed) -> Towers {
        let mut chance = Chance::new(seed);
        let starter = Seat::from(chance.below(players as u32) as usize);
        let piles = Piles::shuffled(players, &mut chance);
        Towers { words: chance.drawn(), ..Towers::bare(rules, players, seed, starter, piles) }
    }

    /// Returns a table with only the two piles on it.
    pub(crate) fn bare(rules: &Rules, players: usize, seed: Seed, starter: Seat, piles: Piles) -> Towers {
        Towers {
            seed,
            words: 0,
            mistakes: rules.mistakes,
            retracts_freely: false,
            players: players as u8,
            phase: Phase::Auction,
            round: 0,
            deal: 1,
            starter,
            turn: starter,
            highest: [0; 5],
            row: Row::new(List::new()),
            auction: Auction::new(0),
            build: Build::NOTHING,
            piles,
            sides: [Side::EMPTY; 5],
        }
    }

    pub(crate) fn start_round(&mut self, starter: Seat, events: &mut Events) {
        self.round += 1;
        let row = self.piles.turn_up();
        self.open_auction(starter, Row::new(row));
        events.push(Event::Round { round: self.round, starter, row });
    }

    pub(crate) fn open_auction(&mut self, starter: Seat, row: Row) {
        self.phase = Phase::Auction;
        self.starter = starter;
        self.turn = starter;
        self.row = row;
        self.auction = Auction::new(row.size());
        self.build = Build::NOTHING;
        // Towers do not change during an auction, and the build uses the values from its start, so computing them once
        // per round is enough.
        for seat in Seat::all(usize::from(self.players)) {
            self.highest[seat.index()] = self.sides[seat.index()].highest_bid(&row);
        }
    }

    pub(crate) fn end_round(&mut self, next: Seat, events: &mut Events) {
        let left = self.row.left();
        if !left.is_empty() {
            for card in &left {
                self.piles.discard(*card);
            }
            events.push(Event::Discard { cards: left });
        }
        if self.piles.left() == 0 {
            let cards = self.piles.discard_pile().len() as u8;
            if self.deal > 1 || cards == 0 {
                return self.end(events);
            }
            // The stream is needed only once more in a game, so the state does not contain the generator.
            self.piles.reshuffle(&mut Chance::resume(self.seed, self.words));
            self.deal = 2;
            events.push(Event::Reshuffle { cards });
        }
        self.start_round(next, events);
    }

    fn end(&mut self, events: &mut Events) {
        // No next round starts, so the starter stays that of the last round.
        self.open_auction(self.starter, Row::new(List::new()));
        self.phase = Phase::Finished;
        let Outcome { winners, scores } = self.reckon();
        events.push(Event::End { winners: List::from(&*winners), scores: List::from(&*scores) });
    }

    /// Returns the outcome if the game ended now.
    pub(crate) fn reckon(&self) -> Outcome {
        Outcome::most_points(self.sides().iter().map(|side| Score::of(side).total))
    }
}

#[cfg(test)]
impl Towers {
    /// Returns every card of the game, sorted.
    pub(crate) fn every_card(&self) -> Vec<crate::Card> {
        let mut cards =
            [self.piles.draw_pile(), self.piles.discard_pile(), &self.row.left(), &self.row.hand()].concat();
        for side in self.sides() {
            cards.extend(&side.demolished);
            for tower in crate::Tower::ALL {
                cards.extend(side.stack(tower).iter().map(|value| crate::Card::of(tower, *value)));
            }
        }
        cards.sort();
        cards
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Card, Mistakes, deck};
    use game::Game;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(gametest::cases(32))]

        #[test]
        fn no_card_is_lost_or_duplicated(players in 2..=5_usize, allowed: bool, seed: [u8; 32], choices: u64) {
            let mut luck = gametest::luck(choices);
            let mistakes = if allowed { Mistakes::Allowed } else { Mistakes::Prevented };
            let (mut towers, _) = Towers::new(&Rules { mistakes }, players, Seed(seed));
            let mut whole: Vec<Card> = deck(players).collect();
            whole.sort();
            while let Some(seat) = towers.turn() {
                assert_eq!(towers.every_card(), whole);
                let listed = towers.legal(seat);
                towers.apply(seat, &listed[luck.below(listed.len())]).unwrap();
            }
            assert_eq!(towers.every_card(), whole);
        }
    }
}
