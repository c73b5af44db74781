//! Decide, write, apply: how an input changes the room. It takes effect only after it is in the journal.
//!
//! It does not know who asked, except whose quota is charged, nor what clients are shown.

use super::{RoomTask, TaskExit};
use crate::client_addr::ClientAddr;
use journal::{AppendError, JournalError, Lines};
use room::{Entry, Input, InputClass, InputLimit, Millis, Now, Refusal, RoomEvent, Said};

/// Why an input had no effect.
pub(super) enum NotDone {
    /// It was refused, and nothing has changed.
    Refused(Refusal),
    /// The task must end.
    Exited(TaskExit),
}

impl From<Refusal> for NotDone {
    fn from(refusal: Refusal) -> NotDone {
        NotDone::Refused(refusal)
    }
}

impl From<TaskExit> for NotDone {
    fn from(exit: TaskExit) -> NotDone {
        NotDone::Exited(exit)
    }
}

impl RoomTask {
    /// Decides, writes and applies an input. A refused input changes nothing. What is written is charged to the client.
    pub(super) async fn carry_out(&mut self, input: Input, client: Option<ClientAddr>) -> Result<Vec<Entry>, NotDone> {
        let class = input.class();
        let now = self.base.clock.now();
        self.may_write(class, client, now.steady)?;
        let entries = self.room.decide(input, now)?;
        if entries.is_empty() {
            return Ok(entries);
        }
        let bytes = self.write(&entries, now).await?;
        self.charge(bytes, class, client, now.steady);
        for entry in &entries {
            if let Err(error) = self.room.apply(entry, now.steady) {
                tracing::error!(room = self.room.code(), %error, "a new entry cannot be applied");
                return Err(TaskExit::Stale.into());
            }
        }
        for entry in &entries {
            if let RoomEvent::Left { player } | RoomEvent::Replaced { player, .. } = entry.what {
                self.unseat(player, class.close);
            }
        }
        Ok(entries)
    }

    /// Quotas: checks whether the room's budget and the client address allow the input now. Input that no client
    /// requested is never refused.
    fn may_write(&mut self, class: InputClass, client: Option<ClientAddr>, now: Millis) -> Result<(), Refusal> {
        if let (Some(budget), Some(activity)) = (&mut self.budget, class.activity)
            && class.limit >= InputLimit::Repeatable
            && !budget.allows(activity, now)
        {
            return Err(Refusal::RoomBusy);
        }
        let is_limited = class.limit >= InputLimit::Written;
        if is_limited && client.is_some_and(|client| !self.base.limits.may_write(client)) {
            return Err(Refusal::TooMuchWritten);
        }
        Ok(())
    }

    /// Charges written bytes to the room's budget and to the client address.
    fn charge(&mut self, bytes: u64, class: InputClass, client: Option<ClientAddr>, now: Millis) {
        if let (Some(budget), Some(activity)) = (&mut self.budget, class.activity) {
            budget.spend(activity, bytes, now);
        }
        if let Some(client) = client {
            self.base.limits.wrote(client, bytes);
        }
    }

    /// Appends entries to the journal and returns the number of bytes written.
    async fn write(&mut self, entries: &[Entry], now: Now) -> Result<u64, TaskExit> {
        let lines: Vec<String> = entries.iter().map(Entry::to_json).collect();
        let bytes = lines.iter().map(|line| line.len() as u64).sum();
        let checkpoint = entries.last().is_some_and(Entry::is_checkpoint);
        let lines = if checkpoint { Lines::with_checkpoint(lines) } else { Lines::from(lines) };
        let begun = std::time::Instant::now();
        let appended = self.base.journal.append_lines(self.room.code(), self.cursor, lines, now.steady).await;
        self.cursor = appended.map_err(|error| self.not_written(&error))?;
        self.base.metrics.append.record(begun.elapsed());
        // If the room now has another owner, that server shows the entries.
        self.is_ours()?;
        Ok(bytes)
    }

    /// Writes a chat line. Like an entry it is durable before it is shown, but it is not part of the history.
    pub(super) async fn note(&mut self, said: &Said, now: Now) -> Result<(), TaskExit> {
        let begun = std::time::Instant::now();
        let (code, note) = (self.room.code(), said.to_json());
        let noted = self.base.journal.note(code, self.cursor, said.slot(), note, now.steady).await;
        noted.map_err(|error| self.not_written(&error))?;
        self.base.metrics.append.record(begun.elapsed());
        self.is_ours()
    }

    /// Ends the task if the journal has a different end of the room, as after a failover to a standby that lagged
    /// behind.
    pub(super) async fn compare_with_journal(&mut self) -> Result<(), TaskExit> {
        let now = self.base.clock.running();
        let compared = self.base.journal.append(self.room.code(), self.cursor, Vec::new(), now).await;
        compared.map(|_| ()).map_err(|error| self.not_written(&error))
    }

    /// Self-fencing: a process that was suspended or lost contact with the journal must not speak for rooms that
    /// another server may own by now.
    pub(super) fn is_ours(&self) -> Result<(), TaskExit> {
        if self.base.lease.holds(self.term) { Ok(()) } else { Err(TaskExit::Stale) }
    }

    fn not_written(&self, error: &AppendError) -> TaskExit {
        match error {
            // The database will be back, and clients reconnect and repeat their requests, so no error is sent.
            AppendError::Failed(JournalError::Closed | JournalError::Away(_)) => TaskExit::Stale,
            // The journal itself logs the cause, once.
            AppendError::Failed(error) => {
                tracing::debug!(room = self.room.code(), %error, "cannot write the room");
                TaskExit::Unwritten
            }
            // No answer is certain to be true, so none is sent. The client repeats the request to the current owner.
            AppendError::Fenced | AppendError::Unknown(_) => {
                tracing::debug!(room = self.room.code(), %error, "the room is owned by another server");
                TaskExit::Stale
            }
            AppendError::Conflict { after, actual } if actual.is_behind(*after) => {
                tracing::debug!(room = self.room.code(), %error, "the journal has fewer entries than the room");
                TaskExit::Stale
            }
            AppendError::Conflict { .. } => {
                tracing::error!(room = self.room.code(), %error, "another writer has changed the room");
                TaskExit::Stale
            }
        }
    }
}
