//! The rooms in memory. The registry has only handles; each room belongs to its own task.

use crate::RoomCode;
use crate::address::Source;
use crate::code::random_bytes;
use crate::handle::{Handle, Opening};
use crate::room_task;
use crate::shared::Shared;
use dashmap::DashMap;
use game::Seed;
use journal::ownership::{Claim, Peer};
use journal::{AppendError, Cursor, JournalError};
use protocol::{Close, Origin};
use room::{Options, Room};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// The rooms in memory.
#[derive(Default)]
pub struct Registry {
    rooms: DashMap<RoomCode, Tenant>,
    /// Distinguishes a room's task from a later one with the same code.
    generations: AtomicU64,
    /// Serializes evictions: held by the request for which a room is evicted.
    making_way: Mutex<()>,
    /// Ends of rooms whose tasks lost contact with the journal, to detect missing entries when the rooms are opened
    /// again.
    last_ends: DashMap<RoomCode, LastEnd>,
}

/// Maximum number of remembered ends.
const LAST_ENDS: usize = 10_000;
/// How long an end is remembered.
const REMEMBERED: Duration = Duration::from_secs(60 * 60);

/// The end of a room's journal, and when this server recorded it.
struct LastEnd {
    cursor: Cursor,
    at: Instant,
}

struct Tenant {
    handle: Handle,
    generation: u64,
}

/// Where a room is. With several servers, each room is on one of them.
pub enum Location {
    /// In this process.
    Here(Handle),
    /// On another server, which is alive.
    There(Peer),
}

/// Why a room cannot be entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoEntry {
    /// No room has this code.
    #[error("no such room")]
    Missing,
    /// Its journal cannot be read now.
    #[error("the room cannot be read now")]
    Failed,
    /// The server that owned it is gone, and no other may claim it yet.
    #[error("the room changes servers, try again in a second")]
    Waiting,
    /// The server has the maximum number of rooms in memory.
    #[error("the server is full")]
    Full,
    /// Loading rooms for this address took too much time recently.
    #[error("too many rooms were woken from this address, try in a moment")]
    TooMuchWoken,
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
}

impl NoEntry {
    /// Returns how a connection is closed for this reason.
    pub fn close(self) -> Close {
        match self {
            NoEntry::Missing => Close::Expired,
            NoEntry::Failed => Close::Broken,
            NoEntry::TooMuchWoken => Close::TryLater,
            NoEntry::Waiting | NoEntry::Full | NoEntry::Stopping => Close::Restart,
        }
    }
}

impl Registry {
    /// Returns whether the maximum number of rooms is in memory; a `max` of 0 means no limit.
    fn is_full(&self, max: usize) -> bool {
        max > 0 && self.len() >= max
    }

    /// Returns whether at most half of the maximum number of rooms is in memory; a `max` of 0 means no limit.
    pub fn is_half_empty(&self, max: usize) -> bool {
        max == 0 || self.len() <= max / 2
    }

    /// Returns the number of rooms in memory.
    pub fn len(&self) -> usize {
        self.rooms.len()
    }

    /// Returns whether another room could be loaded: the server is not full, or a room without connections can be
    /// evicted.
    pub fn has_place(&self, max: usize) -> bool {
        !self.is_full(max) || self.rooms.iter().any(|room| room.handle.empty_since().is_some())
    }

    /// Returns the rooms without connections, longest empty first.
    fn empty_rooms(&self) -> Vec<Handle> {
        let rooms = self.rooms.iter();
        let mut empty: Vec<_> =
            rooms.filter_map(|room| Some((room.handle.empty_since()?, room.handle.clone()))).collect();
        empty.sort_by_key(|(since, _)| *since);
        empty.into_iter().map(|(_, room)| room).collect()
    }

    /// Remembers the end of a room as this server knows it. Evicts the oldest end if there are too many.
    pub fn remember_end(&self, code: RoomCode, end: Cursor) {
        if self.last_ends.len() >= LAST_ENDS {
            let oldest = self.last_ends.iter().min_by_key(|end| end.at).map(|end| *end.key());
            oldest.map(|oldest| self.last_ends.remove(&oldest));
        }
        self.last_ends.insert(code, LastEnd { cursor: end, at: Instant::now() });
    }

