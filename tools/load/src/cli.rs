//! Command line flags.

mod measuring;

pub use measuring::{AttackArgs, CompareArgs, IdleArgs, InstructionsArgs, ServerArgs, StormArgs};

use crate::play::{ActPace, Group, Workload};
use crate::review::Planting;
use crate::think::level_of;
use crate::tournament::{Contest, Entrant};
use clap::{Args, Parser, Subcommand};
use game::Level;
use serde_json::Value;
use std::time::Duration;

/// Plays many games at once and prints figures.
#[derive(Debug, Parser)]
#[command(name = "rookery-load", version, about)]
pub struct LoadArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: LoadCommand,
}

/// The subcommands of `rookery-load`.
#[derive(Debug, Subcommand)]
pub enum LoadCommand {
    /// Plays bots of the given levels against each other, without a server.
    Tournament(Tournament),
    /// Plays games between bots in which one decision is replaced by the worst one, and counts how often the review of
    /// the game finds it. Needs no server.
    Review(ReviewArgs),
    /// Answers which actions bots take, for a tournament with another build: JSON lines on standard input and output.
    Think,
    /// Plays with simulated players in rooms of a running server. Its limits are per address, so it needs
    /// --rooms-per-hour 0 --sockets-per-ip 0 --connections-per-ip 0 --requests-per-second 0 --acts-per-second 0.
    Play(PlayArgs),
    /// Measures the processor time per action of Rookery and of a bare WebSocket server in the same run. Starts the
    /// servers itself.
    Compare(CompareArgs),
    /// Measures the memory per idle connection of Rookery and of the bare server. Starts the servers itself.
    Idle(IdleArgs),
    /// Cuts all connections at once, or kills the server, and measures how soon all players are back in their seats.
    /// Starts the server itself.
    Storm(StormArgs),
    /// Counts the instructions per action of Rookery, with valgrind's callgrind. Starts the server itself.
    Instructions(InstructionsArgs),
    /// Attacks a server with default limits, and measures its memory and the latency of honest clients. Starts the
    /// server itself.
    Attack(AttackArgs),
    /// Runs the bare server of `compare`, on a free port.
    #[command(hide = true)]
    Floor,
}

/// Flags of a tournament.
#[derive(Debug, Args)]
pub struct Tournament {
    /// Name of the game
    #[arg(long, default_value = "towers")]
    pub game: String,

    /// Rules of the game, as JSON
    #[arg(long, default_value = "{}")]
    pub rules: String,

    /// Number of games
    #[arg(long, default_value_t = 2000)]
    games: usize,

    /// Number of the first deal
    #[arg(long, default_value_t = 0)]
    from: usize,

    /// Number of threads; all processors by default
    #[arg(long)]
    threads: Option<usize>,

    /// Maximum number of tries per decision of a searching bot; 200 by default, or unlimited if --ms is given
    #[arg(long)]
    tries: Option<u32>,

    /// Maximum time per decision in milliseconds
    #[arg(long)]
    ms: Option<u64>,

    /// The level of each player: easy, casual, normal or hard; or greedy, a beginner who always takes the most points
    /// available now. A bot of another build is level@program, such as hard@/tmp/old/rookery-load
    #[arg(required = true, value_parser = entrant)]
    entrants: Vec<Entrant>,
}

impl Tournament {
    /// Returns the contest to play.
    pub fn contest(&self) -> Contest {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        Contest {
            entrants: self.entrants.clone(),
            games: self.games,
            from: self.from,
            threads: self.threads.unwrap_or_else(all),
            tries: self.tries.unwrap_or(if self.ms.is_some() { u32::MAX } else { 200 }),
            time: self.ms.map(Duration::from_millis),
        }
    }
}

/// Flags of reviews.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// Name of the game
    #[arg(long, default_value = "towers")]
    pub game: String,

    /// Number of games
    #[arg(long, default_value_t = 100)]
    games: usize,

    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u32,

    /// Number of players
    #[arg(long, default_value_t = 3)]
    players: usize,

    /// Level of the players
    #[arg(long, default_value = "hard", value_parser = level)]
    level: Level,

    /// Maximum number of tries per decision of a searching bot
    #[arg(long, default_value_t = 200)]
    tries: u32,

    /// Number of threads
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

impl ReviewArgs {
    /// Returns the games to play and review.
    pub fn planting(&self) -> Planting {
        let ReviewArgs { games, seed, level, players, tries, threads, .. } = *self;
        Planting { games, seed, level, players, tries, threads }
    }
}

/// Flags of play over sockets.
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// URL of the server; plain http only
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    url: String,

    /// Name of the game
    #[arg(long, default_value = "towers")]
    game: String,

    /// Rules of the game, as JSON; the server's defaults if omitted
    #[arg(long, value_parser = json)]
    rules: Option<Value>,

    /// Duration in seconds
    #[arg(long, default_value_t = 60)]
    seconds: u64,

    /// Stop after this many games in each room, if that is sooner
    #[arg(long)]
    games: Option<u32>,

    /// Number of rooms
    #[arg(long, default_value_t = 10)]
    rooms: usize,

    /// Players in each room; the rooms rotate through a list of several numbers
    #[arg(long, value_delimiter = ',', default_value = "2", value_parser = people)]
    people: Vec<usize>,

    /// Bots in each room, by level
    #[arg(long, value_delimiter = ',', value_parser = level)]
    bots: Vec<Level>,

    /// Milliseconds that each player waits before an action, such as 200-1000
    #[arg(long, default_value = "0")]
    pace: ActPace,

    /// Number of additional rooms in which one player plays against bots
    #[arg(long, default_value_t = 0)]
    busy_rooms: usize,

    /// Bots in the additional rooms
    #[arg(long, value_delimiter = ',', default_value = "hard,hard", value_parser = level)]
    busy_bots: Vec<Level>,

    /// Pace of the players in the additional rooms
    #[arg(long, default_value = "0")]
    busy_pace: ActPace,

    /// Process id of the server on this machine, to measure its processor usage
    #[arg(long)]
    pid: Option<u32>,
}

