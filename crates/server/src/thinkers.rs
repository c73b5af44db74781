//! A bounded thread pool on which bots think: on threads of their own, never on those that serve people, and one fewer than there are
//! processors. Load shedding: the more bots wait, the less time each is given, and
//! who waited too long gets a quick answer.
//!
//! What nobody at a table waits for is done on the same threads in their spare time (`spare`), and gives way to every bot.

mod spare;

use game::{Budget, Level, Seed};
use metrics::Histogram;
use protocol::RawAction;
use room::Thinking;
use spare::{Spare, Work};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::error::TryRecvError;
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
    jobs: mpsc::Sender<Job>,
    spare: Arc<Spare>,
}

/// What a thread is woken for.
enum Job {
    Decide(Decision),
    /// There is something to do in spare time.
    Spare,
}

/// A decision a bot is to make.
struct Decision {
    thinking: Thinking,
    level: Level,
    seed: Seed,
    asked: Instant,
    answer: oneshot::Sender<Option<RawAction>>,
}

/// How soon something is done in spare time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// Somebody looks at the table and waits for it.
    Soon,
    /// After all else.
    Last,
}

impl Thinkers {
    /// Starts the threads; how long they think is recorded.
    pub fn start(mind: Mind, took: Histogram) -> Thinkers {
        let (jobs, inbox) = mpsc::channel(QUEUE);
        let inbox = Arc::new(Mutex::new(inbox));
        let spare = Arc::new(Spare::new(jobs.downgrade()));
        let threads = thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).max(1));
        for number in 0..threads {
            let (inbox, spare, took) = (inbox.clone(), spare.clone(), took.clone());
            let named = thread::Builder::new().name(format!("thinker-{number}"));
            named.spawn(move || work(&inbox, &spare, mind, &took)).expect("a thread can be started");
        }
        Thinkers { jobs, spare }
    }

    /// What a bot does; none if it came to nothing, and anything legal must do.
    pub async fn think(&self, thinking: Thinking, level: Level, seed: Seed) -> Option<RawAction> {
        let (answer, answered) = oneshot::channel();
        let job = Decision { thinking, level, seed, asked: Instant::now(), answer };
        self.jobs.send(Job::Decide(job)).await.ok()?;
        answered.await.ok().flatten()
    }

    /// Something done step by step in spare time. A step is told when to give way, answers nothing if it did, and is then asked again;
    /// whoever no longer waits is not worked for. None if it failed.
    pub async fn in_spare_time<T: Send + 'static>(
        &self,
        rank: Rank,
        mut step: impl FnMut(&dyn Fn() -> bool) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        let mut answer = Some(answer);
        let work: Work = Box::new(move |give_way| {
            if answer.as_ref().is_none_or(oneshot::Sender::is_closed) {
                return true;
            }
            let done = step(give_way);
            let is_done = done.is_some();
            if let (Some(done), Some(answer)) = (done, answer.take_if(|_| is_done)) {
                let _ = answer.send(done);
            }
            is_done
        });
        self.spare.put(rank, work);
        answered.await.ok()
    }
}

fn work(inbox: &Mutex<mpsc::Receiver<Job>>, spare: &Spare, mind: Mind, took: &Histogram) {
    loop {
        match next(inbox, spare) {
            Some(Next::Decision(decision, others)) => decide(decision, others, mind, took),
            Some(Next::Work(rank, work)) => spare.do_some(rank, work),
            Some(Next::Nothing) => {}
            None => return,
        }
    }
}

/// What a thread does next.
enum Next {
    /// A decision, behind which so many others wait.
    Decision(Decision, u32),
    Work(Rank, Work),
    Nothing,
}

/// Waits for something to do; none when the threads are to end.
fn next(inbox: &Mutex<mpsc::Receiver<Job>>, spare: &Spare) -> Option<Next> {
    // The lock is held only while waiting for a job, never while thinking.
    let mut inbox: MutexGuard<'_, mpsc::Receiver<Job>> = inbox.lock().unwrap_or_else(PoisonError::into_inner);
    let job = match inbox.try_recv() {
        Ok(job) => job,
        Err(TryRecvError::Disconnected) => return None,
        Err(TryRecvError::Empty) => match spare.take() {
            Some((rank, work)) => return Some(Next::Work(rank, work)),
            None => inbox.blocking_recv()?,
        },
    };
    Some(match job {
        Job::Decide(decision) => Next::Decision(decision, inbox.len() as u32),
        Job::Spare => Next::Nothing,
    })
}

fn decide(job: Decision, others: u32, mind: Mind, took: &Histogram) {
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
    let act = think(level, Budget::until(TRIES, &over)).or_else(|| think(Level::Normal, Budget::tries(0)));
    took.record(begun.elapsed());
    let _ = job.answer.send(act);
}
