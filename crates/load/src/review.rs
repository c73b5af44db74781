//! Whether reviews find blunders: bots play games in which one decision of one of them is replaced by the act the strongest bot likes
//! least, and it is counted how often the review shows that decision among the three of that player.
//!
//! It knows no server: games are played and reviewed here, on one thread each.

use crate::statistics::{Times, confidence, mean};
use game::{Bot, Budget, Chance, Level, Luck, Outcome, Seat, Seed, Viewer};
use protocol::{RawAction, Record, RecordedAct};
use room::Reviewing;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A decision in which the worst act costs less than this by a first look is no place for a blunder.
const BLUNDER: f32 = 0.05;
/// One of the first so many such decisions of a player is replaced, each as likely.
const FIRST: usize = 16;
/// In so many games in a row nobody has had so many.
const PATIENCE: usize = 100;

/// What is to be played and reviewed.
#[derive(Debug, Clone)]
pub struct Planting {
    /// How many games with a blunder.
    pub games: usize,
    /// All chance follows from it.
    pub seed: u32,
    /// How well everybody plays otherwise.
    pub level: Level,
    /// How many play.
    pub players: usize,
    /// The most tries for a decision of a bot that searches.
    pub tries: u32,
    /// On how many threads.
    pub threads: usize,
}

/// What came of it.
#[derive(Debug)]
pub struct Findings {
    /// What was asked for.
    pub planting: Planting,
    /// In how many games the blunder was among those shown.
    pub found: usize,
    /// In how many it was the first of them.
    pub first: usize,
    /// What the blunders cost by the first look.
    pub costs: Vec<f64>,
    /// How many decisions were judged.
    pub decisions: Vec<f64>,
    /// The processor time of each review.
    pub spent: Times,
}

/// A game with a blunder in it.
struct Planted {
    record: Record,
    seat: Seat,
    /// Which act it is.
    act: usize,
    cost: f32,
}

/// Plays and reviews, or says why it cannot.
pub fn plant<G: Bot>(planting: &Planting) -> Result<Findings, String> {
    if !G::PLAYERS.contains(&planting.players) {
        return Err(format!("{} cannot be played by {}", G::ID, planting.players));
    }
    let next = AtomicUsize::new(0);
    let mut findings = Findings::none(planting);
    std::thread::scope(|scope| {
        let work = || {
            let mut own = Findings::none(planting);
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
            let own: Result<Findings, String> = worker.join().expect("a worker ends by itself");
            findings.add(own?);
        }
        Ok(findings)
    })
}

/// A game in which somebody blunders.
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
    Err(format!("in {PATIENCE} games nobody had a decision to blunder in"))
}

/// Plays a game in which a seat blunders in this one of its decisions; none if it has not so many.
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

/// A seed for these numbers.
fn seed(words: [u32; 3]) -> Seed {
    let bytes = words.map(u32::to_le_bytes).concat();
    Seed(std::array::from_fn(|i| bytes.get(i).copied().unwrap_or_default()))
}

impl Findings {
    fn none(planting: &Planting) -> Findings {
        let (costs, decisions, spent) = (Vec::new(), Vec::new(), Times::default());
        Findings { planting: planting.clone(), found: 0, first: 0, costs, decisions, spent }
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

    fn add(&mut self, other: Findings) {
        self.found += other.found;
        self.first += other.first;
        self.costs.extend(other.costs);
        self.decisions.extend(other.decisions);
        self.spent.add(other.spent);
    }
}

/// The processor time of this thread, where the system tells it; else the time that passes.
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

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = self.costs.len();
        let (low, high) = confidence(self.found, games);
        let share = 100.0 * mean(self.found as f64, games);
        let [low, high] = [low, high].map(|bound| 100.0 * bound);
        let cost = 100.0 * mean(self.costs.iter().sum(), games);
        let decisions = mean(self.decisions.iter().sum(), games);
        writeln!(f, "{games} games with a blunder, which cost {cost:.1} points of a hundred on average")?;
        writeln!(
            f,
            "found among the three shown: {} of {games}, {share:.1} % ({low:.1}–{high:.1}); shown first: {}",
            self.found, self.first
        )?;
        let seconds = |time: Duration| format!("{:.2} s", time.as_secs_f64());
        let [mean, most] = [self.spent.mean(), self.spent.under(1.0)].map(seconds);
        writeln!(f, "a review judged {decisions:.0} decisions and took {mean} of a processor, at most {most}")
    }
}
