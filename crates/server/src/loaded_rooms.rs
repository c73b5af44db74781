//! The rooms in memory: only their handles, because each room belongs to its own task.
//!
//! It does not know how a room is loaded.

use crate::RoomCode;
use crate::handle::{Handle, Inbox};
use dashmap::DashMap;
use journal::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// The rooms in memory.
#[derive(Default)]
pub struct LoadedRooms {
    rooms: DashMap<RoomCode, Tenant>,
    /// Distinguishes a room's task from a later one with the same code.
    generations: AtomicU64,
    /// Serializes evictions: held by the request for which a room is evicted.
    pub evicting: Mutex<()>,
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

/// A room in memory.
pub enum FoundRoom {
    Loaded(Handle),
    /// A new entry, for which a task must be started.
    New(Handle, Inbox, Tenancy),
}

struct Tenant {
    handle: Handle,
    generation: u64,
}

impl LoadedRooms {
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
    pub fn has_space(&self, max: usize) -> bool {
        !self.is_full(max) || self.rooms.iter().any(|room| room.handle.empty_since().is_some())
    }

    pub fn contains(&self, code: RoomCode) -> bool {
        self.rooms.contains_key(&code)
    }

    /// Returns the room if it is in memory and serves clients.
    pub fn open_room(&self, code: RoomCode) -> Option<Handle> {
        self.rooms.get(&code).map(|room| room.handle.clone()).filter(Handle::is_open)
    }

    /// Returns the room, or a new entry for it, whose task the caller must start. Returns `None` if `max` rooms are in
    /// memory.
    pub fn find_or_insert(self: &Arc<Self>, code: RoomCode, max: usize) -> Option<FoundRoom> {
        // Counted before the entry is locked: counting locks every shard in turn.
        let full = self.is_full(max);
        match self.rooms.entry(code) {
            dashmap::Entry::Occupied(room) => Some(FoundRoom::Loaded(room.get().handle.clone())),
            dashmap::Entry::Vacant(_) if full => None,
            dashmap::Entry::Vacant(entry) => {
                let (handle, inbox) = Handle::new();
                let generation = self.generations.fetch_add(1, Ordering::Relaxed);
                entry.insert(Tenant { handle: handle.clone(), generation });
                let tenancy = Tenancy { rooms: self.clone(), code, generation };
                Some(FoundRoom::New(handle, inbox, tenancy))
            }
        }
    }

    /// Returns the rooms without connections, longest empty first.
    pub fn empty_rooms(&self) -> Vec<Handle> {
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

    pub fn codes(&self) -> Vec<String> {
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
    rooms: Arc<LoadedRooms>,
    code: RoomCode,
    generation: u64,
}

impl Drop for Tenancy {
    fn drop(&mut self) {
        self.rooms.remove(self.code, self.generation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use journal::Journal;
    use journal::memory::Memory;

    #[tokio::test(start_paused = true)]
    async fn forgets_room_ends_after_an_hour_and_evicts_the_oldest() {
        let registry = LoadedRooms::default();
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
