//! Several servers that share one journal: how they identify and reach each other, and how a connection is relayed to
//! the server that owns its room.
//!
//! The journal records which server owns which room (`journal::ownership`). This module knows nothing about games, and
//! a server that runs alone pays nothing for it.

mod flags;
mod histories;
mod list;
mod listener;
mod peers;
mod relay;
mod secret;
mod start;

pub use flags::{Membership, NodeFlags};
pub use histories::compare as compare_histories;
pub use list::list;
pub use listener::app;
pub use relay::{look, record, serve, serve_barred};
pub use start::{check, warn_alone};

use crate::RoomCode;
use crate::address::Source;
use crate::code::random_bytes;
use crate::held::Held;
use crate::shared::Shared;
use journal::ownership::Load;
use peers::Peers;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

/// Version of the relay protocol, raised with every change that an older server would not understand.
const RELAY: u32 = 1;
/// Request header with the version of the relay protocol.
const SPOKEN: &str = "x-rookery-relay";
/// Request header with the address of the client for which a server asks.
const FOR: &str = "x-rookery-for";
/// How often this server's load is updated. It is published with the lease.
const REPORT: Duration = Duration::from_secs(1);

/// This server as one of several.
pub struct Nodes {
    /// `None` if the server runs alone.
    membership: Option<Membership>,
    /// Distinguishes this process from anything else that may answer at its address.
    me: u64,
    peers: Peers,
    /// Number of connections relayed to other servers.
    relayed: AtomicUsize,
    /// Rooms of other servers that each address has joined through this one. There is no quota here: the other servers
    /// count them.
    visited: Arc<Held>,
    /// Number of database failovers since the start.
    failovers: watch::Sender<u64>,
}

/// What a server tells another about itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Hello {
    me: u64,
    version: String,
    /// Its wall clock, in milliseconds since 1970.
    at: u64,
    /// The history of the database it uses. Earlier versions do not send it.
    #[serde(default)]
    history: Option<histories::Told>,
}

impl Hello {
    fn of(shared: &Shared) -> Hello {
        let history = shared.journal.ownership().history().map(Into::into);
        Hello { me: shared.nodes.me, version: VERSION.to_owned(), at: shared.clock.wall().0, history }
    }
}

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Nodes {
    pub fn new(membership: Option<Membership>) -> Nodes {
        let me = u64::from_le_bytes(random_bytes());
        Nodes {
            membership,
            me,
            peers: Peers::default(),
            relayed: AtomicUsize::new(0),
            visited: Held::new(false),
            failovers: watch::Sender::new(0),
        }
    }

    /// Returns how this server is one of several, or `None` if it runs alone.
    pub fn membership(&self) -> Option<&Membership> {
        self.membership.as_ref()
    }

    /// Returns whether a connection from this address is relayed into the room.
    pub fn relays_into(&self, source: Source, code: RoomCode) -> bool {
        self.visited.is_in(source, code)
    }

    /// Returns a receiver that changes with every failover of the database.
    pub fn failovers(&self) -> watch::Receiver<u64> {
        self.failovers.subscribe()
    }

    /// Returns the number of connections relayed to other servers.
    pub fn relayed(&self) -> usize {
        self.relayed.load(Ordering::Relaxed)
    }
}

/// Publishes this server's load until it drains, and notifies the rooms here when the database has failed over.
pub async fn report(shared: Arc<Shared>) {
    let mut history = shared.journal.ownership().history();
    let mut ticks = interval(REPORT);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shared.draining.cancelled() => return,
            _ = ticks.tick() => {}
        }
        let (rooms, sockets) = (shared.registry.len() as u64, shared.limits.open_sockets() as u64);
        shared.journal.ownership().report(Load { rooms, sockets });
        shared.nodes.peers.tidy();
        let newest = shared.journal.ownership().history();
        if std::mem::replace(&mut history, newest) != newest {
            shared.nodes.failovers.send_modify(|count| *count += 1);
        }
    }
}
