//! Attack programs: what strangers with a script do to a server with its default limits, from one address or from many, and what that costs it:
//! memory, and the patience of those who play there meanwhile. `docs/security.md` has the figures.
//!
//! Each is bounded in count and time and goes to loopback only, to a server that is started for it or to one that runs there, in a
//! container say.

mod ground;
mod honest;
mod outcome;
mod requests;
mod seats;
mod talk;

pub use outcome::{Attacked, Onslaught};

use crate::measure::{Launcher, MeasureError, Subject, allow_files, usual_files};
use crate::process;
use crate::progress::Progress;
use clap::ValueEnum;
use ground::{Ground, Tally};
use honest::Honest;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::{Instant, interval, sleep, timeout};

/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// How long after an attack memory is looked at for the last time; after a short one sooner.
const AFTER: Duration = Duration::from_secs(3);
/// Connections and files on top of the attack's own.
const BESIDES: usize = 500;

/// Something strangers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Attack {
    /// 1,080 connections that pipeline 40 requests each and never read an answer
    Pipelining,
    /// 1,000 connections with 400 KB of headers that never end
    Headers,
    /// 1,000 connections that send a byte of a header now and then (slow loris)
    Loris,
    /// 100 requests at once for the record of a room in which was talked
    Records,
    /// QR codes for a Host of 1,500 characters
    Qr,
    /// 40 WebSockets that ping and never read
    Pings,
    /// 40 WebSockets that talk as fast as they may and come again to talk more
    Chat,
    /// 10 watchers who talk beside a player on a line of 1 Mbit/s
    Watchers,
    /// 40 WebSockets that join and leave
    Joins,
    /// 10 hosts who change the options without end
    Configure,
    /// 2,000 rooms opened and looked at
    Rooms,
    /// 12 people whose lines drop without a word, again and again
    Drops,
}

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Which attacks, one after the other, each on a server of its own if servers are started.
    pub attacks: Vec<Attack>,
    /// From how many addresses.
    pub addresses: u16,
    /// For how long each.
    pub time: Duration,
    /// A server that runs, with its process, instead of those that are started: all attacks come to it.
    pub running: Option<(SocketAddr, u32)>,
}

/// Runs every attack of the plan, each against a fresh server with default limits, or all against one that runs.
pub async fn run(plan: &Plan, launcher: &Launcher) -> Result<Onslaught, MeasureError> {
    let launcher = Launcher { default_limits: true, ..launcher.clone() };
    let progress = Progress::new();
    let mut attacked = Vec::new();
    for attack in &plan.attacks {
        progress.say(format!("{}: {} of {}", attack.name(), attacked.len() + 1, plan.attacks.len()));
        // The attackers' many files are not to help the server to its own.
        usual_files()?;
        let (_started, address, id) = match plan.running {
            Some((address, id)) => (None, address, id),
            None => {
                let server = launcher.start(Subject::Sqlite).await?;
                let (address, id) = (server.address(), server.id());
                (Some(server), address, id)
            }
        };
        allow_files(ground::MOST + BESIDES)?;
        attacked.push(one(*attack, plan, address, id).await?);
    }
    Ok(Onslaught { attacked })
}

async fn one(attack: Attack, plan: &Plan, address: SocketAddr, id: u32) -> Result<Attacked, MeasureError> {
    let gone = MeasureError::NoFigures;
    let mut memory = process::Memory::of(&id.to_string()).ok_or(gone(id))?;
    let mut resident = || memory.resident().ok_or(gone(id));
    let ground = Ground::new(address, plan.addresses, Instant::now() + plan.time);
    let honest = Honest::begin(address, plan.time, plan.running.is_some()).await?;
    let before = resident()?;
    let (mut peak, begun) = (before, Instant::now());
    let after = AFTER.min(plan.time);
    let attacking = async {
        // Nothing of an attack may outlast it: a line that hangs is given up.
        let _ = timeout(plan.time + after, attack.strike(&ground)).await;
        sleep(after).await;
    };
    let mut attacking = std::pin::pin!(attacking);
    let mut look = interval(LOOK);
    loop {
        tokio::select! {
            () = &mut attacking => break,
            _ = look.tick() => peak = peak.max(resident()?),
        }
    }
    let after = resident()?;
    let (played, visits) = honest.end().await;
    Ok(Attacked {
        attack,
        addresses: plan.addresses,
        seconds: begun.elapsed().as_secs_f64(),
        before,
        peak,
        after,
        played,
        visits,
        tally: ground.tally.sum(),
    })
}

impl Attack {
    /// Every one of them, in the order of the table.
    pub fn all() -> Vec<Attack> {
        Attack::value_variants().to_vec()
    }

    /// What it is called on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    async fn strike(self, ground: &Ground) {
        match self {
            Attack::Pipelining => requests::pipelining(ground).await,
            Attack::Headers => requests::headers(ground).await,
            Attack::Loris => requests::loris(ground).await,
            Attack::Records => requests::records(ground).await,
            Attack::Qr => requests::qr(ground).await,
            Attack::Pings => talk::pings(ground).await,
            Attack::Chat => talk::chat(ground).await,
            Attack::Watchers => talk::watchers(ground).await,
            Attack::Joins => talk::joins(ground).await,
            Attack::Configure => talk::configure(ground).await,
            Attack::Rooms => seats::rooms(ground).await,
            Attack::Drops => seats::drops(ground).await,
        }
    }
}
