//! Loads a room from the journal, and charges the client that asked for it.
//!
//! It does not know what the task does next.

use super::audience::Verdicts;
use super::budget::RoomBudget;
use super::connections::Connections;
use super::handover::Handovers;
use super::review::Questions;
use super::{RoomTask, Shown};
use crate::RoomCode;
use crate::client_addr::ClientAddr;
use crate::limits::CpuQuota;
use crate::rooms::Rooms;
use journal::JournalError;
use room::{Misfit, Room};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Idle timeout of a room that was only looked at. It stays for a few seconds in case of more requests, and for
/// `REBUILDS` times as long as rebuilding it took. So repeated lookups cost at most a tenth of a processor.
const UNVISITED: Duration = Duration::from_secs(5);
const REBUILDS: u32 = 10;

/// What loading a room has cost a client.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoadCost {
    pub client: ClientAddr,
    pub quota: CpuQuota,
    pub took: Duration,
}

impl RoomTask {
    pub(super) async fn read(
        rooms: Arc<Rooms>,
        code: RoomCode,
        (client, quota): (ClientAddr, CpuQuota),
    ) -> Result<Option<RoomTask>, Box<dyn std::error::Error + Send + Sync>> {
        let now = rooms.base.clock.running();
        // Read the term before opening the room: in a later term, another server might have owned the room in between.
        let term = rooms.base.lease.term();
        let Some(opened) = rooms.base.journal.open(code.as_str(), now).await? else { return Ok(None) };
        let term = term.ok_or(JournalError::Elsewhere(None))?;
        if rooms.loaded.has_lost_entries(code, opened.cursor) {
            tell_lost(code.as_str(), opened.cursor.entries());
        }
        let begun = std::time::Instant::now();
        let (before, lines, notes) = (opened.before, opened.entries, opened.notes);
        let rebuild = move || {
            let begun = std::time::Instant::now();
            let mut room = Room::from_journal(before, &lines, now)?;
            let unreadable = room.recall(&notes);
            Ok::<_, Misfit>((room, unreadable, begun.elapsed()))
        };
        let turn = rooms.rebuilds.turn(Some(client)).await;
        let (room, unreadable, took) = turn.work(rebuild).await??;
        rooms.base.limits.worked(client, quota, took);
        if unreadable > 0 {
            tracing::warn!(room = %code, unreadable, "some chat lines of the room cannot be read");
        }
        let budget = (rooms.base.config.acts_per_second > 0).then(RoomBudget::new);
        Ok(Some(RoomTask {
            code,
            cursor: opened.cursor,
            term,
            shown: Shown { revision: room.revision(), audience: Vec::new() },
            shown_version: room.version(),
            base: rooms.base.clone(),
            rooms,
            room,
            connections: Connections::after(opened.cursor.entries()),
            write_again: Instant::now(),
            thinking_about: Vec::new(),
            thoughts: JoinSet::new(),
            questions: Questions::default(),
            handovers: Handovers::default(),
            verdicts: Verdicts::default(),
            budget,
            load: Some(LoadCost { client, quota, took }),
            unvisited: UNVISITED.max(begun.elapsed() * REBUILDS),
            evicting: None,
        }))
    }
}

/// Logs that a room was opened without the last entries that this server had seen.
fn tell_lost(room: &str, entries: u64) {
    tracing::error!(
        room,
        entries,
        "the last moves of the room were lost when the database failed over; the game continues without them"
    );
}
