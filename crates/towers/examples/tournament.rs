//! Plays many games between bots of given levels and prints who won how often:
//! `cargo run --release -p towers --example tournament -- --games 2000 hard normal normal`
//!
//! Every deal is played once with each rotation of the seats, so that nobody has better cards or a better place.
//! `--tries N` and `--ms N` bound each decision of `hard`, `--threads N` the cores, `--mistakes allowed` the rule,
//! `--from N` the first deal.

use game::{Bot, Budget, Chance, Game, Level, Seat, Seed, Viewer};
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use towers::{Mistakes, Rules, Towers};

/// What is to be played.
struct Tournament {
    levels: Vec<Level>,
    rules: Rules,
    games: usize,
    from: usize,
    threads: usize,
    tries: u32,
    time: Option<Duration>,
}

/// What became of one entrant, or of several together.
#[derive(Clone, Default)]
struct Tally {
    wins: usize,
    shared: usize,
    points: i64,
    /// How long each decision took.
    thought: Vec<Duration>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.wins += other.wins;
        self.shared += other.shared;
        self.points += other.points;
        self.thought.extend(other.thought);
    }

    /// The mean decision, the one that 99 of 100 are quicker than, and the longest. On a busy machine the longest says
    /// more about the machine.
    fn times(&self) -> [Duration; 3] {
        let mut thought = self.thought.clone();
        thought.sort_unstable();
        let at =
            |share: f64| thought.get((thought.len() as f64 * share) as usize).or(thought.last()).copied();
        let mean = thought.iter().sum::<Duration>() / thought.len().max(1) as u32;
        [mean, at(0.99).unwrap_or_default(), at(1.0).unwrap_or_default()]
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let tournament = Tournament::read(std::env::args().skip(1))?;
    let started = Instant::now();
    let tallies = tournament.run();
    tournament.print(&tallies, started.elapsed());
    Ok(())
}

impl Tournament {
    fn read(mut args: impl Iterator<Item = String>) -> Result<Tournament, Box<dyn Error>> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut read = Tournament {
            levels: Vec::new(),
            rules: Rules::default(),
            games: 2000,
            from: 0,
            threads,
            tries: 200,
            time: None,
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} needs a value"));
            match arg.as_str() {
                "--games" => read.games = value()?.parse()?,
                "--from" => read.from = value()?.parse()?,
                "--threads" => read.threads = value()?.parse()?,
                "--tries" => read.tries = value()?.parse()?,
                "--ms" => {
                    read.time = Some(Duration::from_millis(value()?.parse()?));
                    // Time alone ends a decision then, unless tries are given after it.
                    read.tries = u32::MAX;
                }
                "--mistakes" => {
                    read.rules.mistakes = match value()?.as_str() {
                        "prevented" => Mistakes::Prevented,
                        "allowed" => Mistakes::Allowed,
                        other => return Err(format!("mistakes are prevented or allowed, not {other}").into()),
                    }
                }
                "easy" => read.levels.push(Level::Easy),
                "normal" => read.levels.push(Level::Normal),
                "hard" => read.levels.push(Level::Hard),
                other => return Err(format!("{other} is neither an option nor a level").into()),
            }
        }
        if !Towers::PLAYERS.contains(&read.levels.len()) {
            return Err("give the levels of two to five bots".into());
        }
        Ok(read)
    }

    fn run(&self) -> Vec<Tally> {
        let next = AtomicUsize::new(0);
        let mut tallies = vec![Tally::default(); self.levels.len()];
        std::thread::scope(|scope| {
            let worker = || {
                let mut tallies = vec![Tally::default(); self.levels.len()];
                loop {
                    let game = next.fetch_add(1, Ordering::Relaxed);
                    if game >= self.games {
                        return tallies;
                    }
                    self.play(game, &mut tallies);
                }
            };
            let workers: Vec<_> = (0..self.threads.max(1)).map(|_| scope.spawn(worker)).collect();
            for worker in workers {
                for (sum, tally) in tallies.iter_mut().zip(worker.join().expect("a game was played")) {
                    sum.add(tally);
                }
            }
        });
        tallies
    }

    fn play(&self, game: usize, tallies: &mut [Tally]) {
        let players = self.levels.len();
        let (deal, rotation) = (self.from + game / players, game % players);
        let entrant = |seat: Seat| (seat.index() + rotation) % players;
        let (mut towers, _) = Towers::new(&self.rules, players, seed(deal as u64, 0));
        let mut chance = Chance::new(seed(deal as u64, 1));
        while let Some(seat) = towers.turn() {
            let view = towers.view(Viewer::Seat(seat));
            let tally = &mut tallies[entrant(seat)];
            let started = Instant::now();
            let over = || self.time.is_some_and(|time| started.elapsed() >= time);
            let budget = Budget::until(self.tries, &over);
            let level = self.levels[entrant(seat)];
            let act = Towers::choose(&view, seat, level, &mut chance, budget);
            tally.thought.push(started.elapsed());
            towers.apply(seat, &act.expect("a bot acts when asked")).expect("a bot's act is legal");
        }
        let outcome = towers.outcome().expect("the game is over");
        for seat in Seat::all(players) {
            let tally = &mut tallies[entrant(seat)];
            tally.points += i64::from(outcome.scores[seat.index()]);
            if outcome.winners.contains(&seat) {
                tally.shared += usize::from(outcome.winners.len() > 1);
                tally.wins += usize::from(outcome.winners.len() == 1);
            }
        }
    }

    fn print(&self, tallies: &[Tally], spent: Duration) {
        let decided: usize = tallies.iter().map(|tally| tally.wins).sum();
        println!(
            "{} games, {} decided, {} with a shared win; {:.1} games/s on {} threads",
            self.games,
            decided,
            self.games - decided,
            self.games as f64 / spent.as_secs_f64(),
            self.threads
        );
        println!(
            "bot     wins of decided games        shared  mean score    a decision     99 % under    longest"
        );
        for (level, tally) in self.levels.iter().zip(tallies) {
            let [mean, most, longest] = tally.times();
            let share = tally.wins as f64 / decided.max(1) as f64;
            let (low, high) = interval(share, decided.max(1) as f64);
            println!(
                "{:<7} {:>5}  {:>5.1} % ({:>4.1}–{:>4.1} %)  {:>6}  {:>10.2}  {:>12.1?}  {:>13.1?}  {:>9.1?}",
                format!("{level:?}").to_lowercase(),
                tally.wins,
                share * 100.0,
                low * 100.0,
                high * 100.0,
                tally.shared,
                tally.points as f64 / self.games.max(1) as f64,
                mean,
                most,
                longest,
            );
        }
    }
}

/// Wilson's 95 % confidence interval of a share.
fn interval(share: f64, n: f64) -> (f64, f64) {
    let z = 1.96;
    let middle = share + z * z / (2.0 * n);
    let width = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    ((middle - width) / scale, (middle + width) / scale)
}

fn seed(deal: u64, use_: u8) -> Seed {
    let mut seed = [use_; 32];
    seed[..8].copy_from_slice(&deal.to_le_bytes());
    Seed(seed)
}
