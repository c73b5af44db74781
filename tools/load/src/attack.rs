//! Attack programs: scripted abuse of a server with its default limits, from one address or many. They measure the
//! server's memory and the latency of honest clients meanwhile. `docs/security.md` has the results.
//!
//! Each attack is bounded in count and time and targets loopback only: a server started for it, or one that is already
//! running, for example in a container.

mod ground;
mod honest;
mod outcome;
mod requests;
mod seats;
mod talk;

pub use outcome::{Attacked, Onslaught};

use crate::measure::{Launcher, MeasureError, Subject, allow_files, usual_files};
use crate::process;
use crate::progress::Spinner;
use clap::ValueEnum;
use ground::{AttackGround, AttackTally};
use honest::Honest;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::{Instant, interval, sleep, timeout};

/// Interval between memory samples.
const LOOK: Duration = Duration::from_millis(100);
/// Time between the end of an attack and the last memory sample. A short attack waits for its own duration only.
const AFTER: Duration = Duration::from_secs(3);
/// Connections and files needed besides those of the attack.
const BESIDES: usize = 500;

/// An attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Attack {
    /// 1,080 connections that pipeline 40 requests each and never read a response
    Pipelining,
    /// 1,000 connections with 400 KB of headers that never end
    Headers,
    /// 1,000 connections that send one byte of a header at a time (slow loris)
    Loris,
    /// 100 concurrent requests for the record of a room with a long chat
    Records,
    /// QR codes for a Host header of 1,500 characters
    Qr,
    /// 4 clients that guess room codes
    Guesses,
    /// 8 connections with one byte of an upload of 2 MB each
    Uploads,
    /// 40 WebSockets that ping and never read
    Pings,
    /// 40 WebSockets that send one message as endless empty frames
    Frames,
    /// 40 WebSockets that chat as fast as allowed and reconnect to chat more
    Chat,
    /// 10 spectators who chat next to a player with a bandwidth of 1 Mbit/s
    Watchers,
    /// 40 WebSockets that join and leave repeatedly
    Joins,
    /// 10 hosts who change the options continuously
    Configure,
    /// 2,000 rooms opened and requested
    Rooms,
    /// 12 players whose connections drop silently, again and again
    Drops,
    /// all of the above at the same time, with an equal share of the connections each
    Mixed,
}

/// The attacks to run.
#[derive(Debug, Clone)]
pub struct AttackPlan {
    /// Attacks to run in sequence. Each gets its own server if servers are started.
    pub attacks: Vec<Attack>,
    /// Number of source addresses.
    pub addresses: u16,
    /// Duration of each attack.
    pub time: Duration,
    /// Address and process id of a running server. All attacks target it, and no servers are started.
    pub running: Option<(SocketAddr, u32)>,
}

/// Runs every attack of the plan, each against a new server with default limits, or all against a running one.
pub async fn run(plan: &AttackPlan, launcher: &Launcher) -> Result<Onslaught, MeasureError> {
    let launcher = Launcher { default_limits: true, ..launcher.clone() };
    let progress = Spinner::new();
    let mut attacked = Vec::new();
    for attack in &plan.attacks {
        progress.say(format!("{}: {} of {}", attack.name(), attacked.len() + 1, plan.attacks.len()));
        // A started server must not inherit the raised file limit of the attackers.
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

async fn one(attack: Attack, plan: &AttackPlan, address: SocketAddr, id: u32) -> Result<Attacked, MeasureError> {
    let gone = MeasureError::NoFigures;
    let mut memory = process::MemoryGauge::of(&id.to_string()).ok_or(gone(id))?;
    let mut resident = || memory.resident().ok_or(gone(id));
    let most = if attack == Attack::Mixed { ground::MOST / Attack::single().count() } else { ground::MOST };
    let ground = AttackGround::new(address, plan.addresses, Instant::now() + plan.time, most);
    let honest = Honest::begin(address, plan.time, plan.running.is_some()).await?;
    let before = resident()?;
    let (mut peak, begun) = (before, Instant::now());
    let after = AFTER.min(plan.time);
    let attacking = async {
        // A hanging connection must not extend the attack.
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
    /// Returns all attacks, in the order of the table.
    pub fn all() -> Vec<Attack> {
        Attack::value_variants().to_vec()
    }

    /// Returns the attacks that [`Attack::Mixed`] combines.
    fn single() -> impl Iterator<Item = Attack> {
        Attack::value_variants().iter().copied().filter(|attack| *attack != Attack::Mixed)
    }

    /// Returns the name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    async fn strike(self, ground: &AttackGround) {
        match self {
            Attack::Pipelining => requests::pipelining(ground).await,
            Attack::Headers => requests::headers(ground).await,
            Attack::Loris => requests::loris(ground).await,
            Attack::Records => requests::records(ground).await,
            Attack::Qr => requests::qr(ground).await,
            Attack::Guesses => requests::guesses(ground).await,
            Attack::Uploads => requests::uploads(ground).await,
            Attack::Pings => talk::pings(ground).await,
            Attack::Frames => talk::frames(ground).await,
            Attack::Chat => talk::chat(ground).await,
            Attack::Watchers => talk::watchers(ground).await,
            Attack::Joins => talk::joins(ground).await,
            Attack::Configure => talk::configure(ground).await,
            Attack::Rooms => seats::rooms(ground).await,
            Attack::Drops => seats::drops(ground).await,
            Attack::Mixed => {
                let attacks = Attack::single().map(|attack| Box::pin(attack.strike(ground)));
                futures_util::future::join_all(attacks).await;
            }
        }
    }
}
