//! Malicious clients. They guess tokens, act for others, send invalid messages, flood, ping without pause, and do not
//! read. Each has its own address and connects directly to a server. None may get a seat or keep players from playing.

mod guessers;
mod nuisances;

use crate::dice::{For, SeededRandom};
use crate::judge::{Judge, Participant};
use crate::line::Way;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Timeout of one intrusion.
const LONGEST: Duration = Duration::from_secs(25);

/// What intruders need to know of the run.
#[derive(Clone)]
pub struct IntrusionTarget {
    /// Seed of the run.
    pub seed: u64,
    /// The judge that hears every connection.
    pub judge: Arc<Judge>,
    /// Addresses of the servers.
    pub servers: Vec<SocketAddr>,
    /// Codes of the rooms in which games are played.
    pub rooms: Vec<String>,
    /// Cancelled when intruders must stop.
    pub over: CancellationToken,
}

/// One malicious client.
struct Intruder {
    way: Way,
    dice: SeededRandom,
    rooms: Vec<String>,
}

impl Intruder {
    /// Returns the code of a random room.
    fn room(&mut self) -> String {
        self.dice.pick(&self.rooms).clone()
    }
}

/// Starts `count` intruders.
pub fn let_in(target: &IntrusionTarget, count: usize, tasks: &mut JoinSet<()>) {
    for number in 0..count {
        tasks.spawn(intrude(target.clone(), number));
    }
}

/// Repeats one kind of intrusion, which depends on the intruder's number.
async fn intrude(target: IntrusionTarget, number: usize) {
    let dice = SeededRandom::new(target.seed, For::Intruder, number as u64, 0);
    let from = Ipv4Addr::new(127, 200, (number / 250) as u8, (number % 250 + 1) as u8).into();
    let to = target.servers[number % target.servers.len()];
    let way = Way { who: Participant::Intruder(number as u32), from, to, judge: target.judge.clone() };
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
