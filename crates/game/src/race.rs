//! Racing, as in Hoeffding races and successive halving: candidates are tried on common random numbers, and those
//! that are significantly worse are dropped early, so that the budget is spent on telling the good ones apart. What
//! a candidate is and how a try goes is not known here.

use crate::Budget;

/// On fewer rounds than this, a rule of thumb is the better judge.
const ENOUGH: usize = 8;

/// After how many rounds, each time, candidates that have fallen behind are given up.
const SIFT: usize = 16;

/// How many standard errors a candidate must be behind the best to be given up.
const BEHIND: f32 = 2.5;

/// One candidate, and how well it did in each round.
struct Runner<C> {
    candidate: C,
    results: Vec<f32>,
}

/// The candidate that does best; none if the budget was too small to compare, or there is none to choose from.
///
/// Every round draws one sample of what is not known and tries every candidate that is still in the race on that
/// same sample (common random numbers), so that what differs is the candidate and not the luck: the differences
/// between candidates vary far less than their results.
pub fn race<C, S>(
    candidates: impl IntoIterator<Item = C>,
    budget: Budget<'_>,
    mut sample: impl FnMut() -> S,
    mut result: impl FnMut(&C, &S) -> f32,
) -> Option<C> {
    let runners = candidates.into_iter().map(|candidate| Runner { candidate, results: Vec::new() });
    let mut runners: Vec<Runner<C>> = runners.collect();
    let (mut tries, mut rounds) = (0, 0);
    while runners.len() > 1 && budget.allows(tries + runners.len() as u32 - 1) {
        let sample = sample();
        for runner in &mut runners {
            runner.results.push(result(&runner.candidate, &sample));
            tries += 1;
        }
        rounds += 1;
        if rounds % SIFT == 0 {
            give_up(&mut runners);
        }
    }
    let best = runners.into_iter().reduce(|best, next| if next.sum() > best.sum() { next } else { best });
    best.filter(|_| rounds >= ENOUGH).map(|runner| runner.candidate)
}

impl<C> Runner<C> {
    fn sum(&self) -> f32 {
        self.results.iter().sum()
    }

    /// A paired test: whether this is behind the best by so many standard errors of their difference. On common
    /// random numbers equal candidates have equal results; then one of them is enough.
    fn beaten_by(&self, best: &Runner<C>) -> bool {
        let differences = best.results.iter().zip(&self.results).map(|(best, own)| best - own);
        let count = self.results.len() as f32;
        let mean = differences.clone().sum::<f32>() / count;
        let variance = differences.map(|difference| (difference - mean).powi(2)).sum::<f32>() / count;
        mean >= BEHIND * (variance / count).sqrt()
    }
}

/// Keeps the best and all that may yet be better.
fn give_up<C>(runners: &mut Vec<Runner<C>>) {
    let sums = runners.iter().map(Runner::sum).enumerate();
    let Some((best, _)) = sums.reduce(|best, next| if next.1 > best.1 { next } else { best }) else { return };
    let best = runners.remove(best);
    runners.retain(|runner| !runner.beaten_by(&best));
    runners.insert(0, best);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Luck;
    use std::cell::Cell;

    #[test]
    fn the_better_of_two_wins_even_where_luck_outweighs_the_difference() {
        let mut luck = Luck::branch(1);
        let won = race([0.0, 0.1, 0.05], Budget::tries(3000), || luck.stray(10.0), |own, luck| own + luck);
        assert_eq!(won, Some(0.1));
    }

    #[test]
    fn what_has_fallen_behind_is_tried_no_more() {
        let tries = Cell::new([0; 2]);
        let result = |own: &usize, noise: &f32| {
            let mut count = tries.get();
            count[*own] += 1;
            tries.set(count);
            if *own == 0 { 1.0 + noise } else { *noise }
        };
        let mut luck = Luck::branch(1);
        assert_eq!(race([0, 1], Budget::tries(1000), || luck.stray(1.0), result), Some(0));
        assert_eq!(tries.get(), [SIFT; 2], "one sifting is enough, and a race of one is over");
    }

    #[test]
    fn too_short_a_race_has_no_winner() {
        let short = Budget::tries(2 * ENOUGH as u32 - 1);
        assert_eq!(race([1.0, 2.0], short, || (), |own, ()| *own), None);
        let enough = Budget::tries(2 * ENOUGH as u32);
        assert_eq!(race([1.0, 2.0], enough, || (), |own, ()| *own), Some(2.0));
        assert_eq!(race([], enough, || (), |own: &f32, ()| *own), None);
    }
}
