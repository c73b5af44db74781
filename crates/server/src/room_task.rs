//! The actor of one room: a task that owns the room, receives requests, decides, writes, applies, and shows the result.
//!
//! If a request cannot be written, its client is informed and the task ends. The next request loads the room as it was
//! last written. Looking at a room writes nothing.

mod audience;
mod autopilot;
mod budget;
mod commit;
mod connections;
mod handover;
mod join;
mod load;
mod review;
mod say;
mod serve;
mod show;

use crate::RoomCode;
use crate::base::Base;
use crate::client_addr::ClientAddr;
use crate::handle::{ConnectionId, Inbox, TaskState};
use crate::limits::CpuQuota;
use crate::loaded_rooms::Tenancy;
use crate::rooms::Rooms;
use audience::Verdicts;
use autopilot::Thought;
use budget::RoomBudget;
use connections::Connections;
use handover::Handovers;
use journal::ownership::Term;
use journal::{Cursor, JournalError};
use load::LoadCost;
use protocol::RoomView;
use review::Questions;
use room::{Room, Want};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Why the task must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TaskExit {
    /// The storage failed, and nothing has changed. A caller that can do without the write may continue: if it was
    /// written after all, the next append fails with a conflict.
    Unwritten,
    /// The room in memory differs from the written one, or the server is stopping.
    Stale,
}

/// Runs a room until it is idle for a while, the server stops, or the journal cannot be written.
pub async fn run(rooms: Arc<Rooms>, code: RoomCode, inbox: Inbox, tenancy: Tenancy, charged: (ClientAddr, CpuQuota)) {
    let Inbox { mut asks, state } = inbox;
    let draining = rooms.base.draining.clone();
    let read = tokio::select! {
        biased;
        // Nothing has happened yet, so the room can simply be read again later.
        () = draining.cancelled() => return,
        read = RoomTask::read(rooms, code, charged) => read,
    };
    let mut task = match read {
        Ok(Some(task)) => task,
        Ok(None) => {
            state.send_replace(TaskState::Missing);
            return;
        }
        Err(error) => {
            let found = match error.downcast::<JournalError>().map(|error| *error) {
                Ok(JournalError::Elsewhere(owner)) => TaskState::Elsewhere(owner),
                // The journal logs its own read errors, once.
                Ok(error) => {
                    tracing::debug!(room = %code, %error, "cannot read the room");
                    TaskState::Failed
                }
                Err(error) => {
                    tracing::error!(room = %code, %error, "cannot read the room");
                    TaskState::Failed
                }
            };
            state.send_replace(found);
            return;
        }
    };
    tracing::debug!(room = %code, "room opened");
    let ended = task.serve(&mut asks, &state).await;
    if ended == Err(TaskExit::Stale) {
        task.rooms.loaded.remember_end(code, task.cursor);
    }
    // Release the room while it is still in the registry, so that this server does not load it again meanwhile. A stale
    // room is left to its current owner, and shutdown releases all rooms together.
    if ended.is_ok() && !draining.is_cancelled() {
        task.rooms.release(code).await;
    }
    // Leave the registry before the channel closes. A client that finds this task ended can then start a new one, and
    // an eviction that waits for this task finds the slot free.
    drop(tenancy);
    drop(task);
    tracing::debug!(room = %code, "room unloaded");
}

/// What clients were last shown of the room. The revision and the spectators stand for the whole view, because
/// comparing views would require building each of them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    revision: u64,
    /// The spectators, and whether each is muted.
    audience: Vec<(ConnectionId, bool)>,
}

struct RoomTask {
    base: Arc<Base>,
    rooms: Arc<Rooms>,
    code: RoomCode,
    room: Room,
    /// End of the room's journal. The next entry must follow it.
    cursor: Cursor,
    /// Lease term in which the room was opened. The server owns the room only during this term.
    term: Term,
    connections: Connections,
    /// No write without a request is attempted before this time.
    write_again: Instant,
    /// What clients were last shown: the room, and the version of its game.
    shown: Shown,
    shown_version: u64,
    /// Decisions that bots are thinking about, and the running computations.
    thinking_about: Vec<Want>,
    thoughts: JoinSet<Thought>,
    /// Questions to the strongest bot.
    questions: Questions,
    handovers: Handovers,
    /// The host's decisions about spectators.
    verdicts: Verdicts,
    /// Remaining budget for activity other than playing, or `None` if it is not limited.
    budget: Option<RoomBudget>,
    /// Charge for loading the room, which is cancelled if that client has a seat in it.
    load: Option<LoadCost>,
    /// Time the room stays in memory if no client joins.
    unvisited: Duration,
    /// Dropped with the task, to notify the eviction that waits for this room.
    evicting: Option<oneshot::Sender<()>>,
}

impl RoomTask {
    /// Returns the client charged for what no client requested, such as bot moves: the longest-connected one.
    fn longest_here(&self) -> Option<ClientAddr> {
        self.connections.oldest().map(|connection| connection.outbox.source())
    }

