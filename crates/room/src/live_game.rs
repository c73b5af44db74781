//! The game on the table, with everything needed to show it to anyone at any time.
//!
//! It knows the rules only as [`AnyGame`], and nothing about the players in the seats.

use crate::games::{AnyGame, Dealt};
use crate::{Cause, Millis};
use game::{Salt, Seat, Sight};
use protocol::RawAction;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::OnceLock;

/// One game from its deal until the rematch.
pub(crate) struct LiveGame {
    state: Box<dyn AnyGame>,
    /// The sequence number of each seat's next action. It rises with every accepted action of the seat and, for all
    /// seats, whenever simultaneous choices are evaluated. A number thus identifies one decision, and a late action is
    /// never taken for another one.
    next: Vec<u32>,
    /// The salts used for the deal, public since the start.
    pub salts: Vec<Option<Salt>>,
    /// Every event so far, as sent over the wire.
    pub history: Vec<Box<RawValue>>,
    /// Time since when each seat's next action has been awaited.
    asked_since: Vec<Millis>,
    /// The events of the last change.
    pub events: Box<RawValue>,
    sight: Sight,
    /// The public state, serialised once per change and only when it is shown, so not during a rebuild.
    table: OnceLock<Box<RawValue>>,
}

impl LiveGame {
    /// Creates the live game from a deal and the salts it was made with.
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

    /// Returns how much the last events gave players to look at.
    pub fn sight(&self) -> Sight {
        self.sight
    }

    pub fn asked_since(&self, seat: Seat) -> Millis {
        self.asked_since[seat.index()]
    }

    /// Restarts all waiting times, because nobody was present until now.
    pub fn ask_anew(&mut self, now: Millis) {
        self.asked_since.fill(now);
    }

    /// Returns the public state as JSON.
    pub fn table(&self) -> &RawValue {
        self.table.get_or_init(|| self.state.table())
    }

    pub fn state(&self) -> &dyn AnyGame {
        &*self.state
    }

    pub fn act(&mut self, seat: Seat, action: &RawAction, now: Millis) -> Result<(), Cause> {
        let (asked_before, epoch) = (self.state.asked(), self.state.epoch());
        let (events, sight) = self.state.apply_seen(seat, action).map_err(Cause::from)?;
        // A hidden choice shows nothing new, so the previous value stays.
        self.sight = sight.unwrap_or(self.sight);
        self.next[seat.index()] += 1;
        if self.state.epoch() != epoch {
            // Also for the seat that acted last, because a change of its choice may already be on its way.
            self.next.iter_mut().for_each(|next| *next += 1);
        }
        for asked in self.state.asked() {
            // Seats whose decision is unchanged keep their waiting time.
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
