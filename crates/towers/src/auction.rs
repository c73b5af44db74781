//! The auction: who may name what, and when it is over. What can be built it asks of a player's side; what
//! happens to the cards afterwards it does not know.

use crate::refusal::Refusal;
use crate::side::MAX_PLAYERS;
use crate::{Action, Actions, Event, Events, Mistakes, Phase, Towers};
use game::Seat;

/// What stands for a pass among the calls.
const PASS: u8 = u8::MAX;

/// So many more than the bid before are a surprise, and so many to open with.
const JUMP: u8 = 2;
const OPENING_JUMP: u8 = 4;

/// The calls of one auction. The first is the starter's, the next that of the seat to their left, and so on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Auction {
    calls: [u8; MAX_PLAYERS],
    made: u8,
    /// The highest number the next to call may name: the row's size, or less for somebody who retracted.
    ceiling: u8,
}

impl Auction {
    pub fn new(row_size: u8) -> Auction {
        Auction { calls: [PASS; MAX_PLAYERS], made: 0, ceiling: row_size }
    }

    /// The calls made, in order; none for a pass.
    pub fn calls(&self) -> impl Iterator<Item = Option<u8>> + '_ {
        self.calls[..usize::from(self.made)].iter().map(|call| (*call != PASS).then_some(*call))
    }

    /// The highest call, which is the last that is not a pass: who made it, counted from the starter, and how many.
    pub fn standing(&self) -> Option<(usize, u8)> {
        let place = self.calls[..usize::from(self.made)].iter().rposition(|call| *call != PASS)?;
        Some((place, self.calls[place]))
    }

    /// The lowest number that may be named now.
    fn floor(&self) -> u8 {
        self.standing().map_or(0, |(_, count)| count + 1)
    }

    fn call(&mut self, call: u8, row_size: u8) {
        self.calls[usize::from(self.made)] = call;
        self.made += 1;
        // Only the one who retracted is held below the retracted bid.
        self.ceiling = row_size;
    }

    /// Strikes the standing bid and all calls after it; its bidder is asked again, for less.
    fn strike(&mut self) {
        if let Some((place, count)) = self.standing() {
            // Struck calls leave no trace, so that equal auctions are equal states.
            self.calls[place..].fill(PASS);
            self.made = place as u8;
            self.ceiling = count - 1;
        }
    }
}

impl Towers {
    /// The standing bid: whose, and how many.
    pub(crate) fn standing(&self) -> Option<(Seat, u8)> {
        let (place, count) = self.auction.standing()?;
        Some((self.caller(place), count))
    }

    /// Whether the last call went beyond what it had to by more than one, or opened with most of a row.
    pub(crate) fn is_jump(&self) -> bool {
        let mut bids = self.auction.calls().flatten();
        let (mut before, mut last) = (None, bids.next().unwrap_or(0));
        for bid in bids {
            (before, last) = (Some(last), bid);
        }
        match before {
            Some(before) => last >= before + JUMP,
            None => last >= OPENING_JUMP,
        }
    }

    /// The seat whose call is this one of the auction, counted from 0.
    pub(crate) fn caller(&self, place: usize) -> Seat {
        Seat::from((self.starter.index() + place) % usize::from(self.players))
    }

    pub(crate) fn list_calls(&self, actions: &mut Actions) {
        let highest = match self.mistakes {
            Mistakes::Prevented => self.auction.ceiling.min(self.highest[self.turn.index()]),
            Mistakes::Allowed => self.auction.ceiling,
        };
        for count in self.auction.floor()..=highest {
            actions.push(Action::Bid { count });
        }
        if self.auction.made > 0 {
            actions.push(Action::Pass {});
        }
    }

    pub(crate) fn check_bid(&self, count: u8) -> Result<(), Refusal> {
        if self.phase != Phase::Auction {
            Err(Refusal::WrongPhase)
        } else if count < self.auction.floor() {
            Err(Refusal::BidTooLow)
        } else if count > self.auction.ceiling {
            Err(Refusal::BidTooHigh)
        } else if self.mistakes == Mistakes::Prevented && count > self.highest[self.turn.index()] {
            Err(Refusal::BidUnbuildable)
        } else {
            Ok(())
        }
    }

    pub(crate) fn check_pass(&self) -> Result<(), Refusal> {
        if self.phase != Phase::Auction {
            Err(Refusal::WrongPhase)
        } else if self.auction.made == 0 {
            Err(Refusal::StarterMustBid)
        } else {
            Ok(())
        }
    }

    pub(crate) fn bid(&mut self, count: u8, events: &mut Events) {
        events.push(Event::Bid { seat: self.turn, count });
        self.auction.call(count, self.row.size());
        // Nobody can beat the whole row.
        self.go_on(count == self.row.size(), events);
    }

    pub(crate) fn pass(&mut self, events: &mut Events) {
        events.push(Event::Pass { seat: self.turn });
        self.auction.call(PASS, self.row.size());
        self.go_on(false, events);
    }

    fn go_on(&mut self, settled: bool, events: &mut Events) {
        if !settled && self.auction.made < self.players {
            self.turn = self.turn.next(usize::from(self.players));
            return;
        }
        match self.standing() {
            Some((builder, 1..)) => self.start_build(builder),
            // The starter named 0 and nobody more: nobody builds, and the same player starts again.
            _ => self.end_round(self.starter, events),
        }
    }

    /// Goes back to the auction, to the builder's call.
    pub(crate) fn reopen_auction(&mut self) {
        self.auction.strike();
        self.phase = Phase::Auction;
    }
}
