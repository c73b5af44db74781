//! What time it is. Milliseconds since 1970 that follow tokio's clock, so that tests can pause and advance it
//! and a corrected wall clock never makes time run backwards.

use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// A clock that never goes back.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    started: Instant,
    started_ms: u64,
}

impl Clock {
    /// A clock set by the wall clock now.
    pub fn start() -> Clock {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock { started: Instant::now(), started_ms: since_1970.as_millis() as u64 }
    }

    /// Milliseconds since 1970.
    pub fn now(&self) -> u64 {
        self.started_ms + self.started.elapsed().as_millis() as u64
    }

    /// The moment a time in milliseconds stands for; one that has passed is the clock's start at the earliest.
    pub fn at(&self, ms: u64) -> Instant {
        self.started + Duration::from_millis(ms.saturating_sub(self.started_ms))
    }
}
