//! The rooms of this process, and what their tasks use to load rooms, think, and review.
//!
//! It does not know how rooms are found; see `registry`.

use crate::RoomCode;
use crate::base::Base;
use crate::limits::table;
use crate::loaded_rooms::LoadedRooms;
use crate::records::Records;
use crate::reviews::Reviews;
use crate::thinkers::{Mind, Thinkers};
use crate::turns::Turns;
use std::sync::Arc;
use std::thread;
use tokio::sync::watch;

/// The rooms of this process.
pub struct Rooms {
    pub base: Arc<Base>,
    pub loaded: Arc<LoadedRooms>,
    /// Limits how many rooms are rebuilt at once, to the number of processors.
    pub rebuilds: Turns,
    pub thinkers: Arc<Thinkers>,
    pub records: Arc<Records>,
    /// Limits how many reviews and hints are made at once.
    pub reviews: Reviews,
    /// Number of database failovers since the start.
    pub failovers: watch::Sender<u64>,
}

impl Rooms {
    pub fn new(base: Arc<Base>, records: Arc<Records>, mind: Mind) -> Rooms {
        let thinkers = Arc::new(Thinkers::start(mind, base.metrics.thinking.clone()));
        let made = base.metrics.reviews.clone();
        Rooms {
            loaded: Arc::default(),
            rebuilds: Turns::new(thread::available_parallelism().map_or(1, usize::from), table::WAITING_REQUESTS),
            reviews: Reviews::new(records.clone(), base.limits.clone(), thinkers.clone(), made),
            thinkers,
            records,
            failovers: watch::Sender::new(0),
            base,
        }
    }

    /// Releases a room that leaves memory, so that any server can claim it.
    pub async fn release(&self, code: RoomCode) {
        if let Err(error) = self.base.journal.ownership().release(code.as_str()).await {
            tracing::debug!(room = %code, %error, "cannot release the room");
        }
    }
}
