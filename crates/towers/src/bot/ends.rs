//! The possible ends of an auction, their results in playouts, and the calls solved backwards from them. How the cards
//! are built is not handled here.

use super::bidding::Bid;
use super::value::Chances;
use crate::side::MAX_PLAYERS;
use arrayvec::ArrayVec;

/// Probability below which a branch is not explored further.
const UNLIKELY: f32 = 1e-4;

/// One possible end of the auction: this bid wins.
pub struct AuctionEnd {
    pub bid: Bid,
    /// Sum over the tries of everyone's chances.
    pub sums: Chances,
    pub tries: u32,
    /// Whether this end is likely enough to be tried further.
    pub open: bool,
}

/// All ends of an auction that are still possible.
pub struct Ends {
    pub ends: Vec<AuctionEnd>,
    pub players: usize,
    pub starter: usize,
    /// The highest possible bid.
    pub size: u8,
    /// Temperature of the calls as a chance of winning. Callers may well accept losses smaller than this.
    pub soft: f32,
}

/// The possible standing bids after one call: a pass or a bid of each size.
type BidOptions = ArrayVec<Bid, 7>;

impl Ends {
    /// Creates the ends for these bids, not tried yet.
    pub fn new(bids: impl Iterator<Item = Bid>, players: usize, starter: usize, size: u8, soft: f32) -> Ends {
        let end = |bid| AuctionEnd { bid, sums: [0.0; MAX_PLAYERS], tries: 0, open: true };
        Ends { ends: bids.map(end).collect(), players, starter, size, soft }
    }

    /// Returns everyone's chances if `place` calls next. Solved by backward induction with a softmax (quantal
    /// response): callers prefer what is better for themselves, the more strongly the larger the difference.
    pub fn solve(&self, place: usize, standing: Option<Bid>) -> Chances {
        if let Some(bid) = self.last(place, standing) {
            let end = self.find(bid).map(|found| &self.ends[found]);
            return end.map(|end| end.sums.map(|sum| sum / end.tries.max(1) as f32)).unwrap_or_default();
        }
        let mut mean = [0.0; MAX_PLAYERS];
        for (share, chances) in self.answers(place, &self.options(place, standing)) {
            for (mean, chance) in mean.iter_mut().zip(chances) {
                *mean += share * chance;
            }
        }
        mean
    }

    /// Adds the probability of reaching each end from this call to `reached`.
    pub fn reach(&self, place: usize, standing: Option<Bid>, likely: f32, reached: &mut [f32]) {
        if let Some(bid) = self.last(place, standing) {
            if let Some(found) = self.find(bid) {
                reached[found] += likely;
            }
            return;
        }
        let options = self.options(place, standing);
        for (bid, (share, _)) in options.iter().zip(self.answers(place, &options)) {
            if likely * share > UNLIKELY {
                self.reach(place + 1, Some(*bid), likely * share, reached);
            }
        }
    }

    fn find(&self, bid: Bid) -> Option<usize> {
        self.ends.iter().position(|end| end.bid == bid)
    }

    /// Returns the winning bid if nobody is left to call.
    fn last(&self, place: usize, standing: Option<Bid>) -> Option<Bid> {
        standing.filter(|bid| place >= self.players || bid.1 >= self.size)
    }

    /// Returns the bids that may stand after the call of `place`.
    fn options(&self, place: usize, standing: Option<Bid>) -> BidOptions {
        let floor = standing.map_or(0, |bid| bid.1 + 1);
        let bids = (floor..=self.size).map(|count| (place, count));
        standing.into_iter().chain(bids.filter(|bid| self.find(*bid).is_some())).collect()
    }

    /// Returns the probability of each option and everyone's chances after it.
    fn answers(&self, place: usize, options: &BidOptions) -> ArrayVec<(f32, Chances), 7> {
        let caller = (self.starter + place) % self.players;
        let mut answers: ArrayVec<(f32, Chances), 7> =
            options.iter().map(|bid| (0.0, self.solve(place + 1, Some(*bid)))).collect();
        let most = answers.iter().map(|(_, chances)| chances[caller]).fold(0.0, f32::max);
        let mut sum = 0.0;
        for (share, chances) in &mut answers {
            *share = ((chances[caller] - most) / self.soft).exp();
            sum += *share;
        }
        answers.iter_mut().for_each(|(share, _)| *share /= sum);
        answers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two players. The ends are that nobody builds, that the starter builds one card, and that the other player does.
    fn ends(chances: [(Bid, f32); 3]) -> Ends {
        let mut ends = Ends::new(chances.iter().map(|(bid, _)| *bid), 2, 1, 1, 0.03);
        for (end, (_, chance)) in ends.ends.iter_mut().zip(chances) {
            end.sums = [2.0 * chance, 2.0 * (1.0 - chance), 0.0, 0.0, 0.0];
            end.tries = 2;
        }
        ends
    }

    #[test]
    fn a_caller_prefers_their_better_end() {
        // The starter is seat 1. If it bids 0, seat 0 may build and would then probably win.
        let ends = ends([((0, 0), 0.5), ((0, 1), 0.2), ((1, 1), 0.9)]);
        let chance = ends.solve(1, Some((0, 0)))[0];
        assert!((0.89..=0.9).contains(&chance), "{chance}");
        assert_eq!(ends.solve(1, Some((0, 1)))[0], 0.2, "a bid of the whole row ends the auction");
        let all = ends.solve(0, None);
        assert!((all[0] - 0.2).abs() < 0.01 && (all[0] + all[1] - 1.0).abs() < 1e-5, "{all:?}");
    }

    #[test]
    fn equally_good_ends_are_equally_likely() {
        let ends = ends([((0, 0), 0.5), ((0, 1), 0.2), ((1, 1), 0.5)]);
        let mut reached = [0.0; 3];
        ends.reach(1, Some((0, 0)), 1.0, &mut reached);
        assert_eq!(reached, [0.5, 0.0, 0.5]);
    }
}
