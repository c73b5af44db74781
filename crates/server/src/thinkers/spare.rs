//! Work that the bots' threads do while no bot waits (cooperative preemption). Work must yield as soon as a decision
//! waits for a thread, keeps its progress, and is resumed later. So a bot waits for it a millisecond at most.

use super::{Rank, Wakeup};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::mpsc::WeakSender;

/// Work that runs until it is done or must yield. Returns whether it is done.
pub type Work = Box<dyn FnMut(&dyn Fn() -> bool) -> bool + Send>;

/// Work that waits for spare time. Callers must limit how much of it there is.
pub struct Spare {
    waiting: Mutex<VecDeque<(Rank, Work)>>,
    /// The queue of decisions. The weak reference does not keep the threads alive.
    jobs: WeakSender<Wakeup>,
}

impl Spare {
    pub fn new(jobs: WeakSender<Wakeup>) -> Spare {
        Spare { waiting: Mutex::default(), jobs }
    }

    pub fn put(&self, rank: Rank, work: Work) {
        let mut waiting = self.waiting.lock();
        // In order of arrival within each rank.
        let position = match rank {
            Rank::Soon => waiting.partition_point(|(rank, _)| *rank == Rank::Soon),
            Rank::Last => waiting.len(),
        };
        waiting.insert(position, (rank, work));
        drop(waiting);
        // All threads may be waiting for a decision. If their queue is full, none is, and each checks here before it
        // waits.
        if let Some(jobs) = self.jobs.upgrade() {
            let _ = jobs.try_send(Wakeup::Spare);
        }
    }

    pub fn take(&self) -> Option<(Rank, Work)> {
        self.waiting.lock().pop_front()
    }

    /// Runs work until it is done or a decision waits.
    pub fn do_some(&self, rank: Rank, mut work: Work) {
        let must_yield = || self.a_decision_waits();
        // Failed work is dropped, which ends the caller's wait without a result.
        let done = catch_unwind(AssertUnwindSafe(|| work(&must_yield))).unwrap_or_else(|_| {
            tracing::error!("background work panicked");
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
}

#[cfg(test)]
mod tests {
    use super::*;
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
    async fn background_work_yields_to_bots_and_resumes() {
        let thinkers = Arc::new(thinkers());
        let (begun, yielded) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        // It ends only after it has yielded twice.
        let step = {
            let (begun, yielded) = (begun.clone(), yielded.clone());
            move |must_yield: &dyn Fn() -> bool| {
                begun.fetch_add(1, Ordering::SeqCst);
                if yielded.load(Ordering::SeqCst) == 2 {
                    return Some("done");
                }
                while !must_yield() {
                    std::thread::yield_now();
                }
                yielded.fetch_add(1, Ordering::SeqCst);
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
                let thinking = Box::new(move |_, _, _: game::Budget<'_>| Some(RawAction::from(json!({"n": n}))));
                tokio::spawn(async move { thinkers.think(thinking, Level::Easy, Seed([0; 32])).await })
            });
            for thought in each.collect::<Vec<_>>() {
                assert!(thought.await.unwrap().is_some(), "every bot gets its decision");
                decided += 1;
            }
        }
        assert_eq!(working.await.unwrap(), Some("done"));
        assert!(decided >= 2 && yielded.load(Ordering::SeqCst) == 2);
    }

    #[test]
    fn hints_are_served_in_order_of_arrival_and_before_reviews() {
        let (jobs, _inbox) = tokio::sync::mpsc::channel(1);
        let spare = Spare::new(jobs.downgrade());
        let done = Arc::new(Mutex::new(Vec::new()));
        for (rank, name) in [(Rank::Last, "a"), (Rank::Soon, "b"), (Rank::Soon, "c"), (Rank::Last, "d")] {
            let done = done.clone();
            spare.put(
                rank,
                Box::new(move |_| {
                    done.lock().push(name);
                    true
                }),
            );
        }
        while let Some((rank, work)) = spare.take() {
            spare.do_some(rank, work);
        }
        assert_eq!(*done.lock(), ["b", "c", "a", "d"]);
    }

    #[tokio::test]
    async fn survives_panicking_work_and_drops_abandoned_work() {
        let thinkers = thinkers();
        let failed = thinkers.in_spare_time(Rank::Last, |_| -> Option<u8> { panic!("on purpose") }).await;
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

    #[tokio::test]
    async fn running_work_stops_when_its_caller_leaves() {
        let thinkers = thinkers();
        let (started, running) = tokio::sync::oneshot::channel();
        let (stopped, has_stopped) = tokio::sync::oneshot::channel();
        let mut signals = Some((started, stopped));
        let work = thinkers.in_spare_time(Rank::Soon, move |must_yield| -> Option<u8> {
            let (started, stopped) = signals.take()?;
            started.send(()).unwrap();
            // A search that goes on until it must yield. No bot waits here.
            let begun = std::time::Instant::now();
            while !must_yield() && begun.elapsed().as_secs() < 10 {
                std::thread::yield_now();
            }
            let _ = stopped.send(must_yield());
            None
        });
        let mut work = Box::pin(work);
        tokio::select! {
            _ = &mut work => unreachable!("it does not end"),
            running = running => running.unwrap(),
        }
        drop(work);
        assert!(has_stopped.await.unwrap(), "the work was told to stop");
    }
}
