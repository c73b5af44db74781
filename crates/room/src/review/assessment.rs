//! The evaluation of one decision. The first evaluations determine the best action and whether the played one may be as
//! good. Only if it may not, further evaluations with other seeds measure how much it lost and how certain that is. The
//! first ones do not count for that: their error, from choosing the best of many, would look like a loss (the winner's
//! curse).

use super::decisions::Decision;
use super::thousandths;
use crate::By;
use crate::games::Judging;
use game::{Budget, Judged, Seat, Seed};
use protocol::{CurvePoint, HintedAct, Mistake, RawAction, RecordedAct};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::cell::Cell;

/// Maximum number of tries per evaluation, as when a bot plays.
const TRIES: u32 = 20_000;
/// Number of evaluations that determine the best action.
const FIRST: usize = 3;
/// A loss below this in the first evaluations counts as equal and is not examined further.
const ALIKE: f32 = 0.01;
/// Number of further evaluations.
const LOOKS: usize = 12;
/// A mean loss below this is not a mistake.
const LEAST: f32 = 0.02;
/// Nor is a mean loss below this many standard errors.
const SURE: f32 = 2.5;
/// Number of actions in a hint.
const HINTED: usize = 3;

/// The evaluation of one decision. It pauses when requested and continues from there.
pub struct Assessment {
    decision: Decision,
    seat: Seat,
    by: By,
    action: RawAction,
    judging: Judging,
    /// Results of the first evaluations for each action: the sum of its chances, and their number.
    seen: Vec<(RawAction, f32, usize)>,
    first: Option<First>,
    /// The chances with the best and with the played action, in each further evaluation.
    looks: Vec<(f32, f32)>,
    looked: usize,
}

/// Result of the first evaluations.
struct First {
    best: RawAction,
    /// The chances with the best and with the played action.
    chances: (f32, f32),
}

impl Assessment {
    pub(super) fn new(decision: Decision, act: &RecordedAct, by: By, judging: Judging) -> Assessment {
        let (seat, action) = (act.seat, act.action.clone());
        Assessment { decision, seat, by, action, judging, seen: Vec::new(), first: None, looks: Vec::new(), looked: 0 }
    }

    /// Returns the seat that made the decision.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Continues until the evaluation is complete or `must_yield` returns true. Returns whether it is complete.
    pub fn go_on(&mut self, must_yield: &dyn Fn() -> bool) -> bool {
        while !self.is_done() {
            // The seed depends only on the position in the game, so that equal games have equal reviews.
            let seed = Sha256::digest(format!("review {} {}", self.decision.act, self.looked));
            // An interrupted evaluation is discarded.
            let Some(judged) = look(&self.judging, Seed(seed.into()), must_yield) else { return false };
            self.learn(judged);
        }
        true
    }

    fn learn(&mut self, judged: Vec<Judged<RawAction>>) {
        self.looked += 1;
        if let Some(first) = &self.first {
            let chances = chance_of(&judged, &first.best).zip(chance_of(&judged, &self.action));
            self.looks.extend(chances);
            return;
        }
        for Judged { action, chance } in judged {
            match self.seen.iter_mut().find(|(seen, ..)| *seen == action) {
                Some((_, sum, count)) => (*sum, *count) = (*sum + chance, *count + 1),
                None => self.seen.push((action, chance, 1)),
            }
        }
        if self.looked == FIRST {
            self.first = self.choose_best();
        }
    }

    /// Returns the best action by the first evaluations, among the actions that most of them included.
    fn choose_best(&mut self) -> Option<First> {
        let seen = std::mem::take(&mut self.seen).into_iter();
        let often = seen.filter(|(_, _, count)| 2 * count > FIRST);
        let mean = often.map(|(action, sum, count)| Judged { action, chance: sum / count as f32 });
        let judged = Judged::best_first(mean);
        let (best, played) = (judged.first()?, chance_of(&judged, &self.action)?);
        (judged.len() > 1).then(|| First { best: best.action.clone(), chances: (best.chance, played) })
    }

