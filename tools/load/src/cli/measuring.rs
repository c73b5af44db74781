//! Flags of the commands that start servers and measure them.

use crate::attack::{self, Attack};
use crate::measure::compare::{self, Window};
use crate::measure::{Cores, Ending, Launcher, Subject, idle, instructions, storm};
use clap::{Args, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The servers to measure and how to start them.
#[derive(Debug, Args)]
pub struct ServerArgs {
    /// Path of Rookery's binary; by default the one next to this program
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,

    /// Parent folder for temporary journals; by default the system's folder for temporary files
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,

    /// URL of an otherwise unused PostgreSQL database, to measure `postgres` and `relayed` as well, such as
    /// `cargo run -p pgtest --example postgres` prints
    #[arg(long, value_name = "ADDRESS", env = "ROOKERY_LOAD_POSTGRES", hide_env_values = true)]
    postgres: Option<String>,

    /// Print the results as one JSON object
    #[arg(long)]
    pub json: bool,
}

impl ServerArgs {
    /// Returns how to start the servers.
    pub fn launcher(&self, cores: Option<Cores>) -> Launcher {
        let (server, folder, postgres) = (self.server.clone(), self.folder.clone(), self.postgres.clone());
        Launcher { server, cores, folder, postgres, under: Vec::new(), default_limits: false }
    }
}

/// A server that is already running.
#[derive(Debug, Args)]
struct RunningServer {
    /// URL of a Rookery that runs on this machine without limits (for attacks, without a limit on opened rooms),
    /// instead of starting one
    #[arg(long, requires = "pid", value_parser = here)]
    url: Option<SocketAddr>,

    /// Process id of that server
    #[arg(long, requires = "url")]
    pid: Option<u32>,
}

/// Flags of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Number of rounds; each measures every server once
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// Number of rooms
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    rooms: u32,

    /// Players in each room
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=5))]
    people: u32,

    /// Spectators in each room, who also receive every change
    #[arg(long, default_value_t = 0)]
    watchers: u32,

    /// Duration of each measurement in seconds
    #[arg(long, default_value_t = 10.0, value_parser = seconds)]
    seconds: f64,

    /// Number of actions per measurement, instead of a duration
    #[arg(long, conflicts_with = "seconds", value_parser = clap::value_parser!(u64).range(1..))]
    acts: Option<u64>,

    /// Seconds of play before each measurement
    #[arg(long, default_value_t = 3.0, value_parser = seconds)]
    warm_up: f64,

    /// Which of Rookery's journals to measure besides the bare server; all available by default
    #[arg(long, value_delimiter = ',')]
    only: Vec<Subject>,

    /// The servers.
    #[command(flatten)]
    pub servers: ServerArgs,
}

impl CompareArgs {
    /// Returns what to compare. The bare server is always included as the baseline.
    pub fn plan(&self) -> compare::ComparePlan {
        let chosen =
            |subject: &Subject| *subject == Subject::Floor || self.only.is_empty() || self.only.contains(subject);
        let mut all = vec![Subject::Floor, Subject::Memory, Subject::Sqlite];
        if self.servers.postgres.is_some() {
            all.extend([Subject::Postgres, Subject::Relayed]);
        }
        compare::ComparePlan {
            subjects: all.into_iter().filter(chosen).collect(),
            rounds: self.rounds as usize,
            rooms: self.rooms as usize,
            people: self.people as usize,
            watchers: self.watchers as usize,
            warm_up: Duration::from_secs_f64(self.warm_up),
            window: match self.acts {
                Some(acts) => Window::Acts(acts),
                None => Window::Time(Duration::from_secs_f64(self.seconds)),
            },
        }
    }
}

/// Flags of `attack`.
#[derive(Debug, Args)]
pub struct AttackArgs {
    /// Name of the attack; "all" for every one, each on its own server
    #[arg(value_name = "NAME", required = true, value_parser = attack)]
    attack: AttackChoice,

    /// Number of local source addresses, 127.1.0.1 and up
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    addresses: u16,

    /// Duration of each attack in seconds
    #[arg(long, default_value_t = 20.0, value_parser = seconds)]
    seconds: f64,

    /// A server that is already running.
    #[command(flatten)]
    running: RunningServer,

    /// The servers.
    #[command(flatten)]
    pub servers: ServerArgs,
}

/// One attack, or all.
#[derive(Debug, Clone, Copy)]
enum AttackChoice {
    All,
    One(Attack),
}

fn attack(name: &str) -> Result<AttackChoice, String> {
    if name == "all" {
        return Ok(AttackChoice::All);
    }
    Attack::from_str(name, false).map(AttackChoice::One).map_err(|_| {
        let names: Vec<String> = Attack::all().into_iter().map(Attack::name).collect();
        format!("expected one of {}, or all", names.join(", "))
    })
}

