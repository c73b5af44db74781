//! Opens, finds, loads, evicts and deletes rooms.

use crate::RoomCode;
use crate::client_addr::ClientAddr;
use crate::code::random_bytes;
use crate::handle::{Handle, TaskState};
use crate::limits::CpuQuota;
use crate::loaded_rooms::FoundRoom;
use crate::refused::Refused;
use crate::room_task;
use crate::rooms::Rooms;
use axum::http::StatusCode;
use game::Seed;
use journal::ownership::Peer;
use journal::{AppendError, Cursor, JournalError};
use protocol::{Close, Code, Origin};
use room::{Options, Room};
use std::sync::Arc;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

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
    #[error("the room is moving to another server, try again in a second")]
    Waiting,
    /// The server has the maximum number of rooms in memory.
    #[error("the server is full")]
    Full,
    /// The address has used up its quota for loading rooms.
    #[error("too many rooms were loaded for this address, try again in a moment")]
    LoadLimit,
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
            NoEntry::LoadLimit => Close::TryLater,
            NoEntry::Waiting | NoEntry::Full | NoEntry::Stopping => Close::Restart,
        }
    }
}

impl From<NoEntry> for Refused {
    fn from(no_entry: NoEntry) -> Refused {
        let (status, code) = match no_entry {
            NoEntry::Missing => (StatusCode::NOT_FOUND, Code::NoSuchRoom),
            NoEntry::Failed | NoEntry::Waiting => (StatusCode::SERVICE_UNAVAILABLE, Code::RoomUnreadable),
            NoEntry::Full => (StatusCode::SERVICE_UNAVAILABLE, Code::ServerFull),
            NoEntry::LoadLimit => (StatusCode::TOO_MANY_REQUESTS, Code::TooManyRequests),
            NoEntry::Stopping => (StatusCode::SERVICE_UNAVAILABLE, Code::Stopping),
        };
        Refused::new(status, code, no_entry.to_string())
    }
}

/// Writes a new room for a client at this address, optionally one that starts from an earlier game, and returns its
/// code.
pub async fn open(
    rooms: &Rooms,
    source: ClientAddr,
    options: Options,
    origin: Option<Box<Origin>>,
) -> Result<RoomCode, JournalError> {
    loop {
        let code = RoomCode::random();
        let now = rooms.base.clock.now();
        let (options, seed) = (options.clone(), Seed(random_bytes()));
        let opened = match &origin {
            Some(origin) => Room::open_from(code.as_str(), options, seed, origin.clone(), now.wall),
            None => Room::open(code.as_str(), options, seed, now.wall),
        };
        let opened = opened.to_json();
        let bytes = opened.len() as u64;
        match rooms.base.journal.append(code.as_str(), Cursor::START, vec![opened], now.steady).await {
            Ok(_) => {
                rooms.base.limits.wrote(source, bytes);
                return Ok(code);
            }
            Err(AppendError::Conflict { .. } | AppendError::Fenced) => {} // The code is taken.
            // If it was written anyway, no client knows its code, and it is deleted like any unused room.
            Err(AppendError::Failed(error) | AppendError::Unknown(error)) => return Err(error),
        }
    }
}

/// Returns where a room is. If no server has it, it is rebuilt here from its journal, which is charged to the client.
pub async fn enter(
    rooms: &Arc<Rooms>,
    code: RoomCode,
    (client, quota): (ClientAddr, CpuQuota),
) -> Result<Location, NoEntry> {
    if !rooms.loaded.contains(code) && !rooms.base.limits.may_work(client, quota) {
        return Err(NoEntry::LoadLimit);
    }
    let found = match find_or_spawn(rooms, code, (client, quota)) {
        // No room is evicted for one that another server has.
        Err(NoEntry::Full) => match rooms.base.journal.ownership().elsewhere(code.as_str()).await {
            Ok(Some(peer)) => return Ok(Location::There(peer)),
            Ok(None) => evict_for(rooms, code, (client, quota)).await,
            Err(error) => {
                tracing::debug!(room = %code, %error, "cannot look up the owner of the room");
                return Err(NoEntry::Failed);
            }
        },
        found => found,
    };
    if let Err(NoEntry::Full) = found {
        // Another server may have space for it.
        rooms.release(code).await;
    }
    let mut handle = found?;
    match handle.state().await {
        TaskState::Open { .. } => Ok(Location::Here(handle)),
        TaskState::Missing => Err(NoEntry::Missing),
        TaskState::Elsewhere(Some(peer)) => Ok(Location::There(peer)),
        _ if rooms.base.draining.is_cancelled() => Err(NoEntry::Stopping),
        TaskState::Elsewhere(None) => Err(NoEntry::Waiting),
        TaskState::Reading | TaskState::Failed => Err(NoEntry::Failed),
    }
}

/// Checks that a room exists, without loading it: no slot is taken and nothing is rebuilt.
pub async fn exists(rooms: &Rooms, code: RoomCode) -> Result<(), NoEntry> {
    if rooms.base.draining.is_cancelled() {
        return Err(NoEntry::Stopping);
    }
    if rooms.loaded.open_room(code).is_some() {
        return Ok(());
    }
    match rooms.base.journal.exists(code.as_str()).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(NoEntry::Missing),
        Err(error) => {
            tracing::debug!(room = %code, %error, "cannot look up the room");
            Err(NoEntry::Failed)
        }
    }
}

/// Eviction: on a full server, unloads rooms without connections, longest empty first, until there is space. Nothing is
/// lost, because a returning client finds the room rebuilt from its journal.
async fn evict_for(rooms: &Arc<Rooms>, code: RoomCode, charged: (ClientAddr, CpuQuota)) -> Result<Handle, NoEntry> {
    // One at a time: two evictions would ask the same room, and two requests for one room need only one slot.
    let _turn = rooms.loaded.evicting.lock().await;
    for empty in rooms.loaded.empty_rooms() {
        match find_or_spawn(rooms, code, charged) {
            Err(NoEntry::Full) => empty.evict().await,
            found => return found,
        }
    }
    find_or_spawn(rooms, code, charged)
}

fn find_or_spawn(rooms: &Arc<Rooms>, code: RoomCode, charged: (ClientAddr, CpuQuota)) -> Result<Handle, NoEntry> {
    if rooms.base.draining.is_cancelled() {
        return Err(NoEntry::Stopping);
    }
    match rooms.loaded.find_or_insert(code, rooms.base.config.max_rooms) {
        Some(FoundRoom::Loaded(handle)) => Ok(handle),
        Some(FoundRoom::New(handle, inbox, tenancy)) => {
            rooms.base.tasks.spawn(room_task::run(rooms.clone(), code, inbox, tenancy, charged));
            Ok(handle)
        }
        None => Err(NoEntry::Full),
    }
}

/// Deletes rooms that were not opened for `keep_days`, counted in running time: neither a wrong date nor a machine
/// that was off deletes anything. With 0 days, rooms are kept indefinitely.
pub async fn sweep(rooms: &Rooms) {
    if rooms.base.config.keep_days == 0 {
        return;
    }
    let before = rooms.base.clock.running().saturating_sub(u64::from(rooms.base.config.keep_days) * DAY_MS);
    match rooms.base.journal.forget_unopened(before, rooms.loaded.codes()).await {
        Ok(forgotten) if forgotten.is_empty() => {}
        Ok(forgotten) => tracing::info!(rooms = forgotten.len(), "deleted unused rooms"),
        Err(error) => tracing::debug!(%error, "cannot delete unused rooms"),
    }
}
