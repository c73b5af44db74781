//! The decision a view asks for, in the terms in which bots think: a call, or a plan for what is taken. From a wish
//! it finds the very act that is listed.

use super::Wish;
use super::bidding::Bid;
use super::ends::Ends;
use super::packed::PackedSide;
use super::plan::{Plan, every_plan, first_card};
use super::world::Knowledge;
use super::worth::{WEIGHTS, Worth};
use crate::card::Card;
use crate::view::Table;
use crate::{Action, Mine, Phase, Towers};
use game::{Seat, View};

/// What a seat is asked, and all it knows.
pub struct Scene<'a> {
    pub seat: usize,
    pub known: Knowledge,
    table: &'a Table,
    mine: &'a Mine,
    actions: &'a [Action],
}

impl<'a> Scene<'a> {
    /// None when the seat is not asked.
    pub fn new(view: &'a View<Towers>, seat: Seat) -> Option<Scene<'a>> {
        let mine = view.mine.as_ref()?;
        if view.actions.is_empty() || view.table.turn != Some(seat) {
            return None;
        }
        let known = Knowledge::new(&view.table, mine);
        Some(Scene { seat: seat.index(), known, table: &view.table, mine, actions: &view.actions })
    }

    pub fn side(&self) -> &PackedSide {
        &self.known.world.sides[self.seat]
    }

    /// Whether a call is asked for, else a step of a build.
    pub fn in_auction(&self) -> bool {
        self.table.phase == Phase::Auction
    }

    /// The calls there are to choose from, none standing for a pass. What cannot be built is not bid, allowed or not.
    pub fn calls(&self) -> Vec<Option<u8>> {
        let calls = self.actions.iter().filter_map(|action| match action {
            Action::Bid { count } if *count <= self.mine.highest_bid => Some(Some(*count)),
            Action::Pass {} => Some(None),
            _ => None,
        });
        calls.collect()
    }

    /// Where in the auction the seat's call is, counted from the starter.
    pub fn place(&self) -> usize {
        self.table.calls.len()
    }

    /// The bid to beat, by its place in the auction.
    pub fn standing(&self) -> Option<Bid> {
        let place = self.table.calls.iter().rposition(|call| call.count.is_some())?;
        Some((place, self.table.calls[place].count?))
    }

    /// Who calls at this place of the auction.
    pub fn seat_at(&self, place: usize) -> usize {
        let world = &self.known.world;
        (world.starter + place) % world.players
    }

    /// Every bid the auction may end with, of those that can be built by whoever bids.
    pub fn bids(&self, buildable: impl Fn(usize, u8) -> bool) -> Vec<Bid> {
        let standing = self.standing();
        let floor = standing.map_or(0, |(_, count)| count + 1);
        let mut bids: Vec<Bid> = standing.into_iter().collect();
        for place in self.place()..self.known.world.players {
            // Only the starter may bid nothing.
            let floor = if place == 0 { 0 } else { floor.max(1) };
            let sizes = floor..=self.known.row.len() as u8;
            bids.extend(
                sizes.filter(|count| buildable(self.seat_at(place), *count)).map(|count| (place, count)),
            );
        }
        bids
    }

    /// Every call with its chance of winning, the others answering as the ends say.
    pub fn judge_calls(&self, ends: &Ends) -> Vec<(Option<u8>, f32)> {
        let place = self.place();
        let standing = |call: Option<u8>| call.map(|count| (place, count)).or(self.standing());
        let chance = |call| ends.solve(place + 1, standing(call))[self.seat];
        self.calls().into_iter().map(|call| (call, chance(call))).collect()
    }

    /// The acts that are listed.
    pub fn actions(&self) -> &[Action] {
        self.actions
    }

    /// What the builder took and has not placed, as places behind the row.
    pub fn hand(&self) -> u8 {
        ((1_u16 << self.known.row.len()) - (1 << self.table.row.len())) as u8
    }

    /// Everything that can be made of the cards from here, the best first. Empty if somebody who made mistakes left
    /// nothing to make.
    pub fn plans(&self, worth: &Worth) -> Vec<Plan> {
        let count = self.table.standing.map_or(0, |standing| standing.count);
        let left = self.table.row.len();
        let row = &self.known.row;
        if self.table.phase == Phase::Take {
            let takes = (0..1_u8 << left).filter(|taken| taken.count_ones() == u32::from(count));
            return every_plan(self.side(), row, takes, true, worth);
        }
        let hand = self.hand();
        let untouched = self.table.demolished_now.is_none() && self.table.hand.len() == usize::from(count);
        every_plan(self.side(), row, std::iter::once(hand), untouched, worth)
    }

    /// The act that says a call.
    pub fn call(&self, call: Option<u8>) -> Option<Action> {
        let wanted = call.map_or(Action::Pass {}, |count| Action::Bid { count });
        self.listed(|action| *action == wanted)
    }

    /// The act that carries out a wish, or begins to.
    pub fn act(&self, wish: &Wish) -> Option<Action> {
        let plan = match wish {
            Wish::Call(call) => return self.call(*call),
            Wish::Build(plan) => plan,
        };
        let row = &self.known.row;
        if self.table.phase == Phase::Take {
            let taken = row.iter().enumerate().filter(|(place, _)| plan.taken >> place & 1 == 1);
            let wanted = sorted(taken.map(|(_, card)| *card));
            // Of two equal cards the one listed may be the other.
            return self.listed(|action| match action {
                Action::Take { cards } => sorted(cards.iter().copied()) == wanted,
                _ => false,
            });
        }
        if let Some(tower) = plan.demolish {
            return self.listed(|action| *action == Action::Demolish { tower });
        }
        // All levels know in which order cards go up best: what they differ in is which cards.
        match first_card(self.side(), row, plan.taken, &self.known.world.worth(&WEIGHTS)) {
            Some(card) => self.listed(|action| *action == Action::Build { card }),
            None => self.listed(|action| *action == Action::Finish {}),
        }
    }

    /// The way on when there is no plan: back from somebody's mistake, or whatever is listed.
    pub fn way_out(&self) -> Option<Action> {
        let buildable = self.table.standing.is_some_and(|standing| standing.count <= self.mine.highest_bid);
        // Going back step by step saves a bid that can be built.
        self.listed(|action| buildable && *action == Action::Undo {})
            .or_else(|| self.listed(|action| *action == Action::Retract {}))
            .or_else(|| self.actions.first().copied())
    }

    fn listed(&self, mut wanted: impl FnMut(&Action) -> bool) -> Option<Action> {
        self.actions.iter().copied().find(|action| wanted(action))
    }
}

fn sorted(cards: impl Iterator<Item = Card>) -> Vec<Card> {
    let mut cards: Vec<Card> = cards.collect();
    cards.sort();
    cards
}
