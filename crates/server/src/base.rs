//! What every part of the server uses: the configuration, the clock, the journal, the limits, the metrics, and the
//! shutdown.
//!
//! It knows neither rooms nor requests.

use crate::Config;
use crate::clock::Clock;
use crate::limits::{Limits, files};
use crate::metrics::Metrics;
use journal::Journal;
use journal::ownership::Lease;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What every part of the server uses.
pub struct Base {
    pub config: Config,
    pub clock: Clock,
    pub journal: Arc<dyn Journal>,
    /// The lease during which this server owns its rooms.
    pub lease: Lease,
    pub limits: Arc<Limits>,
    /// Maximum number of open files, or `None` if there is no limit.
    pub files: Option<usize>,
    pub metrics: Arc<Metrics>,
    /// Cancelled when the server stops accepting.
    pub draining: CancellationToken,
    /// All tasks that must end before the process exits.
    pub tasks: TaskTracker,
}

impl Base {
    pub fn new(config: Config, journal: Arc<dyn Journal>, clock: Clock) -> Base {
        let files = files::raise();
        Base {
            limits: Arc::new(Limits::new(&config, files, clock.clone())),
            lease: journal.ownership().lease(),
            files,
            config,
            clock,
            journal,
            metrics: Arc::new(Metrics::new()),
            draining: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// Returns whether the server can serve: it is not stopping, and its journal is writable.
    pub async fn is_well(&self) -> Result<(), String> {
        if self.draining.is_cancelled() {
            return Err("the server is stopping".to_owned());
        }
        self.journal.probe().await.map_err(|error| error.to_string())
    }

    /// Saves how long servers have run on this journal.
    pub async fn note_running(&self) {
        if let Err(error) = self.journal.ran(self.clock.running()).await {
            tracing::debug!(%error, "cannot record the running time of the server");
        }
    }
}
