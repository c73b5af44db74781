//! The two clocks of a room, which are never mixed: the wall clock dates events, and the monotonic clock measures
//! durations.

use serde::{Deserialize, Serialize};

/// Milliseconds: a duration, or a time on the caller's monotonic clock. That clock has an arbitrary origin and never
/// goes back or jumps. Deadlines, pauses and absences are measured with it alone.
pub type Millis = u64;

/// Milliseconds since 1970 on the wall clock. They are stored and shown, but nothing depends on them, because a wall
/// clock may be adjusted at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WallTime(pub u64);

/// The current time on both clocks.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    /// The wall clock.
    pub wall: WallTime,
    /// The monotonic clock.
    pub steady: Millis,
}
