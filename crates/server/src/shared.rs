//! The state every part of the server shares, and its upkeep.

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

/// How often limits are tidied, measurements sorted in, and how long the server has run is noted: so much of it is lost
/// at most when the machine is switched off, and so often the disk is written when nothing happens.
const TIDY: Duration = Duration::from_secs(60);
/// How often rooms that nobody opens any more are looked for.
const SWEEP: Duration = Duration::from_secs(60 * 60);

/// One server's shared parts.
pub struct Shared {
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) limits: Limits,
    /// How many files may be open; none if there is no limit.
    pub(crate) files: Option<usize>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) registry: Registry,
    /// Who is in which rooms, how many bytes were written for whom, and for how many microseconds journals were played again.
    pub(crate) held: Arc<Held>,
    pub(crate) written: Allowance,
    pub(crate) worked: Arc<Allowance>,
    /// The other servers over the same journal.
    pub(crate) nodes: Nodes,
    /// For how long this server may take the rooms it has to be its own.
    pub(crate) lease: Lease,
    pub(crate) thinkers: Thinkers,
    /// Of those who rebuild rooms: as many as there are processors, for more would only share them.
    pub(crate) rebuilds: Turns,
    /// Nobody waits for a room because many ask for records.
    pub(crate) records: Records,
    /// Of those who review games.
    pub(crate) reviews: Reviews,
    /// Of those who read games of the past.
    pub(crate) openings: Arc<Openings>,
    /// Of those who take all records of a room with them.
    pub(crate) whole_rooms: Arc<Openings>,
    /// Of those who draw QR codes, which takes a processor for milliseconds.
    pub(crate) pictures: Turns,
    /// Cancelled once the server stops accepting.
    pub(crate) draining: CancellationToken,
    /// Everything that must end before the process does.
    pub(crate) tasks: TaskTracker,
}

impl Shared {
    /// The parts of a server with this configuration over this journal.
    pub fn new(config: Config, journal: Arc<dyn Journal>) -> Arc<Shared> {
        let clock = Clock::start(journal.running_ms());
        Shared::with(config, journal, clock, |thinking, level, seed, budget| thinking(level, seed, budget))
    }

    /// The same with another clock, and with bots that think otherwise.
    pub fn with(config: Config, journal: Arc<dyn Journal>, clock: Clock, mind: Mind) -> Arc<Shared> {
        let metrics = Arc::new(Metrics::new());
        let files = files::raise();
        Arc::new(Shared {
            limits: Limits::new(&config, files),
            files,
            held: Held::new(config.sockets_per_ip > 0),
            written: Allowance::of_bytes(config.acts_per_second > 0),
            worked: Arc::new(Allowance::of_work(config.requests_per_second > 0)),
            // Flags that are wrong were refused before anything was shared.
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

    /// Whether the server can serve: it is not on its way out, and its journal can be written.
    pub(crate) async fn is_well(&self) -> Result<(), String> {
        if self.draining.is_cancelled() {
            return Err("the server is stopping".to_owned());
        }
        self.journal.probe().await.map_err(|error| error.to_string())
    }

    /// Whether a journal may be played again for this source now: to wake a room, or to show a game of the past.
    pub(crate) fn may_replay(&self, source: Source) -> bool {
        self.worked.has_any(source, self.clock.running())
    }

    /// Returns whether a connection from this address is in the room now, here or on another server through this one.
    pub(crate) fn is_in(&self, source: Source, code: RoomCode) -> bool {
        self.held.is_in(source, code) || self.nodes.relays_into(source, code)
    }

    /// The same work, with the time it takes counted for whoever asked. It is counted where it is done: whoever does not wait for it
    /// has it counted all the same.
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

    /// Writes down how long servers have run over this journal.
    pub(crate) async fn note_running(&self) {
        if let Err(error) = self.journal.ran(self.clock.running()).await {
            tracing::debug!(%error, "cannot note how long the server has run");
        }
    }

    /// Upkeep until the server drains.
    pub(crate) async fn keep(self: Arc<Shared>) {
        // Side by side: a long sweep must not keep the running time from being noted.
        let tidying = async {
            let mut due = every(TIDY);
            // There is nothing to tidy yet, and an interval's first tick is as late as the machine is busy.
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
            // A sweep is left where it is: each of its steps is whole, and the next start goes on with the rest.
            () = self.draining.cancelled() => {}
            () = tidying => {}
            () = sweeping => {}
        }
    }
}

/// What took longer than its interval is followed by a whole one.
fn every(period: Duration) -> Interval {
    let mut due = interval(period);
    due.set_missed_tick_behavior(MissedTickBehavior::Delay);
    due
}