impl AttackArgs {
    /// Returns which attacks to run.
    pub fn plan(&self) -> attack::AttackPlan {
        let attacks = match self.attack {
            AttackChoice::All => Attack::all(),
            AttackChoice::One(one) => vec![one],
        };
        let (time, running) = (Duration::from_secs_f64(self.seconds), self.running.url.zip(self.running.pid));
        attack::AttackPlan { attacks, addresses: self.addresses, time, running }
    }
}

/// Flags of `idle`.
#[derive(Debug, Args)]
pub struct IdleArgs {
    /// Number of connections
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    connections: u32,

    /// Number of rooms
    #[arg(long, default_value_t = 2500, value_parser = clap::value_parser!(u32).range(1..))]
    rooms: u32,

    /// Start a game in each room, instead of staying in the lobby
    #[arg(long)]
    playing: bool,

    /// Seconds between the last connection and the second memory sample
    #[arg(long, default_value_t = 3.0, value_parser = seconds)]
    settle: f64,

    /// Which servers to start; all by default
    #[arg(long, value_delimiter = ',', conflicts_with = "url")]
    only: Vec<Subject>,

    /// A server that is already running.
    #[command(flatten)]
    running: RunningServer,

    /// The servers.
    #[command(flatten)]
    pub servers: ServerArgs,
}

impl IdleArgs {
    /// Returns the plan of the measurement.
    pub fn plan(&self) -> idle::IdlePlan {
        let all = [Subject::Floor, Subject::Memory, Subject::Sqlite];
        let chosen = |subject: &Subject| self.only.is_empty() || self.only.contains(subject);
        idle::IdlePlan {
            servers: match self.running.url.zip(self.running.pid) {
                Some((address, id)) => idle::MeasuredServers::Running(address, id),
                None => idle::MeasuredServers::Started(all.into_iter().filter(chosen).collect()),
            },
            connections: self.connections as usize,
            rooms: self.rooms as usize,
            playing: self.playing,
            settle: Duration::from_secs_f64(self.settle),
        }
    }
}

/// Flags of `storm`.
#[derive(Debug, Args)]
pub struct StormArgs {
    /// Number of players
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    people: u32,

    /// Players per room
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=5))]
    per_room: u32,

    /// Kill the server and start it again, instead of cutting the connections
    #[arg(long)]
    restart: bool,

    /// Stop the server with SIGTERM before it is started again, instead of killing it
    #[arg(long, requires = "restart")]
    ask: bool,

    /// Use the default limits, except for the number of opened rooms: the players of each room join from their own
    /// address, and all reconnect from one
    #[arg(long)]
    default_limits: bool,

    /// Players who are not back after this many seconds are missing
    #[arg(long, default_value_t = 60.0, value_parser = seconds)]
    patience: f64,

    /// The servers.
    #[command(flatten)]
    pub servers: ServerArgs,
}

impl StormArgs {
    /// Returns the plan of the measurement.
    pub fn plan(&self) -> storm::StormPlan {
        storm::StormPlan {
            people: self.people as usize,
            per_room: self.per_room as usize,
            default_limits: self.default_limits,
            restart: self.restart.then_some(if self.ask { Ending::Asked } else { Ending::Killed }),
            patience: Duration::from_secs_f64(self.patience),
        }
    }
}

/// Flags of `instructions`.
#[derive(Debug, Args)]
pub struct InstructionsArgs {
    /// Number of rounds; each counts every server once
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// Number of actions of the short sequence
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    short: u32,

    /// How many more actions the long sequence has
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    more: u32,

    /// Players in the room
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=5))]
    people: u32,

    /// Which of Rookery's journals to measure; both by default
    #[arg(long, value_delimiter = ',')]
    only: Vec<Subject>,

    /// Path of valgrind
    #[arg(long, value_name = "FILE", default_value = "valgrind")]
    valgrind: PathBuf,

    /// The servers.
    #[command(flatten)]
    pub servers: ServerArgs,
}

impl InstructionsArgs {
    /// Returns what to count. The bare server is excluded because it plays no games.
    pub fn plan(&self) -> instructions::InstructionsPlan {
        let chosen = |subject: &Subject| self.only.is_empty() || self.only.contains(subject);
        instructions::InstructionsPlan {
            valgrind: self.valgrind.clone(),
            subjects: [Subject::Memory, Subject::Sqlite].into_iter().filter(chosen).collect(),
            rounds: self.rounds as usize,
            people: self.people as usize,
            short: self.short as usize,
            long: (self.short + self.more) as usize,
        }
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=3600.0).contains(number));
    number.ok_or_else(|| "expected seconds such as 10 or 0.5, up to an hour".to_owned())
}

/// Parses an address as `rookery` prints it.
fn here(text: &str) -> Result<SocketAddr, String> {
    let address = text.strip_prefix("http://").map(|address| address.trim_end_matches('/').parse());
    address.and_then(Result::ok).ok_or_else(|| "expected an address such as http://127.0.0.1:8080".to_owned())
}
