//! Plays many games between bots of given levels and counts the wins. Every deal is played once with each rotation of
//! the seats, so that no player has an advantage by cards or seat.
//!
//! It needs no server: the game says which seat must act, and a bot chooses the action.

use crate::statistics::{Times, confidence, mean};
use crate::think::{OtherBuild, ThinkRequest, level_of, think};
use game::{Bot, Level, Outcome, Seat, Seed, Viewer};
use serde_json::json;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A participant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entrant {
    /// A bot of this build.
    Here(Level),
    /// A beginner who always takes the most points available now. The levels are compared with it.
    Greedy,
    /// A bot of another build: `hard@/path/to/its/rookery-load`.
    There {
        /// The level's name in the other build.
        level: String,
        /// Path of the other build's program.
        build: PathBuf,
    },
}

impl FromStr for Entrant {
    type Err = String;

    fn from_str(text: &str) -> Result<Entrant, String> {
        match text.split_once('@') {
            None if text == "greedy" => Ok(Entrant::Greedy),
            None => level_of(text).map(Entrant::Here),
            Some((level, build)) => Ok(Entrant::There { level: level.to_owned(), build: build.into() }),
        }
    }
}

impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entrant::Here(level) => f.write_str(json!(level).as_str().unwrap_or_default()),
            Entrant::Greedy => f.write_str("greedy"),
            Entrant::There { level, .. } => write!(f, "{level}@"),
        }
    }
}

/// What to play.
#[derive(Debug, Clone)]
pub struct Contest {
    /// The participants, in the seat order of the first rotation.
    pub entrants: Vec<Entrant>,
    /// Number of games.
    pub games: usize,
    /// Number of the first deal.
    pub from: usize,
    /// Number of threads.
    pub threads: usize,
    /// Maximum number of tries per decision. Without a time limit the result is the same on every run.
    pub tries: u32,
    /// Maximum time per decision.
    pub time: Option<Duration>,
}

/// Results of a contest.
#[derive(Debug)]
pub struct Standings {
    /// What was played.
    pub contest: Contest,
    /// Result of each participant, in the order of the entrants.
    pub tallies: Vec<EntrantTally>,
    /// Duration of the whole contest.
    pub spent: Duration,
}

/// Result of one participant.
#[derive(Debug, Clone, Default)]
pub struct EntrantTally {
    /// Games won alone.
    pub wins: usize,
    /// Games won together with others.
    pub shared: usize,
    /// Sum of all scores.
    pub points: i64,
    /// Time of each decision.
    pub thought: Times,
}

impl EntrantTally {
    fn add(&mut self, other: EntrantTally) {
        self.wins += other.wins;
        self.shared += other.shared;
        self.points += other.points;
        self.thought.add(other.thought);
    }
}

impl Standings {
    /// Returns how many games had a single winner.
    pub fn decided(&self) -> usize {
        self.tallies.iter().map(|tally| tally.wins).sum()
    }
}

/// Plays the contest, or returns which other build failed.
pub fn play<G: Bot>(contest: &Contest, rules: &G::Rules) -> Result<Standings, String> {
    let begun = Instant::now();
    let next = AtomicUsize::new(0);
    let empty = vec![EntrantTally::default(); contest.entrants.len()];
    let mut tallies = empty.clone();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..contest.threads.max(1))
            .map(|_| {
                let (next, rules, mut tallies) = (&next, rules.clone(), empty.clone());
                scope.spawn(move || {
                    let mut tables = Tables::<G>::new(contest, rules)?;
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= contest.games {
                            return Ok(tallies);
                        }
                        tables.play(number, &mut tallies)?;
                    }
                })
            })
            .collect();
        for worker in workers {
            let played: Result<Vec<EntrantTally>, String> = worker.join().expect("the worker does not panic");
            for (sum, tally) in tallies.iter_mut().zip(played?) {
                sum.add(tally);
            }
        }
        Ok(Standings { contest: contest.clone(), tallies, spent: begun.elapsed() })
    })
}

/// The games of one worker thread, and the other builds it asks.
struct Tables<'a, G: Bot> {
    contest: &'a Contest,
    rules: G::Rules,
    others: Vec<(&'a PathBuf, OtherBuild)>,
}

