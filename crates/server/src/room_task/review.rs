//! What somebody at the table asks the strongest bot: what it makes of the game that is over, and, alone among bots, what it would do now. It
//! is found out elsewhere, in spare time; a review is then written down and told of like anything that happens to the room.

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

/// So often everyone is told how far a review has come.
const TOLD: Duration = Duration::from_millis(500);

/// What came of a question.
pub enum Answer {
    /// How far a review has come.
    Progress,
    /// The review of a game, or why there is none.
    Review(Result<(Commitment, Box<Review>), NotMade>),
    /// A hint for a connection, for the act of this number.
    Hint(ConnectionId, u32, Option<Vec<HintedAct>>),
}

/// The questions that are open.
#[derive(Default)]
pub struct Questions {
    /// How far the review has come that is made; none if none is.
    progress: Option<watch::Receiver<Progress>>,
    /// Who asked for it.
    askers: Vec<ConnectionId>,
    pub answers: JoinSet<Answer>,
}

impl RoomTask {
    /// Reviews the game that is over; who asks while that is done, or after it, is told of the one there is.
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

    /// What the strongest bot would do in the place of whoever asks.
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

    /// Something was found out.
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

    /// Tells one, or everyone. How far it has come may be missed by who reads slowly; that it is there may not.
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
