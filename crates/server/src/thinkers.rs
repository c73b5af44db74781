//! A bounded thread pool on which bots think. The threads are separate from those that serve clients, and there is one
//! fewer than there are processors. Load shedding: the more decisions wait, the less time each one gets, and a decision
//! that has waited too long gets a quick answer.
//!
//! Work that no game waits for runs on the same threads in their spare time (`spare`), and is preempted by every bot.

mod spare;

use game::{Budget, Level, Seed};
use metrics::Histogram;
use parking_lot::{Mutex, MutexGuard};
use protocol::RawAction;
use room::Thinking;
use spare::{Spare, Work};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};

/// Maximum time a bot thinks about a decision.
const MOST: Duration = Duration::from_millis(300);
/// Maximum number of tries, beyond which nothing is gained.
const TRIES: u32 = 20_000;
/// Minimum time for a decision when many are waiting.
const LEAST: Duration = Duration::from_millis(5);
/// A decision that has waited this long is answered without searching.
const PATIENCE: Duration = Duration::from_secs(1);
/// Backpressure: number of decisions that may wait here. Beyond that a room waits for space in the queue, and continues
/// to serve clients meanwhile.
const QUEUE: usize = 1024;

/// The function that makes a bot's decision. Tests use one that fails.
pub type Mind = fn(&Thinking, Level, Seed, Budget<'_>) -> Option<RawAction>;

/// The bots' threads. They end when this is dropped.
pub struct Thinkers {
    jobs: mpsc::Sender<Wakeup>,
    spare: Arc<Spare>,
}

/// Returns the number of threads on which bots think.
pub fn threads() -> usize {
    thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).max(1))
}

/// What a thread is woken for.
enum Wakeup {
    Decide(BotRequest),
    /// There is work for spare time.
    Spare,
}

/// A decision that a bot has to make.
struct BotRequest {
    thinking: Thinking,
    level: Level,
    seed: Seed,
    asked: Instant,
    answer: oneshot::Sender<Option<RawAction>>,
}

/// The priority of work in spare time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// A client is waiting for it at the table.
    Soon,
    /// After everything else.
    Last,
}

impl Thinkers {
    /// Starts the threads. `took` records how long they think.
    pub fn start(mind: Mind, took: Histogram) -> Thinkers {
        let (jobs, inbox) = mpsc::channel(QUEUE);
        let inbox = Arc::new(Mutex::new(inbox));
        let spare = Arc::new(Spare::new(jobs.downgrade()));
        for number in 0..threads() {
            let (inbox, spare, took) = (inbox.clone(), spare.clone(), took.clone());
            let named = thread::Builder::new().name(format!("thinker-{number}"));
            named.spawn(move || work(&inbox, &spare, mind, &took)).expect("a thread can be started");
        }
        Thinkers { jobs, spare }
    }

    /// Returns a bot's act, or `None` if thinking failed and any legal act must do.
    pub async fn think(&self, thinking: Thinking, level: Level, seed: Seed) -> Option<RawAction> {
        let (answer, answered) = oneshot::channel();
        let job = BotRequest { thinking, level, seed, asked: Instant::now(), answer };
        self.jobs.send(Wakeup::Decide(job)).await.ok()?;
        answered.await.ok().flatten()
    }

    /// Runs work step by step in spare time. A step is given a function that says when to yield. A step that yields
    /// returns `None` and is called again later. Work must also yield if the caller no longer waits, and is then
    /// dropped. Returns `None` if the work failed.
    pub async fn in_spare_time<T: Send + 'static>(
        &self,
        rank: Rank,
        mut step: impl FnMut(&dyn Fn() -> bool) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        let mut answer = Some(answer);
        let work: Work = Box::new(move |must_yield| {
            let is_abandoned = || answer.as_ref().is_none_or(oneshot::Sender::is_closed);
            let done = if is_abandoned() { None } else { step(&|| must_yield() || is_abandoned()) };
            let is_over = done.is_some() || is_abandoned();
            if let (Some(done), Some(answer)) = (done, answer.take_if(|_| is_over)) {
                let _ = answer.send(done);
            }
            is_over
        });
        self.spare.put(rank, work);
        answered.await.ok()
    }
}

fn work(inbox: &Mutex<mpsc::Receiver<Wakeup>>, spare: &Spare, mind: Mind, took: &Histogram) {
    loop {
        match next(inbox, spare) {
            Some(Next::BotRequest(decision, others)) => decide(decision, others, mind, took),
            Some(Next::Work(rank, work)) => spare.do_some(rank, work),
            Some(Next::Nothing) => {}
            None => return,
        }
    }
}

/// What a thread does next.
enum Next {
    /// A decision, and the number of decisions that wait behind it.
    BotRequest(BotRequest, u32),
    Work(Rank, Work),
    Nothing,
}

/// Waits for something to do. Returns `None` when the threads must end.
fn next(inbox: &Mutex<mpsc::Receiver<Wakeup>>, spare: &Spare) -> Option<Next> {
    // The lock is held only while waiting for a job, never while thinking.
    let mut inbox: MutexGuard<'_, mpsc::Receiver<Wakeup>> = inbox.lock();
    let job = match inbox.try_recv() {
        Ok(job) => job,
        Err(TryRecvError::Disconnected) => return None,
        Err(TryRecvError::Empty) => match spare.take() {
            Some((rank, work)) => return Some(Next::Work(rank, work)),
            None => inbox.blocking_recv()?,
        },
    };
    Some(match job {
        Wakeup::Decide(decision) => Next::BotRequest(decision, inbox.len() as u32),
        Wakeup::Spare => Next::Nothing,
    })
}

fn decide(job: BotRequest, others: u32, mind: Mind, took: &Histogram) {
    let level = if job.asked.elapsed() > PATIENCE { Level::Normal } else { job.level };
    let (begun, limit) = (Instant::now(), (MOST / (others + 1)).max(LEAST));
    let over = || begun.elapsed() >= limit;
    // A bot that panics must not end its thread. A decision that fails at its own level may succeed at another one,
    // without searching.
    let think = |level, budget| {
        let thought = catch_unwind(AssertUnwindSafe(|| mind(&job.thinking, level, job.seed, budget)));
        thought.unwrap_or_else(|_| {
            tracing::error!(?level, "a bot panicked");
            None
        })
    };
    let act = think(level, Budget::until(TRIES, &over)).or_else(|| think(Level::Normal, Budget::tries(0)));
    took.record(begun.elapsed());
    let _ = job.answer.send(act);
}
