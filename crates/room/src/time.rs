//! The two clocks a room is told, which are never mixed: by one it is written and shown when something happened, by
//! the other it is measured how long something took.

use serde::{Deserialize, Serialize};

/// Milliseconds: how long something takes, or a moment on the caller's monotonic clock. That clock counts from
/// anywhere and never goes back or jumps; deadlines, pauses and time away are measured by it alone.
pub type Millis = u64;

/// Milliseconds since 1970, as the wall clock shows them. It is written down and shown, and nothing follows from it:
/// a wall clock is set right, forwards or back, while people play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WallTime(pub u64);

/// What time it is, on both clocks.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    /// What people's clocks show.
    pub wall: WallTime,
    /// The moment on the monotonic clock.
    pub steady: Millis,
}
