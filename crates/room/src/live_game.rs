//! The game on the table, with all that must be known to show it to anyone at any time.
//!
//! It knows its rules only as [`AnyGame`], and nothing of who sits where.

use crate::games::{AnyGame, Dealt};
use crate::{Cause, Millis};
use game::{Salt, Seat, Sight};
use protocol::RawAction;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::OnceLock;

/// One game from its deal to its end, and until the rematch.
pub(crate) struct LiveGame {
    state: Box<dyn AnyGame>,
    /// The sequence number of each seat's next act. It rises with every accepted act of the seat and, for all, whenever
    /// choices made together are counted: so a number stands for one decision, and an act that comes late is never
    /// taken for another.
    next: Vec<u32>,
    /// The salts that went into the deal, public from the start on.
    pub salts: Vec<Option<Salt>>,
    /// Every event so far, each as it goes over the wire.
    pub history: Vec<Box<RawValue>>,
    /// Since when each seat has been asked for its next act.
    asked_since: Vec<Millis>,
    /// What happened in the last change.
    pub events: Box<RawValue>,
    sight: Sight,
    /// What everyone sees, serialised once per change, when somebody is shown it: not while a room is rebuilt.
    table: OnceLock<Box<RawValue>>,
}

impl LiveGame {
    /// A game just laid out, for which these salts were brought.
    pub fn new((state, events): Dealt, salts: Vec<Option<Salt>>, now: Millis) -> LiveGame {
        let mut game = LiveGame {
            state,
            next: vec![0; salts.len()],
            asked_since: vec![now; salts.len()],
            salts,
            history: Vec::new(),
            events: list(&[]),
            sight: Sight::default(),
            table: OnceLock::new(),
        };
        game.happened(events);
        game
    }

    pub fn next(&self, seat: Seat) -> u32 {
        self.next[seat.index()]
    }

    /// How much there was to see in what happened last.
    pub fn sight(&self) -> Sight {
        self.sight
    }

    pub fn asked_since(&self, seat: Seat) -> Millis {
        self.asked_since[seat.index()]
    }

    /// Nobody was here to be asked until now.
    pub fn ask_anew(&mut self, now: Millis) {
        self.asked_since.fill(now);
    }

    /// What everyone sees.
    pub fn table(&self) -> &RawValue {
        self.table.get_or_init(|| self.state.table())
    }

    pub fn state(&self) -> &dyn AnyGame {
        &*self.state
    }

    pub fn act(&mut self, seat: Seat, action: &RawAction, now: Millis) -> Result<(), Cause> {
        let (asked_before, epoch) = (self.state.asked(), self.state.epoch());
        let (events, sight) = self.state.apply_seen(seat, action).map_err(Cause::from)?;
        // A choice that nobody is shown leaves everyone looking at what they looked at.
        self.sight = sight.unwrap_or(self.sight);
        self.next[seat.index()] += 1;
        if self.state.epoch() != epoch {
            // For whoever acted last too: a change of mind may be on its way behind that act.
            self.next.iter_mut().for_each(|next| *next += 1);
        }
        for asked in self.state.asked() {
            // Whoever is still asked the same has been since before.
            if asked == seat || !asked_before.contains(&asked) {
                self.asked_since[asked.index()] = now;
            }
        }
        self.happened(events);
        Ok(())
    }

    fn happened(&mut self, events: Vec<Box<RawValue>>) {
        self.events = list(&events);
        self.history.extend(events);
        self.table.take();
    }
}

fn list(events: &[Box<RawValue>]) -> Box<RawValue> {
    to_raw_value(events).expect("a list of JSON values is a JSON value")
}
