//! Plays many games between bots of given levels and counts who won how often. Every deal is played once with each
//! rotation of the seats, so that nobody has better cards or a better place.
//!
//! It knows no server: a game is asked who must act, a bot what it does.

use crate::statistics::{Times, confidence, mean};
use game::{Bot, Budget, Chance, Level, Seat, Seed, Viewer};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What is to be played.
#[derive(Debug, Clone)]
pub struct Contest {
    /// Who plays, in the order of the first rotation.
    pub levels: Vec<Level>,
    /// How many games.
    pub games: usize,
    /// The first deal.
    pub from: usize,
    /// On how many threads.
    pub threads: usize,
    /// The most tries for one decision. With tries alone a contest ends the same on every run.
    pub tries: u32,
    /// The most time for one decision.
    pub time: Option<Duration>,
}

/// How a contest ended.
#[derive(Debug)]
pub struct Standings {
    /// What was played.
    pub contest: Contest,
    /// What became of each, in the order of the levels.
    pub tallies: Vec<Tally>,
    /// How long all of it took.
    pub spent: Duration,
}

/// What became of one of those who played.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Games won alone.
    pub wins: usize,
    /// Games won together with others.
    pub shared: usize,
    /// The sum of all scores.
    pub points: i64,
    /// How long each decision took.
    pub thought: Times,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.wins += other.wins;
        self.shared += other.shared;
        self.points += other.points;
        self.thought.add(other.thought);
    }
}

impl Standings {
    /// How many games had one winner.
    pub fn decided(&self) -> usize {
        self.tallies.iter().map(|tally| tally.wins).sum()
    }
}

/// Plays the contest to its end.
pub fn play<G: Bot>(contest: &Contest, rules: &G::Rules) -> Standings {
    let begun = Instant::now();
    let next = AtomicUsize::new(0);
    let nobody = vec![Tally::default(); contest.levels.len()];
    let mut tallies = nobody.clone();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..contest.threads.max(1))
            .map(|_| {
                let (next, rules, mut tallies) = (&next, rules.clone(), nobody.clone());
                scope.spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= contest.games {
                            return tallies;
                        }
                        one_game::<G>(contest, &rules, number, &mut tallies);
                    }
                })
            })
            .collect();
        for worker in workers {
            for (sum, tally) in tallies.iter_mut().zip(worker.join().expect("every game was played")) {
                sum.add(tally);
            }
        }
    });
    Standings { contest: contest.clone(), tallies, spent: begun.elapsed() }
}

fn one_game<G: Bot>(contest: &Contest, rules: &G::Rules, number: usize, tallies: &mut [Tally]) {
    let players = contest.levels.len();
    let (deal, rotation) = (contest.from + number / players, number % players);
    let entrant = |seat: Seat| (seat.index() + rotation) % players;
    let (mut game, _) = G::new(rules, players, seed(deal as u64, 0));
    let mut chance = Chance::new(seed(deal as u64, 1));
    let outcome = loop {
        if let Some(outcome) = game.outcome() {
            break outcome;
        }
        // Where several are asked at once nobody sees what another chose, so their order does not matter.
        let seat = *game.asked().first().expect("somebody is asked until the game is over");
        let view = game.view(Viewer::Seat(seat));
        let begun = Instant::now();
        let over = || contest.time.is_some_and(|time| begun.elapsed() >= time);
        let budget = Budget::until(contest.tries, &over);
        let act = G::choose(&view, seat, contest.levels[entrant(seat)], &mut chance, budget);
        tallies[entrant(seat)].thought.record(begun.elapsed());
        game.apply(seat, &act.expect("a bot acts when asked")).expect("a bot's act is legal");
    };
    for seat in Seat::all(players) {
        let tally = &mut tallies[entrant(seat)];
        tally.points += i64::from(outcome.scores[seat.index()]);
        if outcome.winners.contains(&seat) {
            let alone = outcome.winners.len() == 1;
            tally.wins += usize::from(alone);
            tally.shared += usize::from(!alone);
        }
    }
}

/// A deal has one seed for the game and another for the bots.
fn seed(deal: u64, purpose: u8) -> Seed {
    let mut seed = [purpose; 32];
    seed[..8].copy_from_slice(&deal.to_le_bytes());
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
            "bot     wins of decided games        shared  mean score    a decision     99 % under    longest"
        )?;
        for (level, tally) in self.contest.levels.iter().zip(&self.tallies) {
            let (low, high) = confidence(tally.wins, decided);
            writeln!(
                f,
                "{:<7} {:>5}  {:>5.1} % ({:>4.1}–{:>4.1} %)  {:>6}  {:>10.2}  {:>12.1?}  {:>13.1?}  {:>9.1?}",
                format!("{level:?}").to_lowercase(),
                tally.wins,
                mean(tally.wins as f64, decided) * 100.0,
                low * 100.0,
                high * 100.0,
                tally.shared,
                mean(tally.points as f64, games),
                tally.thought.mean(),
                tally.thought.under(0.99),
                tally.thought.under(1.0),
            )?;
        }
        Ok(())
    }
}
