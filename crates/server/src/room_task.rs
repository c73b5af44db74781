//! The actor of one room: a task that owns the room, receives requests, decides, writes, applies, and shows the result.
//!
//! If a request cannot be written, its client is informed and the task ends. The next request loads the room as it was
//! last written. Looking at a room writes nothing.

mod audience;
mod autopilot;
mod budget;
mod connections;
mod handover;
mod join;
mod review;
mod say;
mod show;

use crate::RoomCode;
use crate::address::Source;
use crate::handle::{Ask, ConnectionId, Inbox, Opening};
use crate::records::NotMade;
use crate::registry::{self, Tenancy};
use crate::shared::Shared;
use audience::Verdicts;
use autopilot::Thought;
use budget::{Budget, Unrest};
use connections::Connections;
use handover::Handovers;
use journal::ownership::Term;
use journal::{AppendError, Cursor, JournalError, Lines};
use protocol::{Close, RoomView};
use review::{Answer, Questions};
use room::{Entry, Input, Millis, Misfit, Now, Refusal, Room, Said, Want, What};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Idle timeout: a room without connections leaves memory after this time.
const IDLE: Duration = Duration::from_secs(10 * 60);
/// Idle timeout of a room that was only looked at. It stays for a few seconds in case of more requests, and for
/// `REBUILDS` times as long as rebuilding it took. So repeated lookups cost at most a tenth of a processor.
const UNVISITED: Duration = Duration::from_secs(5);
const REBUILDS: u32 = 10;
/// Delay before retrying a failed write that no client requested, such as a bot's act. A full disk stays full for a
/// while, and clients may watch meanwhile.
const WRITE_AGAIN: Duration = Duration::from_secs(10);

/// Why an input had no effect.
enum NotDone {
    /// It was refused, and nothing has changed.
    Refused(Refusal),
    /// The task must end.
    Halted(Halt),
}

/// Why the task must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Halt {
    /// The storage failed, and nothing has changed. A caller that can do without the write may continue: if it was
    /// written after all, the next append fails with a conflict.
    Unwritten,
    /// The room in memory differs from the written one, or the server is stopping.
    Stale,
}

impl From<Refusal> for NotDone {
    fn from(refusal: Refusal) -> NotDone {
        NotDone::Refused(refusal)
    }
}

impl From<Halt> for NotDone {
    fn from(halt: Halt) -> NotDone {
        NotDone::Halted(halt)
    }
}

/// Runs a room until it is idle for a while, the server stops, or the journal cannot be written.
pub async fn run(
    shared: Arc<Shared>,
    code: RoomCode,
    inbox: Inbox,
    tenancy: Tenancy,
    woken_by: Option<Source>,
) {
    let Inbox { mut asks, opening } = inbox;
    let draining = shared.draining.clone();
    let read = tokio::select! {
        biased;
        // Nothing has happened yet, so the room can simply be read again later.
        () = draining.cancelled() => return,
        read = RoomTask::read(shared, code, woken_by) => read,
    };
    let mut task = match read {
        Ok(Some(task)) => task,
        Ok(None) => {
            opening.send_replace(Opening::Missing);
            return;
        }
        Err(error) => {
            // The journal logs its own read errors, once.
            if error.is::<JournalError>() {
                tracing::debug!(room = %code, %error, "cannot read the room");
            } else {
                tracing::error!(room = %code, %error, "cannot read the room");
            }
            opening.send_replace(Opening::Failed);
            return;
        }
    };
    tracing::debug!(room = %code, "room opened");
    let ended = task.serve(&mut asks, &opening).await;
    if ended == Err(Halt::Stale) {
        task.shared.registry.remember_end(code, task.cursor);
    }
    // Release the room while it is still in the registry, so that this server does not load it again meanwhile. A stale
    // room is left to its current owner, and shutdown releases all rooms together.
    if ended.is_ok() && !draining.is_cancelled() {
        registry::release(&task.shared, code).await;
    }
    // Leave the registry before the channel closes. A client that finds this task ended can then start a new one, and
    // an eviction that waits for this task finds the slot free.
    drop(tenancy);
    drop(task);
    tracing::debug!(room = %code, "room put away");
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
    shared: Arc<Shared>,
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
    budget: Option<Budget>,
    /// Client charged for the current write: the requester, or the longest-connected client for bot moves and timers.
    payer: Option<Source>,
    /// How long the room stays in memory if no client joins.
    unvisited: Duration,
    /// Dropped with the task, to notify the eviction that waits for this room.
    making_way: Option<oneshot::Sender<()>>,
}

