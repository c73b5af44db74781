//! The hard bot: determinisation and playouts. It repeatedly samples the hidden cards and plays every possible end of
//! the auction, or every plausible plan, some rounds ahead on the same samples (common random numbers). A learned
//! evaluation estimates everyone's chances there. The calls are then solved backwards from the ends.

use super::Wish;
use super::bidding::Bidding;
use super::ends::Ends;
use super::plan::{Plan, carry_out, every_plan};
use super::scene::Scene;
use super::value::{Chances, chances, net};
use super::world::{Guess, Playout, World};
use super::worth::{WEIGHTS, Worth};
use crate::card::{Card, Cards};
use crate::side::MAX_PLAYERS;
use arrayvec::ArrayVec;
use game::{Budget, Luck, race};

/// How players evaluate auctions in playouts. Their estimates have errors, and they do not account for that.
const BIDDING: Bidding = Bidding { envy: 0.35, stray: 1.0 };

/// Depth of a playout: the number of rounds played before everyone's chances are evaluated. More rounds look further
/// but add noise.
const HORIZON: usize = 3;

/// Temperature of the others' calls: they may well accept losses below this chance of winning.
const SOFT: f32 = 0.03;

/// Largest number of plans that are tried. They must not look this many points (`PLAUSIBLE`) worse than the best.
const PLANS: usize = 8;
const PLAUSIBLE: f32 = 3.0;

/// The first `NEAR` plans for a number of cards, if they look within `NEARLY` points of the best, are compared by the
/// learned evaluation. The best of them represents that end.
const NEAR: usize = 3;
const NEARLY: f32 = 2.0;

/// Limits on samples and on tries of plans. More have not been shown to find better actions.
const GUESSES: u32 = 36;
const TRIES: u32 = 300;

/// Minimum number of samples. With fewer, a rule of thumb judges better.
const ENOUGH: u32 = 8;

/// Racing. Every `SIFT` samples, calls that trail by more than `BEHIND` are dropped, and ends that the remaining calls
/// reach with a probability below `SELDOM` are not tried any more. The required lead shrinks with the standard error of
/// a mean.
const SIFT: u32 = 12;
const BEHIND: f32 = 0.06;
const SELDOM: f32 = 0.004;

/// The best plan for each number of cards, or `None` if that many cannot be built.
type BestPlans = [Option<Plan>; 6];

struct Search<'a> {
    scene: &'a Scene<'a>,
    worth: Worth,
}

/// Returns every option with its winning chance. Empty if there was too little time for a comparison or nothing to
/// choose from.
pub fn judge(scene: &Scene<'_>, luck: &mut Luck, budget: Budget<'_>) -> Vec<(Wish, f32)> {
    let search = Search { scene, worth: scene.known.world.worth(&WEIGHTS) };
    if scene.in_auction() { search.calls(luck, budget) } else { search.builds(luck, budget) }
}

/// Judges every option by everyone's chances right after this round, on one sample and without playouts.
pub fn glance(scene: &Scene<'_>, luck: &mut Luck) -> Vec<(Wish, f32)> {
    let search = Search { scene, worth: scene.known.world.worth(&WEIGHTS) };
    let (world, guess) = scene.known.guess(luck);
    if scene.in_auction() {
        let plans = search.best_plans(luck);
        let mut ends = search.ends(&plans);
        search.try_ends(&mut ends, &plans, (&world, &guess), |playout| chances_of(playout));
        return search.wishes(&ends);
    }
    let plans = scene.plans(&search.worth).into_iter();
    plans.map(|plan| (Wish::Build(plan), search.as_it_stands(&plan, (&world, &guess)))).collect()
}

