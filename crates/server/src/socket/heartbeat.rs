//! The heartbeat timer of a connection: when the next ping is due.
//!
//! It does not know what is sent, nor when a silent connection is dead.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};

/// Heartbeat: interval between pings. Proxies close connections that are silent for a minute.
const PING: Duration = Duration::from_secs(20);

/// The heartbeat timer. Every message wakes the task that also waits for the timer, and polling the timer each time
/// would be wasteful. So it is polled once after it is set, which registers the task's waker, and again when it is due.
pub(super) struct Heartbeat {
    timer: Pin<Box<Sleep>>,
    due: Instant,
    set: bool,
}

impl Heartbeat {
    pub fn new() -> Heartbeat {
        let due = Instant::now() + PING;
        Heartbeat { timer: Box::pin(sleep_until(due)), due, set: false }
    }

    /// Completes when a ping is due, and schedules the next one. Cancel-safe, as long as it is awaited again in the
    /// same task.
    pub async fn beat(&mut self) {
        poll_fn(|context| {
            if self.set && Instant::now() < self.due {
                return Poll::Pending;
            }
            self.set = true;
            ready!(self.timer.as_mut().poll(context));
            self.due = Instant::now() + PING;
            self.timer.as_mut().reset(self.due);
            self.set = false;
            Poll::Ready(())
        })
        .await
    }

    /// Reschedules the next beat.
    pub fn within(&mut self, time: Duration) {
        self.due = Instant::now() + time;
        self.timer.as_mut().reset(self.due);
        self.set = false;
    }
}
