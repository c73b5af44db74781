//! Racing, as in Hoeffding races and successive halving. Candidates are tried on common random numbers, and
//! significantly worse ones are dropped early, so that the budget is spent on comparing the good ones. This module does
//! not know what a candidate or a try is.

use crate::Budget;

/// Minimum number of rounds. With fewer, a rule of thumb judges better.
const ENOUGH: usize = 8;

/// Number of rounds between two eliminations of candidates that have fallen behind.
const SIFT: usize = 16;

/// Number of standard errors by which a candidate must trail the best to be dropped.
const BEHIND: f32 = 2.5;

/// A candidate and its result in each round.
struct Runner<C> {
    candidate: C,
    results: Vec<f32>,
}

/// Returns the candidates with their mean results, best first. Empty if there are no candidates or the budget was too
/// small for a comparison. A candidate that was dropped early is never reported as better than the best.
///
/// Each round draws one sample of the unknown state and tries every remaining candidate on it (common random numbers).
/// The differences between candidates then vary far less than their results, because all of them had the same luck.
pub fn race<C, S>(
    candidates: impl IntoIterator<Item = C>,
    budget: Budget<'_>,
    mut sample: impl FnMut() -> S,
    mut result: impl FnMut(&C, &S) -> f32,
) -> Vec<(C, f32)> {
    let runners = candidates.into_iter().map(|candidate| Runner { candidate, results: Vec::new() });
    let mut runners: Vec<Runner<C>> = runners.collect();
    let mut behind = Vec::new();
    let alone = runners.len() == 1;
    let (mut tries, mut rounds) = (0, 0);
    // A single candidate has already won, but its mean result still takes some rounds to estimate.
    while (runners.len() > 1 || (alone && rounds < ENOUGH)) && budget.allows(tries + runners.len() as u32 - 1) {
        let sample = sample();
        for runner in &mut runners {
            runner.results.push(result(&runner.candidate, &sample));
            tries += 1;
        }
        rounds += 1;
        if rounds % SIFT == 0 {
            give_up(&mut runners, &mut behind);
        }
    }
    if rounds < ENOUGH || runners.is_empty() {
        return Vec::new();
    }
    // The sort is stable: equal candidates keep their order.
    runners.sort_by(|a, b| b.sum().total_cmp(&a.sum()));
    let best = runners[0].mean();
    behind.sort_by(|a: &Runner<C>, b| b.mean().total_cmp(&a.mean()));
    let all = runners.into_iter().chain(behind);
    all.map(|runner| (runner.mean().min(best), runner.candidate)).map(|(mean, each)| (each, mean)).collect()
}

impl<C> Runner<C> {
    fn sum(&self) -> f32 {
        self.results.iter().sum()
    }

    fn mean(&self) -> f32 {
        self.sum() / self.results.len().max(1) as f32
    }

    /// Returns whether this candidate trails the best by `BEHIND` standard errors of their difference (a paired test).
    /// Candidates with equal results in every round count as beaten, because one of them is enough.
    fn beaten_by(&self, best: &Runner<C>) -> bool {
        let differences = best.results.iter().zip(&self.results).map(|(best, own)| best - own);
        let count = self.results.len() as f32;
        let mean = differences.clone().sum::<f32>() / count;
        let variance = differences.map(|difference| (difference - mean).powi(2)).sum::<f32>() / count;
        mean >= BEHIND * (variance / count).sqrt()
    }
}

/// Keeps the best candidate and all that may still be better, and moves the others to `behind`.
fn give_up<C>(runners: &mut Vec<Runner<C>>, behind: &mut Vec<Runner<C>>) {
    let sums = runners.iter().map(Runner::sum).enumerate();
    let Some((best, _)) = sums.reduce(|best, next| if next.1 > best.1 { next } else { best }) else { return };
    let best = runners.remove(best);
    for runner in std::mem::take(runners) {
        if runner.beaten_by(&best) { behind.push(runner) } else { runners.push(runner) }
    }
    runners.insert(0, best);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Luck;
    use std::cell::Cell;

    #[test]
    fn the_better_candidate_wins_despite_large_noise() {
        let mut luck = Luck::branch(1);
        let won = race([0.0, 0.1, 0.05], Budget::tries(3000), || luck.stray(10.0), |own, luck| own + luck);
        assert_eq!(won[0].0, 0.1);
        assert_eq!(won.len(), 3, "all candidates are judged");
    }

    #[test]
    fn drops_candidates_that_fall_behind() {
        let tries = Cell::new([0; 2]);
        let result = |own: &usize, noise: &f32| {
            let mut count = tries.get();
            count[*own] += 1;
            tries.set(count);
            if *own == 0 { 1.0 + noise } else { *noise }
        };
        let mut luck = Luck::branch(1);
        let won = race([0, 1], Budget::tries(1000), || luck.stray(1.0), result);
        assert!(won[0].0 == 0 && won[1].0 == 1 && won[0].1 > won[1].1, "{won:?}");
        assert_eq!(tries.get(), [SIFT; 2], "one round decides, and a single candidate needs no more");
    }

    #[test]
    fn a_race_that_is_too_short_has_no_winner() {
        let short = Budget::tries(2 * ENOUGH as u32 - 1);
        assert_eq!(race([1.0, 2.0], short, || (), |own, ()| *own), []);
        let enough = Budget::tries(2 * ENOUGH as u32);
        assert_eq!(race([1.0, 2.0], enough, || (), |own, ()| *own), [(2.0, 2.0), (1.0, 1.0)]);
        assert_eq!(race([3.0], enough, || (), |own, ()| *own), [(3.0, 3.0)], "a single candidate is judged too");
        assert_eq!(race([], enough, || (), |own: &f32, ()| *own), []);
    }
}