impl RoomTask {
    async fn read(
        shared: Arc<Shared>,
        code: RoomCode,
        woken_by: Option<Source>,
    ) -> Result<Option<RoomTask>, Box<dyn std::error::Error + Send + Sync>> {
        let now = shared.clock.running();
        // Read the term before opening the room: in a later term, another server might have owned the room in between.
        let term = shared.lease.term().ok_or(JournalError::Elsewhere)?;
        let Some(opened) = shared.journal.open(code.as_str(), now).await? else { return Ok(None) };
        if shared.registry.has_lost_entries(code, opened.cursor) {
            tell_lost(code.as_str(), opened.cursor.entries());
        }
        let begun = std::time::Instant::now();
        let (before, lines, notes) = (opened.before, opened.entries, opened.notes);
        let rebuild = move || {
            let mut room = Room::rebuild(Entry::read_all(before, &lines)?, now)?;
            let unreadable = room.recall(&notes);
            Ok::<_, Misfit>((room, unreadable))
        };
        let rebuild = shared.paid_by(woken_by, rebuild);
        let (room, unreadable) = shared.rebuilds.turn().await.work(rebuild).await??;
        if unreadable > 0 {
            tracing::warn!(room = %code, unreadable, "what was said in the room cannot all be read");
        }
        let budget = (shared.config.acts_per_second > 0).then(|| Budget::new(now));
        Ok(Some(RoomTask {
            code,
            cursor: opened.cursor,
            term,
            shown: Shown { revision: room.revision(), audience: Vec::new() },
            shown_version: room.version(),
            shared,
            room,
            connections: Connections::after(opened.cursor.entries()),
            write_again: Instant::now(),
            thinking_about: Vec::new(),
            thoughts: JoinSet::new(),
            questions: Questions::default(),
            handovers: Handovers::default(),
            verdicts: Verdicts::default(),
            budget,
            payer: None,
            unvisited: UNVISITED.max(begun.elapsed() * REBUILDS),
            making_way: None,
        }))
    }

    async fn serve(
        &mut self,
        asks: &mut mpsc::Receiver<Ask>,
        opening: &watch::Sender<Opening>,
    ) -> Result<(), Halt> {
        let draining = self.shared.draining.clone();
        // Created once for all iterations: each new future would have to register with the token.
        let mut drained = pin!(draining.cancelled());
        let lease = self.shared.lease.clone();
        let mut term_ended = pin!(lease.ended(self.term));
        let mut failovers = self.shared.nodes.failovers();
        loop {
            let empty_since = self.connections.empty_since();
            opening.send_if_modified(|opening| {
                let now = Opening::Open { empty_since };
                std::mem::replace(opening, now) != now
            });
            let stays = if self.connections.had_any() { IDLE } else { self.unvisited };
            let idle = empty_since.map(|since| since + stays);
            let due = self.room.due().map(|due| self.shared.clock.at(due));
            let own = due.into_iter().chain(self.next_want()).min().map(|own| own.max(self.write_again));
            let wake = idle.into_iter().chain(own).min();
            tokio::select! {
                biased;
                () = drained.as_mut() => return Ok(()),
                () = term_ended.as_mut() => return Err(Halt::Stale),
                Ok(()) = failovers.changed() => self.compare_with_journal().await?,
                ask = asks.recv() => match ask {
                    Some(ask) => self.hear(ask).await?,
                    None => return Ok(()),
                },
                Some(thought) = self.thoughts.join_next(), if !self.thoughts.is_empty() => match thought {
                    Ok(thought) => {
                        self.payer = self.longest_here();
                        let played = self.play_for(thought).await;
                        self.or_later(played)?;
                    }
                    // Thinkers return `None` rather than fail. If one fails anyway, think again.
                    Err(_) => self.thinking_about.clear(),
                },
                Some(answer) = self.questions.answers.join_next(), if !self.questions.answers.is_empty() => {
                    // Only the task of a review can fail.
                    let answer = answer.unwrap_or(Answer::Review(Err(NotMade::Failed)));
                    self.payer = self.longest_here();
                    let answered = self.answered(answer).await;
                    self.or_later(answered)?;
                }
                () = until(wake) => {
                    if idle.is_some_and(|idle| idle <= Instant::now()) {
                        self.put_away().await;
                        // A request may have arrived during the write.
                        if asks.is_empty() {
                            return Ok(());
                        }
                        continue;
                    }
                    self.payer = self.longest_here();
                    let done = self.see_to_others().await;
                    self.or_later(done)?;
                }
            }
            self.show();
            if self.making_way.is_some() {
                // A request may have arrived meanwhile.
                if asks.is_empty() {
                    return Ok(());
                }
                self.making_way = None;
            }
        }
    }

