//! Where bots think: on threads of their own, never on those that serve people, and one fewer than there are
//! processors. The more bots wait, the less time each is given; who waited too long gets a quick answer.

use game::{Budget, Level, Seed};
use room::Thinking;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The longest a bot thinks about one decision.
const MOST: Duration = Duration::from_millis(300);
/// And the most it tries, beyond which nothing is gained.
const TRIES: u32 = 20_000;
/// The least it is given when many wait.
const LEAST: Duration = Duration::from_millis(5);
/// Who has waited for this long is answered without searching.
const PATIENCE: Duration = Duration::from_secs(1);
/// How many decisions may wait. Beyond that a room decides quickly by itself.
const QUEUE: usize = 1024;

/// The threads bots think on. They end when this is dropped.
pub struct Thinkers {
    jobs: mpsc::SyncSender<Job>,
    waiting: Arc<AtomicU32>,
}

struct Job {
    thinking: Thinking,
    level: Level,
    seed: Seed,
    asked: Instant,
    answer: oneshot::Sender<Option<Value>>,
}

impl Thinkers {
    /// Starts the threads.
    pub fn start() -> Thinkers {
        let (jobs, inbox) = mpsc::sync_channel(QUEUE);
        let (inbox, waiting) = (Arc::new(Mutex::new(inbox)), Arc::new(AtomicU32::new(0)));
        let threads = thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).max(1));
        for number in 0..threads {
            let (inbox, waiting) = (inbox.clone(), waiting.clone());
            let named = thread::Builder::new().name(format!("thinker-{number}"));
            named.spawn(move || work(&inbox, &waiting)).expect("a thread can be started");
        }
        Thinkers { jobs, waiting }
    }

    /// What a bot does; none if it came to nothing and somebody else must decide.
    pub async fn think(&self, thinking: Thinking, level: Level, seed: Seed) -> Option<Value> {
        let (answer, answered) = oneshot::channel();
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let job = Job { thinking, level, seed, asked: Instant::now(), answer };
        if self.jobs.try_send(job).is_err() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        answered.await.ok().flatten()
    }
}

fn work(inbox: &Mutex<mpsc::Receiver<Job>>, waiting: &AtomicU32) {
    loop {
        // The lock is held only while waiting for a job, never while thinking.
        let job = inbox.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).recv();
        let Ok(job) = job else { return };
        let others = waiting.fetch_sub(1, Ordering::Relaxed) - 1;
        let level = if job.asked.elapsed() > PATIENCE { Level::Normal } else { job.level };
        let (begun, limit) = (Instant::now(), (MOST / (others + 1)).max(LEAST));
        let over = || begun.elapsed() >= limit;
        // A bot that fails must not take its thread with it; its room decides quickly instead.
        let think = AssertUnwindSafe(|| (job.thinking)(level, job.seed, Budget::until(TRIES, &over)));
        let act = catch_unwind(think).unwrap_or_else(|_| {
            tracing::error!("a bot failed");
            None
        });
        metrics::histogram!("rookery_thinking_seconds").record(begun.elapsed());
        let _ = job.answer.send(act);
    }
}
