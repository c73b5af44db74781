//! Which rooms are in memory. It holds only handles; each room belongs to its own task.

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
    /// Tells a room's task from the one that came after it under the same code.
    generations: AtomicU64,
    /// Held by the one newcomer to a full server for whom a room is evicted.
    making_way: Mutex<()>,
    /// Where rooms ended whose tasks lost touch with the journal, to notice if entries are missing when they are opened again.
    last_ends: DashMap<RoomCode, LastEnd>,
}

/// The most rooms whose end is remembered.
const LAST_ENDS: usize = 10_000;
/// How long the end of a room is remembered.
const REMEMBERED: Duration = Duration::from_secs(60 * 60);

/// Where a room ended, and when this server noted it.
struct LastEnd {
    cursor: Cursor,
    at: Instant,
}

struct Tenant {
    handle: Handle,
    generation: u64,
}

/// Where a room is. One server has all of them; of several, each room is on one.
pub enum Location {
    /// In this process.
    Here(Handle),
    /// On another server, which is alive.
    There(Peer),
}

/// Why a room cannot be entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoEntry {
    /// There is none of this code.
    #[error("no such room")]
    Missing,
    /// Its journal cannot be read now.
    #[error("the room cannot be read now")]
    Failed,
    /// The server that had it is gone, and no other may take it yet.
    #[error("the room changes servers, try again in a second")]
    Waiting,
    /// The server holds as many rooms as it may.
    #[error("the server is full")]
    Full,
    /// Rooms were woken for this address for too long of late.
    #[error("too many rooms were woken from this address, try in a moment")]
    TooMuchWoken,
    /// The server is on its way out.
    #[error("the server is stopping")]
    Stopping,
}

impl NoEntry {
    /// How a connection is closed for it.
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
    /// Whether there are as many rooms in memory as there may be; 0 for no limit.
    fn is_full(&self, max: usize) -> bool {
        max > 0 && self.len() >= max
    }

    /// Whether half of the rooms there may be in memory are not there; 0 for no limit.
    pub fn is_half_empty(&self, max: usize) -> bool {
        max == 0 || self.len() <= max / 2
    }

    /// How many rooms are in memory.
    pub fn len(&self) -> usize {
        self.rooms.len()
    }

    /// Whether one more room could be entered: there is a place, or somebody's who left.
    pub fn has_place(&self, max: usize) -> bool {
        !self.is_full(max) || self.rooms.iter().any(|room| room.handle.empty_since().is_some())
    }

    /// The rooms nobody is connected to, the longest empty first.
    fn empty_rooms(&self) -> Vec<Handle> {
        let rooms = self.rooms.iter();
        let mut empty: Vec<_> =
            rooms.filter_map(|room| Some((room.handle.empty_since()?, room.handle.clone()))).collect();
        empty.sort_by_key(|(since, _)| *since);
        empty.into_iter().map(|(_, room)| room).collect()
    }

    /// Remembers where a room ended as far as this server knows. Evicts the oldest end if there are too many.
    pub fn remember_end(&self, code: RoomCode, end: Cursor) {
        if self.last_ends.len() >= LAST_ENDS {
            let oldest = self.last_ends.iter().min_by_key(|end| end.at).map(|end| *end.key());
            oldest.map(|oldest| self.last_ends.remove(&oldest));
        }
        self.last_ends.insert(code, LastEnd { cursor: end, at: Instant::now() });
    }

    /// Forgets the ends of rooms that nobody has opened here for an hour.
    pub fn tidy(&self) {
        self.last_ends.retain(|_, end| end.at.elapsed() < REMEMBERED);
    }

    /// Whether a room that is opened here has lost entries since this server had it last.
    pub fn has_lost_entries(&self, code: RoomCode, end: Cursor) -> bool {
        self.last_ends.remove(&code).is_some_and(|(_, last)| end.is_behind(last.cursor))
    }

    fn codes(&self) -> Vec<String> {
        self.rooms.iter().map(|room| room.key().to_string()).collect()
    }

    /// A room's task ends: the next to come gets a new one. The generation fences an old task off, which must not take out
    /// its successor.
    fn remove(&self, code: RoomCode, generation: u64) {
        self.rooms.remove_if(&code, |_, tenant| tenant.generation == generation);
    }
}

/// A drop guard: takes a room's handle out of the registry when its task ends, however it ends.
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

/// Writes down a new room for somebody at this address, perhaps one that begins with an earlier game, and answers its code.
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
            // If it was written all the same, nobody has its code, and it is swept away like any room nobody opens.
            Err(AppendError::Failed(error) | AppendError::Unknown(error)) => return Err(error),
        }
    }
}

/// Where a room is. If no server has it, it is rebuilt here from its journal, which is counted for whoever asks.
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
        // Somebody else may have a place for it.
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

/// Takes the room for this server, or answers who else has it.
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

/// Gives a room up that is not in memory any more, so that the next server to be asked takes it.
pub async fn release(shared: &Shared, code: RoomCode) {
    if let Err(error) = shared.journal.ownership().release(code.as_str()).await {
        tracing::debug!(room = %code, %error, "cannot give the room up");
    }
}

/// Whether there is such a room, without waking it: no place is taken in memory and nothing is rebuilt.
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

/// Eviction: on a full server those rooms make way that nobody is in, the longest empty first, until there is a place.
/// Nothing is lost, for whoever comes back finds the room rebuilt from its journal.
async fn evict_for(shared: &Arc<Shared>, code: RoomCode, source: Option<Source>) -> Result<Handle, NoEntry> {
    // One at a time: two would ask the same room, and two who come to one room need only one place.
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

/// Deletes the rooms nobody has opened for as long as they are kept, counted in running time: a wrong date, or a
/// machine that was off, deletes nothing. With 0 days rooms are kept for ever.
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