/// Returns the winning chance if this card of the hand is placed first and the rest in the best order, evaluated right
/// after the build.
pub fn with_first(scene: &Scene<'_>, card: Card, luck: &mut Luck) -> Option<f32> {
    let known = &scene.known;
    let worth = known.world.worth(&WEIGHTS);
    let hand = scene.hand();
    let mut side = *scene.side();
    let spire = &mut side.spires[card.tower().index()];
    *spire = spire.with(card.value());
    // The hand follows the row, so without one of its cards it is one bit shorter.
    let place = known.row.iter().rposition(|other| *other == card)?;
    let others = known.row.iter().enumerate().filter(|(other, _)| *other != place);
    let rest: Cards = others.map(|(_, card)| *card).collect();
    let left = hand.trailing_zeros();
    let plan = Plan { gain: 0.0, taken: (hand >> (left + 1)) << left, demolish: None };
    let after = carry_out(&side, &rest, &plan, &worth)?;
    let (world, guess) = known.guess(luck);
    let mut playout = Playout::new(known, world, &guess);
    playout.world.sides[scene.seat] = after;
    playout.clean_up(Some(scene.seat), &known.row, hand);
    Some(chances_of(&playout)[scene.seat])
}

impl Search<'_> {
    fn row(&self) -> &Cards {
        &self.scene.known.row
    }

    fn calls(&self, luck: &mut Luck, budget: Budget<'_>) -> Vec<(Wish, f32)> {
        let (known, place) = (&self.scene.known, self.scene.place());
        let plans = self.best_plans(luck);
        let mut ends = self.ends(&plans);
        let standing = |call: Option<u8>| call.map(|count| (place, count)).or(self.scene.standing());
        let budget = budget.at_most(GUESSES);
        let mut guesses = 0;
        while budget.allows(guesses) {
            let (world, guess) = known.guess(luck);
            let word = luck.word();
            self.try_ends(&mut ends, &plans, (&world, &guess), |playout| play_on(playout, word));
            guesses += 1;
            if guesses % SIFT == 0 {
                let judged = self.scene.judge_calls(&ends);
                let best = judged.iter().map(|(_, chance)| *chance).fold(0.0, f32::max);
                let behind = best - BEHIND * (SIFT as f32 / guesses as f32).sqrt();
                let ahead: Vec<_> = judged.iter().filter(|(_, chance)| *chance > behind).collect();
                if ahead.len() == 1 {
                    break;
                }
                let mut reached = vec![0.0; ends.ends.len()];
                for (call, _) in ahead {
                    ends.reach(place + 1, standing(*call), 1.0, &mut reached);
                }
                for (end, reached) in ends.ends.iter_mut().zip(reached) {
                    end.open = reached > SELDOM;
                }
            }
        }
        if guesses < ENOUGH {
            return Vec::new();
        }
        self.wishes(&ends)
    }

    /// Returns every possible end of the auction, not tried yet.
    fn ends(&self, plans: &[BestPlans]) -> Ends {
        let world = &self.scene.known.world;
        let bids = self.scene.bids(|seat, count| plans[seat][usize::from(count)].is_some());
        Ends::new(bids.into_iter(), world.players, world.starter, self.row().len() as u8, SOFT)
    }

    /// Tries every open end on this sample.
    fn try_ends(
        &self,
        ends: &mut Ends,
        plans: &[BestPlans],
        (world, guess): (&World, &Guess),
        chances: impl Fn(&mut Playout<'_>) -> Chances,
    ) {
        for end in ends.ends.iter_mut().filter(|end| end.open) {
            let mut playout = Playout::new(&self.scene.known, *world, guess);
            let builder = self.scene.seat_at(end.bid.0);
            self.carry_out(plans[builder][usize::from(end.bid.1)], builder, &mut playout);
            for (sum, chance) in end.sums.iter_mut().zip(chances(&mut playout)) {
                *sum += chance;
            }
            end.tries += 1;
        }
    }

    fn wishes(&self, ends: &Ends) -> Vec<(Wish, f32)> {
        let judged = self.scene.judge_calls(ends).into_iter();
        judged.map(|(call, chance)| (Wish::Call(call), chance)).collect()
    }

    /// Returns what each player would build with each number of cards.
    fn best_plans(&self, luck: &mut Luck) -> ArrayVec<BestPlans, MAX_PLAYERS> {
        let (known, row) = (&self.scene.known, self.row());
        let (world, guess) = known.guess(luck);
        let best = |seat: usize, count: u32| -> Option<Plan> {
            let takes = (0..1_u8 << row.len()).filter(|taken| taken.count_ones() == count);
            let plans = every_plan(&world.sides[seat], row, takes, true, &self.worth);
            let first = plans.first()?;
            let near = plans.iter().take(NEAR).take_while(|plan| plan.gain > first.gain - NEARLY);
            if near.clone().count() == 1 {
                return Some(*first);
            }
            let judged = near.map(|plan| {
                let mut playout = Playout::new(known, world, &guess);
                self.carry_out(Some(*plan), seat, &mut playout);
                (*plan, chances_of(&playout)[seat])
            });
            judged.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(plan, _)| plan)
        };
        let nothing = Plan { gain: 0.0, taken: 0, demolish: None };
        let of = |seat| {
            let mut plans = [None; 6];
            plans[0] = Some(nothing);
            for (count, plan) in (1..).zip(&mut plans[1..=row.len()]) {
                *plan = best(seat, count);
            }
            plans
        };
        (0..world.players).map(of).collect()
    }

    fn builds(&self, luck: &mut Luck, budget: Budget<'_>) -> Vec<(Wish, f32)> {
        let known = &self.scene.known;
        let mut plans = self.scene.plans(&self.worth);
        let Some(best) = plans.first().map(|plan| plan.gain) else { return Vec::new() };
        let plausible = plans.iter().take(PLANS).filter(|plan| plan.gain > best - PLAUSIBLE).count();
        let others = plans.split_off(plausible);
        let sample = || (known.guess(luck), luck.word());
        let mut judged = race(plans, budget.at_most(TRIES), sample, |plan, ((world, guess), word)| {
            let mut playout = Playout::new(known, *world, guess);
            self.carry_out(Some(*plan), self.scene.seat, &mut playout);
            play_on(&mut playout, *word)[self.scene.seat]
        });
        // Plans that look much worse are evaluated without playouts and never rated above the tried ones.
        if let Some(worst) = judged.last().map(|(_, chance)| *chance) {
            let (world, guess) = known.guess(luck);
            let stands = |plan: &Plan| self.as_it_stands(plan, (&world, &guess)).min(worst);
            judged.extend(others.into_iter().map(|plan| (plan, stands(&plan))));
        }
        judged.into_iter().map(|(plan, chance)| (Wish::Build(plan), chance)).collect()
    }

    /// Returns the winning chance right after this plan is carried out.
    fn as_it_stands(&self, plan: &Plan, (world, guess): (&World, &Guess)) -> f32 {
        let mut playout = Playout::new(&self.scene.known, *world, guess);
        self.carry_out(Some(*plan), self.scene.seat, &mut playout);
        chances_of(&playout)[self.scene.seat]
    }

    /// Ends this round with `builder` carrying out `plan`. Without a plan, or with one that takes no cards, nobody
    /// builds.
    fn carry_out(&self, plan: Option<Plan>, builder: usize, playout: &mut Playout<'_>) {
        let side = &mut playout.world.sides[builder];
        let plan = plan.filter(|plan| plan.taken != 0);
        match plan.and_then(|plan| Some((plan.taken, carry_out(side, self.row(), &plan, &self.worth)?))) {
            Some((taken, after)) => {
                *side = after;
                playout.clean_up(Some(builder), self.row(), taken);
            }
            None => playout.clean_up(None, self.row(), 0),
        }
    }
}

/// Plays `HORIZON` rounds and returns everyone's chances.
fn play_on(playout: &mut Playout<'_>, word: u32) -> Chances {
    playout.play(&WEIGHTS, &BIDDING, HORIZON, &mut Luck::branch(word));
    chances_of(playout)
}

/// Returns everyone's chances in the playout's current state.
fn chances_of(playout: &Playout<'_>) -> Chances {
    chances(&playout.world, playout.over(), net())
}