    /// Records when the last client left. A tab can be open without any message for longer than rooms are kept, so
    /// retention counts from this time. If the write fails, the room merely counts as not opened since.
    async fn put_away(&mut self) {
        if !self.connections.had_any() {
            return;
        }
        if let Err(error) = self.shared.journal.touch(self.room.code(), self.shared.clock.running()).await {
            tracing::debug!(room = self.room.code(), %error, "cannot note when the room was left");
        }
    }

    async fn hear(&mut self, ask: Ask) -> Result<(), Halt> {
        self.is_ours()?;
        match ask {
            Ask::Look { answer } => {
                let _ = answer.send(RoomView { asked: self.room.asked(), ..self.view() });
            }
            Ask::Join { join, line, answer } => {
                self.payer = Some(line.source());
                let joined = self.join(join, line).await?;
                let _ = answer.send(joined);
            }
            Ask::Say { from, message } => {
                self.payer = self.connections.get(from).map(|connection| connection.line.source());
                self.say(from, message).await?;
            }
            Ask::Gone { from } => self.forget(from),
            Ask::MakeWay { gone } if self.connections.empty_since().is_some() => {
                self.put_away().await;
                self.making_way = Some(gone);
            }
            Ask::MakeWay { .. } => {}
        }
        Ok(())
    }

    /// Ends the task if the journal has a different end of the room, as after a failover to a standby that lagged
    /// behind.
    async fn compare_with_journal(&mut self) -> Result<(), Halt> {
        let now = self.shared.clock.running();
        let compared = self.shared.journal.append(self.room.code(), self.cursor, Vec::new(), now).await;
        compared.map(|_| ()).map_err(|error| self.not_written(&error))
    }

    /// Self-fencing: a process that was suspended or lost contact with the journal must not speak for rooms that
    /// another server may own by now.
    fn is_ours(&self) -> Result<(), Halt> {
        if self.shared.lease.holds(self.term) { Ok(()) } else { Err(Halt::Stale) }
    }

    /// Decides, writes and applies an input. A refused input changes nothing.
    async fn carry_out(&mut self, input: Input) -> Result<Vec<Entry>, NotDone> {
        let farewell = farewell(&input);
        let now = self.shared.clock.now();
        let unrest = Unrest::of(&input);
        self.may_write(&input, unrest, now.steady)?;
        let entries = self.room.decide(input, now)?;
        if entries.is_empty() {
            return Ok(entries);
        }
        let bytes = self.write(&entries, now).await?;
        self.charge(bytes, unrest, now.steady);
        for entry in &entries {
            if let Err(error) = self.room.apply(entry, now.steady) {
                tracing::error!(room = self.room.code(), %error, "an entry just decided does not fit");
                return Err(Halt::Stale.into());
            }
        }
        for entry in &entries {
            if let What::Left { player } | What::Replaced { player, .. } = entry.what {
                self.unseat(player, farewell);
            }
        }
        Ok(entries)
    }

