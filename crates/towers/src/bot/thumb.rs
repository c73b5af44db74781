//! The bots that look no further than this round. The easy bot counts points, with errors. The casual bot estimates the
//! value of cards, with errors. The normal bot predicts how the auction ends and everyone's chances then.

use super::Wish;
use super::plan::Plans;
use super::scene::Scene;
use super::search::glance;
use super::worth::{NAIVE, POINTS, WEIGHTS, Weights};
use game::Luck;

/// Largest error of the easy bot in judging a bid, in points.
const STRAY_BID: f32 = 3.0;

/// Largest error of the easy bot in judging a plan, in points. A pointless demolition costs at least two points, so it
/// happens, but rarely.
const STRAY_PLAN: f32 = 2.5;

/// Points the easy bot subtracts per card of a bid. Every card scores at least a point, so without this it would always
/// bid as much as it can.
const WARY: f32 = 0.9;

/// Largest errors of the casual bot in judging a bid and a plan, and its subtraction per card, in points.
const CASUAL_BID: f32 = 5.0;
const CASUAL_PLAN: f32 = 2.5;
const CASUAL_WARY: f32 = 0.5;

/// Largest error of the normal bot in judging a call, as a multiple of the difference between the best and the worst
/// call. It thus errs where all calls are about equal, and rarely where one of them loses the game.
const NORMAL_STRAY: f32 = 1.3;

/// Returns the easy bot's decision, or `None` if a mistake left nothing to build.
pub fn easy(scene: &Scene<'_>, luck: &mut Luck) -> Option<Wish> {
    for_itself(scene, &NAIVE, [STRAY_BID, STRAY_PLAN, WARY], luck)
}

/// Returns the casual bot's decision, or `None` if a mistake left nothing to build.
pub fn casual(scene: &Scene<'_>, luck: &mut Luck) -> Option<Wish> {
    for_itself(scene, &WEIGHTS, [CASUAL_BID, CASUAL_PLAN, CASUAL_WARY], luck)
}

/// Returns the decision of a beginner who bids for and builds the most points available now, or `None` if a mistake
/// left nothing to build.
pub fn greedy(scene: &Scene<'_>) -> Option<Wish> {
    // All errors are zero, so the generator has no effect.
    for_itself(scene, &POINTS, [0.0; 3], &mut Luck::branch(0))
}

/// Returns what is best for the bot alone by these weights, with random errors.
fn for_itself(
    scene: &Scene<'_>,
    weights: &Weights,
    [stray_bid, stray_plan, wary]: [f32; 3],
    luck: &mut Luck,
) -> Option<Wish> {
    let worth = scene.known.world.worth(weights);
    if !scene.in_auction() {
        let plans = scene.plans(&worth).into_iter();
        let judged = plans.map(|plan| (plan.gain + luck.stray(stray_plan), plan));
        return judged.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, plan)| Wish::Build(plan));
    }
    let plans = Plans::new(scene.side(), &scene.known.row, &worth);
    let calls = scene.calls().into_iter().map(|call| {
        let gain = call.map_or(0.0, |count| plans.gain(count).unwrap_or(0.0) - wary * f32::from(count));
        (gain + luck.stray(stray_bid), call)
    });
    calls.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, call)| Wish::Call(call))
}

/// Returns the normal bot's decision, or `None` if a mistake left nothing to build.
pub fn normal(scene: &Scene<'_>, luck: &mut Luck) -> Option<Wish> {
    let judged = glance(scene, luck);
    let chances = judged.iter().map(|(_, chance)| *chance);
    let stakes = chances.clone().fold(0.0, f32::max) - chances.fold(1.0, f32::min);
    let stray = if scene.in_auction() { NORMAL_STRAY * stakes } else { 0.0 };
    let judged = judged.into_iter().map(|(wish, chance)| (chance + luck.stray(stray), wish));
    // Among equally good calls the first listed one wins: the lowest bid, and a pass only after all bids.
    let best = judged.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, wish)| wish)
}
