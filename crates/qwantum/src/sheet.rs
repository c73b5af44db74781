//! One player's sheet: four rows of six cells, and misses. Defines which number may be entered where. Dice and turns
//! are not handled here.

use crate::refusal::IllegalAction;
use serde::{Deserialize, Serialize};

/// Number of cells in a row.
pub const CELLS: usize = 6;

/// Number of rising numbers in a row: those before the thick line.
pub const RISING: usize = 4;

/// Number of misses that ends the game.
pub const MOST_MISSES: u8 = 5;

/// A row of a sheet, and the colour whose totals are entered there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Row {
    Violet,
    Blue,
    Red,
    Yellow,
}

impl Row {
    /// All rows, from the top of a sheet.
    pub const ALL: [Row; 4] = [Row::Violet, Row::Blue, Row::Red, Row::Yellow];

    /// Returns the row as an index into lists in this order.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the row's name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Row::Violet => "violet",
            Row::Blue => "blue",
            Row::Red => "red",
            Row::Yellow => "yellow",
        }
    }
}

/// The numbers of a row, filled from the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cells {
    filled: u8,
    numbers: [u8; CELLS],
}

impl Cells {
    pub const EMPTY: Cells = Cells { filled: 0, numbers: [0; CELLS] };

    pub fn numbers(&self) -> &[u8] {
        &self.numbers[..self.filled()]
    }

    pub fn filled(&self) -> usize {
        usize::from(self.filled)
    }

    pub fn is_full(&self) -> bool {
        self.filled() == CELLS
    }

    /// Returns the most recently entered number.
    pub fn last(&self) -> Option<u8> {
        self.numbers().last().copied()
    }

    /// Checks whether this number may be entered in the next cell: the first four rise, the last two fall.
    pub fn check(&self, number: u8) -> Result<(), IllegalAction> {
        match self.last() {
            _ if self.is_full() => Err(IllegalAction::RowFull),
            Some(last) if self.filled() < RISING && number <= last => Err(IllegalAction::MustBeHigher),
            Some(last) if self.filled() >= RISING && number >= last => Err(IllegalAction::MustBeLower),
            _ => Ok(()),
        }
    }

    /// Enters a number that passed [`Cells::check`].
    pub fn enter(&mut self, number: u8) {
        self.numbers[self.filled()] = number;
        self.filled += 1;
    }
}

/// Four rows and the misses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sheet {
    pub rows: [Cells; 4],
    pub misses: u8,
}

impl Sheet {
    pub const EMPTY: Sheet = Sheet { rows: [Cells::EMPTY; 4], misses: 0 };

    pub fn row(&self, row: Row) -> &Cells {
        &self.rows[row.index()]
    }

    pub fn enter(&mut self, row: Row, number: u8) {
        self.rows[row.index()].enter(number);
    }

    pub fn is_full(&self) -> bool {
        self.rows.iter().all(Cells::is_full)
    }

    /// Returns the numbers of a column, from the top.
    pub fn column(&self, column: usize) -> [Option<u8>; 4] {
        self.rows.each_ref().map(|row| row.numbers().get(column).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(numbers: &[u8]) -> Cells {
        let mut row = Cells::EMPTY;
        for number in numbers {
            assert_eq!(row.check(*number), Ok(()), "{number} in {numbers:?}");
            row.enter(*number);
        }
        row
    }

    #[test]
    fn four_numbers_increase_and_two_decrease() {
        assert!(row(&[3, 10, 11, 18, 17, 1]).is_full());
        assert_eq!(row(&[]).check(33), Ok(()));
        assert_eq!(row(&[3]).check(3), Err(IllegalAction::MustBeHigher));
        assert_eq!(row(&[3, 10, 11]).check(10), Err(IllegalAction::MustBeHigher));
        assert_eq!(row(&[3, 10, 11, 18, 17]).check(17), Err(IllegalAction::MustBeLower));
        assert_eq!(row(&[3, 10, 11, 18, 17, 1]).check(0), Err(IllegalAction::RowFull));
    }

    #[test]
    fn numbers_decrease_after_the_thick_line() {
        let row = row(&[3, 10, 11, 18]);
        assert_eq!(row.check(19), Err(IllegalAction::MustBeLower));
        assert_eq!(row.check(18), Err(IllegalAction::MustBeLower));
        assert_eq!(row.check(17), Ok(()));
    }
}
