//! A bulkhead for CPU-bound work: journals are replayed on the runtime's blocking threads instead of the async workers,
//! and only a limited number at once. So games are not delayed, however many rooms are loaded at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, spawn_blocking};

/// Limits how many jobs run at once. Further callers wait for a turn.
pub struct Turns {
    free: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// Permission to run a job.
pub struct Turn(OwnedSemaphorePermit);

impl Turns {
    pub fn new(at_once: usize) -> Turns {
        Turns { free: Arc::new(Semaphore::new(at_once)), waiting: AtomicUsize::new(0) }
    }

    /// Waits for a turn, in order of arrival.
    pub async fn turn(&self) -> Turn {
        Turn(self.free.clone().acquire_owned().await.expect("nobody closes it"))
    }

    /// Waits for a turn, or returns `None` if this many callers are already waiting (load shedding).
    pub async fn turn_unless(&self, waiting: usize) -> Option<Turn> {
        if let Ok(permit) = self.free.clone().try_acquire_owned() {
            return Some(Turn(permit));
        }
        let _waits = Waits::unless(&self.waiting, waiting)?;
        Some(self.turn().await)
    }
}

/// Counts a waiting caller until it is dropped, also when the caller is cancelled.
struct Waits<'a>(&'a AtomicUsize);

impl<'a> Waits<'a> {
    fn unless(waiting: &'a AtomicUsize, most: usize) -> Option<Waits<'a>> {
        let one_more = |now: usize| (now < most).then_some(now + 1);
        waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok()?;
        Some(Waits(waiting))
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Turn {
    /// Runs the work on a blocking thread. Fails only if the work panics or the server stops. If the caller is
    /// cancelled, only the result is lost: the turn stays with the work, so the limit is never exceeded.
    pub async fn work<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        let Turn(permit) = self;
        let done = spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        });
        done.await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;
    use tokio::time::timeout;

    #[tokio::test]
    async fn work_that_nobody_waits_for_any_more_keeps_its_turn_until_it_is_done() {
        let turns = Turns::new(1);
        let (go_on, told) = mpsc::channel::<()>();
        let turn = turns.turn().await;
        let abandoned = turn.work(move || told.recv());
        assert!(timeout(Duration::from_millis(1), abandoned).await.is_err(), "it waits to be told");
        assert!(timeout(Duration::from_millis(1), turns.turn()).await.is_err(), "and has the only turn");
        go_on.send(()).unwrap();
        assert_eq!(turns.turn().await.work(|| 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn only_so_many_wait() {
        let turns = Turns::new(1);
        let working = turns.turn().await;
        let waits = turns.turn_unless(1);
        let mut waits = std::pin::pin!(waits);
        assert!(timeout(Duration::from_millis(1), waits.as_mut()).await.is_err(), "it waits");
        assert!(turns.turn_unless(1).await.is_none(), "another may not");
        drop(working);
        drop(waits.await.expect("its turn has come"));
        assert!(turns.turn_unless(0).await.is_some(), "who need not wait is not one too many");
    }

    #[tokio::test]
    async fn work_that_panics_gives_its_turn_back() {
        let turns = Turns::new(1);
        assert!(turns.turn().await.work(|| panic!("as it should")).await.is_err());
        assert_eq!(turns.turn().await.work(|| 7).await.unwrap(), 7);
    }
}
