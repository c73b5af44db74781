//! Measures whether reviews find blunders: bots play games in which one decision is replaced by the action that the
//! strongest bot rates worst. The result is how often the review lists that decision among the three shown for that
//! player.
//!
//! Games are played and reviewed without a server, each on one thread.

use crate::statistics::{Times, confidence, mean};
use game::{Bot, Budget, Chance, Level, Luck, Outcome, Seat, Seed, Viewer};
use protocol::{RawAction, Record, RecordedAct};
use room::Reviewing;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Minimum cost of a blunder by a first evaluation. Decisions whose worst action costs less are skipped.
const BLUNDER: f32 = 0.05;
/// The replaced decision is one of the first this many suitable decisions of a player, with equal probability.
const FIRST: usize = 16;
/// Number of games to try before giving up, if none has a suitable decision.
const PATIENCE: usize = 100;

/// What to play and review.
#[derive(Debug, Clone)]
pub struct Planting {
    /// Number of games with a blunder.
    pub games: usize,
    /// Seed for all random choices.
    pub seed: u32,
    /// Level of the players apart from the blunder.
    pub level: Level,
    /// Number of players.
    pub players: usize,
    /// Maximum number of tries per decision of a searching bot.
    pub tries: u32,
    /// Number of threads.
    pub threads: usize,
}

/// Results of the measurement.
#[derive(Debug)]
pub struct ReviewFindings {
    /// What was measured.
    pub planting: Planting,
    /// Number of games in which the blunder was among the decisions shown.
    pub found: usize,
    /// Number of games in which the blunder was shown first.
    pub first: usize,
    /// Costs of the blunders by the first evaluation.
    pub costs: Vec<f64>,
    /// Number of decisions judged in each review.
    pub decisions: Vec<f64>,
    /// Processor time of each review.
    pub spent: Times,
}

/// A game with a blunder in it.
struct Planted {
    record: Record,
    seat: Seat,
    /// Index of the blunder among the actions.
    act: usize,
    cost: f32,
}

/// Plays and reviews the games, or returns why that is impossible.
pub fn plant<G: Bot>(planting: &Planting) -> Result<ReviewFindings, String> {
    if !G::PLAYERS.contains(&planting.players) {
        return Err(format!("{} cannot be played by {} players", G::ID, planting.players));
    }
    let next = AtomicUsize::new(0);
    let mut findings = ReviewFindings::none(planting);
    std::thread::scope(|scope| {
        let work = || {
            let mut own = ReviewFindings::none(planting);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= planting.games {
                    return Ok(own);
                }
                own.add_game(&a_blunder::<G>(planting, number)?)?;
            }
        };
        let workers: Vec<_> = (0..planting.threads.max(1)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let own: Result<ReviewFindings, String> = worker.join().expect("the worker does not panic");
            findings.add(own?);
        }
        Ok(findings)
    })
}

/// Plays until a game has a blunder in it.
fn a_blunder<G: Bot>(planting: &Planting, number: usize) -> Result<Planted, String> {
    for again in 0..PATIENCE {
        let word = (number * PATIENCE + again) as u32;
        let mut luck = Luck::new(&mut Chance::new(seed([planting.seed, word, 1])));
        let seat = Seat(luck.below(planting.players) as u8);
        let which = luck.below(FIRST);
        if let Some(planted) = play::<G>(planting, word, seat, which) {
            return Ok(planted);
        }
    }
    Err(format!("{PATIENCE} games had no decision for a blunder"))
}

