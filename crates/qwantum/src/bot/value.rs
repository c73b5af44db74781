//! A learned evaluation of a sheet's strength at a moment of the game. The softmax of all players' strengths is their
//! chance of winning. The weights were found by `train` in self-play (temporal differences).

use super::net_weights::WEIGHTS;
use super::worth::{LASTS, between_lasts, lowest};
use crate::score::Score;
use crate::sheet::{CELLS, MOST_MISSES, Row, Sheet};
use arrayvec::ArrayVec;
use game::net::Net;

/// Index of the first input of each kind.
const ROWS: usize = 0;
const COLUMNS: usize = ROWS + 2 + (CELLS - 1) * LASTS.len();
const FULL: usize = COLUMNS + CELLS * 9;
const NEEDED: usize = FULL + CELLS;
const SCORE: usize = NEEDED + CELLS;
const MISSES: usize = SCORE + 1;
const CLOCK: usize = MISSES + MOST_MISSES as usize;
const PLACE: usize = CLOCK + CLOCKS.len();
const PLAYERS: usize = PLACE + 4;
const OWN: usize = PLAYERS + 3;

/// Number of inputs of the network.
pub const INPUTS: usize = OWN + 1;

/// The knots of the game's clock: cells left on the fullest sheet.
const CLOCKS: [f32; 8] = [1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 17.0, 24.0];

/// The nonzero inputs.
pub type Inputs = ArrayVec<(u16, f32), 80>;

/// Returns the network this build plays with.
pub fn net() -> Net<'static> {
    Net::new(&WEIGHTS, INPUTS)
}

/// Inputs that do not come from the sheet.
#[derive(Debug, Clone, Copy)]
pub struct InputContext {
    /// Number of cells left on the fullest sheet.
    pub clock: usize,
    /// Number of turns until this player is active.
    pub place: usize,
    pub players: usize,
}

pub fn inputs(sheet: &Sheet, moment: InputContext) -> Inputs {
    let mut inputs = Inputs::new();
    let mut add = |place: usize, number: f32| {
        if number != 0.0 {
            inputs.push((place as u16, number));
        }
    };
    let mut left = 4 * CELLS;
    for row in &sheet.rows {
        left -= row.filled();
        match row.last() {
            None => add(ROWS, 1.0),
            Some(_) if row.is_full() => add(ROWS + 1, 1.0),
            Some(last) => {
                let (below, along) = between_lasts(last);
                let place = ROWS + 2 + (row.filled() - 1) * LASTS.len() + below;
                add(place, 1.0 - along);
                add(place + 1, along);
            }
        }
    }
    for column in 0..CELLS {
        let numbers = sheet.column(column);
        let (count, low, second) = lowest(numbers.into_iter().flatten());
        match count {
            0 => {}
            4 => add(FULL + column, 1.0),
            _ => {
                let place = COLUMNS + (column * 3 + count - 1) * 3;
                add(place, 1.0);
                add(place + 1, f32::from(low) / 16.0);
                add(place + 2, f32::from(second) / 16.0);
            }
        }
        let needed: usize = Row::ALL.into_iter().map(|row| (column + 1).saturating_sub(sheet.row(row).filled())).sum();
        add(NEEDED + column, needed as f32 / 12.0);
    }
    add(SCORE, f32::from(Score::of(sheet).total) / 20.0);
    add(MISSES + usize::from(sheet.misses.min(MOST_MISSES - 1)), 1.0);
    let clock = (moment.clock as f32).clamp(1.0, 24.0);
    for knot in 1..CLOCKS.len() {
        let (from, to) = (CLOCKS[knot - 1], CLOCKS[knot]);
        if clock <= to {
            let along = (clock - from) / (to - from);
            add(CLOCK + knot - 1, 1.0 - along);
            add(CLOCK + knot, along);
            break;
        }
    }
    add(PLACE + moment.place.min(3), 1.0);
    add(PLAYERS + moment.players.clamp(2, 4) - 2, 1.0);
    add(OWN, left as f32 / 24.0);
    inputs
}