    /// Forgets ends that are older than an hour.
    pub fn tidy(&self) {
        self.last_ends.retain(|_, end| end.at.elapsed() < REMEMBERED);
    }

    /// Returns whether a room that is opened here has lost entries since this server had it last.
    pub fn has_lost_entries(&self, code: RoomCode, end: Cursor) -> bool {
        self.last_ends.remove(&code).is_some_and(|(_, last)| end.is_behind(last.cursor))
    }

    fn codes(&self) -> Vec<String> {
        self.rooms.iter().map(|room| room.key().to_string()).collect()
    }

    /// Removes a room whose task ends, so that the next request starts a new one. The generation prevents an old task
    /// from removing its successor.
    fn remove(&self, code: RoomCode, generation: u64) {
        self.rooms.remove_if(&code, |_, tenant| tenant.generation == generation);
    }
}

/// Drop guard that removes a room from the registry when its task ends, however it ends.
pub struct Tenancy {
    shared: Arc<Shared>,
    code: RoomCode,
    generation: u64,
}

impl Drop for Tenancy {
    fn drop(&mut self) {
        self.shared.registry.remove(self.code, self.generation);
    }
}

/// Writes a new room for a client at this address, optionally one that starts from an earlier game, and returns its
/// code.
pub async fn open(
    shared: &Shared,
    source: Source,
    options: Options,
    origin: Option<Box<Origin>>,
) -> Result<RoomCode, JournalError> {
    loop {
        let code = RoomCode::random();
        let now = shared.clock.now();
        let (options, seed) = (options.clone(), Seed(random_bytes()));
        let opened = match &origin {
            Some(origin) => Room::open_from(code.as_str(), options, seed, origin.clone(), now.wall),
            None => Room::open(code.as_str(), options, seed, now.wall),
        };
        let opened = opened.to_json();
        let bytes = opened.len() as u64;
        match shared.journal.append(code.as_str(), Cursor::START, vec![opened], now.steady).await {
            Ok(_) => {
                shared.written.spend(source, bytes, now.steady);
                return Ok(code);
            }
            Err(AppendError::Conflict { .. } | AppendError::Fenced) => {} // The code is taken.
            // If it was written anyway, nobody knows its code, and it is deleted like any room that nobody opens.
            Err(AppendError::Failed(error) | AppendError::Unknown(error)) => return Err(error),
        }
    }
}

/// Returns where a room is. If no server has it, it is rebuilt here from its journal, which is charged to the client
/// address.
pub async fn enter(
    shared: &Arc<Shared>,
    code: RoomCode,
    source: Option<Source>,
) -> Result<Location, NoEntry> {
    if !shared.registry.rooms.contains_key(&code) {
        if source.is_some_and(|source| !shared.may_replay(source)) {
            return Err(NoEntry::TooMuchWoken);
        }
        if let Some(peer) = claim(shared, code).await? {
            return Ok(Location::There(peer));
        }
    }
    let found = match find_or_spawn(shared, code, source) {
        Err(NoEntry::Full) => evict_for(shared, code, source).await,
        found => found,
    };
    if let Err(NoEntry::Full) = found {
        // Another server may have space for it.
        release(shared, code).await;
    }
    let mut handle = found?;
    match handle.opening().await {
        Opening::Open { .. } => Ok(Location::Here(handle)),
        Opening::Missing => Err(NoEntry::Missing),
        _ if shared.draining.is_cancelled() => Err(NoEntry::Stopping),
        Opening::Reading | Opening::Failed => Err(NoEntry::Failed),
    }
}

/// Claims the room for this server, or returns the server that owns it.
async fn claim(shared: &Shared, code: RoomCode) -> Result<Option<Peer>, NoEntry> {
    if shared.draining.is_cancelled() {
        return Err(NoEntry::Stopping);
    }
    match shared.journal.ownership().claim(code.as_str()).await {
        Ok(Claim::Ours) => Ok(None),
        Ok(Claim::Theirs(peer)) => Ok(Some(peer)),
        Ok(Claim::Wait) => Err(NoEntry::Waiting),
        Err(error) => {
            tracing::debug!(room = %code, %error, "cannot find out who has the room");
            Err(NoEntry::Failed)
        }
    }
}

