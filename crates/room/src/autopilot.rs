//! What is to be played for whom, and when: bots, the clock, and acts that are forced. It says what is wanted;
//! whoever has a clock and a processor to spare does the thinking and hands the act in.

use crate::games::Thinking;
use crate::{By, Millis, Room};
use game::{Level, Seat};
use protocol::{Forced, RawAction, RoomPhase};

/// How well a bot plays that nobody chose: after a leaver, or when time has run out.
pub(crate) const STAND_IN: Level = Level::Normal;

/// Time run out so often in a row makes a bot play until the owner acts again.
pub(crate) const MISSED_IN_A_ROW: u8 = 2;

/// A decision somebody else is to make for a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// For whom.
    pub seat: Seat,
    /// The number of the seat's act, so that a thought that comes too late is known as such.
    pub n: u32,
    /// Why it is not the player's own.
    pub by: By,
    /// How well to think.
    pub level: Level,
    /// Not before this time.
    pub at: Millis,
}

impl Room {
    /// The decisions to be made for seats as things are. Bots and forced acts wait for `pause`, so that people can
    /// follow. A room whose people are all gone waits for them: nothing is wanted.
    pub fn wants(&self, pause: Millis) -> Vec<Want> {
        let Some(game) = self.game.as_ref().filter(|_| self.phase == RoomPhase::Playing) else {
            return Vec::new();
        };
        if !self.seats.somebody_is_here() {
            return Vec::new();
        }
        let clock = self.options.clock().map(|seconds| Millis::from(seconds) * 1000);
        let auto = self.options.forced() == Forced::Auto;
        let asked = game.state().asked().into_iter();
        asked
            .filter_map(|seat| {
                let (by, level, wait) = match self.seats.at(seat)?.bot {
                    Some(level) => (By::Bot, level, pause),
                    None if auto && game.state().is_forced(seat) => (By::Force, STAND_IN, pause),
                    None => (By::Clock, STAND_IN, clock?),
                };
                Some(Want { seat, n: game.next(seat), by, level, at: game.asked_since(seat) + wait })
            })
            .collect()
    }

    /// When the first of those who must act themselves runs out of time.
    pub(crate) fn deadline(&self) -> Option<Millis> {
        self.options.clock()?;
        // Forced acts come long before; a pause of any length does.
        let wants = self.wants(0);
        wants.iter().filter(|want| want.by == By::Clock).map(|want| want.at).min()
    }

    /// The only thing a seat can do, if there is only one.
    pub fn only_act(&self, seat: Seat) -> Option<RawAction> {
        self.game.as_ref()?.state().only_act(seat)
    }

    /// Something a seat can do, for when all thinking has failed.
    pub fn any_act(&self, seat: Seat) -> Option<RawAction> {
        self.game.as_ref()?.state().any_act(seat)
    }

    /// A bot's thinking about a seat's decision, on what that seat sees and nothing else.
    pub fn thinking(&self, seat: Seat) -> Option<Thinking> {
        Some(self.game.as_ref()?.state().thinking(seat))
    }
}
