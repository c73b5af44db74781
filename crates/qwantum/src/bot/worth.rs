//! Static evaluation of a sheet beyond its points: how far its rows are filled, how much room their last numbers leave,
//! and what its unfinished columns promise. Neither the turn nor the dice are considered here.

use crate::score::second_lowest;
use crate::sheet::{CELLS, Cells, RISING, Row, Sheet};
use game::Stages;

pub use super::weights::WEIGHTS;

/// The knots of the weights below: cells left on the fullest sheet.
pub const STAGES: Stages<3> = Stages([5.0, 12.0, 24.0]);

/// A weight: points at each stage.
pub type Weight = [f32; STAGES.count()];

/// The last numbers of a row for which there are weights. Values between them are interpolated, and higher numbers are
/// too rare to distinguish.
pub const LASTS: [u8; 7] = [1, 5, 9, 13, 17, 21, 26];

/// Weights for the value of a sheet beyond its points.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    /// Expected points for an empty row.
    pub empty: Weight,
    /// Expected points for a row of one to five numbers, by its last number.
    pub rows: [[Weight; LASTS.len()]; CELLS - 1],
    /// Expected points for a column of one to three numbers: a constant, and factors for its lowest and second-lowest
    /// number.
    pub columns: [[[Weight; 3]; 3]; CELLS],
}

/// Values of sheets at one moment of a game.
#[derive(Debug, Clone)]
pub struct Worth {
    /// By how many numbers a row has, and by its last number.
    rows: [[f32; 34]; CELLS + 1],
    columns: [[[f32; 3]; 3]; CELLS],
}

/// Values of sheets at every moment of a game, precomputed for simulated games.
#[cfg(test)]
pub struct Worths(Vec<Worth>);

#[cfg(test)]
impl Worths {
    pub fn new(weights: &Weights) -> Worths {
        Worths((0..=4 * CELLS).map(|cells| Worth::new(weights, cells as f32)).collect())
    }

    /// Returns the values for this many cells left on the fullest sheet.
    pub fn with_left(&self, cells: usize) -> &Worth {
        &self.0[cells.min(4 * CELLS)]
    }
}

/// Returns the index of the next lower entry of `LASTS`, and how far `number` lies between it and the next entry, from
/// 0 to 1.
pub fn between_lasts(number: u8) -> (usize, f32) {
    let below = LASTS.iter().rposition(|last| *last <= number).unwrap_or(0).min(LASTS.len() - 2);
    let (from, to) = (f32::from(LASTS[below]), f32::from(LASTS[below + 1]));
    (below, ((f32::from(number) - from) / (to - from)).clamp(0.0, 1.0))
}

/// Returns the count of these numbers, the lowest, and the second-lowest distinct one. The last equals the lowest if
/// all are equal.
pub fn lowest(numbers: impl Iterator<Item = u8>) -> (usize, u8, u8) {
    let (mut count, mut low, mut second) = (0, u8::MAX, u8::MAX);
    for number in numbers {
        count += 1;
        if number < low {
            second = low;
            low = number;
        } else if number > low && number < second {
            second = number;
        }
    }
    (count, low, if second == u8::MAX { low } else { second })
}

impl Worth {
    /// Computes the values for this many cells left on the fullest sheet.
    pub fn new(weights: &Weights, cells: f32) -> Worth {
        let shares = STAGES.shares(cells);
        let mix = |weight: Weight| Stages::mix(&weight, &shares);
        let mut rows = [[0.0; 34]; CELLS + 1];
        rows[0] = [mix(weights.empty); 34];
        for (filled, lasts) in weights.rows.iter().enumerate() {
            let lasts = lasts.map(mix);
            for (last, worth) in rows[filled + 1].iter_mut().enumerate() {
                let (below, along) = between_lasts(last as u8);
                *worth = lasts[below] + (lasts[below + 1] - lasts[below]) * along;
            }
        }
        let columns = weights.columns.map(|counts| counts.map(|kinds| kinds.map(mix)));
        Worth { rows, columns }
    }

    fn row(&self, row: &Cells) -> f32 {
        self.rows[row.filled()][usize::from(row.last().unwrap_or(0))]
    }

    /// Returns the points of a full column, or the expected points of a partial one.
    fn column(&self, column: usize, numbers: [Option<u8>; 4]) -> f32 {
        if let [Some(violet), Some(blue), Some(red), Some(yellow)] = numbers {
            return f32::from(second_lowest([violet, blue, red, yellow]));
        }
        let (count, low, second) = lowest(numbers.into_iter().flatten());
        if count == 0 {
            return 0.0;
        }
        let [begun, per_low, per_second] = self.columns[column][count - 1];
        begun + per_low * f32::from(low) + per_second * f32::from(second)
    }

    /// Returns the points of a sheet's columns plus its expected further points.
    #[cfg(test)]
    pub fn sheet(&self, sheet: &Sheet) -> f32 {
        let rows: f32 = sheet.rows.iter().map(|row| self.row(row)).sum();
        let columns: f32 = (0..CELLS).map(|column| self.column(column, sheet.column(column))).sum();
        rows + columns
    }

    /// Returns the gain in value from entering this number, or `None` if it may not be entered.
    pub fn gain(&self, sheet: &Sheet, row: Row, number: u8) -> Option<f32> {
        let cells = sheet.row(row);
        cells.check(number).ok()?;
        let column = cells.filled();
        let before = sheet.column(column);
        let mut after = before;
        after[row.index()] = Some(number);
        let row = self.rows[column + 1][usize::from(number)] - self.row(cells);
        Some(row + self.column(column, after) - self.column(column, before))
    }
}

/// The easy bot's ideal numbers, which make a row rise and fall evenly.
const EVEN: [f32; CELLS] = [4.0, 8.0, 12.0, 17.0, 11.0, 5.0];

/// Returns how much the easy bot likes a number. Slightly below 0 for one that leaves no room.
pub fn naive_gain(sheet: &Sheet, row: Row, number: u8) -> Option<f32> {
    let cells = sheet.row(row);
    cells.check(number).ok()?;
    let off = f32::from(number) - EVEN[cells.filled()];
    // Too high is bad before the thick line and too low after it. The opposite leaves room to spare.
    let off = if cells.filled() < RISING { off } else { -off };
    Some(if off > 0.0 { 4.0 - 0.6 * off } else { 4.0 + 0.3 * off })
}
