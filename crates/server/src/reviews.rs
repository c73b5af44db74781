//! Makes reviews of finished games and hints, in the spare time of the bots' threads. There is one review at a time,
//! with a limited number of waiting requests, and one hint per thread. Addresses take turns.
//!
//! The content of a review is defined in `room`. The room's task decides who may ask for one and stores it.

use crate::RoomCode;
use crate::client_addr::ClientAddr;
use crate::code::random_bytes;
use crate::limits::table::{HINT, WAITING_REQUESTS, WAITING_REVIEWS};
use crate::limits::{CpuQuota, Limits, Reservation};
use crate::records::{NotMade, Records};
use crate::thinkers::{self, Rank, Thinkers};
use crate::turns::Turns;
use game::{Commitment, Seed};
use metrics::Counter;
use protocol::{HintedAct, Review};
use room::{Hinting, Which};
use std::sync::Arc;
use tokio::sync::watch;

/// Limits how many reviews and hints are made at once.
pub struct Reviews {
    records: Arc<Records>,
    limits: Arc<Limits>,
    thinkers: Arc<Thinkers>,
    /// Counts finished reviews.
    made: Counter,
    turns: Turns,
    hint_turns: Turns,
}

/// A hint that may be computed, because its time is reserved.
pub struct ReservedHint {
    client: ClientAddr,
    hinting: Hinting,
    _reserved: Reservation,
}

/// Progress of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Number of decisions that were judged.
    pub done: u32,
    /// Total number of decisions; 0 while the review waits for its turn.
    pub of: u32,
}

impl Reviews {
    pub fn new(records: Arc<Records>, limits: Arc<Limits>, thinkers: Arc<Thinkers>, made: Counter) -> Reviews {
        let turns = Turns::new(1, WAITING_REVIEWS);
        let hint_turns = Turns::new(thinkers::threads(), WAITING_REQUESTS);
        Reviews { records, limits, thinkers, made, turns, hint_turns }
    }

    /// Reserves the time for a hint, or returns `None` if this address has not enough left.
    pub fn reserve_hint(&self, client: ClientAddr, hinting: Hinting) -> Option<ReservedHint> {
        let reserved = self.limits.reserve(client, CpuQuota::Thinking, HINT)?;
        Some(ReservedHint { client, hinting, _reserved: reserved })
    }

    /// Computes a hint.
    pub async fn hint(&self, hint: ReservedHint) -> Result<Vec<HintedAct>, NotMade> {
        let (client, limits, seed) = (hint.client, self.limits.clone(), Seed(random_bytes()));
        let look = move |must_yield: &dyn Fn() -> bool| {
            limits.charge(Some(client), CpuQuota::Thinking, || hint.hinting.look(seed, must_yield))
        };
        let acts = self.in_turn(client, look).await;
        acts.filter(|acts| !acts.is_empty()).ok_or(NotMade::Internal)
    }

    /// Runs work for a client in spare time, when it is the turn of its address.
    async fn in_turn<T: Send + 'static>(
        &self,
        client: ClientAddr,
        step: impl FnMut(&dyn Fn() -> bool) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let _turn = self.hint_turns.turn(Some(client)).await;
        self.thinkers.in_spare_time(Rank::Soon, step).await
    }

    /// Reviews the last game of a room, which must have this commitment. Reading it is charged to the client address.
    pub async fn make(
        &self,
        code: RoomCode,
        commitment: Commitment,
        client: ClientAddr,
        progress: &watch::Sender<Progress>,
    ) -> Result<Review, NotMade> {
        // Read before waiting for a turn: later, another game may be the last.
        let read = move |lines: Vec<String>| room::reviewing(&lines, Which::Last);
        let reviewing = self.records.read(code, client, read).await?;
        let mut reviewing =
            reviewing.ok().filter(|reviewing| reviewing.commitment() == commitment).ok_or(NotMade::OtherGame)?;
        let _turn = self.turns.turn_unless_many(Some(client)).await.ok_or(NotMade::Busy)?;
        while let Some(assessment) = reviewing.next_decision() {
            progress.send_replace(Progress { done: reviewing.done(), of: reviewing.of() });
            let mut assessment = Some(assessment);
            let step = move |must_yield: &dyn Fn() -> bool| {
                let done = assessment.as_mut()?.go_on(must_yield);
                assessment.take_if(|_| done)
            };
            let judged = self.thinkers.in_spare_time(Rank::Last, step).await;
            reviewing.judged(judged.ok_or(NotMade::Internal)?);
        }
        self.made.increment(1);
        Ok(reviewing.finish())
    }
}

#[cfg(test)]
impl Reviews {
    /// Occupies all turns for hints, so that hints wait.
    pub async fn occupy_hint_turns(&self) -> Vec<crate::turns::Turn> {
        let mut turns = Vec::new();
        for _ in 0..thinkers::threads() {
            turns.push(self.hint_turns.turn(None).await);
        }
        turns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client_addr::client;
    use crate::{AppState, Cli};
    use clap::Parser;
    use futures_util::future::join_all;
    use journal::memory::Memory;
    use parking_lot::Mutex;

    #[tokio::test]
    async fn addresses_take_turns_for_hints() {
        let state = AppState::new(Cli::parse_from(["rookery"]).config, Arc::new(Memory::default()));
        let mut occupied = state.rooms.reviews.occupy_hint_turns().await;
        let served = Arc::new(Mutex::new(Vec::new()));
        let mut waiting = join_all([1, 1, 1, 2].map(|address| {
            let served = served.clone();
            let serve = move |_: &dyn Fn() -> bool| {
                served.lock().push(address);
                Some(())
            };
            state.rooms.reviews.in_turn(client(&format!("192.0.2.{address}")), serve)
        }));
        assert!(futures_util::poll!(&mut waiting).is_pending());
        // With a single turn, the order is certain.
        drop(occupied.pop());
        waiting.await;
        assert_eq!(*served.lock(), [1, 2, 1, 1], "the other address waits for one hint only");
    }
}
