//! A game moment by moment: every table that was shown, in order. They are computed by replaying the game while they
//! are read, so only the actions are kept in memory.

use crate::games::{AnyGame, Dealt};
use crate::record::{begin, verify};
use crate::{By, Doubt};
use protocol::{Moment, Record, RecordedAct};
use serde_json::value::RawValue;
use std::vec;

/// The moments of one game. They contain nothing that was hidden at their time.
pub struct Moments {
    game: Box<dyn AnyGame>,
    /// The events of the deal, until they have been returned.
    dealt: Option<Vec<Box<RawValue>>>,
    start: Option<u64>,
    version: u64,
    acts: vec::IntoIter<Told>,
}

/// An action, who decided it, and whether it is still hidden.
pub(crate) type Told = (RecordedAct, Option<By>, bool);

impl Moments {
    /// Creates the moments of a new game, given actions that are known to be legal.
    pub(crate) fn new((game, events): Dealt, start: Option<u64>, version: u64, acts: Vec<Told>) -> Moments {
        Moments { game, dealt: Some(events), start, version, acts: acts.into_iter() }
    }

    /// Creates the moments of a recorded game, if the record is valid.
    pub fn of_record(record: Record) -> Result<Moments, Doubt> {
        verify(&record)?;
        let dealt = begin(&record)?;
        let acts = record.acts.into_iter().map(|act| (act, None, false)).collect();
        Ok(Moments::new(dealt, None, 1, acts))
    }
}

impl Iterator for Moments {
    type Item = Moment;

    fn next(&mut self) -> Option<Moment> {
        if let Some(events) = self.dealt.take() {
            let (version, at, table) = (self.version, self.start, self.game.table());
            return Some(Moment { version, at, seat: None, by: None, action: None, events, table });
        }
        let (RecordedAct { seat, action, at }, by, hidden) = self.acts.next()?;
        let events = self.game.apply(seat, &action).expect("recorded actions are legal");
        self.version += 1;
        Some(Moment {
            version: self.version,
            at: Some(at),
            seat: Some(seat),
            by,
            action: (!hidden).then_some(action),
            events,
            table: self.game.table(),
        })
    }
}
