//! Two clocks. The wall clock is what people read, in chat and in records; it may be wrong and may be corrected during
//! a game. The running time is monotonic: how long servers have run on this journal. Deadlines, absence and the age of
//! rooms are measured in running time only, so that neither a corrected clock nor a suspended machine triggers
//! anything.

use room::{Millis, Now, WallTime};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// The wall clock and the running time.
#[derive(Clone)]
pub struct Clock {
    wall: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    /// On tokio's clock, which tests can pause and advance.
    started: Instant,
    /// The running time when this server started.
    ran_before: Millis,
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({:?})", self.now())
    }
}

impl Clock {
    /// Creates a clock with the machine's wall clock and a running time that continues from `ran_before`.
    pub fn start(ran_before: Millis) -> Clock {
        Clock::with_wall(ran_before, SystemTime::now)
    }

    /// Creates a clock with another wall clock and a running time that continues from `ran_before`.
    pub fn with_wall(ran_before: Millis, wall: impl Fn() -> SystemTime + Send + Sync + 'static) -> Clock {
        Clock { wall: Arc::new(wall), started: Instant::now(), ran_before }
    }

    /// Returns the wall-clock time.
    pub fn wall(&self) -> WallTime {
        // A machine without a clock battery may start before 1970.
        let since_1970 = (self.wall)().duration_since(UNIX_EPOCH).unwrap_or_default();
        WallTime(since_1970.as_millis() as u64)
    }

    /// Returns the running time.
    pub fn running(&self) -> Millis {
        self.ran_before + self.started.elapsed().as_millis() as u64
    }

    /// Returns both times, for a room.
    pub fn now(&self) -> Now {
        Now { wall: self.wall(), steady: self.running() }
    }

    /// Returns the instant of a running time. A time before the start of this server gives the start.
    pub fn at(&self, running: Millis) -> Instant {
        self.started + Duration::from_millis(running.saturating_sub(self.ran_before))
    }
}