impl PlayArgs {
    /// Returns the workload to play.
    pub fn workload(&self) -> Workload {
        let rooms = Group {
            name: "rooms",
            rooms: self.rooms,
            people: self.people.clone(),
            bots: self.bots.clone(),
            pace: self.pace,
        };
        let busy = Group {
            name: "busy",
            rooms: self.busy_rooms,
            people: vec![1],
            bots: self.busy_bots.clone(),
            pace: self.busy_pace,
        };
        Workload {
            url: self.url.clone(),
            game: self.game.clone(),
            rules: self.rules.clone(),
            time: Duration::from_secs(self.seconds),
            games: self.games,
            groups: vec![rooms, busy],
            server: self.pid,
        }
    }
}

/// A named function, because clap's default parser would turn the text into a JSON string.
fn json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
}

fn level(text: &str) -> Result<Level, String> {
    level_of(text)
}

fn entrant(text: &str) -> Result<Entrant, String> {
    text.parse()
}

fn people(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "a room has at least one player".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Subject;
    use crate::measure::compare::Window;
    use clap::CommandFactory;

    fn read(words: &str) -> Result<LoadCommand, clap::Error> {
        LoadArgs::try_parse_from(words.split(' ')).map(|cli| cli.command)
    }

    #[test]
    fn the_flags_are_consistent() {
        LoadArgs::command().debug_assert();
    }

    #[test]
    fn a_tournament_is_limited_by_tries_or_by_time() {
        let contest = |words: &str| match read(words).expect("the flags are valid") {
            LoadCommand::Tournament(asked) => asked.contest(),
            _ => panic!("not a tournament"),
        };
        let tries = contest("rookery-load tournament --games 9 --threads 3 hard normal");
        assert_eq!((tries.games, tries.threads, tries.tries, tries.time), (9, 3, 200, None));
        assert_eq!(tries.entrants, [Level::Hard, Level::Normal].map(Entrant::Here));
        let builds = contest("rookery-load tournament hard hard@/tmp/old");
        assert_eq!(builds.entrants[1], Entrant::There { level: "hard".to_owned(), build: "/tmp/old".into() });
        let time = contest("rookery-load tournament --ms 50 hard normal");
        assert_eq!((time.tries, time.time), (u32::MAX, Some(Duration::from_millis(50))));
    }

    #[test]
    fn rooms_with_and_without_bots_are_two_groups() {
        let words = "rookery-load play --rooms 20 --people 2,3 --pace 200-1000 --busy-rooms 100";
        let Ok(LoadCommand::Play(asked)) = read(words) else { panic!("the flags must be valid") };
        let [rooms, busy] = asked.workload().groups.try_into().expect("there are two groups");
        assert_eq!((rooms.rooms, rooms.people, rooms.bots), (20, vec![2, 3], vec![]));
        assert_eq!(rooms.pace, "200-1000".parse().unwrap());
        assert_eq!((busy.rooms, busy.people, busy.bots), (100, vec![1], vec![Level::Hard; 2]));
    }

    #[test]
    fn a_comparison_has_the_floor_and_the_chosen_journals() {
        let plan = |words: &str| match read(words).expect("the flags are valid") {
            LoadCommand::Compare(asked) => asked.plan(),
            _ => panic!("not a comparison"),
        };
        let all = plan("rookery-load compare");
        assert_eq!((all.subjects.len(), all.rounds, all.rooms, all.people), (3, 5, 500, 3));
        assert_eq!(all.window, Window::Time(Duration::from_secs(10)));
        let one = plan("rookery-load compare --only sqlite --acts 2000");
        assert_eq!(one.subjects, [Subject::Floor, Subject::Sqlite]);
        assert_eq!(one.window, Window::Acts(2000));
    }

    #[test]
    fn bad_values_are_refused() {
        for words in [
            "rookery-load tournament",
            "rookery-load tournament brilliant easy",
            "rookery-load play --people 0",
            "rookery-load play --pace 1000-200",
            "rookery-load play --pace soon",
            "rookery-load play --bots hard;hard",
            "rookery-load play --rules {",
            "rookery-load compare --rooms 0",
            "rookery-load compare --people 6",
            "rookery-load compare --seconds -1",
            "rookery-load compare --seconds 1 --acts 1",
            "rookery-load compare --only disk",
            "rookery-load idle --url 127.0.0.1:8080 --pid 1",
            "rookery-load idle --url http://127.0.0.1:8080",
            "rookery-load storm --per-room 6",
            "rookery-load instructions --more 0",
            "rookery-load attack",
            "rookery-load attack dragons",
            "rookery-load attack all --addresses 0",
        ] {
            assert_eq!(read(words).err().map(|error| error.exit_code()), Some(2), "{words}");
        }
    }
}
