//! Predicts an auction between players who know what every number of cards is worth to everyone, which is realistic
//! because towers are public. Solved by backward induction. The values come from elsewhere.

use super::plan::Plans;
use crate::side::MAX_PLAYERS;
use arrayvec::ArrayVec;
use game::Luck;

/// For each player, the value of taking each number of cards from this row. [`NEVER`] where they cannot be built.
pub type Offers = ArrayVec<[f32; 6], MAX_PLAYERS>;

/// Value of an impossible build, so low that no player would choose it.
pub const NEVER: f32 = -1.0e6;

/// How players evaluate an auction.
#[derive(Debug, Clone, Copy)]
pub struct Bidding {
    /// Cost to a player of each point another player gains.
    pub envy: f32,
    /// Largest error in a player's estimate of a value.
    pub stray: f32,
}

/// Returns the value of every number of cards to every player, as estimated with errors.
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

/// A bid: the bidder's position counted from the starter, and the number.
pub type Bid = (usize, u8);

/// The game tree of an auction in which all players look ahead to the end.
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

    /// Returns the utility for the player at `place` if `bid` wins the auction.
    pub fn utility(&self, place: usize, bid: Bid) -> f32 {
        let gain = if bid.1 == 0 { 0.0 } else { self.offer(bid.0, bid.1) };
        // Where mistakes are allowed, an unbuildable bid has to be retracted, so it gains nothing.
        let gain = if gain <= NEVER { 0.0 } else { gain };
        if bid.0 == place { gain } else { -self.bidding.envy * gain }
    }

    /// Returns the winning bid if `place` calls next and all players make the call that is best for themselves
    /// (backward induction).
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
        // The caller has no legal bid and there is no standing bid, so nobody builds.
        best.map_or((place, 0), |(_, end)| end)
    }
}
