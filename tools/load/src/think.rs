//! Lets bots of two builds play each other. Another `rookery-load` process is asked over a pipe which actions its bots
//! take. It follows the game action by action in its own types (lockstep), so only actions go over the pipe, and its
//! bots see the usual view.
//!
//! This measures whether a new bot is better than an old one without keeping the old code.

use game::{Bot, Budget, Chance, Level, Seat, Seed, Viewer};
use room::Visitor;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A message to the other build, one per line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ThinkRequest {
    /// Starts a game, which replaces the previous one.
    Deal {
        /// Name of the game.
        game: String,
        /// Version of the rules, which both builds must share.
        rules_version: u32,
        /// Rules chosen by the host.
        rules: Value,
        /// Number of players.
        players: usize,
        /// Seed of the deal.
        seed: Seed,
    },
    /// An action was played.
    Act {
        /// The acting seat.
        seat: Seat,
        /// The action.
        action: Value,
    },
    /// Asks for a bot's action. This is the only message that is answered: with the action.
    Choose {
        /// Seat of the bot.
        seat: Seat,
        /// Level of the bot.
        level: String,
        /// Seed of the bot's random choices.
        seed: Seed,
        /// Maximum number of tries.
        tries: u32,
        /// Maximum time in milliseconds.
        ms: Option<u64>,
    },
}

/// Answers messages, line by line, until the input ends.
pub fn answer(asked: impl BufRead, mut answers: impl Write) -> Result<(), String> {
    let mut table: Option<Box<dyn Followed>> = None;
    for line in asked.lines() {
        let line = line.map_err(|error| error.to_string())?;
        match serde_json::from_str(&line).map_err(|error| format!("invalid message: {error}"))? {
            ThinkRequest::Deal { game, rules_version, rules, players, seed } => {
                let mut dealer = Dealer { game, rules_version, rules, players, seed, table: None };
                room::each_game(&mut dealer);
                table = Some(dealer.table.unwrap_or_else(|| Err("unknown game".to_owned()))?);
            }
            ThinkRequest::Act { seat, action } => followed(&mut table)?.act(seat, action)?,
            ThinkRequest::Choose { seat, level, seed, tries, ms } => {
                let act = followed(&mut table)?.choose(seat, &level, seed, tries, ms)?;
                writeln!(answers, "{act}").and_then(|()| answers.flush()).map_err(|error| error.to_string())?;
            }
        }
    }
    Ok(())
}

fn followed(table: &mut Option<Box<dyn Followed>>) -> Result<&mut Box<dyn Followed>, String> {
    table.as_mut().ok_or_else(|| "no game was dealt".to_owned())
}

struct Dealer {
    game: String,
    rules_version: u32,
    rules: Value,
    players: usize,
    seed: Seed,
    table: Option<Result<Box<dyn Followed>, String>>,
}

impl Visitor for Dealer {
    fn meet<G: Bot>(&mut self) {
        if G::ID == self.game {
            self.table = Some(self.deal::<G>());
        }
    }
}

impl Dealer {
    fn deal<G: Bot>(&self) -> Result<Box<dyn Followed>, String> {
        if G::RULES_VERSION != self.rules_version || !G::PLAYERS.contains(&self.players) {
            return Err(format!("{} has different rules in this build", G::ID));
        }
        let rules = serde_json::from_value(self.rules.clone()).map_err(|error| error.to_string())?;
        Ok(Box::new(G::new(&rules, self.players, self.seed).0))
    }
}

/// A game of any kind that is updated with the actions played.
trait Followed {
    fn act(&mut self, seat: Seat, action: Value) -> Result<(), String>;
    fn choose(&self, seat: Seat, level: &str, seed: Seed, tries: u32, ms: Option<u64>) -> Result<String, String>;
}

impl<G: Bot> Followed for G {
    fn act(&mut self, seat: Seat, action: Value) -> Result<(), String> {
        let action = serde_json::from_value(action).map_err(|error| error.to_string())?;
        self.apply(seat, &action).map(|_| ()).map_err(|refusal| refusal.to_string())
    }

    fn choose(&self, seat: Seat, level: &str, seed: Seed, tries: u32, ms: Option<u64>) -> Result<String, String> {
        let level = level_of(level)?;
        let act = think::<G>(self, seat, level, seed, tries, ms.map(Duration::from_millis));
        serde_json::to_string(&act).map_err(|error| error.to_string())
    }
}

/// Returns the level with this name.
pub fn level_of(name: &str) -> Result<Level, String> {
    serde_json::from_value(Value::from(name)).map_err(|_| format!("unknown level {name}"))
}

/// Returns the action of a bot of this build.
pub fn think<G: Bot>(
    game: &G,
    seat: Seat,
    level: Level,
    seed: Seed,
    tries: u32,
    time: Option<Duration>,
) -> Option<G::Action> {
    let begun = Instant::now();
    let over = || time.is_some_and(|time| begun.elapsed() >= time);
    let budget = Budget::until(tries, &over);
    G::choose(&game.view(Viewer::Seat(seat)), seat, level, &mut Chance::new(seed), budget)
}

/// Another build, running as a process. It ends when this is dropped.
pub struct OtherBuild {
    process: Child,
    asked: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl OtherBuild {
    /// Starts the process.
    pub fn start(path: &Path) -> io::Result<OtherBuild> {
        let mut command = Command::new(path);
        let mut process = command.arg("think").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let asked = process.stdin.take();
        let answers = process.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(OtherBuild { process, asked, answers: BufReader::new(answers) })
    }

    /// Sends a message that is not answered.
    pub fn say(&mut self, line: &ThinkRequest) -> io::Result<()> {
        let asked = self.asked.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        asked.write_all(format!("{}\n", serde_json::to_string(line)?).as_bytes())
    }

    /// Sends a question and returns the action.
    pub fn ask<A: serde::de::DeserializeOwned>(&mut self, line: &ThinkRequest) -> io::Result<A> {
        self.say(line)?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    }
}

impl Drop for OtherBuild {
    fn drop(&mut self) {
        // The process exits when its standard input is closed.
        self.asked = None;
        let _ = self.process.wait();
    }
}
