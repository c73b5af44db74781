//! The bots that think no further than this round and guess nothing: the easy one, which counts points and misjudges
//! what it sees, and the normal one, which knows what cards are worth to everyone and sees an auction to its end.

use super::Wish;
use super::bidding::{AuctionTree, Bidding, offers};
use super::plan::Plans;
use super::scene::Scene;
use super::worth::{NAIVE, WEIGHTS};
use game::Luck;

/// How far off the easy bot is in judging a number of cards, in points.
const STRAY_BID: f32 = 3.0;

/// How far off it is in judging a way to build. A pointless demolition costs two points at least: it happens, but
/// not every day.
const STRAY_PLAN: f32 = 2.5;

/// What the easy bot subtracts for each card of a bid. Every card is a point at least, so it would always bid all it
/// can: it is wary of large numbers instead.
const WARY: f32 = 0.9;

/// How the normal bot looks at an auction. A point for another player counts a little against one's own: with several
/// others, most of what one of them gains is lost by somebody else.
const BIDDING: Bidding = Bidding { envy: 0.2, stray: 0.0 };

/// What the easy bot does; none where somebody's mistake left nothing to build.
pub fn easy(scene: &Scene<'_>, luck: &mut Luck) -> Option<Wish> {
    let worth = scene.known.world.worth(&NAIVE);
    if !scene.in_auction() {
        let plans = scene.plans(&worth).into_iter();
        let judged = plans.map(|plan| (plan.gain + luck.stray(STRAY_PLAN), plan));
        return judged.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, plan)| Wish::Build(plan));
    }
    let plans = Plans::new(scene.side(), &scene.known.row, &worth);
    let calls = scene.calls().into_iter().map(|call| {
        let gain = call.map_or(0.0, |count| plans.gain(count).unwrap_or(0.0) - WARY * f32::from(count));
        (gain + luck.stray(STRAY_BID), call)
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
