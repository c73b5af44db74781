//! Makes reviews of finished games: one at a time, in the spare time of the bots' threads, with a limited number of
//! waiting requests.
//!
//! The content of a review is defined in `room`. The room's task decides who may ask for one and stores it.

use crate::RoomCode;
use crate::address::Source;
use crate::records::NotMade;
use crate::shared::Shared;
use crate::thinkers::Rank;
use crate::turns::Turns;
use game::Commitment;
use protocol::Review;
use room::Which;
use tokio::sync::watch;

/// Maximum number of requests waiting for a review. Each review takes some seconds.
const WAITING: usize = 16;

/// Limits how many reviews are made at once.
pub struct Reviews {
    turns: Turns,
}

/// Progress of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Number of decisions that were judged.
    pub done: u32,
    /// Total number of decisions; 0 while the review waits for its turn.
    pub of: u32,
}

impl Default for Reviews {
    fn default() -> Reviews {
        Reviews { turns: Turns::new(1) }
    }
}

impl Reviews {
    /// Reviews the last game of a room, which must have this commitment. Reading it is charged to the client address.
    pub async fn make(
        &self,
        shared: &Shared,
        code: RoomCode,
        commitment: Commitment,
        asked_by: Option<Source>,
        progress: &watch::Sender<Progress>,
    ) -> Result<Review, NotMade> {
        // Read before waiting for a turn: later, another game may be the last.
        let read = move |lines: Vec<String>| room::reviewing(&lines, Which::Last);
        let reviewing = shared.records.read(shared, code, asked_by, read).await?;
        let mut reviewing =
            reviewing.ok().filter(|reviewing| reviewing.commitment() == commitment).ok_or(NotMade::Failed)?;
        let _turn = self.turns.turn_unless(WAITING).await.ok_or(NotMade::Busy)?;
        while let Some(assessment) = reviewing.next_decision() {
            progress.send_replace(Progress { done: reviewing.done(), of: reviewing.of() });
            let mut assessment = Some(assessment);
            let step = move |give_way: &dyn Fn() -> bool| {
                let done = assessment.as_mut()?.go_on(give_way);
                assessment.take_if(|_| done)
            };
            let judged = shared.thinkers.in_spare_time(Rank::Last, step).await;
            reviewing.judged(judged.ok_or(NotMade::Failed)?);
        }
        shared.metrics.reviews.increment(1);
        Ok(reviewing.finish())
    }
}