    fn is_done(&self) -> bool {
        match &self.first {
            None => self.looked >= FIRST,
            Some(First { chances: (best, played), .. }) => best - played < ALIKE || self.looked >= FIRST + LOOKS,
        }
    }

    /// Returns the chances with the best and with the played action, or `None` if the latter was not evaluated.
    fn chances(&self) -> Option<(f32, f32)> {
        let first = self.first.as_ref()?;
        let count = self.looks.len() as f32;
        if self.looks.is_empty() {
            return Some(first.chances);
        }
        let sum = self.looks.iter().fold((0.0, 0.0), |sum, look| (sum.0 + look.0, sum.1 + look.1));
        Some((sum.0 / count, sum.1 / count))
    }

    /// Returns the mean loss of the played action, or 0 if it may be as good as the best.
    pub fn lost(&self) -> f32 {
        if self.looks.is_empty() {
            return 0.0;
        }
        self.chances().map_or(0.0, |(best, played)| best - played)
    }

    /// Returns the standard error of the mean loss.
    fn error(&self) -> f32 {
        let (count, mean) = (self.looks.len() as f32, self.lost());
        let squares: f32 = self.looks.iter().map(|(best, played)| (best - played - mean).powi(2)).sum();
        (squares / (count - 1.0).max(1.0) / count.max(1.0)).sqrt()
    }

    /// Returns the decision as a mistake, if it certainly lost something.
    pub fn mistake(&self) -> Option<Mistake> {
        let (lost, first) = (self.lost(), self.first.as_ref()?);
        if lost < LEAST || lost < SURE * self.error() {
            return None;
        }
        let (best, _) = self.chances()?;
        Some(Mistake {
            moment: self.moment(),
            by: self.by,
            action: self.action.clone(),
            better: first.best.clone(),
            chance: thousandths(best),
            cost: thousandths(lost),
        })
    }

    /// Returns the moment in which the decision was made.
    fn moment(&self) -> u32 {
        self.decision.act as u32 + 1
    }

    /// Returns the seat's chances before and after the decision.
    pub(super) fn points(&self) -> impl Iterator<Item = CurvePoint> {
        let point = |moment, chance| CurvePoint { moment, chance: thousandths(chance) };
        let seen = self.decision.seen as u32;
        let points = self.chances().map(|(best, played)| [point(seen, best), point(self.moment(), played.min(best))]);
        points.into_iter().flatten()
    }
}

/// The computation of a hint.
pub struct Hinting(Judging);

impl Hinting {
    pub(super) fn new(judging: Judging) -> Hinting {
        Hinting(judging)
    }

    /// Returns the best actions, or `None` if interrupted.
    pub fn look(&self, seed: Seed, must_yield: &dyn Fn() -> bool) -> Option<Vec<HintedAct>> {
        let best = look(&self.0, seed, must_yield)?.into_iter().take(HINTED);
        Some(best.map(|Judged { action, chance }| HintedAct { action, chance: thousandths(chance) }).collect())
    }
}

/// Runs one evaluation, or returns `None` if it was interrupted. The interruption is remembered, because `must_yield`
/// may be false again by the time the evaluation ends.
fn look(judging: &Judging, seed: Seed, must_yield: &dyn Fn() -> bool) -> Option<Vec<Judged<RawAction>>> {
    let cut = Cell::new(false);
    let over = || {
        cut.set(cut.get() || must_yield());
        cut.get()
    };
    let judged = judging(seed, Budget::until(TRIES, &over));
    (!over()).then_some(judged)
}

/// Returns the chance with this action, ignoring the order in which its cards or dice are listed.
fn chance_of(judged: &[Judged<RawAction>], action: &RawAction) -> Option<f32> {
    let of = |judged: &Judged<RawAction>| judged.chance;
    let exactly = judged.iter().find(|judged| judged.action == *action).map(of);
    exactly.or_else(|| {
        let action = in_order(action.value());
        judged.iter().find(|judged| in_order(judged.action.value()) == action).map(of)
    })
}

fn in_order(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, in_order(value))).collect(),
        Value::Array(mut items) => {
            items.sort_by_cached_key(Value::to_string);
            Value::Array(items)
        }
        leaf => leaf,
    }
}