    /// Quotas: checks whether the room's budget and the client address allow the input now. Input that no client
    /// requested is never refused.
    fn may_write(&mut self, input: &Input, unrest: Option<Unrest>, now: Millis) -> Result<(), Refusal> {
        let may_wait = input.may_wait();
        if let Some(budget) = &mut self.budget
            && may_wait
            && unrest.is_some_and(|unrest| !budget.allows(unrest, now))
        {
            return Err(Refusal::RoomBusy);
        }
        let asked = may_wait || matches!(input, Input::Act { .. });
        if asked && self.payer.is_some_and(|payer| !self.shared.written.has_any(payer, now)) {
            return Err(Refusal::TooMuchWritten);
        }
        Ok(())
    }

    /// Charges written bytes to the room's budget and to the client address.
    fn charge(&mut self, bytes: u64, unrest: Option<Unrest>, now: Millis) {
        if let (Some(budget), Some(unrest)) = (&mut self.budget, unrest) {
            budget.spend(unrest, bytes);
        }
        if let Some(payer) = self.payer {
            self.shared.written.spend(payer, bytes, now);
        }
    }

    /// Appends entries to the journal and returns the number of bytes written.
    async fn write(&mut self, entries: &[Entry], now: Now) -> Result<u64, Halt> {
        let lines: Vec<String> = entries.iter().map(Entry::to_json).collect();
        let bytes = lines.iter().map(|line| line.len() as u64).sum();
        let checkpoint = entries.last().is_some_and(Entry::is_checkpoint);
        let lines = if checkpoint { Lines::with_checkpoint(lines) } else { Lines::from(lines) };
        let begun = std::time::Instant::now();
        let appended =
            self.shared.journal.append_lines(self.room.code(), self.cursor, lines, now.steady).await;
        self.cursor = appended.map_err(|error| self.not_written(&error))?;
        self.shared.metrics.append.record(begun.elapsed());
        // If the room now has another owner, that server shows the entries.
        self.is_ours()?;
        Ok(bytes)
    }

    /// Writes a chat line. Like an entry it is durable before it is shown, but it is not part of the history.
    async fn note(&mut self, said: &Said, now: Now) -> Result<(), Halt> {
        let begun = std::time::Instant::now();
        let (code, note) = (self.room.code(), said.to_json());
        let noted = self.shared.journal.note(code, self.cursor, said.slot(), note, now.steady).await;
        noted.map_err(|error| self.not_written(&error))?;
        self.shared.metrics.append.record(begun.elapsed());
        self.is_ours()
    }

    fn not_written(&self, error: &AppendError) -> Halt {
        match error {
            // The database will be back, and clients reconnect and repeat their requests, so no error is sent.
            AppendError::Failed(JournalError::Closed | JournalError::Away(_)) => Halt::Stale,
            // The journal itself logs the cause, once.
            AppendError::Failed(error) => {
                tracing::debug!(room = self.room.code(), %error, "cannot write the room");
                Halt::Unwritten
            }
            // No answer is certain to be true, so none is sent. The client repeats the request to the current owner.
            AppendError::Fenced | AppendError::Unknown(_) => {
                tracing::debug!(room = self.room.code(), %error, "the room is not ours to write");
                Halt::Stale
            }
            AppendError::Conflict { after, actual } if actual.is_behind(*after) => {
                tracing::debug!(room = self.room.code(), %error, "the room went back");
                Halt::Stale
            }
            AppendError::Conflict { .. } => {
                tracing::error!(room = self.room.code(), %error, "somebody else has written the room");
                Halt::Stale
            }
        }
    }

    /// Does what is due without a request: timers and bot moves.
    async fn see_to_others(&mut self) -> Result<(), Halt> {
        if self.write_again > Instant::now() {
            return Ok(());
        }
        // A tick is never refused.
        if let Err(NotDone::Halted(halt)) = self.carry_out(Input::Tick {}).await {
            return Err(halt);
        }
        self.decide_for_others().await
    }

