//! Static evaluation: what a sheet is worth beyond its points, which is how far its rows are, how much room their last
//! numbers leave, and what its unfinished columns promise. Whose turn it is and what the dice show is not known here.

use crate::score::second_lowest;
use crate::sheet::{CELLS, Cells, RISING, Row, Sheet};
use game::Stages;

pub use super::weights::WEIGHTS;

/// The knots of the weights below: how many cells the fullest sheet has left.
pub const STAGES: Stages<3> = Stages([5.0, 12.0, 24.0]);

/// A weight: points at every stage.
pub type Weight = [f32; STAGES.count()];

/// The last numbers of a row for which there are weights. Between them worth is interpolated too, and what is higher
/// still is too rare to tell apart.
pub const LASTS: [u8; 7] = [1, 5, 9, 13, 17, 21, 26];

/// The weights of what makes a sheet worth more than its points.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    /// Points to come for an empty row.
    pub empty: Weight,
    /// Points to come for a row of one to five numbers, by its last number.
    pub rows: [[Weight; LASTS.len()]; CELLS - 1],
    /// Points to come for a column of one to three numbers: for being begun so far, and for each point of its lowest
    /// and of its second-lowest number.
    pub columns: [[[Weight; 3]; 3]; CELLS],
}

/// What sheets are worth at one moment of a game.
#[derive(Debug, Clone)]
pub struct Worth {
    /// By how many numbers a row has, and its last one.
    rows: [[f32; 34]; CELLS + 1],
    columns: [[[f32; 3]; 3]; CELLS],
}

/// What sheets are worth at every moment of a game, for imagined games that pass through many.
#[cfg(test)]
pub struct Worths(Vec<Worth>);

#[cfg(test)]
impl Worths {
    pub fn new(weights: &Weights) -> Worths {
        Worths((0..=4 * CELLS).map(|cells| Worth::new(weights, cells as f32)).collect())
    }

    /// When the fullest sheet has so many cells left.
    pub fn with_left(&self, cells: usize) -> &Worth {
        &self.0[cells.min(4 * CELLS)]
    }
}

/// Where between those last numbers one lies: the place of the one below it, and how far it is from there to the next.
pub fn between_lasts(number: u8) -> (usize, f32) {
    let below = LASTS.iter().rposition(|last| *last <= number).unwrap_or(0).min(LASTS.len() - 2);
    let (from, to) = (f32::from(LASTS[below]), f32::from(LASTS[below + 1]));
    (below, ((f32::from(number) - from) / (to - from)).clamp(0.0, 1.0))
}

/// The lowest number and the second-lowest that differs from it, of a column that is begun and not full.
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
    /// When the fullest sheet has so many cells left.
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

    /// What a column with these numbers has or promises.
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

    /// The points of a sheet's columns, and those to come.
    #[cfg(test)]
    pub fn sheet(&self, sheet: &Sheet) -> f32 {
        let rows: f32 = sheet.rows.iter().map(|row| self.row(row)).sum();
        let columns: f32 = (0..CELLS).map(|column| self.column(column, sheet.column(column))).sum();
        rows + columns
    }

    /// How much more a sheet is worth once this number is entered; none if it may not be.
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

/// What the easy bot goes by: numbers that make a row rise and fall evenly.
const EVEN: [f32; CELLS] = [4.0, 8.0, 12.0, 17.0, 11.0, 5.0];

/// How glad the easy bot is of a number: a little below 0 for one that leaves no room.
pub fn naive_gain(sheet: &Sheet, row: Row, number: u8) -> Option<f32> {
    let cells = sheet.row(row);
    cells.check(number).ok()?;
    let off = f32::from(number) - EVEN[cells.filled()];
    // Too high hurts before the thick line and too low after it; the other way round there is room to spare.
    let off = if cells.filled() < RISING { off } else { -off };
    Some(if off > 0.0 { 4.0 - 0.6 * off } else { 4.0 + 0.3 * off })
}
