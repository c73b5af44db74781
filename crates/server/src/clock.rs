//! What time it is, on two clocks. The wall clock is what people read, in chat and in records; it may be wrong and
//! is set right while people play. The running time is monotonic: how long servers have run over this journal. By it
//! alone deadlines, time away and the age of rooms are measured, so that neither a corrected clock nor a machine
//! that slept makes anything happen.

use room::{Millis, Now, WallTime};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Both clocks.
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
    /// The machine's wall clock, and a running time that counts on from `ran_before`.
    pub fn start(ran_before: Millis) -> Clock {
        Clock::with_wall(ran_before, SystemTime::now)
    }

    /// The same with another wall clock.
    pub fn with_wall(ran_before: Millis, wall: impl Fn() -> SystemTime + Send + Sync + 'static) -> Clock {
        Clock { wall: Arc::new(wall), started: Instant::now(), ran_before }
    }

    /// What people's clocks show.
    pub fn wall(&self) -> WallTime {
        // A machine without a battery may believe in a time before 1970.
        let since_1970 = (self.wall)().duration_since(UNIX_EPOCH).unwrap_or_default();
        WallTime(since_1970.as_millis() as u64)
    }

    /// The running time.
    pub fn running(&self) -> Millis {
        self.ran_before + self.started.elapsed().as_millis() as u64
    }

    /// Both, for a room.
    pub fn now(&self) -> Now {
        Now { wall: self.wall(), steady: self.running() }
    }

    /// The moment a running time stands for; one that has passed is the clock's start at the earliest.
    pub fn at(&self, running: Millis) -> Instant {
        self.started + Duration::from_millis(running.saturating_sub(self.ran_before))
    }
}
