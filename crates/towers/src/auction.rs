//! The auction: which calls (bids and passes) are legal and when the auction ends. Which bids a player can build is
//! known from `Towers::highest`. What happens to the cards afterwards is not handled here.

use crate::refusal::IllegalAction;
use crate::side::MAX_PLAYERS;
use crate::{Action, Actions, Event, Events, Mistakes, Phase, Towers};
use game::Seat;

/// Value that represents a pass among the calls.
const PASS: u8 = u8::MAX;

/// A bid this much above the standing bid counts as a surprise, and so does an opening bid of `OPENING_JUMP`.
const JUMP: u8 = 2;
const OPENING_JUMP: u8 = 4;

/// The calls of one auction, in clockwise order from the starter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Auction {
    calls: [u8; MAX_PLAYERS],
    made: u8,
    /// Highest bid the next caller may make: the row's size, or less for a player who retracted a bid.
    ceiling: u8,
}

impl Auction {
    pub fn new(row_size: u8) -> Auction {
        Auction { calls: [PASS; MAX_PLAYERS], made: 0, ceiling: row_size }
    }

    /// Returns the calls so far, in order. `None` is a pass.
    pub fn calls(&self) -> impl Iterator<Item = Option<u8>> + '_ {
        self.calls[..usize::from(self.made)].iter().map(|call| (*call != PASS).then_some(*call))
    }

    /// Returns the standing bid: the bidder's position counted from the starter, and the number. It is the last call
    /// that is not a pass, because every bid is higher than the one before.
    pub fn standing(&self) -> Option<(usize, u8)> {
        let place = self.calls[..usize::from(self.made)].iter().rposition(|call| *call != PASS)?;
        Some((place, self.calls[place]))
    }

    /// Returns the lowest legal bid.
    fn floor(&self) -> u8 {
        self.standing().map_or(0, |(_, count)| count + 1)
    }

    fn call(&mut self, call: u8, row_size: u8) {
        self.calls[usize::from(self.made)] = call;
        self.made += 1;
        // Only the player who retracted must stay below the retracted bid.
        self.ceiling = row_size;
    }

    /// Strikes the standing bid and all calls after it, so that its bidder calls again and must bid less.
    fn strike(&mut self) {
        if let Some((place, count)) = self.standing() {
            // Struck calls are cleared so that equal auctions are equal states.
            self.calls[place..].fill(PASS);
            self.made = place as u8;
            self.ceiling = count - 1;
        }
    }
}

impl Towers {
    /// Returns the standing bid: the bidder and the number.
    pub(crate) fn standing(&self) -> Option<(Seat, u8)> {
        let (place, count) = self.auction.standing()?;
        Some((self.caller(place), count))
    }

    /// Returns whether the last bid was a surprise: at least `JUMP` above the one before, or an opening bid of at least
    /// `OPENING_JUMP`.
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

    /// Returns the seat that makes the call at this position of the auction, counted from 0.
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

    pub(crate) fn check_bid(&self, count: u8) -> Result<(), IllegalAction> {
        if self.phase != Phase::Auction {
            Err(IllegalAction::WrongPhase)
        } else if count < self.auction.floor() {
            Err(IllegalAction::BidTooLow)
        } else if count > self.auction.ceiling {
            Err(IllegalAction::BidTooHigh)
        } else if self.mistakes == Mistakes::Prevented && count > self.highest[self.turn.index()] {
            Err(IllegalAction::BidUnbuildable)
        } else {
            Ok(())
        }
    }

    pub(crate) fn check_pass(&self) -> Result<(), IllegalAction> {
        if self.phase != Phase::Auction {
            Err(IllegalAction::WrongPhase)
        } else if self.auction.made == 0 {
            Err(IllegalAction::StarterMustBid)
        } else {
            Ok(())
        }
    }

    pub(crate) fn bid(&mut self, count: u8, events: &mut Events) {
        events.push(Event::Bid { seat: self.turn, count });
        self.auction.call(count, self.row.size());
        // Nobody can outbid the whole row.
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
            // The starter bid 0 and all others passed: nobody builds, and the same player starts the next round.
            _ => self.end_round(self.starter, events),
        }
    }

    /// Returns to the auction, with the builder to call again.
    pub(crate) fn reopen_auction(&mut self) {
        self.auction.strike();
        self.phase = Phase::Auction;
    }
}
