//! Seats and viewers.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A place at the table, counted from 0 in turn order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(transparent)]
pub struct Seat(pub u8);

impl Seat {
    /// Returns the seat as an index into lists in seat order.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the next seat clockwise at a table of `players`.
    pub const fn next(self, players: usize) -> Seat {
        Seat(((self.index() + 1) % players) as u8)
    }

    /// Returns every seat of a table of `players`, in order.
    pub fn all(players: usize) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator {
        (0..players as u8).map(Seat)
    }
}

impl From<usize> for Seat {
    fn from(index: usize) -> Seat {
        Seat(u8::try_from(index).expect("a table has few seats"))
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A viewer of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// The player in this seat.
    Seat(Seat),
    /// A spectator, who sees only what is public.
    Watcher,
}

impl Viewer {
    /// Returns the viewer's seat, if it has one.
    pub const fn seat(self) -> Option<Seat> {
        match self {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Watcher => None,
        }
    }
}
