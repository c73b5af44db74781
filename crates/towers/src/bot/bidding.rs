//! How an auction goes among players who know what every number of cards is worth to everyone: towers are open, so
//! they do. It is solved by backward induction. Where the worth comes from is not known here.

use super::plan::Plans;
use crate::side::MAX_PLAYERS;
use arrayvec::ArrayVec;
use game::Luck;

/// What so many cards of this row are worth to a player; far below 0 where they cannot be built.
pub type Offers = ArrayVec<[f32; 6], MAX_PLAYERS>;

/// The worth of what cannot be built: no player would want it.
pub const NEVER: f32 = -1.0e6;

/// How players look at an auction.
#[derive(Debug, Clone, Copy)]
pub struct Bidding {
    /// How much a point for another player hurts.
    pub envy: f32,
    /// How far a player may be off in judging the worth of cards.
    pub stray: f32,
}

/// What every number of cards is worth to everyone, as far as each can tell.
pub fn offers(plans: &[Plans], bidding: &Bidding, luck: &mut Luck) -> Offers {
    let stray = |gain: f32, luck: &mut Luck| {
        if bidding.stray == 0.0 || gain <= NEVER { gain } else { gain + luck.stray(bidding.stray) }
    };
    plans
        .iter()
        .map(|plans| {
            let mut offer = [NEVER; 6];
            for (count, offer) in (0..).zip(&mut offer) {
                *offer = stray(plans.gain(count).unwrap_or(NEVER), luck);
            }
            offer
        })
        .collect()
}

/// A standing bid: by whom, counted from the starter, and how many.
pub type Bid = (usize, u8);

/// The game tree of an auction, whose players all see to its end.
pub struct AuctionTree<'a> {
    pub offers: &'a Offers,
    pub size: u8,
    pub starter: usize,
    pub bidding: &'a Bidding,
}

impl AuctionTree<'_> {
    fn offer(&self, place: usize, count: u8) -> f32 {
        self.offers[(self.starter + place) % self.offers.len()][usize::from(count)]
    }

    /// What it means for the player at `place` that this bid is built.
    pub fn utility(&self, place: usize, bid: Bid) -> f32 {
        let gain = if bid.1 == 0 { 0.0 } else { self.offer(bid.0, bid.1) };
        // Who bid what cannot be built, where that is allowed, will have to take it back.
        let gain = if gain <= NEVER { 0.0 } else { gain };
        if bid.0 == place { gain } else { -self.bidding.envy * gain }
    }

    /// Backward induction: the bid with which the auction ends if the next call is that of `place`, and everybody makes
    /// the call whose end is best for themselves.
    pub fn end(&self, place: usize, standing: Option<Bid>) -> Bid {
        if let Some(bid) = standing
            && (place >= self.offers.len() || bid.1 >= self.size)
        {
            return bid;
        }
        let floor = standing.map_or(0, |bid| bid.1 + 1);
        let mut best = standing.map(|bid| {
            let end = self.end(place + 1, Some(bid));
            (self.utility(place, end), end)
        });
        for count in floor..=self.size {
            if self.offer(place, count) <= NEVER {
                continue;
            }
            let end = self.end(place + 1, Some((place, count)));
            let utility = self.utility(place, end);
            if best.is_none_or(|(old, _)| utility > old) {
                best = Some((utility, end));
            }
        }
        // Nothing can be built only where nothing was asked: then nobody builds.
        best.map_or((place, 0), |(_, end)| end)
    }
}
