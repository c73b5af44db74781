//! Strangers: they guess keys, act for others, send what is none of the contract's, flood, ping without end, do not read. Each has
//! an address of its own and goes straight to a server. None may get a seat, and none may keep people from playing.

mod guessers;
mod nuisances;

use crate::dice::{Dice, For};
use crate::judge::{Judge, Who};
use crate::line::Way;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// The longest that one intrusion takes.
const LONGEST: Duration = Duration::from_secs(25);

/// Where strangers go.
#[derive(Clone)]
pub struct Target {
    /// The run's seed.
    pub seed: u64,
    /// Who hears it all.
    pub judge: Arc<Judge>,
    /// The servers.
    pub servers: Vec<SocketAddr>,
    /// The rooms of those who play.
    pub rooms: Vec<String>,
    /// They go home.
    pub over: CancellationToken,
}

/// One stranger.
struct Intruder {
    way: Way,
    dice: Dice,
    rooms: Vec<String>,
}

impl Intruder {
    /// Some room of people who play.
    fn room(&mut self) -> String {
        self.dice.pick(&self.rooms).clone()
    }
}

/// Lets so many strangers in.
pub fn let_in(target: &Target, count: usize, tasks: &mut JoinSet<()>) {
    for number in 0..count {
        tasks.spawn(intrude(target.clone(), number));
    }
}

/// One intrusion after the other; what each stranger is good at is the same all along.
async fn intrude(target: Target, number: usize) {
    let dice = Dice::new(target.seed, For::Intruder, number as u64, 0);
    let from = Ipv4Addr::new(127, 200, (number / 250) as u8, (number % 250 + 1) as u8).into();
    let to = target.servers[number % target.servers.len()];
    let way = Way { who: Who::Intruder(number as u32), from, to, judge: target.judge.clone() };
    let mut intruder = Intruder { way, dice, rooms: target.rooms.clone() };
    loop {
        let deed = async {
            match number % 9 {
                0 => intruder.wrong_token().await,
                1 => intruder.token_of_another_room().await,
                2 => intruder.acts_for_others().await,
                3 => intruder.public_salt().await,
                4 => intruder.mutated().await,
                5 => intruder.floods().await,
                6 => intruder.pings_and_never_reads().await,
                7 => intruder.reads_slowly().await,
                _ => intruder.requests_without_reading().await,
            }
        };
        tokio::select! {
            () = target.over.cancelled() => return,
            _ = timeout(LONGEST, deed) => target.judge.intruded(),
        }
        let pause = intruder.dice.ms(50..600);
        sleep(pause).await;
    }
}
