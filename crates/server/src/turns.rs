//! A bulkhead for work that keeps a processor busy: journals are played again off the async workers, on the runtime's threads for
//! blocking work, and only so many at once. Those who play do not wait for it, however many rooms are woken at the same time.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, spawn_blocking};

/// So many may work at once; whoever comes later waits for a turn.
pub struct Turns(Arc<Semaphore>);

/// The right to work now.
pub struct Turn(OwnedSemaphorePermit);

impl Turns {
    pub fn new(at_once: usize) -> Turns {
        Turns(Arc::new(Semaphore::new(at_once)))
    }

    /// Waits for a turn; first come, first served.
    pub async fn turn(&self) -> Turn {
        Turn(self.0.clone().acquire_owned().await.expect("nobody closes it"))
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
    async fn work_that_panics_gives_its_turn_back() {
        let turns = Turns::new(1);
        assert!(turns.turn().await.work(|| panic!("as it should")).await.is_err());
        assert_eq!(turns.turn().await.work(|| 7).await.unwrap(), 7);
    }
}
