//! A bulkhead for work that keeps a processor busy: journals are played again off the async workers, on the runtime's threads for
//! blocking work, and only so many at once. Those who play do not wait for it, however many rooms are woken at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, spawn_blocking};

/// So many may work at once; whoever comes later waits for a turn.
pub struct Turns {
    free: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// The right to work now.
pub struct Turn(OwnedSemaphorePermit);

impl Turns {
    pub fn new(at_once: usize) -> Turns {
        Turns { free: Arc::new(Semaphore::new(at_once)), waiting: AtomicUsize::new(0) }
    }

    /// Waits for a turn; first come, first served.
    pub async fn turn(&self) -> Turn {
        Turn(self.free.clone().acquire_owned().await.expect("nobody closes it"))
    }

    /// The same, unless so many wait already (load shedding): none for who comes then.
    pub async fn turn_unless(&self, waiting: usize) -> Option<Turn> {
        if let Ok(permit) = self.free.clone().try_acquire_owned() {
            return Some(Turn(permit));
        }
        let _waits = Waits::unless(&self.waiting, waiting)?;
        Some(self.turn().await)
    }
}

/// One who waits; no more when dropped, as when they no longer want to.
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
    /// Works on a thread that may be kept busy; fails only if the work panics or the server stops. Who no longer waits for it
    /// loses the answer and nothing else: the turn goes with the work, not with them, so there are never more at once.
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
