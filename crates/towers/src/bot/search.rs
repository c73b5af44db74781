//! The hard bot: determinisation and playouts. It guesses what is hidden, again and again, tries every wish on the same
//! guesses (common random numbers), plays each on for some rounds by a rule of thumb, and takes the wish after which it
//! most likely wins.

use super::Wish;
use super::bidding::{self, AuctionTree, Bidding, Offers};
use super::packed::PackedSide;
use super::plan::{Plan, Plans, carry_out};
use super::scene::Scene;
use super::world::Playout;
use super::worth::{WEIGHTS, Worth};
use crate::card::{Card, Cards};
use crate::side::MAX_PLAYERS;
use arrayvec::ArrayVec;
use game::{Budget, Luck, race};

/// How players look at auctions in playouts: nobody judges exactly, and nobody counts on it.
const BIDDING: Bidding = Bidding { envy: 0.35, stray: 1.0 };

/// The depth of a playout: how many rounds are played on before towers are judged by their worth. More rounds see more
/// and are noisier; beyond this, the time is better spent on more guesses.
const HORIZON: usize = 5;

/// Ways to build that are tried: the first few, as long as they do not look this many points worse than the best.
const PLANS: usize = 8;
const PLAUSIBLE: f32 = 3.0;

struct Search<'a> {
    scene: &'a Scene<'a>,
    worth: Worth,
    plans: ArrayVec<Plans, MAX_PLAYERS>,
}

/// Every wish with its chance of winning, the best first; empty if there was too little time to compare, or nothing to
/// choose from.
pub fn judge(scene: &Scene<'_>, luck: &mut Luck, budget: Budget<'_>) -> Vec<(Wish, f32)> {
    let search = Search::new(scene);
    if scene.in_auction() {
        return search.run(scene.calls().into_iter().map(Wish::Call).collect(), luck, budget);
    }
    let mut plans = scene.plans(&search.worth);
    let Some(best) = plans.first().map(|plan| plan.gain) else { return Vec::new() };
    let plausible = plans.iter().take(PLANS).filter(|plan| plan.gain > best - PLAUSIBLE).count();
    let others = plans.split_off(plausible);
    let mut judged = search.run(plans.into_iter().map(Wish::Build).collect(), luck, budget);
    // What looks much worse is judged as it stands, and never better than what was tried.
    if let Some(worst) = judged.last().map(|(_, chance)| *chance) {
        let (world, guess) = scene.known.guess(luck);
        judged.extend(others.into_iter().map(|plan| {
            let mut playout = Playout::new(&scene.known, world, &guess);
            search.grant(Wish::Build(plan), &Offers::new(), &mut playout);
            (Wish::Build(plan), search.result(&playout).min(worst))
        }));
    }
    judged
}

/// The chance of winning if this card of the hand goes up first and the rest in the best order, judged as it stands then.
pub fn with_first(scene: &Scene<'_>, card: Card, luck: &mut Luck) -> Option<f32> {
    let (known, search) = (&scene.known, Search::new(scene));
    let hand = scene.hand();
    let mut side = *scene.side();
    let spire = &mut side.spires[card.tower().index()];
    *spire = spire.with(card.value());
    // The hand lies behind the row, so without one of its cards it is one bit shorter.
    let place = known.row.iter().rposition(|other| *other == card)?;
    let others = known.row.iter().enumerate().filter(|(other, _)| *other != place);
    let rest: Cards = others.map(|(_, card)| *card).collect();
    let left = hand.trailing_zeros();
    let plan = Plan { gain: 0.0, taken: (hand >> (left + 1)) << left, demolish: None };
    let after = carry_out(&side, &rest, &plan, &search.worth)?;
    let (world, guess) = known.guess(luck);
    let mut playout = Playout::new(known, world, &guess);
    playout.world.sides[scene.seat] = after;
    playout.clean_up(Some(scene.seat), &known.row, hand);
    Some(search.result(&playout))
}

impl<'a> Search<'a> {
    fn new(scene: &'a Scene<'a>) -> Search<'a> {
        let world = &scene.known.world;
        let worth = world.worth(&WEIGHTS);
        Search { scene, worth, plans: world.plans(&scene.known.row, &worth) }
    }

    fn run(&self, wishes: Vec<Wish>, luck: &mut Luck, budget: Budget<'_>) -> Vec<(Wish, f32)> {
        let guess = || {
            let (world, guess) = self.scene.known.guess(luck);
            let offers = bidding::offers(&self.plans, &BIDDING, luck);
            (world, guess, offers, luck.word())
        };
        race(wishes, budget, guess, |wish, (world, guess, offers, word)| {
            let mut playout = Playout::new(&self.scene.known, *world, guess);
            self.grant(*wish, offers, &mut playout);
            playout.play(&WEIGHTS, &BIDDING, HORIZON, &mut Luck::branch(*word));
            self.result(&playout)
        })
    }

    /// Carries out the wish and plays this round to its end.
    fn grant(&self, wish: Wish, offers: &Offers, playout: &mut Playout<'_>) {
        let row = &self.scene.known.row;
        let seat = self.scene.seat;
        match wish {
            Wish::Call(call) => {
                let place = self.scene.place();
                let standing = call.map(|count| (place, count)).or(self.scene.standing());
                let starter = playout.world.starter;
                let auction = AuctionTree { offers, size: row.len() as u8, starter, bidding: &BIDDING };
                let (place, count) = auction.end(place + 1, standing);
                let builder = (starter + place) % playout.world.players;
                playout.build(builder, count, row, &self.plans[builder], &self.worth);
            }
            Wish::Build(plan) => {
                let side = &mut playout.world.sides[seat];
                if let Some(after) = carry_out(side, row, &plan, &self.worth) {
                    *side = after;
                }
                playout.clean_up(Some(seat), row, plan.taken);
            }
        }
    }

    /// How likely the seat wins, as a softmax of what everyone has: nearly sure with a clear lead at the end, less so
    /// the more rows are to come.
    fn result(&self, playout: &Playout<'_>) -> f32 {
        let world = &playout.world;
        let worth = (!playout.over()).then(|| world.worth(&WEIGHTS));
        let softness = if worth.is_some() { 1.0 + 0.8 * world.rows().sqrt() } else { 1.5 };
        let value =
            |side: &PackedSide| worth.map_or_else(|| f32::from(side.score()), |worth| worth.side(side));
        let mine = value(&world.sides[self.scene.seat]);
        let sides = world.sides[..world.players].iter();
        1.0 / sides.map(|side| ((value(side) - mine) / softness).exp()).sum::<f32>()
    }
}
