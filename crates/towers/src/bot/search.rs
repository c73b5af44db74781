//! The hard bot: determinisation and playouts. It guesses what is hidden, again and again, tries every wish on the same
//! guesses (common random numbers), plays each on for some rounds by a rule of thumb, and takes the wish after which it
//! most likely wins.

use super::Wish;
use super::bidding::{self, AuctionTree, Bidding, Offers};
use super::packed::PackedSide;
use super::plan::{Plans, carry_out};
use super::scene::Scene;
use super::world::Playout;
use super::worth::{WEIGHTS, Worth};
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

/// The best wish found; none if there was too little time to compare, or nothing to choose from.
pub fn choose(scene: &Scene<'_>, luck: &mut Luck, budget: Budget<'_>) -> Option<Wish> {
    let world = &scene.known.world;
    let worth = world.worth(&WEIGHTS);
    let wishes: Vec<Wish> = if scene.in_auction() {
        scene.calls().into_iter().map(Wish::Call).collect()
    } else {
        let plans = scene.plans(&worth);
        let best = plans.first()?.gain;
        let plausible = plans.into_iter().filter(|plan| plan.gain > best - PLAUSIBLE);
        plausible.take(PLANS).map(Wish::Build).collect()
    };
    if wishes.len() < 2 {
        return wishes.first().copied();
    }
    let search = Search { scene, worth, plans: world.plans(&scene.known.row, &worth) };
    search.run(wishes, luck, budget)
}

impl Search<'_> {
    fn run(&self, wishes: Vec<Wish>, luck: &mut Luck, budget: Budget<'_>) -> Option<Wish> {
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
