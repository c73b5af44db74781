//! The hard bot: it guesses what is hidden, again and again, tries every choice on the same guesses, plays each on for
//! some rounds by a rule of thumb, and takes the choice after which it most likely wins.

use super::Choice;
use super::auction::{self, Auction, Bidding, Offers};
use super::dice::Dice;
use super::plan::{Plans, carry_out};
use super::scene::Scene;
use super::site::Site;
use super::world::Playout;
use super::worth::{WEIGHTS, Worth};
use crate::side::MAX_PLAYERS;
use arrayvec::ArrayVec;
use game::Budget;

/// How players of the tries look at auctions: nobody judges exactly, and nobody counts on it.
const BIDDING: Bidding = Bidding { envy: 0.35, stray: 1.0 };

/// How many rounds are played on before the worth of the towers is believed. More rounds see more and are noisier;
/// beyond this, the time is better spent on more guesses.
const HORIZON: usize = 5;

/// Ways to build that are tried: the first few, as long as they do not look this many points worse than the best.
const PLANS: usize = 8;
const PLAUSIBLE: f32 = 3.0;

/// On fewer guesses than this, a rule of thumb is the better judge.
const ENOUGH: usize = 8;

/// After how many guesses, each time, choices that have fallen behind are given up.
const ROUND: usize = 16;

/// How many standard errors a choice must be behind the best to be given up.
const BEHIND: f32 = 2.5;

struct Search<'a> {
    scene: &'a Scene<'a>,
    worth: Worth,
    plans: ArrayVec<Plans, MAX_PLAYERS>,
}

/// One choice, and how likely it won on each guess.
struct Candidate {
    choice: Choice,
    results: Vec<f32>,
}

/// The best choice found; none if there was too little time to compare, or nothing to choose from.
pub fn choose(scene: &Scene<'_>, dice: &mut Dice, budget: Budget<'_>) -> Option<Choice> {
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
    search.run(choices, dice, budget)
}

impl Search<'_> {
    fn run(&self, choices: Vec<Choice>, dice: &mut Dice, budget: Budget<'_>) -> Option<Choice> {
        let candidates = choices.into_iter().map(|choice| Candidate { choice, results: Vec::new() });
        let mut candidates: Vec<Candidate> = candidates.collect();
        let mut tries = 0;
        let mut guesses = 0;
        while candidates.len() > 1 && budget.allows(tries + candidates.len() as u32 - 1) {
            let (world, guess) = self.scene.known.guess(dice);
            let offers = auction::offers(&self.plans, &BIDDING, dice);
            let luck = dice.word();
            for candidate in &mut candidates {
                // Every choice meets the same luck, so that what differs is the choice.
                let mut playout = Playout::new(&self.scene.known, world, &guess);
                self.make(candidate.choice, &offers, &mut playout);
                playout.play(&WEIGHTS, &BIDDING, HORIZON, &mut Dice::branch(luck));
                candidate.results.push(self.result(&playout));
                tries += 1;
            }
            guesses += 1;
            if guesses % ROUND == 0 {
                give_up(&mut candidates);
            }
        }
        let best =
            candidates.into_iter().reduce(|best, next| if next.sum() > best.sum() { next } else { best });
        best.filter(|_| guesses >= ENOUGH).map(|candidate| candidate.choice)
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

impl Candidate {
    fn sum(&self) -> f32 {
        self.results.iter().sum()
    }

    /// Whether this is behind the best by more than chance would have it. On equal guesses equal choices have equal
    /// results; then one of them is enough.
    fn beaten_by(&self, best: &Candidate) -> bool {
        let differences = best.results.iter().zip(&self.results).map(|(best, own)| best - own);
        let count = self.results.len() as f32;
        let mean = differences.clone().sum::<f32>() / count;
        let variance = differences.map(|difference| (difference - mean).powi(2)).sum::<f32>() / count;
        mean >= BEHIND * (variance / count).sqrt()
    }
}

/// Keeps the best candidate and all that may yet be better.
fn give_up(candidates: &mut Vec<Candidate>) {
    let sums = candidates.iter().map(Candidate::sum).enumerate();
    let Some((best, _)) = sums.reduce(|best, next| if next.1 > best.1 { next } else { best }) else { return };
    let best = candidates.remove(best);
    candidates.retain(|candidate| !candidate.beaten_by(&best));
    candidates.insert(0, best);
}
