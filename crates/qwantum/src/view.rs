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

/// Public view of the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Table {
    /// Step of the turn.
    pub phase: Phase,
    /// Seat of the active player, or null after the end.
    pub turn: Option<Seat>,
    /// Number of the round, counted from 1. It rises when the player who rolled first is active again.
    pub round: u8,
    /// Number of rolls in this turn: 0, 1 or 2.
    pub rolls: u8,
    /// The dice, or null before the first roll of a turn.
    pub dice: Option<[Die; DICE]>,
    /// Totals of the colours, or null before the first roll of a turn.
    pub totals: Option<Totals>,
    /// Row in which the active player entered a total in step B, or null. No player may choose this row in step C.
    pub used: Option<Row>,
    /// Whether each seat has chosen in the shared step, in seat order. All false in any other step.
    pub decided: ArrayVec<bool, MAX_PLAYERS>,
    /// Sheets and points of all players, in seat order.
    pub players: ArrayVec<PlayerView, MAX_PLAYERS>,
    /// Outcome, or null before the end.
    pub outcome: Option<Outcome>,
}

/// Total of each colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Totals {
    pub violet: u8,
    pub blue: u8,
    pub red: u8,
    pub yellow: u8,
}

/// Public view of a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "Player"), schemars(rename = "Player"))]
pub struct PlayerView {
    /// Seat of the player.
    pub seat: Seat,
    /// Numbers on the sheet.
    pub rows: Rows,
    /// Number of misses.
    pub misses: u8,
    /// Score if the game ended now.
    pub score: Score,
}

/// The four rows of a sheet, each from the left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Rows {
    pub violet: ArrayVec<u8, CELLS>,
    pub blue: ArrayVec<u8, CELLS>,
    pub red: ArrayVec<u8, CELLS>,
    pub yellow: ArrayVec<u8, CELLS>,
}

/// Private view of one seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Mine {
    /// This seat's choice in the shared step, or null before it has chosen and after all choices are counted.
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
        PlayerView { seat, rows: Rows { violet, blue, red, yellow }, misses: sheet.misses, score: Score::of(sheet) }
    }

    pub(crate) fn show_mine(&self, seat: Seat) -> Mine {
        Mine { choice: self.choices().get(seat.index()).copied().flatten() }
    }
}

fn numbers(row: &Cells) -> ArrayVec<u8, CELLS> {
    row.numbers().iter().copied().collect()
}
