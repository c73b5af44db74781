//! A bounded thread pool on which bots think: on threads of their own, never on those that serve people, and one fewer than there are
//! processors. Load shedding: the more bots wait, the less time each is given, and
//! who waited too long gets a quick answer.

use game::{Budget, Level, Seed};
use metrics::Histogram;
use protocol::RawAction;
use room::Thinking;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// The longest a bot thinks about one decision.
const MOST: Duration = Duration::from_millis(300);
/// And the most it tries, beyond which nothing is gained.
const TRIES: u32 = 20_000;
/// The least it is given when many wait.
const LEAST: Duration = Duration::from_millis(5);
/// Who has waited for this long is answered without searching.
const PATIENCE: Duration = Duration::from_secs(1);
/// Backpressure: how many decisions may wait here. Beyond that a room waits for a place, and goes on serving people
/// meanwhile.
const QUEUE: usize = 1024;

/// Carries out a bot's thinking. In tests it is one that fails.
pub type Mind = fn(&Thinking, Level, Seed, Budget<'_>) -> Option<RawAction>;

/// The threads bots think on. They end when this is dropped.
pub struct Thinkers {
    jobs: mpsc::Sender<Decision>,
}

/// A decision a bot is to make.
struct Decision {
    thinking: Thinking,
    level: Level,
    seed: Seed,
    asked: Instant,
    answer: oneshot::Sender<Option<RawAction>>,
}

impl Thinkers {
    /// Starts the threads; how long they think is recorded.
    pub fn start(mind: Mind, took: Histogram) -> Thinkers {
        let (jobs, inbox) = mpsc::channel(QUEUE);
        let inbox = Arc::new(Mutex::new(inbox));
        let threads = thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).max(1));
        for number in 0..threads {
            let (inbox, took) = (inbox.clone(), took.clone());
            let named = thread::Builder::new().name(format!("thinker-{number}"));
            named.spawn(move || work(&inbox, mind, &took)).expect("a thread can be started");
        }
        Thinkers { jobs }
    }

    /// What a bot does; none if it came to nothing, and anything legal must do.
    pub async fn think(&self, thinking: Thinking, level: Level, seed: Seed) -> Option<RawAction> {
        let (answer, answered) = oneshot::channel();
        let job = Decision { thinking, level, seed, asked: Instant::now(), answer };
        self.jobs.send(job).await.ok()?;
        answered.await.ok().flatten()
    }
}

fn work(inbox: &Mutex<mpsc::Receiver<Decision>>, mind: Mind, took: &Histogram) {
    loop {
        // The lock is held only while waiting for a job, never while thinking.
        let (job, others) = {
            let mut inbox = inbox.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let Some(job) = inbox.blocking_recv() else { return };
            (job, inbox.len() as u32)
        };
        let level = if job.asked.elapsed() > PATIENCE { Level::Normal } else { job.level };
        let (begun, limit) = (Instant::now(), (MOST / (others + 1)).max(LEAST));
        let over = || begun.elapsed() >= limit;
        // A bot that fails must not take its thread with it. What fails at its level may do without searching, at
        // another.
        let think = |level, budget| {
            let thought = catch_unwind(AssertUnwindSafe(|| mind(&job.thinking, level, job.seed, budget)));
            thought.unwrap_or_else(|_| {
                tracing::error!(?level, "a bot failed");
                None
            })
        };
        let act =
            think(level, Budget::until(TRIES, &over)).or_else(|| think(Level::Normal, Budget::tries(0)));
        took.record(begun.elapsed());
        let _ = job.answer.send(act);
    }
}
