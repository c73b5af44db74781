//! The loop of a room's task: waits for requests, bots, timers and the end of the lease, and handles one at a time.
//!
//! It does not know what a message does, nor how the room is loaded or released.

use super::commit::NotDone;
use super::join::NotAdmitted;
use super::{RoomTask, TaskExit};
use crate::code::random_bytes;
use crate::handle::{Ask, TaskState};
use game::Seed;
use protocol::RoomView;
use room::Input;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

/// Idle timeout: a room without connections leaves memory after this time.
const IDLE: Duration = Duration::from_secs(10 * 60);
/// Delay before retrying a failed write that no client requested, such as a bot's act. A full disk stays full for a
/// while, and clients may watch meanwhile.
const WRITE_AGAIN: Duration = Duration::from_secs(10);

impl RoomTask {
    pub(super) async fn serve(
        &mut self,
        asks: &mut mpsc::Receiver<Ask>,
        state: &watch::Sender<TaskState>,
    ) -> Result<(), TaskExit> {
        let draining = self.base.draining.clone();
        // Created once for all iterations: each new future would have to register with the token.
        let mut drained = pin!(draining.cancelled());
        let lease = self.base.lease.clone();
        let mut term_ended = pin!(lease.ended(self.term));
        let mut failovers = self.rooms.failovers.subscribe();
        loop {
            let empty_since = self.connections.empty_since();
            state.send_if_modified(|state| {
                let now = TaskState::Open { empty_since };
                let changed = *state != now;
                *state = now;
                changed
            });
            let stays = if self.connections.had_any() { IDLE } else { self.unvisited };
            let idle = empty_since.map(|since| since + stays);
            let due = self.room.due().map(|due| self.base.clock.at(due));
            let own = due.into_iter().chain(self.next_want()).min().map(|own| own.max(self.write_again));
            let wake = idle.into_iter().chain(own).min();
            tokio::select! {
                biased;
                () = drained.as_mut() => return Ok(()),
                () = term_ended.as_mut() => return Err(TaskExit::Stale),
                Ok(()) = failovers.changed() => self.compare_with_journal().await?,
                ask = asks.recv() => match ask {
                    Some(ask) => self.hear(ask).await?,
                    None => return Ok(()),
                },
                Some(thought) = self.thoughts.join_next(), if !self.thoughts.is_empty() => match thought {
                    Ok(thought) => {
                        let played = self.play_for(thought).await;
                        self.or_later(played)?;
                    }
                    // Thinkers return `None` rather than fail. If one fails anyway, think again.
                    Err(_) => self.thinking_about.clear(),
                },
                Some(answer) = self.questions.answers.join_next(), if !self.questions.answers.is_empty() => {
                    if let Some(answer) = self.questions.answer(answer) {
                        let answered = self.answered(answer).await;
                        self.or_later(answered)?;
                    }
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
                    let done = self.see_to_others().await;
                    self.or_later(done)?;
                }
            }
            self.show();
            if self.evicting.is_some() {
                // A request may have arrived meanwhile.
                if asks.is_empty() {
                    return Ok(());
                }
                self.evicting = None;
            }
        }
    }

    async fn hear(&mut self, ask: Ask) -> Result<(), TaskExit> {
        self.is_ours()?;
        match ask {
            Ask::Look { answer } => {
                let _ = answer.send(RoomView { asked: self.room.asked(), ..self.view() });
            }
            Ask::Review { answer } => {
                let _ = answer.send(self.room.last_review());
            }
            Ask::Join { join, outbox, answer } => {
                let joined = match self.join(join, outbox).await {
                    Ok(id) => Ok(id),
                    Err(NotAdmitted::Refused(refusal)) => Err(refusal),
                    Err(NotAdmitted::Exited(exit)) => return Err(exit),
                };
                let _ = answer.send(joined);
            }
            Ask::Say { from, message } => self.say(from, message).await?,
            Ask::Gone { from } => self.forget(from),
            Ask::Evicted { gone } if self.connections.empty_since().is_some() => {
                self.put_away().await;
                self.evicting = Some(gone);
            }
            Ask::Evicted { .. } => {}
        }
        Ok(())
    }

    /// Records when the last client left. A tab can be open without any message for longer than rooms are kept, so
    /// retention counts from this time. If the write fails, the room merely counts as not opened since.
    async fn put_away(&mut self) {
        if !self.connections.had_any() {
            return;
        }
        if let Err(error) = self.base.journal.touch(self.room.code(), self.base.clock.running()).await {
            tracing::debug!(room = self.room.code(), %error, "cannot record when the room was last used");
        }
    }

    /// Does what is due without a request: timers and bot moves.
    async fn see_to_others(&mut self) -> Result<(), TaskExit> {
        if self.write_again > Instant::now() {
            return Ok(());
        }
        // A tick is never refused.
        let tick = Input::Tick { seed: Seed(random_bytes()) };
        if let Err(NotDone::Exited(exit)) = self.carry_out(tick, self.longest_here()).await {
            return Err(exit);
        }
        self.decide_for_others().await
    }

    /// Postpones a failed write that no client requested, so that connected clients need not be disconnected for it.
    fn or_later(&mut self, done: Result<(), TaskExit>) -> Result<(), TaskExit> {
        if let Err(TaskExit::Unwritten) = done {
            self.write_again = Instant::now() + WRITE_AGAIN;
            return Ok(());
        }
        done
    }
}

async fn until(wake: Option<Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => std::future::pending().await,
    }
}
