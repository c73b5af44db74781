//! The state of this server as one of several that share a journal. `nodes` uses it to reach the others.

use crate::RoomCode;
use crate::client_addr::ClientAddr;
use crate::code::random_bytes;
use crate::config::Membership;
use crate::limits::rooms::RoomsEntered;
use crate::peers::Peers;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// This server as one of several.
pub struct Cluster {
    /// `None` if the server runs alone.
    pub(crate) membership: Option<Membership>,
    /// Distinguishes this process from anything else that may answer at its address.
    pub(crate) me: u64,
    pub(crate) peers: Peers,
    /// Number of connections relayed to other servers.
    pub(crate) relayed: AtomicUsize,
    /// Rooms of other servers that each address has joined through this one. There is no quota here: the other servers
    /// count them.
    pub(crate) visited: Arc<RoomsEntered>,
}

impl Cluster {
    pub fn new(membership: Option<Membership>) -> Cluster {
        let me = u64::from_le_bytes(random_bytes());
        Cluster {
            membership,
            me,
            peers: Peers::default(),
            relayed: AtomicUsize::new(0),
            visited: RoomsEntered::new(usize::MAX),
        }
    }

    /// Returns how this server is one of several, or `None` if it runs alone.
    pub fn membership(&self) -> Option<&Membership> {
        self.membership.as_ref()
    }

    /// Returns whether a connection from this address is relayed into the room.
    pub fn relays_into(&self, source: ClientAddr, code: RoomCode) -> bool {
        self.visited.is_in(source, code)
    }

    /// Returns the number of connections relayed to other servers.
    pub fn relayed(&self) -> usize {
        self.relayed.load(Ordering::Relaxed)
    }
}
