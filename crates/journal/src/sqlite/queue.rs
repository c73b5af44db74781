//! The bounded queue between async callers and the writer thread.
//!
//! Backpressure comes from the semaphore. The queue itself is the standard library's, which drops its contents together
//! with the receiver. A caller whose job was not taken thereby notices the end of the writer and need not watch for it
//! separately.

use super::job::Job;
use std::sync::Arc;
use std::sync::mpsc::{self, TryRecvError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of queued jobs. Beyond that callers wait.
const QUEUE: usize = 1024;

struct QueuedJob {
    job: Job,
    place: OwnedSemaphorePermit,
}

/// The callers' end.
#[derive(Debug)]
pub(super) struct Jobs {
    queue: mpsc::Sender<QueuedJob>,
    places: Arc<Semaphore>,
}

/// The writer's end. Dropping it fails all queued jobs.
pub(super) struct Queue {
    queue: mpsc::Receiver<QueuedJob>,
    places: Arc<Semaphore>,
}

/// Creates both ends.
pub(super) fn queue() -> (Jobs, Queue) {
    let (sender, receiver) = mpsc::channel();
    let places = Arc::new(Semaphore::new(QUEUE));
    (Jobs { queue: sender, places: places.clone() }, Queue { queue: receiver, places })
}

impl Jobs {
    /// Sends a job as soon as there is room for it. Returns whether the writer is still running.
    pub(super) async fn send(&self, job: Job) -> bool {
        let Ok(place) = self.places.clone().acquire_owned().await else { return false };
        self.queue.send(QueuedJob { job, place }).is_ok()
    }

    /// Returns whether the writer has ended.
    pub(super) fn is_closed(&self) -> bool {
        self.places.is_closed()
    }
}

impl Queue {
    /// Waits for the next job. `None` when all senders are gone.
    pub(super) fn wait(&self) -> Option<Job> {
        self.queue.recv().ok().map(QueuedJob::taken)
    }

    /// Takes queued jobs until the batch has `most`. Returns whether there are still senders.
    pub(super) fn take(&self, batch: &mut Vec<Job>, most: usize) -> bool {
        while batch.len() < most {
            match self.queue.try_recv() {
                Ok(queued) => batch.push(queued.taken()),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
        true
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.places.close();
    }
}

impl QueuedJob {
    fn taken(self) -> Job {
        drop(self.place);
        self.job
    }
}
