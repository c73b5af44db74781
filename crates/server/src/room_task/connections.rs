//! The connections of a room, and the player each belongs to.

use crate::handle::ConnectionId;
use crate::limits::rooms::RoomEntry;
use crate::outbox::Outbox;
use game::{Salt, Seat};
use room::{Name, PlayerId};
use std::collections::BTreeMap;
use tokio::time::Instant;

/// A connection that has joined.
pub struct Connection {
    pub outbox: Outbox,
    pub player: Option<PlayerId>,
    pub name: Name,
    pub token: Option<String>,
    /// The client's salt for the deal, for when it takes a seat later.
    pub salt: Option<Salt>,
    /// Whether the client says that it is a program, for when it takes a seat later.
    pub program: bool,
    /// The seat that the client was last informed of.
    pub told: Option<Seat>,
    /// Whether the host has muted the client while it is a spectator.
    pub muted: bool,
    /// Counts for the client address that this connection keeps the room in memory.
    pub _entry: RoomEntry,
    /// Whether the welcome was sent. Nothing else is sent before it.
    pub welcomed: bool,
}

/// All connections of a room, oldest first.
pub struct Connections {
    all: BTreeMap<ConnectionId, Connection>,
    next: u64,
    had_any: bool,
    /// When a connection was last removed.
    ended: Instant,
}

/// Connection ids per journal entry. Ids could repeat only if a room had more connections than this for each entry.
const NUMBERS: u64 = 1 << 16;

impl Connections {
    /// Creates an empty set for a room with this many journal entries. Ids do not restart at 0 each time the room is
    /// loaded: an id that a host saw before a restart must not name another spectator after it.
    pub fn after(entries: u64) -> Connections {
        let next = entries.saturating_mul(NUMBERS);
        Connections { all: BTreeMap::new(), next, had_any: false, ended: Instant::now() }
    }

    pub fn insert(&mut self, connection: Connection) -> ConnectionId {
        let id = ConnectionId(self.next);
        self.next += 1;
        self.all.insert(id, connection);
        self.had_any = true;
        id
    }

    pub fn remove(&mut self, id: ConnectionId) -> Option<Connection> {
        let connection = self.all.remove(&id)?;
        self.ended = Instant::now();
        Some(connection)
    }

    pub fn get(&self, id: ConnectionId) -> Option<&Connection> {
        self.all.get(&id)
    }

    pub fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        self.all.get_mut(&id)
    }

    pub fn iter(&self) -> impl Iterator<Item = (ConnectionId, &Connection)> {
        self.all.iter().map(|(id, connection)| (*id, connection))
    }

    /// Returns the connections that use a player's seat.
    pub fn of(&self, player: PlayerId) -> Vec<ConnectionId> {
        self.iter().filter(|(_, connection)| connection.player == Some(player)).map(|(id, _)| id).collect()
    }

    /// Returns the oldest connection.
    pub fn oldest(&self) -> Option<&Connection> {
        self.all.values().next()
    }

    /// Returns whether any connection has joined since the room was loaded.
    pub fn had_any(&self) -> bool {
        self.had_any
    }

    /// Returns the number of spectators.
    pub fn watchers(&self) -> usize {
        self.all.values().filter(|connection| connection.player.is_none()).count()
    }

    /// Returns the time since which no client is connected, or `None` while one is.
    pub fn empty_since(&self) -> Option<Instant> {
        self.all.is_empty().then_some(self.ended)
    }
}
