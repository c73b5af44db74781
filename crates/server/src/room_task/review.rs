//! Work that runs beside the room's task, so that it does not hold the room: a review of the finished game, the record
//! of that game and, for a player who is alone with bots, a hint. A review is then written and announced like any
//! change of the room.

use super::commit::NotDone;
use super::{RoomTask, TaskExit};
use crate::client_addr::ClientAddr;
use crate::code::random_bytes;
use crate::handle::ConnectionId;
use crate::limits::CpuQuota;
use crate::records::NotMade;
use crate::reviews::Progress;
use crate::websocket::Utf8Bytes;
use game::{Commitment, Seed};
use protocol::{HintedAct, Record, Review, ServerMessage};
use room::{Input, LastReview, PlayerId, Refusal};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{self, AbortHandle, JoinError, JoinSet};
use tokio::time::sleep;

/// Interval at which the progress of a review is announced.
const TOLD: Duration = Duration::from_millis(500);

/// The result of work that runs beside the task.
pub enum Answer {
    /// It is time to announce the progress of a review.
    Progress,
    /// The review of a game, or why it failed.
    Review(Result<(Commitment, Box<Review>), NotMade>),
    /// A hint for a connection, for the act with this number.
    Hint(ConnectionId, Result<(u32, Vec<HintedAct>), NotMade>),
    /// The record with which a player of this connection asked to play the same deal again.
    SameDeal { from: ConnectionId, client: ClientAddr, player: PlayerId, record: Result<Box<Record>, NotMade> },
}

/// The work that runs beside the task.
#[derive(Default)]
pub struct Questions {
    /// Progress of the running review, or `None`.
    progress: Option<watch::Receiver<Progress>>,
    /// Connections that asked for the review.
    askers: Vec<ConnectionId>,
    /// The task that makes the review.
    reviewing: Option<task::Id>,
    /// Hints that are being computed, and for whom.
    hints: Vec<(ConnectionId, AbortHandle)>,
    pub answers: JoinSet<Answer>,
}

impl Questions {
    /// Returns the answer of a task that has ended, or `None` if no client waits for it.
    pub fn answer(&mut self, ended: Result<Answer, JoinError>) -> Option<Answer> {
        let answer = match ended {
            Ok(answer) => Some(answer),
            // Its client has left.
            Err(error) if error.is_cancelled() => None,
            Err(error) => {
                let (id, failed) = (error.id(), NotMade::from(error));
                let hint = self.hints.iter().find(|(_, hint)| hint.id() == id);
                let hint = hint.map(|(asker, _)| Answer::Hint(*asker, Err(failed)));
                hint.or_else(|| (self.reviewing == Some(id)).then_some(Answer::Review(Err(failed))))
            }
        };
        self.hints.retain(|(_, hint)| !hint.is_finished());
        answer
    }

    /// Stops computing hints for a client that has left.
    pub fn cancel_hints(&mut self, of: ConnectionId) {
        self.hints.retain(|(asker, hint)| {
            let leaves = *asker == of;
            if leaves {
                hint.abort();
            }
            !leaves
        });
    }
}

impl RoomTask {
    /// Starts a review of the finished game. If a review is running or exists, reports on that one instead.
    pub fn review(&mut self, from: ConnectionId, client: ClientAddr) -> Result<(), NotDone> {
        let commitment = self.room.finished()?;
        if let LastReview::Made(_) = self.room.last_review() {
            self.tell_of_review(Some(from), Progress::default(), true);
            return Ok(());
        }
        if let Some(progress) = &self.questions.progress {
            let progress = *progress.borrow();
            if !self.questions.askers.contains(&from) {
                self.questions.askers.push(from);
            }
            self.tell_of_review(Some(from), progress, false);
            return Ok(());
        }
        if !self.base.limits.may_review(client) {
            return Err(Refusal::TooManyReviews.into());
        }
        let (progress, seen) = watch::channel(Progress::default());
        let (rooms, code) = (self.rooms.clone(), self.code);
        self.questions.progress = Some(seen);
        self.questions.askers = vec![from];
        let task = self.questions.answers.spawn(async move {
            let made = rooms.reviews.make(code, commitment, client, &progress).await;
            Answer::Review(made.map(|review| (commitment, Box::new(review))))
        });
        self.questions.reviewing = Some(task.id());
        self.tell_progress_later();
        self.tell_of_review(None, Progress::default(), false);
        Ok(())
    }

    fn tell_progress_later(&mut self) {
        self.questions.answers.spawn(async {
            sleep(TOLD).await;
            Answer::Progress
        });
    }

    /// Asks the strongest bot what it would do in the player's place.
    pub fn hint(&mut self, from: ConnectionId, client: ClientAddr, player: PlayerId) -> Result<(), NotDone> {
        let (n, hinting) = self.room.hint(player)?;
        let now = self.base.clock.running();
        if self.budget.as_mut().is_some_and(|budget| !budget.allows_hint(now)) {
            return Err(Refusal::RoomBusy.into());
        }
        let rooms = self.rooms.clone();
        let hint = rooms.reviews.reserve_hint(client, hinting).ok_or(Refusal::TooManyHints)?;
        let task = self
            .questions
            .answers
            .spawn(async move { Answer::Hint(from, rooms.reviews.hint(hint).await.map(|acts| (n, acts))) });
        self.questions.hints.push((from, task));
        Ok(())
    }