    /// Postpones a failed write that no client requested, so that connected clients need not be disconnected for it.
    fn or_later(&mut self, done: Result<(), Halt>) -> Result<(), Halt> {
        if let Err(Halt::Unwritten) = done {
            self.write_again = Instant::now() + WRITE_AGAIN;
            return Ok(());
        }
        done
    }

    fn longest_here(&self) -> Option<Source> {
        self.connections.oldest().map(|connection| connection.line.source())
    }

    fn view(&self) -> RoomView {
        self.room.view(self.audience(), self.shared.config.keep_days, self.shared.clock.running())
    }
}

/// Logs that a room was opened without the last entries that this server had seen.
fn tell_lost(room: &str, entries: u64) {
    tracing::error!(
        room,
        entries,
        "the last moves of the room were lost when the database failed over; play goes on from what is there"
    );
}

/// Returns how the connections of a player who gives up a seat are closed. With `None` they stay as spectators.
fn farewell(input: &Input) -> Option<Close> {
    match input {
        Input::Leave { .. } => Some(Close::Left),
        Input::Remove { .. } => Some(Close::Removed),
        _ => None,
    }
}

async fn until(wake: Option<Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::{Arrival, Who};
    use crate::line::{Out, Waiting, without_wire};
    use crate::registry::{self, Location};
    use crate::{Cli, Shared};
    use axum::http::HeaderMap;
    use clap::Parser;
    use journal::memory::Memory;
    use protocol::ClientMessage;
    use room::{Name, Options};

    async fn until_said(waiting: &mut Waiting, word: &str) {
        loop {
            match waiting.next().await {
                Out::Text(text) if text.contains(word) => return,
                Out::Text(_) => {}
                Out::Moved => drop(waiting.seat()),
                Out::Rest | Out::Close(_) => panic!("{word} was never said"),
            }
        }
    }

    #[tokio::test]
    async fn what_was_written_for_one_address_is_counted_in_whatever_room() {
        let shared = Shared::new(Cli::parse_from(["rookery"]).config, Arc::new(Memory::default()));
        let source = |last: u8| Source::of([192, 0, 2, last].into(), &HeaderMap::new(), &[]);
        let (glutton, friend) = (source(1), source(2));
        let options = Options::new("towers", None, None, protocol::Forced::Auto).unwrap();
        let code = registry::open(&shared, source(3), options, None).await.unwrap();
        let Ok(Location::Here(room)) = registry::enter(&shared, code, None).await else { panic!("a room") };
        let mut here = Vec::new();
        for (name, source) in [("Ana", friend), ("Zoe", glutton)] {
            let (line, waiting) = without_wire(source);
            let who = Who::Player(Name::new(name).unwrap());
            let Ok(id) = room.join(Arrival { who, salt: None, program: false }, line).await else {
                panic!("a seat")
            };
            here.push((id, waiting));
        }
        let written = |source| {
            let mut bytes = 0;
            while shared.written.has_any(source, shared.clock.running()) {
                shared.written.spend(source, 1 << 20, shared.clock.running());
                bytes += 1;
            }
            bytes
        };
        assert!(written(glutton) <= 512, "who sat down has had something written already");
        let (zoe, mut waiting) = here.pop().unwrap();
        room.say(zoe, ClientMessage::Stand {}).await.unwrap();
        until_said(&mut waiting, r#""seat":null,"token":null"#).await;
        room.say(zoe, ClientMessage::Sit {}).await.unwrap();
        until_said(&mut waiting, "too_much_written").await;
        // Other addresses are not affected.
        let (ana, mut waiting) = here.pop().unwrap();
        room.say(ana, ClientMessage::AddBot { level: game::Level::Easy }).await.unwrap();
        until_said(&mut waiting, r#""kind":"bot""#).await;
        shared.draining.cancel();
    }
}
