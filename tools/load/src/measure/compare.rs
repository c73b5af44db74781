//! Processor time per action of Rookery and of the baseline server, measured alternately within one run. The speed of
//! the machine, which varies with its other load and its temperature, then affects both.

mod report;

pub use report::{Comparison, Measurement, Ratio};

use super::table::{ClosedLoop, FloorTable, RookeryTable};
use super::{Launcher, MeasureError, StartedServer, Subject, files};
use crate::process;
use crate::progress::Spinner;
use crate::statistics::Times;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Number of rooms opened concurrently.
const AT_ONCE: usize = 16;
/// Interval between checks whether a window is over.
const LOOK: Duration = Duration::from_millis(10);

/// What to compare.
#[derive(Debug, Clone)]
pub struct ComparePlan {
    /// Servers to measure in each round, in this order.
    pub subjects: Vec<Subject>,
    /// Number of rounds.
    pub rounds: usize,
    /// Number of rooms.
    pub rooms: usize,
    /// Number of players per room.
    pub people: usize,
    /// Number of spectators per room.
    pub watchers: usize,
    /// Time of play before the measurement.
    pub warm_up: Duration,
    /// Length of the measurement.
    pub window: Window,
}

impl ComparePlan {
    fn connections(&self) -> usize {
        self.rooms * (self.people + self.watchers)
    }
}

/// When a measurement ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// After this time.
    Time(Duration),
    /// After this number of actions.
    Acts(u64),
}

/// Counters shared by all tables.
#[derive(Default)]
struct RoundTally {
    acts: AtomicU64,
    /// Whether latencies are recorded.
    timed: AtomicBool,
    times: Mutex<Times>,
}

impl RoundTally {
    fn count(&self, waited: Duration) {
        self.acts.fetch_add(1, Ordering::Relaxed);
        if self.timed.load(Ordering::Relaxed) {
            self.times.lock().expect("not poisoned").record(waited);
        }
    }
}

/// Measures each server once per round, each time in a new process.
pub async fn run(plan: &ComparePlan, launcher: &Launcher) -> Result<Comparison, MeasureError> {
    files::allow(plan.connections())?;
    launcher.look_for(&plan.subjects)?;
    let progress = Spinner::new();
    let mut rounds = Vec::with_capacity(plan.rounds);
    for round in 1..=plan.rounds {
        let mut measured = Vec::with_capacity(plan.subjects.len());
        for subject in &plan.subjects {
            let what = format!("round {round} of {}, {subject}", plan.rounds);
            measured.push(measure(plan, launcher, *subject, &|now| progress.say(format!("{what}: {now}"))).await?);
        }
        rounds.push(measured);
    }
    Ok(Comparison {
        rooms: plan.rooms,
        people: plan.people,
        watchers: plan.watchers,
        pinned: launcher.cores.is_some(),
        rounds,
    })
}

async fn measure(
    plan: &ComparePlan,
    launcher: &Launcher,
    subject: Subject,
    say: &impl Fn(String),
) -> Result<Measurement, MeasureError> {
    let server = launcher.start(subject).await?;
    let empty = server.resident()?;
    let opening = stream::iter(0..plan.rooms).map(|number| open(subject, &server, number, plan));
    let mut opening = opening.buffer_unordered(AT_ONCE);
    let mut tables = Vec::with_capacity(plan.rooms);
    while let Some(table) = opening.try_next().await? {
        tables.push(table);
        say(format!("{} of {} rooms", tables.len(), plan.rooms));
    }

    let tally = Arc::new(RoundTally::default());
    let mut playing = JoinSet::new();
    for mut table in tables {
        let tally = tally.clone();
        playing.spawn(async move {
            loop {
                match table.act().await {
                    Ok(waited) => tally.count(waited),
                    Err(error) => return error,
                }
            }
        });
    }
    wait(&mut playing, &tally, Window::Time(plan.warm_up), &|_| say("warming up".to_owned())).await?;
    tally.timed.store(true, Ordering::Relaxed);
    let before = ServerReading::of(&server, &tally)?;
    wait(&mut playing, &tally, plan.window, &|acts| say(format!("{acts} acts"))).await?;
    let after = ServerReading::of(&server, &tally)?;
    let resident = server.resident()?;
    playing.shutdown().await;

    let acts = after.acts - before.acts;
    let seconds = (after.at - before.at).as_secs_f64();
    let share = |before: Duration, after: Duration| (after - before).as_secs_f64() / seconds;
    let per_act = |before: u64, after: u64| (after - before) as f64 / acts.max(1) as f64;
    let times = tally.times.lock().expect("not poisoned");
    let ms = |share| times.under(share).as_secs_f64() * 1000.0;
    Ok(Measurement {
        subject,
        acts,
        seconds,
        processor_ms_per_1000_acts: (after.server - before.server).as_secs_f64() * 1e6 / acts.max(1) as f64,
        acts_per_second: acts as f64 / seconds,
        p50_ms: ms(0.5),
        p99_ms: ms(0.99),
        server_share: share(before.server, after.server),
        driver_share: share(before.driver, after.driver),
        resident_bytes_per_connection: resident.saturating_sub(empty) as f64 / plan.connections() as f64,
        handed_bytes_per_act: per_act(before.written.handed, after.written.handed),
        disk_bytes_per_act: per_act(before.written.disk, after.written.disk),
    })
}

async fn open(
    subject: Subject,
    server: &StartedServer,
    number: usize,
    plan: &ComparePlan,
) -> Result<ClosedLoop, MeasureError> {
    let ComparePlan { people, watchers, .. } = *plan;
    let (address, opens) = (server.address(), server.opens());
    Ok(match subject {
        Subject::Floor => ClosedLoop::Floor(FloorTable::open(address, &number.to_string(), people, watchers).await?),
        _ => ClosedLoop::Rookery(Box::new(RookeryTable::open(opens, address, number, people, watchers).await?)),
    })
}

/// Waits until a window is over. Returns early only if a table fails.
async fn wait(
    playing: &mut JoinSet<MeasureError>,
    tally: &RoundTally,
    window: Window,
    say: &impl Fn(u64),
) -> Result<(), MeasureError> {
    let (begun, first) = (Instant::now(), tally.acts.load(Ordering::Relaxed));
    loop {
        let acts = tally.acts.load(Ordering::Relaxed) - first;
        let over = match window {
            Window::Time(time) => begun.elapsed() >= time,
            Window::Acts(wanted) => acts >= wanted,
        };
        if over {
            return Ok(());
        }
        say(acts);
        tokio::select! {
            Some(stopped) = playing.join_next() => {
                return Err(stopped.unwrap_or_else(|panic| MeasureError::Refused(panic.to_string())));
            }
            () = sleep(LOOK) => {}
        }
    }
}

/// All counters at one time.
struct ServerReading {
    at: Instant,
    acts: u64,
    server: Duration,
    driver: Duration,
    written: process::WrittenBytes,
}

impl ServerReading {
    fn of(server: &StartedServer, tally: &RoundTally) -> Result<ServerReading, MeasureError> {
        Ok(ServerReading {
            server: server.processor_time()?,
            at: Instant::now(),
            acts: tally.acts.load(Ordering::Relaxed),
            driver: process::processor_time("self").unwrap_or_default(),
            written: server.written()?,
        })
    }
}
