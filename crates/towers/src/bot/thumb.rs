//! The bots that think no further than this round: the easy one, which counts points and misjudges what it sees, the casual one,
//! which knows what cards are worth and misjudges that, and the normal one, which sees an auction to its end and judges everyone's
//! chances there.

use super::Wish;
use super::plan::Plans;
use super::scene::Scene;
use super::search::glance;
use super::worth::{NAIVE, POINTS, WEIGHTS, Weights};
use game::Luck;

/// How far off the easy bot is in judging a number of cards, in points.
const STRAY_BID: f32 = 3.0;

/// How far off it is in judging a way to build. A pointless demolition costs two points at least: it happens, but
/// not every day.
const STRAY_PLAN: f32 = 2.5;

/// What the easy bot subtracts for each card of a bid. Every card is a point at least, so it would always bid all it
/// can: it is wary of large numbers instead.
const WARY: f32 = 0.9;

/// How far off the casual bot is, in points, in judging a number of cards and a way to build, and how wary of a card.
const CASUAL_BID: f32 = 5.0;
const CASUAL_PLAN: f32 = 2.5;
const CASUAL_WARY: f32 = 0.5;

/// How far off the normal bot is in judging a call, as a share of what is at stake between the best call and the worst. So it
/// errs where much the same comes of all calls, and seldom where one of them loses the game.
const NORMAL_STRAY: f32 = 1.3;

/// What the easy bot does; none where somebody's mistake left nothing to build.
pub fn easy(scene: &Scene<'_>, luck: &mut Luck) -> Option<Wish> {
    for_itself(scene, &NAIVE, [STRAY_BID, STRAY_PLAN, WARY], luck)
}

/// What the casual bot does; none where somebody's mistake left nothing to build.
pub fn casual(scene: &Scene<'_>, luck: &mut Luck) -> Option<Wish> {
    for_itself(scene, &WEIGHTS, [CASUAL_BID, CASUAL_PLAN, CASUAL_WARY], luck)
}

/// What somebody new does: bid for the most points there are now, and build them; none where a mistake left nothing to build.
pub fn greedy(scene: &Scene<'_>) -> Option<Wish> {
    // Nothing strays, so no luck is drawn that would matter.
    for_itself(scene, &POINTS, [0.0; 3], &mut Luck::branch(0))
}

/// The best for oneself alone, by weights that are known more or less exactly.
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

/// What the normal bot does; none where somebody's mistake left nothing to build.
pub fn normal(scene: &Scene<'_>, luck: &mut Luck) -> Option<Wish> {
    let judged = glance(scene, luck);
    let chances = judged.iter().map(|(_, chance)| *chance);
    let stakes = chances.clone().fold(0.0, f32::max) - chances.fold(1.0, f32::min);
    let stray = if scene.in_auction() { NORMAL_STRAY * stakes } else { 0.0 };
    let judged = judged.into_iter().map(|(wish, chance)| (chance + luck.stray(stray), wish));
    // Of equally good calls the first listed is the lowest number, and a pass comes last.
    let best = judged.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, wish)| wish)
}