/// Releases a room that leaves memory, so that any server can claim it.
pub async fn release(shared: &Shared, code: RoomCode) {
    if let Err(error) = shared.journal.ownership().release(code.as_str()).await {
        tracing::debug!(room = %code, %error, "cannot give the room up");
    }
}

/// Checks that a room exists, without loading it: no slot is taken and nothing is rebuilt.
pub async fn exists(shared: &Shared, code: RoomCode) -> Result<(), NoEntry> {
    if shared.draining.is_cancelled() {
        return Err(NoEntry::Stopping);
    }
    if shared.registry.rooms.get(&code).is_some_and(|room| room.handle.is_open()) {
        return Ok(());
    }
    match shared.journal.exists(code.as_str()).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(NoEntry::Missing),
        Err(error) => {
            tracing::debug!(room = %code, %error, "cannot look for the room");
            Err(NoEntry::Failed)
        }
    }
}

/// Eviction: on a full server, unloads rooms without connections, longest empty first, until there is space. Nothing is
/// lost, because a returning client finds the room rebuilt from its journal.
async fn evict_for(shared: &Arc<Shared>, code: RoomCode, source: Option<Source>) -> Result<Handle, NoEntry> {
    // One at a time: two evictions would ask the same room, and two requests for one room need only one slot.
    let _turn = shared.registry.making_way.lock().await;
    for empty in shared.registry.empty_rooms() {
        match find_or_spawn(shared, code, source) {
            Err(NoEntry::Full) => empty.make_way().await,
            found => return found,
        }
    }
    find_or_spawn(shared, code, source)
}

fn find_or_spawn(shared: &Arc<Shared>, code: RoomCode, source: Option<Source>) -> Result<Handle, NoEntry> {
    let registry = &shared.registry;
    if shared.draining.is_cancelled() {
        return Err(NoEntry::Stopping);
    }
    // Counted before the entry is locked: counting locks every shard in turn.
    let full = registry.is_full(shared.config.max_rooms);
    match registry.rooms.entry(code) {
        dashmap::Entry::Occupied(room) => Ok(room.get().handle.clone()),
        dashmap::Entry::Vacant(_) if full => Err(NoEntry::Full),
        dashmap::Entry::Vacant(place) => {
            let (handle, inbox) = Handle::new();
            let generation = registry.generations.fetch_add(1, Ordering::Relaxed);
            let tenancy = Tenancy { shared: shared.clone(), code, generation };
            shared.tasks.spawn(room_task::run(shared.clone(), code, inbox, tenancy, source));
            place.insert(Tenant { handle: handle.clone(), generation });
            Ok(handle)
        }
    }
}

/// Deletes rooms that nobody has opened for `keep_days`, counted in running time: neither a wrong date nor a machine
/// that was off deletes anything. With 0 days, rooms are kept indefinitely.
pub async fn sweep(shared: &Shared) {
    if shared.config.keep_days == 0 {
        return;
    }
    let before = shared.clock.running().saturating_sub(u64::from(shared.config.keep_days) * DAY_MS);
    match shared.journal.forget_unopened(before, shared.registry.codes()).await {
        Ok(forgotten) if forgotten.is_empty() => {}
        Ok(forgotten) => tracing::info!(rooms = forgotten.len(), "deleted rooms nobody opened"),
        Err(error) => tracing::debug!(%error, "cannot look for rooms nobody opened"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use journal::Journal;
    use journal::memory::Memory;

    #[tokio::test(start_paused = true)]
    async fn ends_of_rooms_are_forgotten_after_an_hour_and_the_oldest_is_evicted() {
        let registry = Registry::default();
        let start = Cursor::START;
        let end = Memory::default().append("a", start, vec!["1".to_owned()], 0).await.unwrap();
        let first = RoomCode::random();
        registry.remember_end(first, end);
        tokio::time::advance(Duration::from_millis(1)).await;
        let mut last = first;
        while registry.last_ends.contains_key(&first) {
            last = RoomCode::random();
            registry.remember_end(last, end);
        }
        assert_eq!(registry.last_ends.len(), LAST_ENDS);
        assert!(!registry.has_lost_entries(first, start), "the oldest was evicted");
        registry.tidy();
        assert!(registry.has_lost_entries(last, start), "the newest is remembered");
        tokio::time::advance(REMEMBERED).await;
        registry.tidy();
        assert!(registry.last_ends.is_empty());
    }
}
