//! Periodic maintenance of the server.

use crate::registry;
use crate::rooms::Rooms;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// Interval for pruning limits, aggregating metrics and saving the running time. At most this much running time is lost
/// in a power failure, and an idle server writes to the disk this often.
const TIDY: Duration = Duration::from_secs(60);
/// Interval for deleting unused rooms.
const SWEEP: Duration = Duration::from_secs(60 * 60);

/// Runs maintenance until the server drains.
pub async fn run(rooms: Arc<Rooms>) {
    // Run concurrently: a long sweep must not delay saving the running time.
    let tidying = async {
        let mut due = every(TIDY);
        // There is nothing to prune yet, and the first tick of an interval is late on a busy machine.
        due.reset();
        loop {
            due.tick().await;
            rooms.base.limits.prune();
            rooms.loaded.tidy();
            rooms.base.note_running().await;
            rooms.base.metrics.upkeep();
        }
    };
    let sweeping = async {
        let mut due = every(SWEEP);
        loop {
            due.tick().await;
            registry::sweep(&rooms).await;
        }
    };
    tokio::select! {
        // A sweep can be cancelled at any point: each step is atomic, and the next start continues with the rest.
        () = rooms.base.draining.cancelled() => {}
        () = tidying => {}
        () = sweeping => {}
    }
}

/// Returns an interval that waits a full period after a late tick.
fn every(period: Duration) -> Interval {
    let mut due = interval(period);
    due.set_missed_tick_behavior(MissedTickBehavior::Delay);
    due
}
