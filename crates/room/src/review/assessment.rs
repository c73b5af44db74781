//! The judgement of one decision. First looks say which act is best and whether the one that was played may be as good; only where it may
//! not, more looks with other seeds say how much it lost, and how sure that is (so the error of the first looks, which chose the best of
//! many, is not counted as a loss: the winner's curse).

use super::decisions::Decision;
use super::thousandths;
use crate::By;
use crate::games::Judging;
use game::{Budget, Judged, Seat, Seed};
use protocol::{CurvePoint, HintedAct, Mistake, RawAction, RecordedAct};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::cell::Cell;

/// The most a look may try, as when a bot plays.
const TRIES: u32 = 20_000;
/// So many looks choose the best act.
const FIRST: usize = 3;
/// What they find to lose less than this is as good as the best, and not looked at again.
const ALIKE: f32 = 0.01;
/// So many more looks are taken.
const LOOKS: usize = 12;
/// What loses less than this on average is no mistake.
const LEAST: f32 = 0.02;
/// Nor is what loses less than so many standard errors of that average.
const SURE: f32 = 2.5;
/// How many acts a hint names.
const HINTED: usize = 3;

/// One decision on its way to be judged. It gives way whenever it is told to, and goes on from there.
pub struct Assessment {
    decision: Decision,
    seat: Seat,
    by: By,
    action: RawAction,
    judging: Judging,
    /// What the first looks found of each act: the sum of its chances, and in how many of them it was judged.
    seen: Vec<(RawAction, f32, usize)>,
    first: Option<First>,
    /// The chances with the best act and with the one that was played, in each further look.
    looks: Vec<(f32, f32)>,
    looked: usize,
}

/// What the first looks found.
struct First {
    best: RawAction,
    /// The chances with that and with what was played.
    chances: (f32, f32),
}

impl Assessment {
    pub(super) fn new(decision: Decision, act: &RecordedAct, by: By, judging: Judging) -> Assessment {
        let (seat, action) = (act.seat, act.action.clone());
        Assessment {
            decision,
            seat,
            by,
            action,
            judging,
            seen: Vec::new(),
            first: None,
            looks: Vec::new(),
            looked: 0,
        }
    }

    /// Whose decision it was.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Looks on until all is seen, or until it is to give way; answers whether all is.
    pub fn go_on(&mut self, give_way: &dyn Fn() -> bool) -> bool {
        while !self.is_done() {
            // Equal games have equal reviews.
            let seed = Sha256::digest(format!("review {} {}", self.decision.act, self.looked));
            // A look that was cut short is worth nothing.
            let Some(judged) = look(&self.judging, Seed(seed.into()), give_way) else { return false };
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

    /// The best by the first looks, of all acts that most of them judged.
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
            Some(First { chances: (best, played), .. }) => {
                best - played < ALIKE || self.looked >= FIRST + LOOKS
            }
        }
    }

    /// The chances with the best act and with the one that was played; none if that was not judged.
    fn chances(&self) -> Option<(f32, f32)> {
        let first = self.first.as_ref()?;
        let count = self.looks.len() as f32;
        if self.looks.is_empty() {
            return Some(first.chances);
        }
        let sum = self.looks.iter().fold((0.0, 0.0), |sum, look| (sum.0 + look.0, sum.1 + look.1));
        Some((sum.0 / count, sum.1 / count))
    }

    /// By how much what was played is worse, on average; nothing where it may be as good.
    pub fn lost(&self) -> f32 {
        if self.looks.is_empty() {
            return 0.0;
        }
        self.chances().map_or(0.0, |(best, played)| best - played)
    }

    /// The standard error of that.
    fn error(&self) -> f32 {
        let (count, mean) = (self.looks.len() as f32, self.lost());
        let squares: f32 = self.looks.iter().map(|(best, played)| (best - played - mean).powi(2)).sum();
        (squares / (count - 1.0).max(1.0) / count.max(1.0)).sqrt()
    }

    /// The decision as one that lost something, if it surely did.
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

    /// The moment in which it was made.
    fn moment(&self) -> u32 {
        self.decision.act as u32 + 1
    }

    /// The chances of the seat before and after.
    pub(super) fn points(&self) -> impl Iterator<Item = CurvePoint> {
        let point = |moment, chance| CurvePoint { moment, chance: thousandths(chance) };
        let seen = self.decision.seen as u32;
        let points =
            self.chances().map(|(best, played)| [point(seen, best), point(self.moment(), played.min(best))]);
        points.into_iter().flatten()
    }
}

/// A decision that is to be made, on its way to a hint.
pub struct Hinting(Judging);

impl Hinting {
    pub(super) fn new(judging: Judging) -> Hinting {
        Hinting(judging)
    }

    /// The best acts; none if it is to give way before they are found.
    pub fn look(&self, seed: Seed, give_way: &dyn Fn() -> bool) -> Option<Vec<HintedAct>> {
        let best = look(&self.0, seed, give_way)?.into_iter().take(HINTED);
        Some(
            best.map(|Judged { action, chance }| HintedAct { action, chance: thousandths(chance) }).collect(),
        )
    }
}

/// One look; none if it was cut short. Whoever wants the thread may have had another by the time the look ends, so it is remembered that it
/// was told to give way.
fn look(judging: &Judging, seed: Seed, give_way: &dyn Fn() -> bool) -> Option<Vec<Judged<RawAction>>> {
    let cut = Cell::new(false);
    let over = || {
        cut.set(cut.get() || give_way());
        cut.get()
    };
    let judged = judging(seed, Budget::until(TRIES, &over));
    (!over()).then_some(judged)
}

/// The chance with this act, in whatever order its cards or dice are named.
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
