//! What a sheet is worth beyond its points: how far its rows are, how much room their last numbers leave, and what its
//! unfinished columns promise. Whose turn it is and what the dice show is not known here.

use crate::score::second_lowest;
use crate::sheet::{CELLS, Cells, RISING, Row, Sheet};

pub use super::weights::WEIGHTS;

/// How many cells the fullest sheet has left, where the tables below have their columns. With none left the game is
/// over, so there is no column for that.
pub const STAGES: [f32; 3] = [5.0, 12.0, 24.0];

/// Last numbers of a row, where the tables below have their lines; between them worth is a straight line, and what is
/// higher still is too rare to tell apart.
pub const LEVELS: [u8; 7] = [1, 5, 9, 13, 17, 21, 26];

/// A weight for every stage.
pub type Line = [f32; STAGES.len()];

/// The weights of what makes a sheet worth more than its points.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    /// Points to come for an empty row.
    pub empty: Line,
    /// Points to come for a row of one to five numbers, by its last number.
    pub rows: [[Line; LEVELS.len()]; CELLS - 1],
    /// Points to come for a column of one to three numbers: for being begun so far, and for each point of its lowest
    /// and of its second-lowest number.
    pub columns: [[[Line; 3]; 3]; CELLS],
}

/// What sheets are worth at one moment of a game.
#[derive(Debug, Clone)]
pub struct Worth {
    /// By how many numbers a row has, and its last one.
    rows: [[f32; 34]; CELLS + 1],
    columns: [[[f32; 3]; 3]; CELLS],
}

/// What sheets are worth at every moment of a game, for tries that pass through many.
pub struct Worths(Vec<Worth>);

impl Worths {
    pub fn new(weights: &Weights) -> Worths {
        Worths((0..=4 * CELLS).map(|cells| Worth::new(weights, cells as f32)).collect())
    }

    /// When the fullest sheet has so many cells left.
    pub fn with_left(&self, cells: usize) -> &Worth {
        &self.0[cells.min(4 * CELLS)]
    }
}

/// Where between the stages a number of cells lies: each stage's share.
pub fn shares(cells: f32) -> Line {
    let mut shares = [0.0; STAGES.len()];
    let cells = cells.clamp(0.0, STAGES[STAGES.len() - 1]);
    for stage in 0..STAGES.len() {
        let from = if stage > 0 { STAGES[stage - 1] } else { 0.0 };
        if cells <= STAGES[stage] {
            let along = (cells - from) / (STAGES[stage] - from);
            if stage > 0 {
                shares[stage - 1] = 1.0 - along;
            }
            shares[stage] = along;
            break;
        }
    }
    shares
}

/// Where between the levels a number lies: the level below it, and how far it is from there to the next.
pub fn level(number: u8) -> (usize, f32) {
    let below = LEVELS.iter().rposition(|level| *level <= number).unwrap_or(0).min(LEVELS.len() - 2);
    let (from, to) = (f32::from(LEVELS[below]), f32::from(LEVELS[below + 1]));
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

fn mix(line: &Line, shares: &Line) -> f32 {
    line.iter().zip(shares).map(|(weight, share)| weight * share).sum()
}

impl Worth {
    /// When the fullest sheet has so many cells left.
    pub fn new(weights: &Weights, cells: f32) -> Worth {
        let shares = shares(cells);
        let mut rows = [[0.0; 34]; CELLS + 1];
        rows[0] = [mix(&weights.empty, &shares); 34];
        for (filled, levels) in weights.rows.iter().enumerate() {
            let levels = levels.map(|line| mix(&line, &shares));
            for (last, worth) in rows[filled + 1].iter_mut().enumerate() {
                let (below, along) = level(last as u8);
                *worth = levels[below] + (levels[below + 1] - levels[below]) * along;
            }
        }
        let columns = weights.columns.map(|counts| counts.map(|lines| lines.map(|line| mix(&line, &shares))));
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
