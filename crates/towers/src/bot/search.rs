//! The hard bot: it guesses what is hidden, again and again, tries every choice on the same guesses, plays each on for
//! some rounds by a rule of thumb, and takes the choice after which it most likely wins.

use super::Choice;
use super::auction::{self, Auction, Bidding, Offers};
use super::plan::{Plans, carry_out};
use super::scene::Scene;
use super::site::Site;
use super::world::Playout;
use super::worth::{WEIGHTS, Worth};
use crate::side::MAX_PLAYERS;
use arrayvec::ArrayVec;
use game::{Budget, Luck, race};

/// How players of the tries look at auctions: nobody judges exactly, and nobody counts on it.
const BIDDING: Bidding = Bidding { envy: 0.35, stray: 1.0 };

/// How many rounds are played on before the worth of the towers is believed. More rounds see more and are noisier;
/// beyond this, the time is better spent on more guesses.
const HORIZON: usize = 5;

/// Ways to build that are tried: the first few, as long as they do not look this many points worse than the best.
const PLANS: usize = 8;
const PLAUSIBLE: f32 = 3.0;

struct Search<'a> {
    scene: &'a Scene<'a>,
    worth: Worth,
    plans: ArrayVec<Plans, MAX_PLAYERS>,
}

/// The best choice found; none if there was too little time to compare, or nothing to choose from.
pub fn choose(scene: &Scene<'_>, luck: &mut Luck, budget: Budget<'_>) -> Option<Choice> {
    let world = &scene.known.world;
    let worth = world.worth(&WEIGHTS);
    let choices: Vec<Choice> = if scene.in_auction() {
        scene.calls().into_iter().map(Choice::Call).collect()
    } else {
        let plans = scene.plans(&worth);
        let best = plans.first()?.gain;
        let plausible = plans.into_iter().filter(|plan| plan.gain > best - PLAUSIBLE);
        plausible.take(PLANS).map(Choice::Build).collect()
    };
    if choices.len() < 2 {
        return choices.first().copied();
    }
    let search = Search { scene, worth, plans: world.plans(&scene.known.row, &worth) };
    search.run(choices, luck, budget)
}

impl Search<'_> {
    fn run(&self, choices: Vec<Choice>, luck: &mut Luck, budget: Budget<'_>) -> Option<Choice> {
        let guess = || {
            let (world, guess) = self.scene.known.guess(luck);
            let offers = auction::offers(&self.plans, &BIDDING, luck);
            (world, guess, offers, luck.word())
        };
        race(choices, budget, guess, |choice, (world, guess, offers, word)| {
            let mut playout = Playout::new(&self.scene.known, *world, guess);
            self.make(*choice, offers, &mut playout);
            playout.play(&WEIGHTS, &BIDDING, HORIZON, &mut Luck::branch(*word));
            self.result(&playout)
        })
    }

    /// Makes the choice and plays this round to its end.
    fn make(&self, choice: Choice, offers: &Offers, playout: &mut Playout<'_>) {
        let row = &self.scene.known.row;
        let seat = self.scene.seat;
        match choice {
            Choice::Call(call) => {
                let place = self.scene.place();
                let standing = call.map(|count| (place, count)).or(self.scene.standing());
                let starter = playout.world.starter;
                let auction = Auction { offers, size: row.len() as u8, starter, bidding: &BIDDING };
                let (place, count) = auction.end(place + 1, standing);
                let builder = (starter + place) % playout.world.players;
                playout.build(builder, count, row, &self.plans[builder], &self.worth);
            }
            Choice::Build(plan) => {
                let site = &mut playout.world.sites[seat];
                if let Some(after) = carry_out(site, row, &plan, &self.worth) {
                    *site = after;
                }
                playout.clean_up(Some(seat), row, plan.taken);
            }
        }
    }

    /// How likely the seat wins: nearly sure with a clear lead at the end, less so the more rows are to come.
    fn result(&self, playout: &Playout<'_>) -> f32 {
        let world = &playout.world;
        let worth = (!playout.over()).then(|| world.worth(&WEIGHTS));
        let softness = if worth.is_some() { 1.0 + 0.8 * world.rows().sqrt() } else { 1.5 };
        let value = |site: &Site| worth.map_or_else(|| f32::from(site.score()), |worth| worth.site(site));
        let mine = value(&world.sites[self.scene.seat]);
        let sites = world.sites[..world.players].iter();
        1.0 / sites.map(|site| ((value(site) - mine) / softness).exp()).sum::<f32>()
    }
}
