//! Runs a target on case after case, and notices what must not be: a panic, be it in a thread of the server, and a case that does not end.

use crate::mutate::Mutator;
use crate::running::SERVING;
use crate::{Target, Tried, corpus};
use game::Luck;
use std::panic;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant};
use std::{fmt, io, process, thread};

/// No case takes so many seconds through which this process has run; what does has hung.
const HUNG: u32 = 60;

/// Panics of the server's threads: a task that panics ends quietly, and its case would look like any other.
static PANICS: AtomicU64 = AtomicU64::new(0);

/// What a run came to.
#[derive(Debug, Clone)]
pub struct Report {
    /// Which target.
    pub target: &'static str,
    /// How many cases.
    pub cases: u64,
    /// What they tried.
    pub tried: Tried,
    /// How long it took.
    pub time: Duration,
    /// The longest case.
    pub longest: Duration,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { target, cases, tried, time, longest } = self;
        write!(
            f,
            "{target:<9} {cases:>9} cases {:>9} tried {:>9} taken {:>7.0} s, longest {:>4.0} ms: no panic, no hang, no broken promise",
            tried.things,
            tried.taken,
            time.as_secs_f64(),
            longest.as_secs_f64() * 1000.0,
        )
    }
}

/// What is tried now, for the watchdog.
#[derive(Default)]
struct Now {
    case: Vec<u8>,
    /// Which one it is; none between runs.
    number: Option<u64>,
}

/// Tries the corpus as it is and then mutations of it, until so many things were tried. The same seed tries the same cases.
///
/// # Panics
/// With the case that broke a promise, written so that it can be pasted into a test.
pub fn run(target: &'static Target, things: u64, seed: u32) -> io::Result<Report> {
    count_panics();
    let corpus = corpus(target.name)?;
    let now = Arc::new(Mutex::new(Now::default()));
    watch(target.name, seed, &now);
    let mut report = Report {
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
        *now.lock().expect("nobody panics with it") = Now { case: case.clone(), number: Some(report.cases) };
        let before = PANICS.load(Ordering::Relaxed);
        let tried = panic::catch_unwind(|| (target.try_one)(&case));
        let broken = PANICS.load(Ordering::Relaxed) != before;
        let Some(tried) = tried.ok().filter(|_| !broken) else {
            let text = case.escape_ascii();
            panic!("target {}, seed {seed}, case {}: b\"{text}\"", target.name, report.cases);
        };
        report.longest = report.longest.max(since.elapsed());
        report.cases += 1;
        // A case counts even if nothing in it could be tried, or a run of nothing but such cases would not end.
        report.tried.things += tried.things.max(1);
        report.tried.taken += tried.taken;
    }
    now.lock().expect("nobody panics with it").number = None;
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

/// A watchdog: a case that hangs cannot say so itself. It ends with the driver. It looks every second and counts its looks, so that a
/// process that stood still is not taken for one that hangs.
fn watch(target: &'static str, seed: u32, now: &Arc<Mutex<Now>>) {
    let now = Arc::downgrade(now);
    thread::spawn(move || {
        let (mut before, mut looks) = (None, 0);
        while let Some(now) = now.upgrade() {
            {
                let now = now.lock().expect("nobody panics with it");
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