/// Plays a game in which `seat` blunders in its suitable decision number `which`. Returns `None` if it has fewer.
fn play<G: Bot>(planting: &Planting, word: u32, seat: Seat, which: usize) -> Option<Planted> {
    let server_seed = seed([planting.seed, word, 2]);
    let rules = G::Rules::default();
    let (mut game, _) = G::new(&rules, planting.players, server_seed.salted([]));
    let (mut acts, mut before, mut planted) = (Vec::new(), 0, None);
    while let Some(asked) = game.asked().first().copied() {
        let view = game.view(Viewer::Seat(asked));
        let mut chance = Chance::new(seed([planting.seed, word, 3 + acts.len() as u32]));
        let mut act = None;
        if asked == seat && planted.is_none() && view.actions.len() > 1 {
            let judged = G::judge(&view, asked, &mut chance, Budget::tries(planting.tries));
            if let (Some(best), Some(worst)) = (judged.first(), judged.last())
                && best.chance - worst.chance >= BLUNDER
            {
                if before == which {
                    planted = Some((acts.len(), best.chance - worst.chance));
                    act = Some(worst.action.clone());
                }
                before += 1;
            }
        }
        let budget = Budget::tries(planting.tries);
        let act = act.or_else(|| G::choose(&view, asked, planting.level, &mut chance, budget))?;
        game.apply(asked, &act).expect("a bot plays by the rules");
        acts.push(RecordedAct { seat: asked, action: RawAction::of(&act), at: 0 });
    }
    let (act, cost) = planted?;
    let outcome: Outcome = game.outcome()?;
    let record = Record {
        record_version: 1,
        protocol: 1,
        rules_version: G::RULES_VERSION,
        game: G::ID.to_owned(),
        rules: serde_json::to_value(&rules).ok()?,
        players: vec![String::new(); planting.players],
        server_seed,
        salts: vec![None; planting.players],
        starter: None,
        commitment: server_seed.commitment(),
        acts,
        outcome,
        origin: None,
        digest: None,
    };
    Some(Planted { record, seat, act, cost })
}

/// Returns a seed for these numbers.
fn seed(words: [u32; 3]) -> Seed {
    let bytes = words.map(u32::to_le_bytes).concat();
    Seed(std::array::from_fn(|i| bytes.get(i).copied().unwrap_or_default()))
}

impl ReviewFindings {
    fn none(planting: &Planting) -> ReviewFindings {
        let (costs, decisions, spent) = (Vec::new(), Vec::new(), Times::default());
        ReviewFindings { planting: planting.clone(), found: 0, first: 0, costs, decisions, spent }
    }

    fn add_game(&mut self, planted: &Planted) -> Result<(), String> {
        let mut reviewing = Reviewing::of_record(&planted.record).map_err(|doubt| doubt.to_string())?;
        let begun = Processor::now();
        while let Some(mut decision) = reviewing.next_decision() {
            decision.go_on(&|| false);
            reviewing.judged(decision);
        }
        let review = reviewing.finish();
        self.spent.record(begun.elapsed());
        let shown = &review.players[planted.seat.index()].mistakes;
        let place = shown.iter().position(|mistake| mistake.moment as usize == planted.act + 1);
        self.found += usize::from(place.is_some());
        self.first += usize::from(place == Some(0));
        self.costs.push(f64::from(planted.cost));
        self.decisions.push(f64::from(review.decisions));
        Ok(())
    }

    fn add(&mut self, other: ReviewFindings) {
        self.found += other.found;
        self.first += other.first;
        self.costs.extend(other.costs);
        self.decisions.extend(other.decisions);
        self.spent.add(other.spent);
    }
}

/// Measures the processor time of this thread, or the elapsed time where that is not available.
struct Processor {
    spent: Option<Duration>,
    begun: Instant,
}

impl Processor {
    fn now() -> Processor {
        Processor { spent: Processor::spent(), begun: Instant::now() }
    }

    fn spent() -> Option<Duration> {
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }

    fn elapsed(&self) -> Duration {
        match (self.spent, Processor::spent()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.begun.elapsed(),
        }
    }
}

impl fmt::Display for ReviewFindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = self.costs.len();
        let (low, high) = confidence(self.found, games);
        let share = 100.0 * mean(self.found as f64, games);
        let [low, high] = [low, high].map(|bound| 100.0 * bound);
        let cost = 100.0 * mean(self.costs.iter().sum(), games);
        let decisions = mean(self.decisions.iter().sum(), games);
        writeln!(f, "{games} games with a blunder, mean cost {cost:.1} of 100 points")?;
        writeln!(
            f,
            "found among the three shown: {} of {games}, {share:.1} % ({low:.1}–{high:.1}); shown first: {}",
            self.found, self.first
        )?;
        let seconds = |time: Duration| format!("{:.2} s", time.as_secs_f64());
        let [mean, most] = [self.spent.mean(), self.spent.under(1.0)].map(seconds);
        writeln!(f, "a review judged {decisions:.0} decisions and took {mean} of processor time, at most {most}")
    }
}