    fn view(&self) -> RoomView {
        self.room.view(self.audience(), self.base.config.keep_days, self.base.clock.running())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client_addr::client;
    use crate::handle::{Arrival, Handle, Who};
    use crate::limits::table;
    use crate::outbox::{Out, OutboxReader, without_wire};
    use crate::registry::{self, Location};
    use crate::{AppState, Cli};
    use clap::Parser;
    use journal::memory::Memory;
    use protocol::ClientMessage;
    use room::{Name, Options};

    async fn until_sent(waiting: &mut OutboxReader, word: &str) {
        loop {
            match waiting.next().await {
                Out::Text(text) if text.contains(word) => return,
                Out::Text(_) => {}
                Out::Moved => drop(waiting.take_seat_change()),
                Out::Flush | Out::Close(_) => panic!("{word} was never sent"),
            }
        }
    }

    fn state() -> AppState {
        AppState::new(Cli::parse_from(["rookery"]).config, Arc::new(Memory::default()))
    }

    async fn open(state: &AppState, source: ClientAddr) -> Handle {
        let options = Options::new("towers", None, None, protocol::Forced::Auto).unwrap();
        let code = registry::open(&state.rooms, source, options, None).await.unwrap();
        match registry::enter(&state.rooms, code, (source, CpuQuota::Loading)).await {
            Ok(Location::Here(room)) => room,
            _ => panic!("cannot enter the room"),
        }
    }

    async fn join(room: &Handle, name: &str, source: ClientAddr) -> (ConnectionId, OutboxReader) {
        let (outbox, received) = without_wire(source);
        let who = Who::Player(Name::new(name).unwrap());
        match room.join(Arrival { who, salt: None, program: false, have: None }, outbox).await {
            Ok(id) => (id, received),
            Err(_) => panic!("cannot join the room"),
        }
    }

    /// Opens a room in which a client from this address plays against a bot, and must act. The reader receives what is
    /// sent after that.
    async fn alone_with_a_bot(ana: ClientAddr, level: game::Level) -> (AppState, Handle, ConnectionId, OutboxReader) {
        let state = state();
        let room = open(&state, ana).await;
        let (id, mut received) = join(&room, "Ana", ana).await;
        room.say(id, ClientMessage::AddBot { level }).await.unwrap();
        room.say(id, ClientMessage::Start {}).await.unwrap();
        until_sent(&mut received, r#""actions":[{"#).await;
        (state, room, id, received)
    }

    #[tokio::test]
    async fn counts_writes_per_address_across_rooms() {
        let state = state();
        let source = |last: u8| client(&format!("192.0.2.{last}"));
        let (glutton, friend) = (source(1), source(2));
        let room = open(&state, source(3)).await;
        let mut here = Vec::new();
        for (name, source) in [("Ana", friend), ("Zoe", glutton)] {
            here.push(join(&room, name, source).await);
        }
        let written = |source| {
            let mut bytes = 0;
            while state.base.limits.may_write(source) {
                state.base.limits.wrote(source, 1 << 20);
                bytes += 1;
            }
            bytes
        };
        assert!(written(glutton) <= 512, "taking a seat has used some of the quota");
        let (zoe, mut waiting) = here.pop().unwrap();
        room.say(zoe, ClientMessage::Stand {}).await.unwrap();
        until_sent(&mut waiting, r#""seat":null,"token":null"#).await;
        room.say(zoe, ClientMessage::Sit {}).await.unwrap();
        until_sent(&mut waiting, "too_much_written").await;
        // Other addresses are not affected.
        let (ana, mut waiting) = here.pop().unwrap();
        room.say(ana, ClientMessage::AddBot { level: game::Level::Easy }).await.unwrap();
        until_sent(&mut waiting, r#""kind":"bot""#).await;
        state.base.draining.cancel();
    }

    #[tokio::test]
    async fn refuses_hints_beyond_the_thinking_quota_of_an_address() {
        let ana = client("192.0.2.1");
        let (state, room, id, mut received) = alone_with_a_bot(ana, game::Level::Hard).await;
        room.say(id, ClientMessage::Hint {}).await.unwrap();
        until_sent(&mut received, r#""type":"hint""#).await;
        assert!(state.base.limits.was_charged(ana, CpuQuota::Thinking), "the hint is charged");
        state.base.limits.worked(ana, CpuQuota::Thinking, Duration::from_secs(600));
        room.say(id, ClientMessage::Hint {}).await.unwrap();
        until_sent(&mut received, "too_many_requests").await;
        state.base.draining.cancel();
    }

    #[tokio::test]
    async fn waiting_hints_reserve_the_thinking_quota_of_an_address() {
        let ana = client("192.0.2.1");
        let (state, room, id, mut received) = alone_with_a_bot(ana, game::Level::Easy).await;
        let occupied = state.rooms.reviews.occupy_hint_turns().await;
        // Little more is left than for two hints, and none of them begins.
        let left = state.base.limits.reserve(ana, CpuQuota::Thinking, 2 * table::HINT + table::HINT / 2);
        let others = std::iter::from_fn(|| state.base.limits.reserve(ana, CpuQuota::Thinking, table::HINT / 10));
        let others: Vec<_> = others.collect();
        drop(left);
        for _ in 0..30 {
            room.say(id, ClientMessage::Hint {}).await.unwrap();
        }
        let refused = until_sent(&mut received, "too_many_requests");
        let refused = tokio::time::timeout(Duration::from_secs(20), refused).await;
        refused.expect("a hint is refused while the others wait");
        drop((occupied, others));
        until_sent(&mut received, r#""type":"hint""#).await;
        until_sent(&mut received, r#""type":"hint""#).await;
        state.base.draining.cancel();
    }
}
