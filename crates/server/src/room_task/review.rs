//! Questions to the strongest bot: a review of the finished game and, for a player who is alone with bots, a hint. The
//! answers are computed elsewhere in spare time. A review is then written and announced like any change of the room.

use super::{Halt, NotDone, RoomTask};
use crate::code::random_bytes;
use crate::handle::ConnectionId;
use crate::records::NotMade;
use crate::reviews::Progress;
use crate::thinkers::Rank;
use crate::websocket::Utf8Bytes;
use game::{Commitment, Seed};
use protocol::{Code, HintedAct, Review, ServerMessage};
use room::{Input, PlayerId, Refusal};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Interval at which the progress of a review is announced.
const TOLD: Duration = Duration::from_millis(500);

/// The result of a question.
pub enum Answer {
    /// It is time to announce the progress of a review.
    Progress,
    /// The review of a game, or why it failed.
    Review(Result<(Commitment, Box<Review>), NotMade>),
    /// A hint for a connection, for the act with this number.
    Hint(ConnectionId, u32, Option<Vec<HintedAct>>),
}

/// The open questions.
#[derive(Default)]
pub struct Questions {
    /// Progress of the running review, or `None`.
    progress: Option<watch::Receiver<Progress>>,
    /// Connections that asked for the review.
    askers: Vec<ConnectionId>,
    pub answers: JoinSet<Answer>,
}

impl RoomTask {
    /// Starts a review of the finished game. If a review is running or exists, reports on that one instead.
    pub fn review(&mut self, from: ConnectionId) -> Result<(), NotDone> {
        let (commitment, is_reviewed) = self.room.to_review()?;
        if is_reviewed {
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
        if self.payer.is_some_and(|payer| !self.shared.limits.may_review(payer)) {
            return Err(Refusal::TooManyReviews.into());
        }
        let (progress, seen) = watch::channel(Progress::default());
        let (shared, code, payer) = (self.shared.clone(), self.code, self.payer);
        self.questions.progress = Some(seen);
        self.questions.askers = vec![from];
        self.questions.answers.spawn(async move {
            let made = shared.reviews.make(&shared, code, commitment, payer, &progress).await;
            Answer::Review(made.map(|review| (commitment, Box::new(review))))
        });
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
    pub fn hint(&mut self, from: ConnectionId, player: PlayerId) -> Result<(), NotDone> {
        let (n, hinting) = self.room.hint(player)?;
        let now = self.shared.clock.running();
        if self.budget.as_mut().is_some_and(|budget| !budget.allows_hint(now)) {
            return Err(Refusal::RoomBusy.into());
        }
        let shared = self.shared.clone();
        let seed = Seed(random_bytes());
        self.questions.answers.spawn(async move {
            let look = move |give_way: &dyn Fn() -> bool| hinting.look(seed, give_way);
            Answer::Hint(from, n, shared.thinkers.in_spare_time(Rank::Soon, look).await)
        });
        Ok(())
    }

    /// Handles the result of a question.
    pub async fn answered(&mut self, answer: Answer) -> Result<(), Halt> {
        match answer {
            Answer::Progress => {
                if let Some(progress) = &self.questions.progress {
                    let progress = *progress.borrow();
                    self.tell_of_review(None, progress, false);
                    self.tell_progress_later();
                }
            }
            Answer::Hint(to, n, acts) => {
                let Some(acts) = acts.filter(|acts| !acts.is_empty()) else {
                    self.tell_refused(to, Code::Busy);
                    return Ok(());
                };
                let message = ServerMessage::Hint { n, acts: &acts }.to_json();
                self.send_to(to, message.into());
            }
            Answer::Review(made) => {
                self.questions.progress = None;
                let askers = std::mem::take(&mut self.questions.askers);
                let Ok((commitment, review)) = made else {
                    askers.into_iter().for_each(|asker| self.tell_refused(asker, Code::Busy));
                    return Ok(());
                };
                match self.carry_out(Input::Review { commitment, review }).await {
                    Ok(_) => self.tell_of_review(None, Progress::default(), true),
                    Err(NotDone::Refused(refusal)) => {
                        askers.into_iter().for_each(|asker| self.refuse(asker, None, &refusal));
                    }
                    Err(NotDone::Halted(halt)) => return Err(halt),
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
                connection.line.send_line(message.clone());
            }
        }
    }

    fn send_to(&mut self, to: ConnectionId, message: Utf8Bytes) {
        if self.connections.get(to).is_some_and(|connection| !connection.line.send(message)) {
            self.forget(to);
        }
    }

    fn tell_refused(&mut self, to: ConnectionId, code: Code) {
        let (code, detail) = (code.as_str(), "too many ask for this at the moment, try again");
        self.shared.metrics.refused(code);
        self.send_to(to, ServerMessage::Error { code, detail }.to_json().into());
    }
}
