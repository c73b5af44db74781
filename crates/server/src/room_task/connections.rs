//! Who is connected to a room, and as whom.

use crate::handle::ConnectionId;
use crate::held::Hold;
use crate::line::Line;
use game::{Salt, Seat};
use room::{Name, PlayerId};
use std::collections::BTreeMap;
use tokio::time::Instant;

/// One connection that has joined.
pub struct Connection {
    pub line: Line,
    pub player: Option<PlayerId>,
    pub name: Name,
    pub token: Option<String>,
    /// What it brought for the deal, for when its owner sits down later.
    pub salt: Option<Salt>,
    /// Whether it said that it is a program, for the same moment.
    pub program: bool,
    /// The place this connection was last told it has.
    pub told: Option<Seat>,
    /// Whether the host lets it not talk while it watches.
    pub muted: bool,
    /// It keeps the room in memory, which is counted by address.
    pub _hold: Hold,
    /// Until its welcome a connection is shown nothing else.
    pub welcomed: bool,
}

/// All connections of a room, the oldest first.
pub struct Connections {
    all: BTreeMap<ConnectionId, Connection>,
    next: u64,
    had_any: bool,
    /// When the last one ended.
    ended: Instant,
}

/// So many connections a room may see for each entry of its journal before their numbers could come again.
const NUMBERS: u64 = 1 << 16;

impl Connections {
    /// Nobody yet, in a room with so many entries. Numbers do not begin at 0 in each life of a room: one that a host has seen
    /// before a restart should not name somebody else after it.
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

    /// The places in which a player's seat is open.
    pub fn of(&self, player: PlayerId) -> Vec<ConnectionId> {
        self.iter().filter(|(_, connection)| connection.player == Some(player)).map(|(id, _)| id).collect()
    }

    /// The oldest of all.
    pub fn oldest(&self) -> Option<&Connection> {
        self.all.values().next()
    }

    /// A number for one that is not let in.
    pub fn nobody(&mut self) -> ConnectionId {
        self.next += 1;
        ConnectionId(self.next - 1)
    }

    /// Whether anybody was ever here.
    pub fn had_any(&self) -> bool {
        self.had_any
    }

    /// How many look on without a seat.
    pub fn watchers(&self) -> usize {
        self.all.values().filter(|connection| connection.player.is_none()).count()
    }

    /// Since when nobody has been connected; none while somebody is.
    pub fn empty_since(&self) -> Option<Instant> {
        self.all.is_empty().then_some(self.ended)
    }
}
