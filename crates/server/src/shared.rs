//! State shared by all parts of the server, and its maintenance.

use crate::address::Source;
use crate::allowance::Allowance;
use crate::clock::Clock;
use crate::held::Held;
use crate::limits::{Limits, files};
use crate::metrics::Metrics;
use crate::moments::Openings;
use crate::nodes::Nodes;
use crate::records::Records;
use crate::registry::Registry;
use crate::reviews::Reviews;
use crate::thinkers::{Mind, Thinkers};
use crate::turns::Turns;
use crate::{Config, RoomCode, registry};
use journal::Journal;
use journal::ownership::Lease;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::time::{Interval, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Interval for pruning limits, aggregating metrics and saving the running time. At most this much running time is lost
/// in a power failure, and an idle server writes to the disk this often.
const TIDY: Duration = Duration::from_secs(60);
/// Interval for deleting rooms that nobody has opened for a long time.
const SWEEP: Duration = Duration::from_secs(60 * 60);

/// The shared parts of one server.
pub struct Shared {
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) limits: Limits,
    /// Maximum number of open files, or `None` if there is no limit.
    pub(crate) files: Option<usize>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) registry: Registry,
    /// Which addresses are in which rooms, how many bytes were written for each address, and for how many microseconds
    /// journals were replayed for it.
    pub(crate) held: Arc<Held>,
    pub(crate) written: Allowance,
    pub(crate) worked: Arc<Allowance>,
    /// The other servers that use the same journal.
    pub(crate) nodes: Nodes,
    /// The lease during which this server owns its rooms.
    pub(crate) lease: Lease,
    pub(crate) thinkers: Thinkers,
    /// Limits how many rooms are rebuilt at once, to the number of processors.
    pub(crate) rebuilds: Turns,
    /// Separate from the rebuilds, so that requests for records do not delay the loading of rooms.
    pub(crate) records: Records,
    /// Limits how many games are reviewed at once.
    pub(crate) reviews: Reviews,
    /// Limits how many clients read earlier games at once.
    pub(crate) openings: Arc<Openings>,
    /// Limits how many clients download all records of a room at once.
    pub(crate) whole_rooms: Arc<Openings>,
    /// Limits how many QR codes are rendered at once. Each takes a processor for milliseconds.
    pub(crate) pictures: Turns,
    /// Cancelled when the server stops accepting.
    pub(crate) draining: CancellationToken,
    /// All tasks that must end before the process exits.
    pub(crate) tasks: TaskTracker,
}

impl Shared {
    /// Creates the shared parts of a server with this configuration and journal.
    pub fn new(config: Config, journal: Arc<dyn Journal>) -> Arc<Shared> {
        let clock = Clock::start(journal.running_ms());
        Shared::with(config, journal, clock, |thinking, level, seed, budget| thinking(level, seed, budget))
    }

    /// Creates the shared parts with another clock and another implementation of bots.
    pub fn with(config: Config, journal: Arc<dyn Journal>, clock: Clock, mind: Mind) -> Arc<Shared> {
        let metrics = Arc::new(Metrics::new());
        let files = files::raise();
        Arc::new(Shared {
            limits: Limits::new(&config, files),
            files,
            held: Held::new(config.sockets_per_ip > 0),
            written: Allowance::of_bytes(config.acts_per_second > 0),
            worked: Arc::new(Allowance::of_work(config.requests_per_second > 0)),
            // Invalid flags were refused at startup.
            nodes: Nodes::new(config.nodes.membership().ok().flatten()),
            lease: journal.ownership().lease(),
            config,
            clock,
            journal,
            registry: Registry::default(),
            thinkers: Thinkers::start(mind, metrics.thinking.clone()),
            metrics,
            rebuilds: Turns::new(thread::available_parallelism().map_or(1, usize::from)),
            records: Records::default(),
            reviews: Reviews::default(),
            openings: Openings::of_games(),
            whole_rooms: Openings::of_rooms(),
            pictures: Turns::new(1),
            draining: CancellationToken::new(),
            tasks: TaskTracker::new(),
        })
    }

    /// Returns whether the server can serve: it is not stopping, and its journal is writable.
    pub(crate) async fn is_well(&self) -> Result<(), String> {
        if self.draining.is_cancelled() {
            return Err("the server is stopping".to_owned());
        }
        self.journal.probe().await.map_err(|error| error.to_string())
    }

    /// Returns whether a journal may be replayed for this address now, to load a room or to show an earlier game.
    pub(crate) fn may_replay(&self, source: Source) -> bool {
        self.worked.has_any(source, self.clock.running())
    }

    /// Returns whether this address has a connection in the room, here or relayed to another server.
    pub(crate) fn is_in(&self, source: Source, code: RoomCode) -> bool {
        self.held.is_in(source, code) || self.nodes.relays_into(source, code)
    }

    /// Wraps the work so that the time it takes is charged to the address. The time is measured where the work runs, so
    /// it is charged even if the client no longer waits for the result.
    pub(crate) fn paid_by<T>(
        &self,
        payer: Option<Source>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> impl FnOnce() -> T + Send + 'static {
        let (worked, clock) = (self.worked.clone(), self.clock.clone());
        move || {
            let begun = std::time::Instant::now();
            let done = work();
            if let Some(payer) = payer {
                worked.spend(payer, begun.elapsed().as_micros() as u64, clock.running());
            }
            done
        }
    }

    /// Saves how long servers have run on this journal.
    pub(crate) async fn note_running(&self) {
        if let Err(error) = self.journal.ran(self.clock.running()).await {
            tracing::debug!(%error, "cannot note how long the server has run");
        }
    }

    /// Runs maintenance until the server drains.
    pub(crate) async fn keep(self: Arc<Shared>) {
        // Run concurrently: a long sweep must not delay saving the running time.
        let tidying = async {
            let mut due = every(TIDY);
            // There is nothing to prune yet, and the first tick of an interval is late on a busy machine.
            due.reset();
            loop {
                due.tick().await;
                self.limits.tidy();
                self.registry.tidy();
                self.written.tidy(self.clock.running());
                self.worked.tidy(self.clock.running());
                self.note_running().await;
                self.metrics.upkeep();
            }
        };
        let sweeping = async {
            let mut due = every(SWEEP);
            loop {
                due.tick().await;
                registry::sweep(&self).await;
            }
        };
        tokio::select! {
            // A sweep can be cancelled at any point: each step is atomic, and the next start continues with the rest.
            () = self.draining.cancelled() => {}
            () = tidying => {}
            () = sweeping => {}
        }
    }
}

/// Returns an interval that waits a full period after a late tick.
fn every(period: Duration) -> Interval {
    let mut due = interval(period);
    due.set_missed_tick_behavior(MissedTickBehavior::Delay);
    due
}
