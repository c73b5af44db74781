//! State shared by all parts of the server, and its maintenance.

use crate::client_addr::ClientAddr;
use crate::clock::Clock;
use crate::cluster::Cluster;
use crate::limits::{Limits, files, table};
use crate::loaded_rooms::LoadedRooms;
use crate::metrics::Metrics;
use crate::records::Records;
use crate::reviews::Reviews;
use crate::thinkers::{Mind, Thinkers};
use crate::turns::Turns;
use crate::{Config, RoomCode};
use axum::extract::State;
use journal::Journal;
use journal::ownership::Lease;
use std::sync::Arc;
use std::thread;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The extractor of the shared state in request handlers.
pub(crate) type SharedState = State<Arc<Shared>>;

/// The shared parts of one server.
pub struct Shared {
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) limits: Arc<Limits>,
    /// Maximum number of open files, or `None` if there is no limit.
    pub(crate) files: Option<usize>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) rooms: Arc<LoadedRooms>,
    /// The other servers that use the same journal.
    pub(crate) cluster: Cluster,
    /// The lease during which this server owns its rooms.
    pub(crate) lease: Lease,
    pub(crate) thinkers: Arc<Thinkers>,
    /// Limits how many rooms are rebuilt at once, to the number of processors.
    pub(crate) rebuilds: Turns,
    /// Separate from the rebuilds, so that requests for records do not delay the loading of rooms.
    pub(crate) records: Arc<Records>,
    /// Limits how many reviews and hints are made at once.
    pub(crate) reviews: Reviews,
    /// Limits how many clients download all records of a room at once.
    pub(crate) whole_rooms: Turns,
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
        let limits = Arc::new(Limits::new(&config, files, clock.clone()));
        let records = Arc::new(Records::new(journal.clone(), limits.clone()));
        let thinkers = Arc::new(Thinkers::start(mind, metrics.thinking.clone()));
        Arc::new(Shared {
            files,
            // Invalid flags were refused at startup.
            cluster: Cluster::new(config.nodes.membership().ok().flatten()),
            lease: journal.ownership().lease(),
            config,
            clock,
            journal,
            rooms: Arc::default(),
            reviews: Reviews::new(records.clone(), limits.clone(), thinkers.clone(), metrics.reviews.clone()),
            limits,
            thinkers,
            metrics,
            rebuilds: Turns::new(thread::available_parallelism().map_or(1, usize::from), table::WAITING_REQUESTS),
            records,
            whole_rooms: Turns::new(table::OPEN_ROOM_STREAMS, table::WAITING_REQUESTS),
            pictures: Turns::new(1, table::WAITING_REQUESTS),
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

    /// Returns whether this address has a connection in the room, here or relayed to another server.
    pub(crate) fn is_in(&self, source: ClientAddr, code: RoomCode) -> bool {
        self.limits.rooms.is_in(source, code) || self.cluster.relays_into(source, code)
    }

    /// Releases a room that leaves memory, so that any server can claim it.
    pub(crate) async fn release(&self, code: RoomCode) {
        if let Err(error) = self.journal.ownership().release(code.as_str()).await {
            tracing::debug!(room = %code, %error, "cannot release the room");
        }
    }

    /// Saves how long servers have run on this journal.
    pub(crate) async fn note_running(&self) {
        if let Err(error) = self.journal.ran(self.clock.running()).await {
            tracing::debug!(%error, "cannot record the running time of the server");
        }
    }
}
