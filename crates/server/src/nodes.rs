//! Several servers over one journal: who they are, how they reach each other, and how a connection is passed on to the server
//! that has its room (relay).
//!
//! Who has which room the journal says (`journal::ownership`); it knows nothing of what is played, and a server that is alone
//! pays nothing for it.

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

/// The relay protocol, raised with every change that an older server would not understand.
const RELAY: u32 = 1;
/// The header that says which relay protocol is spoken.
const SPOKEN: &str = "x-rookery-relay";
/// The header that says for whom a server asks.
const FOR: &str = "x-rookery-for";
/// How often the others are told how much there is to do here; the lease takes it along.
const REPORT: Duration = Duration::from_secs(1);

/// This server as one of several.
pub struct Nodes {
    /// None if it is alone.
    membership: Option<Membership>,
    /// Tells this process from whatever else may answer at its address.
    me: u64,
    peers: Peers,
    /// Connections that are passed on to other servers.
    relayed: AtomicUsize,
    /// Rooms of other servers that each address is in through this one. It has no quota: the other servers count.
    visited: Arc<Held>,
    /// How often the database failed over since the start.
    failovers: watch::Sender<u64>,
}

/// What a server says of itself to another.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Hello {
    me: u64,
    version: String,
    /// Its wall clock, in milliseconds since 1970.
    at: u64,
    /// The history of the database it uses; servers of earlier versions do not say.
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

    /// How this server is one of several; none if it is alone.
    pub fn membership(&self) -> Option<&Membership> {
        self.membership.as_ref()
    }

    /// Returns whether a connection from this address is passed on into the room.
    pub fn relays_into(&self, source: Source, code: RoomCode) -> bool {
        self.visited.is_in(source, code)
    }

    /// Changes whenever the database has failed over.
    pub fn failovers(&self) -> watch::Receiver<u64> {
        self.failovers.subscribe()
    }

    /// How many connections are passed on to other servers.
    pub fn relayed(&self) -> usize {
        self.relayed.load(Ordering::Relaxed)
    }
}

/// Tells the others of this server until it drains, and the rooms here that the database failed over.
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
