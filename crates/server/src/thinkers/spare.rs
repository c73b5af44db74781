//! Work that the bots' threads do while no bot waits (cooperative preemption). Work must yield as soon as a decision
//! waits for a thread, keeps its progress, and is resumed later. So a bot waits for it a millisecond at most.

use super::{Job, Rank};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc::WeakSender;

/// Work that runs until it is done or must yield. Returns whether it is done.
pub type Work = Box<dyn FnMut(&dyn Fn() -> bool) -> bool + Send>;

/// Work that waits for spare time. Callers must limit how much of it there is.
pub struct Spare {
    waiting: Mutex<VecDeque<(Rank, Work)>>,
    /// The queue of decisions. The weak reference does not keep the threads alive.
    jobs: WeakSender<Job>,
}

impl Spare {
    pub fn new(jobs: WeakSender<Job>) -> Spare {
        Spare { waiting: Mutex::default(), jobs }
    }

    pub fn put(&self, rank: Rank, work: Work) {
        let mut waiting = self.held();
        match rank {
            Rank::Soon => waiting.push_front((rank, work)),
            Rank::Last => waiting.push_back((rank, work)),
        }
        drop(waiting);
        // All threads may be waiting for a decision. If their queue is full, none is, and each checks here before it
        // waits.
        if let Some(jobs) = self.jobs.upgrade() {
            let _ = jobs.try_send(Job::Spare);
        }
    }

    pub fn take(&self) -> Option<(Rank, Work)> {
        self.held().pop_front()
    }

    /// Runs work until it is done or a decision waits.
    pub fn do_some(&self, rank: Rank, mut work: Work) {
        let give_way = || self.a_decision_waits();
        // Failed work is dropped, which ends the caller's wait without a result.
        let done = catch_unwind(AssertUnwindSafe(|| work(&give_way))).unwrap_or_else(|_| {
            tracing::error!("work in spare time failed");
            true
        });
        if !done {
            self.put(rank, work);
        }
    }

    /// Returns whether a decision waits for a thread, or the threads must end.
    fn a_decision_waits(&self) -> bool {
        self.jobs.upgrade().is_none_or(|jobs| jobs.capacity() < jobs.max_capacity())
    }

    fn held(&self) -> MutexGuard<'_, VecDeque<(Rank, Work)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use crate::thinkers::{Rank, Thinkers};
    use game::{Level, Seed};
    use metrics::Histogram;
    use protocol::RawAction;
    use serde_json::json;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn thinkers() -> Thinkers {
        Thinkers::start(|thinking, level, seed, budget| thinking(level, seed, budget), Histogram::noop())
    }

    #[tokio::test]
    async fn work_in_spare_time_gives_way_to_every_bot_and_goes_on_from_there() {
        let thinkers = Arc::new(thinkers());
        let (begun, gave_way) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        // It ends only after it has yielded twice.
        let step = {
            let (begun, gave_way) = (begun.clone(), gave_way.clone());
            move |give_way: &dyn Fn() -> bool| {
                begun.fetch_add(1, Ordering::SeqCst);
                if gave_way.load(Ordering::SeqCst) == 2 {
                    return Some("done");
                }
                while !give_way() {
                    std::thread::yield_now();
                }
                gave_way.fetch_add(1, Ordering::SeqCst);
                None
            }
        };
        let working = tokio::spawn({
            let thinkers = thinkers.clone();
            async move { thinkers.in_spare_time(Rank::Last, step).await }
        });
        while begun.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let mut decided = 0;
        while !working.is_finished() {
            // As many decisions as there may be threads; otherwise an idle thread would take them all.
            let each = (0..64).map(|n| {
                let thinkers = thinkers.clone();
                let thinking =
                    Box::new(move |_, _, _: game::Budget<'_>| Some(RawAction::from(json!({"n": n}))));
                tokio::spawn(async move { thinkers.think(thinking, Level::Easy, Seed([0; 32])).await })
            });
            for thought in each.collect::<Vec<_>>() {
                assert!(thought.await.unwrap().is_some(), "a bot is never kept waiting for good");
                decided += 1;
            }
        }
        assert_eq!(working.await.unwrap(), Some("done"));
        assert!(decided >= 2 && gave_way.load(Ordering::SeqCst) == 2);
    }

    #[tokio::test]
    async fn work_that_fails_takes_no_thread_with_it_and_nobody_is_worked_for_who_went_away() {
        let thinkers = thinkers();
        let failed = thinkers.in_spare_time(Rank::Last, |_| -> Option<u8> { panic!("as it should") }).await;
        assert_eq!(failed, None);
        let steps = Arc::new(AtomicU32::new(0));
        let counted = steps.clone();
        let never_done = thinkers.in_spare_time(Rank::Last, move |_| -> Option<u8> {
            counted.fetch_add(1, Ordering::SeqCst);
            None
        });
        let mut never_done = Box::pin(never_done);
        while steps.load(Ordering::SeqCst) == 0 {
            assert!(futures_util::poll!(never_done.as_mut()).is_pending());
            tokio::task::yield_now().await;
        }
        drop(never_done);
        // If the work had not been dropped, this would never finish on a machine with a single such thread.
        assert_eq!(thinkers.in_spare_time(Rank::Last, |_| Some(7)).await, Some(7));
    }
}
