//! What players see. These types are built from scratch and have no field for a secret: neither another player's choice
//! in the shared step nor future rolls.

use crate::action::Choice;
use crate::dice::{DICE, Die};
use crate::score::Score;
use crate::sheet::{CELLS, Cells, Row};
use crate::{MAX_PLAYERS, Phase, Qwantum};
use arrayvec::ArrayVec;
use game::{Outcome, Seat};
use serde::Serialize;

/// What everyone may see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Table {
    /// The step of the turn.
    pub phase: Phase,
    /// The active player. Nobody once the game is finished.
    pub turn: Option<Seat>,
    /// How often whoever rolled first has been active, counted from 1.
    pub round: u8,
    /// How often dice were rolled in this turn: 0, 1 or 2.
    pub rolls: u8,
    /// What the dice show; none before the first roll of a turn.
    pub dice: Option<[Die; DICE]>,
    /// The colours' totals; none before the first roll of a turn.
    pub totals: Option<Totals>,
    /// The row in which the active player entered a total before all choose, which nobody may choose then.
    pub used: Option<Row>,
    /// Who has chosen in the shared step, in seat order; in any other step nobody.
    pub decided: ArrayVec<bool, MAX_PLAYERS>,
    /// Everyone's sheet and points, in seat order.
    pub players: ArrayVec<PlayerView, MAX_PLAYERS>,
    /// Who won, once the game is finished.
    pub outcome: Option<Outcome>,
}

/// The total of every colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[allow(missing_docs, reason = "the names say it all")]
pub struct Totals {
    pub violet: u8,
    pub blue: u8,
    pub red: u8,
    pub yellow: u8,
}

/// One player, as everyone sees them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "Player"), schemars(rename = "Player"))]
pub struct PlayerView {
    /// Where they sit.
    pub seat: Seat,
    /// Their numbers.
    pub rows: Rows,
    /// How many misses they have marked.
    pub misses: u8,
    /// What they would have if the game ended now.
    pub score: Score,
}

/// The four rows of a sheet, each from the left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[allow(missing_docs, reason = "the names say it all")]
pub struct Rows {
    pub violet: ArrayVec<u8, CELLS>,
    pub blue: ArrayVec<u8, CELLS>,
    pub red: ArrayVec<u8, CELLS>,
    pub yellow: ArrayVec<u8, CELLS>,
}

/// What one seat alone may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Mine {
    /// What this seat has chosen in the shared step. None before it has, and again once all are counted.
    pub choice: Option<Choice>,
}

impl Totals {
    /// Returns the total of this row's colour.
    pub fn of(&self, row: Row) -> u8 {
        match row {
            Row::Violet => self.violet,
            Row::Blue => self.blue,
            Row::Red => self.red,
            Row::Yellow => self.yellow,
        }
    }
}

impl Rows {
    /// Returns the numbers of this row.
    pub fn of(&self, row: Row) -> &[u8] {
        match row {
            Row::Violet => &self.violet,
            Row::Blue => &self.blue,
            Row::Red => &self.red,
            Row::Yellow => &self.yellow,
        }
    }
}

impl Qwantum {
    pub(crate) fn show_table(&self) -> Table {
        let rolled = self.rolls > 0;
        let [violet, blue, red, yellow] = self.dice.totals();
        Table {
            phase: self.phase,
            turn: self.turn(),
            round: self.round,
            rolls: self.rolls,
            dice: rolled.then(|| self.dice.shown()),
            totals: rolled.then_some(Totals { violet, blue, red, yellow }),
            used: self.used,
            decided: self.choices().iter().map(Option::is_some).collect(),
            players: Seat::all(self.players()).map(|seat| self.show_player(seat)).collect(),
            outcome: (self.phase == Phase::Finished).then(|| self.reckon()),
        }
    }

    fn show_player(&self, seat: Seat) -> PlayerView {
        let sheet = &self.sheets[seat.index()];
        let [violet, blue, red, yellow] = sheet.rows.each_ref().map(numbers);
        PlayerView {
            seat,
            rows: Rows { violet, blue, red, yellow },
            misses: sheet.misses,
            score: Score::of(sheet),
        }
    }

    pub(crate) fn show_mine(&self, seat: Seat) -> Mine {
        Mine { choice: self.choices().get(seat.index()).copied().flatten() }
    }
}

fn numbers(row: &Cells) -> ArrayVec<u8, CELLS> {
    row.numbers().iter().copied().collect()
}
