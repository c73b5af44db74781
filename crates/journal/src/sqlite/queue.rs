//! The way to the writer: a bounded queue between async callers and the one thread.
//!
//! Backpressure comes from the semaphore; the queue itself is the standard library's, which drops all that lies in it with
//! its receiver. So a caller whose job the writer no longer took learns of it by that alone, and need not watch for the end.

use super::job::Job;
use std::sync::Arc;
use std::sync::mpsc::{self, TryRecvError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many jobs may wait for the writer; beyond that callers wait to hand theirs over.
const QUEUE: usize = 1024;

struct Queued {
    job: Job,
    place: OwnedSemaphorePermit,
}

/// The callers' end.
#[derive(Debug)]
pub(super) struct Jobs {
    queue: mpsc::Sender<Queued>,
    places: Arc<Semaphore>,
}

/// The writer's end. Dropping it fails whatever still waits.
pub(super) struct Queue {
    queue: mpsc::Receiver<Queued>,
    places: Arc<Semaphore>,
}

/// Both ends.
pub(super) fn queue() -> (Jobs, Queue) {
    let (sender, receiver) = mpsc::channel();
    let places = Arc::new(Semaphore::new(QUEUE));
    (Jobs { queue: sender, places: places.clone() }, Queue { queue: receiver, places })
}

impl Jobs {
    /// Hands a job over, as soon as there is a place for it; answers whether the writer is still there to take it.
    pub(super) async fn send(&self, job: Job) -> bool {
        let Ok(place) = self.places.clone().acquire_owned().await else { return false };
        self.queue.send(Queued { job, place }).is_ok()
    }

    /// Whether the writer has ended.
    pub(super) fn is_closed(&self) -> bool {
        self.places.is_closed()
    }
}

impl Queue {
    /// Waits for the next job; none when nobody is left who could send one.
    pub(super) fn wait(&self) -> Option<Job> {
        self.queue.recv().ok().map(Queued::taken)
    }

    /// Takes what is there, up to so many in all; answers whether anybody is left who could send more.
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

impl Queued {
    fn taken(self) -> Job {
        drop(self.place);
        self.job
    }
}
