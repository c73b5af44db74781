//! The flags of the commands that start servers and measure them.

use crate::attack::{self, Attack};
use crate::measure::compare::{self, Window};
use crate::measure::{Cores, Ending, Launcher, Subject, idle, instructions, storm};
use clap::{Args, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// What is measured, and how it is started.
#[derive(Debug, Args)]
pub struct Servers {
    /// Rookery's binary; the one beside this program unless given
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,

    /// Where folders for journals are made and deleted again; where the system has such folders unless given
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,

    /// The address of a PostgreSQL database of its own, to measure `postgres` and `relayed` as well: such as
    /// `cargo run -p pgtest --example postgres` prints
    #[arg(long, value_name = "ADDRESS", env = "ROOKERY_LOAD_POSTGRES", hide_env_values = true)]
    postgres: Option<String>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

impl Servers {
    /// How they are started.
    pub fn launcher(&self, cores: Option<Cores>) -> Launcher {
        let (server, folder, postgres) = (self.server.clone(), self.folder.clone(), self.postgres.clone());
        Launcher { server, cores, folder, postgres, under: Vec::new(), default_limits: false }
    }
}

/// Flags of a comparison.
#[derive(Debug, Args)]
pub struct Compare {
    /// How often everything is measured in turn
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// How many rooms
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    rooms: u32,

    /// People in each room
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=5))]
    people: u32,

    /// Watchers in each room, who are shown everything too
    #[arg(long, default_value_t = 0)]
    watchers: u32,

    /// Seconds each measurement takes
    #[arg(long, default_value_t = 10.0, value_parser = seconds)]
    seconds: f64,

    /// Acts each measurement takes, instead of seconds
    #[arg(long, conflicts_with = "seconds", value_parser = clap::value_parser!(u64).range(1..))]
    acts: Option<u64>,

    /// Seconds of play before each measurement
    #[arg(long, default_value_t = 3.0, value_parser = seconds)]
    warm_up: f64,

    /// Which of Rookery's journals to measure beside the floor: all there are unless given
    #[arg(long, value_delimiter = ',')]
    only: Vec<Subject>,

    /// The servers.
    #[command(flatten)]
    pub servers: Servers,
}

impl Compare {
    /// What is to be compared. The floor always is: without it there is nothing to compare with.
    pub fn plan(&self) -> compare::Plan {
        let chosen = |subject: &Subject| {
            *subject == Subject::Floor || self.only.is_empty() || self.only.contains(subject)
        };
        let mut all = vec![Subject::Floor, Subject::Memory, Subject::Sqlite];
        if self.servers.postgres.is_some() {
            all.extend([Subject::Postgres, Subject::Relayed]);
        }
        compare::Plan {
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

/// Flags of attacks.
#[derive(Debug, Args)]
pub struct Attacks {
    /// Which; "all" for every one, each on a server of its own
    #[arg(value_name = "NAME", required = true, value_parser = attack)]
    attack: Chosen,

    /// From how many addresses of this machine, 127.1.0.1 and on
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    addresses: u16,

    /// Seconds each takes
    #[arg(long, default_value_t = 20.0, value_parser = seconds)]
    seconds: f64,

    /// A Rookery that runs on this machine and lets people open any number of rooms, instead of starting one for each attack
    #[arg(long, requires = "pid", value_parser = here)]
    url: Option<SocketAddr>,

    /// Its process
    #[arg(long, requires = "url")]
    pid: Option<u32>,

    /// The servers.
    #[command(flatten)]
    pub servers: Servers,
}

/// One attack, or every one.
#[derive(Debug, Clone, Copy)]
enum Chosen {
    All,
    One(Attack),
}

fn attack(name: &str) -> Result<Chosen, String> {
    if name == "all" {
        return Ok(Chosen::All);
    }
    Attack::from_str(name, false).map(Chosen::One).map_err(|_| {
        let names: Vec<String> = Attack::all().into_iter().map(Attack::name).collect();
        format!("an attack is one of {}, or all", names.join(", "))
    })
}

impl Attacks {
    /// What is to be done.
    pub fn plan(&self) -> attack::Plan {
        let attacks = match self.attack {
            Chosen::All => Attack::all(),
            Chosen::One(one) => vec![one],
        };
        let (time, running) = (Duration::from_secs_f64(self.seconds), self.url.zip(self.pid));
        attack::Plan { attacks, addresses: self.addresses, time, running }
    }
}

/// Flags of silence.
#[derive(Debug, Args)]
pub struct Idle {
    /// How many connections
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    connections: u32,

    /// In how many rooms
    #[arg(long, default_value_t = 2500, value_parser = clap::value_parser!(u32).range(1..))]
    rooms: u32,

    /// Begin a game in each room; they stay in the lobby unless given
    #[arg(long)]
    playing: bool,

    /// Seconds between the last one's coming and the second look at memory
    #[arg(long, default_value_t = 3.0, value_parser = seconds)]
    settle: f64,

    /// Which servers to start: all unless given
    #[arg(long, value_delimiter = ',', conflicts_with = "url")]
    only: Vec<Subject>,

    /// A Rookery that runs on this machine without limits, instead of starting one
    #[arg(long, requires = "pid", value_parser = here)]
    url: Option<SocketAddr>,

    /// Its process
    #[arg(long, requires = "url")]
    pid: Option<u32>,

    /// The servers.
    #[command(flatten)]
    pub servers: Servers,
}

impl Idle {
    /// Who comes, and where.
    pub fn plan(&self) -> idle::Plan {
        let all = [Subject::Floor, Subject::Memory, Subject::Sqlite];
        let chosen = |subject: &Subject| self.only.is_empty() || self.only.contains(subject);
        idle::Plan {
            servers: match self.url.zip(self.pid) {
                Some((address, id)) => idle::Servers::Running(address, id),
                None => idle::Servers::Started(all.into_iter().filter(chosen).collect()),
            },
            connections: self.connections as usize,
            rooms: self.rooms as usize,
            playing: self.playing,
            settle: Duration::from_secs_f64(self.settle),
        }
    }
}

/// Flags of a storm.
#[derive(Debug, Args)]
pub struct Storm {
    /// How many people
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    people: u32,

    /// How many of them share a room
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=5))]
    per_room: u32,

