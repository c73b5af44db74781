//! Runs a target on one input after another, and detects panics, including those in the server's threads, and hangs.

use crate::mutate::Mutator;
use crate::running::SERVING;
use crate::{FuzzTarget, Tried, corpus};
use game::Luck;
use std::panic;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant};
use std::{fmt, io, process, thread};

/// An input hangs if it takes more than this many seconds of running time of this process.
const HUNG: u32 = 60;

/// Number of panics in the server's threads. A task that panics ends silently, so its input would look like any other.
static PANICS: AtomicU64 = AtomicU64::new(0);

/// Result of a run.
#[derive(Debug, Clone)]
pub struct FuzzReport {
    /// Name of the target.
    pub target: &'static str,
    /// Number of inputs.
    pub cases: u64,
    /// Number of messages, requests or entries tried.
    pub tried: Tried,
    /// Duration of the run.
    pub time: Duration,
    /// Duration of the longest input.
    pub longest: Duration,
}

impl fmt::Display for FuzzReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FuzzReport { target, cases, tried, time, longest } = self;
        write!(
            f,
            "{target:<9} {cases:>9} cases {:>9} tried {:>9} taken {:>7.0} s, longest {:>4.0} ms: no panic, no hang, \
             no broken promise",
            tried.things,
            tried.taken,
            time.as_secs_f64(),
            longest.as_secs_f64() * 1000.0,
        )
    }
}

/// The current input, for the watchdog.
#[derive(Default)]
struct CurrentCase {
    case: Vec<u8>,
    /// Its number, or `None` between runs.
    number: Option<u64>,
}

/// Tries the corpus unchanged and then mutations of it, until `things` messages, requests or entries were tried. The
/// same seed leads to the same inputs.
///
/// # Panics
/// Panics with the input that broke a promise, formatted so that it can be pasted into a test.
pub fn run(target: &'static FuzzTarget, things: u64, seed: u32) -> io::Result<FuzzReport> {
    count_panics();
    let corpus = corpus(target.name)?;
    let now = Arc::new(Mutex::new(CurrentCase::default()));
    watch(target.name, seed, &now);
    let mut report = FuzzReport {
        target: target.name,
        cases: 0,
        tried: Tried::default(),
        time: Duration::ZERO,
        longest: Duration::ZERO,
    };
    let started = Instant::now();
    let mut mutator = Mutator::new(&corpus, Luck::branch(seed));
    let mut kept = corpus.iter();
    while report.tried.things < things {
        let case = kept.next().cloned().unwrap_or_else(|| mutator.case());
        let since = Instant::now();
        *now.lock().expect("not poisoned") = CurrentCase { case: case.clone(), number: Some(report.cases) };
        let before = PANICS.load(Ordering::Relaxed);
        let tried = panic::catch_unwind(|| (target.try_one)(&case));
        let broken = PANICS.load(Ordering::Relaxed) != before;
        let Some(tried) = tried.ok().filter(|_| !broken) else {
            let text = case.escape_ascii();
            panic!("target {}, seed {seed}, case {}: b\"{text}\"", target.name, report.cases);
        };
        report.longest = report.longest.max(since.elapsed());
        report.cases += 1;
        // An input counts as at least one, because a run whose inputs contain nothing to try would not end otherwise.
        report.tried.things += tried.things.max(1);
        report.tried.taken += tried.taken;
    }
    now.lock().expect("not poisoned").number = None;
    report.time = started.elapsed();
    Ok(report)
}

fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let said = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if thread::current().name() == Some(SERVING) {
                PANICS.fetch_add(1, Ordering::Relaxed);
            }
            said(panic);
        }));
    });
}

/// Starts a watchdog for inputs that hang. It ends with the driver. It wakes up every second and counts how often it
/// did, so that a paused process is not mistaken for one that hangs.
fn watch(target: &'static str, seed: u32, now: &Arc<Mutex<CurrentCase>>) {
    let now = Arc::downgrade(now);
    thread::spawn(move || {
        let (mut before, mut looks) = (None, 0);
        while let Some(now) = now.upgrade() {
            {
                let now = now.lock().expect("not poisoned");
                looks = if now.number.is_some() && now.number == before { looks + 1 } else { 0 };
                before = now.number;
                if looks > HUNG {
                    eprintln!("target {target}, seed {seed} hangs: b\"{}\"", now.case.escape_ascii());
                    process::abort();
                }
            }
            drop(now);
            thread::sleep(Duration::from_secs(1));
        }
    });
}