impl<'a, G: Bot> Tables<'a, G> {
    fn new(contest: &'a Contest, rules: G::Rules) -> Result<Tables<'a, G>, String> {
        let mut others: Vec<(&PathBuf, OtherBuild)> = Vec::new();
        for entrant in &contest.entrants {
            if let Entrant::There { build, .. } = entrant
                && others.iter().all(|(started, _)| *started != build)
            {
                let other = OtherBuild::start(build).map_err(|error| format!("{}: {error}", build.display()))?;
                others.push((build, other));
            }
        }
        Ok(Tables { contest, rules, others })
    }

    fn tell(&mut self, line: &ThinkRequest) -> Result<(), String> {
        for (build, other) in &mut self.others {
            other.say(line).map_err(|error| format!("{}: {error}", build.display()))?;
        }
        Ok(())
    }

    fn play(&mut self, number: usize, tallies: &mut [EntrantTally]) -> Result<(), String> {
        let players = self.contest.entrants.len();
        let (deal, rotation) = (self.contest.from + number / players, number % players);
        let entrant = |seat: Seat| (seat.index() + rotation) % players;
        let (mut game, _) = G::new(&self.rules, players, seed(deal as u64, 0, 0));
        self.tell(&ThinkRequest::Deal {
            game: G::ID.to_owned(),
            rules_version: G::RULES_VERSION,
            rules: json!(self.rules),
            players,
            seed: seed(deal as u64, 0, 0),
        })?;
        let mut decisions = 0;
        let outcome = loop {
            if let Some(outcome) = game.outcome() {
                break outcome;
            }
            // Seats that are asked simultaneously do not see each other's choices, so their order does not matter.
            let seat = *game.asked().first().expect("a seat must act until the game is over");
            decisions += 1;
            let begun = Instant::now();
            let action = self.ask(&game, seat, entrant(seat), seed(deal as u64, decisions, 1))?;
            tallies[entrant(seat)].thought.record(begun.elapsed());
            if !self.others.is_empty() {
                self.tell(&ThinkRequest::Act { seat, action: json!(action) })?;
            }
            game.apply(seat, &action).map_err(|refusal| format!("a bot chose an illegal act: {refusal}"))?;
        };
        count(&outcome, tallies, entrant);
        Ok(())
    }

    fn ask(&mut self, game: &G, seat: Seat, entrant: usize, seed: Seed) -> Result<G::Action, String> {
        let (tries, time) = (self.contest.tries, self.contest.time);
        let (level, build) = match &self.contest.entrants[entrant] {
            Entrant::Here(level) => {
                let act = think(game, seat, *level, seed, tries, time);
                return act.ok_or_else(|| "a bot chose no act".to_owned());
            }
            Entrant::Greedy => {
                let act = G::greedy(&game.view(Viewer::Seat(seat)), seat);
                return act.ok_or_else(|| "the greedy player chose no act".to_owned());
            }
            Entrant::There { level, build } => (level.clone(), build),
        };
        let ms = time.map(|time| time.as_millis() as u64);
        let other = self.others.iter_mut().find(|(started, _)| *started == build);
        let (_, other) = other.expect("every other build was started");
        let act: Option<G::Action> = other
            .ask(&ThinkRequest::Choose { seat, level, seed, tries, ms })
            .map_err(|error| format!("{}: {error}", build.display()))?;
        act.ok_or_else(|| format!("{}: a bot chose no act", build.display()))
    }
}

fn count(outcome: &Outcome, tallies: &mut [EntrantTally], entrant: impl Fn(Seat) -> usize) {
    for seat in Seat::all(tallies.len()) {
        let tally = &mut tallies[entrant(seat)];
        tally.points += i64::from(outcome.scores[seat.index()]);
        if outcome.winners.contains(&seat) {
            let alone = outcome.winners.len() == 1;
            tally.wins += usize::from(alone);
            tally.shared += usize::from(!alone);
        }
    }
}

/// Returns a seed. The game of a deal and each decision of a bot have their own.
fn seed(deal: u64, decision: u64, purpose: u8) -> Seed {
    let mut seed = [purpose; 32];
    seed[..8].copy_from_slice(&deal.to_le_bytes());
    seed[8..16].copy_from_slice(&decision.to_le_bytes());
    Seed(seed)
}

impl fmt::Display for Standings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (games, decided) = (self.contest.games, self.decided());
        writeln!(
            f,
            "{games} games, {decided} decided, {} with a shared win; {:.1} games/s on {} threads",
            games - decided,
            games as f64 / self.spent.as_secs_f64(),
            self.contest.threads
        )?;
        writeln!(
            f,
            "bot     wins of decided games        shared  mean score  mean decision            p50            p99    \
             longest"
        )?;
        for (entrant, tally) in self.contest.entrants.iter().zip(&self.tallies) {
            let (low, high) = confidence(tally.wins, decided);
            writeln!(
                f,
                "{:<7} {:>5}  {:>5.1} % ({:>4.1}–{:>4.1} %)  {:>6}  {:>10.2}  {:>13.1?}  {:>13.1?}  {:>13.1?}  \
                 {:>9.1?}",
                entrant.to_string(),
                tally.wins,
                mean(tally.wins as f64, decided) * 100.0,
                low * 100.0,
                high * 100.0,
                tally.shared,
                mean(tally.points as f64, games),
                tally.thought.mean(),
                tally.thought.under(0.5),
                tally.thought.under(0.99),
                tally.thought.under(1.0),
            )?;
        }
        Ok(())
    }
}
