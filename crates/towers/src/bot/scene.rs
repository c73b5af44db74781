//! Translates a view into the decision it asks for, in the bots' terms (a call or a plan), and a bot's `Wish` back into
//! a listed action.

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

/// A seat's decision and everything it knows.
pub struct Scene<'a> {
    pub seat: usize,
    pub known: Knowledge,
    table: &'a Table,
    mine: &'a Mine,
    actions: &'a [Action],
}

impl<'a> Scene<'a> {
    /// Returns `None` if the seat has no decision to make.
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

    /// Returns whether the decision is a call. Otherwise it is a step of a build.
    pub fn in_auction(&self) -> bool {
        self.table.phase == Phase::Auction
    }

    /// Returns the calls to choose from, with `None` for a pass. Unbuildable bids are left out, even where mistakes are
    /// allowed.
    pub fn calls(&self) -> Vec<Option<u8>> {
        let calls = self.actions.iter().filter_map(|action| match action {
            Action::Bid { count } if *count <= self.mine.highest_bid => Some(Some(*count)),
            Action::Pass {} => Some(None),
            _ => None,
        });
        calls.collect()
    }

    /// Returns the position of the seat's call in the auction, counted from the starter.
    pub fn place(&self) -> usize {
        self.table.calls.len()
    }

    /// Returns the standing bid with the bidder's position in the auction.
    pub fn standing(&self) -> Option<Bid> {
        let place = self.table.calls.iter().rposition(|call| call.count.is_some())?;
        Some((place, self.table.calls[place].count?))
    }

    /// Returns the seat that calls at this position of the auction.
    pub fn seat_at(&self, place: usize) -> usize {
        let world = &self.known.world;
        (world.starter + place) % world.players
    }

    /// Returns every bid that can win the auction and that its bidder can build.
    pub fn bids(&self, buildable: impl Fn(usize, u8) -> bool) -> Vec<Bid> {
        let standing = self.standing();
        let floor = standing.map_or(0, |(_, count)| count + 1);
        let mut bids: Vec<Bid> = standing.into_iter().collect();
        for place in self.place()..self.known.world.players {
            // Only the starter may bid 0.
            let floor = if place == 0 { 0 } else { floor.max(1) };
            let sizes = floor..=self.known.row.len() as u8;
            bids.extend(sizes.filter(|count| buildable(self.seat_at(place), *count)).map(|count| (place, count)));
        }
        bids
    }

    /// Returns every call with its winning chance, given that the others respond as `ends` predicts.
    pub fn judge_calls(&self, ends: &Ends) -> Vec<(Option<u8>, f32)> {
        let place = self.place();
        let standing = |call: Option<u8>| call.map(|count| (place, count)).or(self.standing());
        let chance = |call| ends.solve(place + 1, standing(call))[self.seat];
        self.calls().into_iter().map(|call| (call, chance(call))).collect()
    }

    /// Returns the legal actions.
    pub fn actions(&self) -> &[Action] {
        self.actions
    }

    /// Returns the cards taken but not yet placed as positions in `known.row`, where they follow the cards of the row.
    pub fn hand(&self) -> u8 {
        ((1_u16 << self.known.row.len()) - (1 << self.table.row.len())) as u8
    }

    /// Returns all plans for the available cards, best first. Empty if an earlier mistake left nothing that can be
    /// built.
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

    /// Returns the action for a call.
    pub fn call(&self, call: Option<u8>) -> Option<Action> {
        let wanted = call.map_or(Action::Pass {}, |count| Action::Bid { count });
        self.listed(|action| *action == wanted)
    }

    /// Returns the action that carries out a bot's decision or takes its first step.
    pub fn act(&self, wish: &Wish) -> Option<Action> {
        let plan = match wish {
            Wish::Call(call) => return self.call(*call),
            Wish::Build(plan) => plan,
        };
        let row = &self.known.row;
        if self.table.phase == Phase::Take {
            let taken = row.iter().enumerate().filter(|(place, _)| plan.taken >> place & 1 == 1);
            let wanted = sorted(taken.map(|(_, card)| *card));
            // Two equal cards are interchangeable, and the list may name the other one.
            return self.listed(|action| match action {
                Action::Take { cards } => sorted(cards.iter().copied()) == wanted,
                _ => false,
            });
        }
        if let Some(tower) = plan.demolish {
            return self.listed(|action| *action == Action::Demolish { tower });
        }
        // All levels place cards in the best order and differ only in which cards they choose.
        match first_card(self.side(), row, plan.taken, &self.known.world.worth(&WEIGHTS)) {
            Some(card) => self.listed(|action| *action == Action::Build { card }),
            None => self.listed(|action| *action == Action::Finish {}),
        }
    }

    /// Returns an action for when there is no plan: one that undoes a mistake, or else any legal action.
    pub fn way_out(&self) -> Option<Action> {
        let buildable = self.table.standing.is_some_and(|standing| standing.count <= self.mine.highest_bid);
        // Undoing step by step keeps a bid that can be built.
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
