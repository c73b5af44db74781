//! The bots that think no further than this round and guess nothing: the easy one, which counts points and misjudges
//! what it sees, the casual one, which knows what cards are worth and misjudges that, and the normal one, which knows what they
//! are worth to everyone and sees an auction to its end.

use super::Wish;
use super::bidding::{AuctionTree, Bidding, offers};
use super::plan::Plans;
use super::scene::Scene;
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

/// How the normal bot looks at an auction. A point for another player counts a little against one's own: with several
/// others, most of what one of them gains is lost by somebody else.
const BIDDING: Bidding = Bidding { envy: 0.2, stray: 0.0 };

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
    let world = &scene.known.world;
    let worth = world.worth(&WEIGHTS);
    if !scene.in_auction() {
        return scene.plans(&worth).first().copied().map(Wish::Build);
    }
    let offers = offers(&world.plans(&scene.known.row, &worth), &BIDDING, luck);
    let size = scene.known.row.len() as u8;
    let auction = AuctionTree { offers: &offers, size, starter: world.starter, bidding: &BIDDING };
    let place = scene.place();
    let calls = scene.calls().into_iter().map(|call| {
        let standing = call.map(|count| (place, count)).or(scene.standing());
        (auction.utility(place, auction.end(place + 1, standing)), call)
    });
    // Of equally good calls the first listed is the lowest number, and a pass comes last.
    let best = calls.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, call)| Wish::Call(call))
}