    /// Kill the server and start it again, instead of cutting the lines
    #[arg(long)]
    restart: bool,

    /// Ask the server to end before it is started again, as a host does, instead of killing it
    #[arg(long, requires = "restart")]
    ask: bool,

    /// Leave the limits as they are for a host who sets none, except for how many rooms may be opened: people sit down at an address
    /// of their own for each room, and all come back from one
    #[arg(long)]
    default_limits: bool,

    /// Whoever is not back after so many seconds is missing
    #[arg(long, default_value_t = 60.0, value_parser = seconds)]
    patience: f64,

    /// The servers.
    #[command(flatten)]
    pub servers: Servers,
}

impl Storm {
    /// What is to come down on the server.
    pub fn plan(&self) -> storm::Plan {
        storm::Plan {
            people: self.people as usize,
            per_room: self.per_room as usize,
            default_limits: self.default_limits,
            restart: self.restart.then_some(if self.ask { Ending::Asked } else { Ending::Killed }),
            patience: Duration::from_secs_f64(self.patience),
        }
    }
}

/// Flags of the counting of instructions.
#[derive(Debug, Args)]
pub struct Instructions {
    /// How often everything is counted in turn
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// Acts of the short sequence
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    short: u32,

    /// How many more the long one has
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    more: u32,

    /// People in the room
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=5))]
    people: u32,

    /// Which of Rookery's journals: both unless given
    #[arg(long, value_delimiter = ',')]
    only: Vec<Subject>,

    /// Valgrind's program
    #[arg(long, value_name = "FILE", default_value = "valgrind")]
    valgrind: PathBuf,

    /// The servers.
    #[command(flatten)]
    pub servers: Servers,
}

impl Instructions {
    /// What is to be counted. The floor plays no games.
    pub fn plan(&self) -> instructions::Plan {
        let chosen = |subject: &Subject| self.only.is_empty() || self.only.contains(subject);
        instructions::Plan {
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
    number.ok_or_else(|| "seconds such as 10 or 0.5, up to an hour".to_owned())
}

/// An address as `rookery` prints it.
fn here(text: &str) -> Result<SocketAddr, String> {
    let address = text.strip_prefix("http://").map(|address| address.trim_end_matches('/').parse());
    address.and_then(Result::ok).ok_or_else(|| "an address such as http://127.0.0.1:8080".to_owned())
}