    /// Opens the lobby for another game with the deal of the finished one, once its record is read. The room in memory
    /// has only what it shows; the acts are in its journal.
    pub fn same_deal(&mut self, from: ConnectionId, client: ClientAddr, player: PlayerId) -> Result<(), NotDone> {
        let commitment = self.room.finished()?;
        if !self.base.limits.may_work(client, CpuQuota::Replaying) {
            return Err(Refusal::TooManyReplays.into());
        }
        let (records, code) = (self.rooms.records.clone(), self.code);
        self.questions.answers.spawn(async move {
            let read = records.read(code, client, |lines| room::last_record(&lines)).await;
            let is_it = |record: &Record| record.commitment == commitment;
            let record = read.and_then(|last| last.filter(is_it).map(Box::new).ok_or(NotMade::OtherGame));
            Answer::SameDeal { from, client, player, record }
        });
        Ok(())
    }

    /// Handles the result of work that ran beside the task.
    pub async fn answered(&mut self, answer: Answer) -> Result<(), TaskExit> {
        match answer {
            Answer::Progress => {
                if let Some(progress) = &self.questions.progress {
                    let progress = *progress.borrow();
                    self.tell_of_review(None, progress, false);
                    self.tell_progress_later();
                }
            }
            Answer::Hint(to, Ok((n, acts))) => {
                self.send_to(to, ServerMessage::Hint { n, acts: &acts }.to_json().into());
            }
            Answer::Hint(to, Err(not_made)) => self.tell_not_made(to, not_made),
            Answer::SameDeal { from, record: Err(not_made), .. } => self.tell_not_made(from, not_made),
            Answer::SameDeal { from, client, player, record: Ok(record) } => {
                let input = Input::SameDeal { player, seed: Seed(random_bytes()), record };
                let done = self.carry_out(input, Some(client)).await;
                self.reply(from, None, done.map(|_| ()))?;
            }
            Answer::Review(made) => {
                self.questions.progress = None;
                let askers = std::mem::take(&mut self.questions.askers);
                let (commitment, review) = match made {
                    Ok(made) => made,
                    Err(not_made) => {
                        askers.into_iter().for_each(|asker| self.tell_not_made(asker, not_made));
                        return Ok(());
                    }
                };
                match self.carry_out(Input::Review { commitment, review }, self.longest_here()).await {
                    Ok(_) => self.tell_of_review(None, Progress::default(), true),
                    Err(NotDone::Refused(refusal)) => {
                        askers.into_iter().for_each(|asker| self.refuse(asker, None, &refusal));
                    }
                    Err(NotDone::Exited(halt)) => return Err(halt),
                }
            }
        }
        Ok(())
    }

    /// Reports on a review to one client or to everyone. Slow readers may miss progress, but not the final message.
    fn tell_of_review(&mut self, only: Option<ConnectionId>, Progress { done, of }: Progress, ready: bool) {
        let message = Utf8Bytes::from(ServerMessage::Review { done, of, ready }.to_json());
        let to: Vec<ConnectionId> = match only {
            Some(only) => vec![only],
            None => self.connections.iter().filter(|(_, to)| to.welcomed).map(|(id, _)| id).collect(),
        };
        for id in to {
            if ready {
                self.send_to(id, message.clone());
            } else if let Some(connection) = self.connections.get(id) {
                connection.outbox.send_line(message.clone());
            }
        }
    }

    fn send_to(&mut self, to: ConnectionId, message: Utf8Bytes) {
        if self.connections.get(to).is_some_and(|connection| !connection.outbox.send(message)) {
            self.forget(to);
        }
    }

    fn tell_not_made(&mut self, to: ConnectionId, not_made: NotMade) {
        let (code, detail) = (not_made.code().as_str(), &*not_made.to_string());
        self.base.metrics.refused(code);
        self.send_to(to, ServerMessage::Error { code, detail }.to_json().into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn stops_computing_a_hint_when_its_client_leaves() {
        let mut questions = Questions::default();
        for id in [1, 2] {
            let hint = questions.answers.spawn(std::future::pending());
            questions.hints.push((ConnectionId(id), hint));
        }
        questions.cancel_hints(ConnectionId(1));
        let ended = questions.answers.join_next().await.unwrap();
        assert!(questions.answer(ended).is_none(), "no client waits for the answer");
        assert_eq!((questions.answers.len(), questions.hints.len()), (1, 1), "the other hint goes on");
    }

    #[tokio::test]
    async fn reports_a_panic_as_an_internal_error_to_the_client_that_asked() {
        let mut questions = Questions::default();
        questions.reviewing = Some(questions.answers.spawn(async { panic!("on purpose") }).id());
        let ended = questions.answers.join_next().await.unwrap();
        assert!(matches!(questions.answer(ended), Some(Answer::Review(Err(NotMade::Internal)))));
        let hint = questions.answers.spawn(async { panic!("on purpose") });
        questions.hints.push((ConnectionId(7), hint));
        let ended = questions.answers.join_next().await.unwrap();
        let answer = questions.answer(ended);
        assert!(matches!(answer, Some(Answer::Hint(ConnectionId(7), Err(NotMade::Internal)))));
        questions.answers.spawn(async { panic!("on purpose") });
        let ended = questions.answers.join_next().await.unwrap();
        assert!(questions.answer(ended).is_none(), "no client waits for it");
    }
}
