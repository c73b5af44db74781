//! The game as a bot models it between two turns: the sheets and the active player. All of it is public.

use super::worth::{Weights, Worth};
use crate::sheet::{CELLS, Row, Sheet};
use crate::{MAX_PLAYERS, Table};

/// The state of a game between two turns.
#[derive(Clone, Copy)]
pub struct World {
    pub players: usize,
    pub active: usize,
    pub sheets: [Sheet; MAX_PLAYERS],
    /// Whether the game has ended, which happens only in simulated games.
    #[cfg(test)]
    pub over: bool,
}

/// Entries for steps B and C, and the sheet's gain in value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntryPair {
    pub alone: Option<Row>,
    pub shared: Option<Row>,
    pub gain: f32,
}

impl World {
    pub fn new(table: &Table) -> World {
        let mut sheets = [Sheet::EMPTY; MAX_PLAYERS];
        for (sheet, player) in sheets.iter_mut().zip(&table.players) {
            sheet.misses = player.misses;
            for row in Row::ALL {
                for number in player.rows.of(row) {
                    sheet.enter(row, *number);
                }
            }
        }
        let active = table.turn.map_or(0, |seat| seat.index());
        World {
            players: table.players.len(),
            active,
            sheets,
            #[cfg(test)]
            over: table.turn.is_none(),
        }
    }

    /// Returns the number of cells left on the fullest sheet.
    pub fn cells(&self) -> usize {
        let filled = |sheet: &Sheet| sheet.rows.iter().map(|row| row.filled()).sum::<usize>();
        let most = self.sheets[..self.players].iter().map(filled).max().unwrap_or(0);
        4 * CELLS - most
    }

    pub fn worth(&self, weights: &Weights) -> Worth {
        Worth::new(weights, self.cells() as f32)
    }
}

/// Returns the cost of one more miss.
pub fn miss_cost(sheet: &Sheet) -> f32 {
    f32::from(sheet.misses) + 1.0
}

/// Returns the best entry of step C and its gain, or `None` as entry if entering nothing is better.
pub fn best_shared(
    worth: &Worth,
    sheet: &Sheet,
    used: Option<Row>,
    missing: bool,
    totals: &[u8; 4],
) -> (Option<Row>, f32) {
    let nothing = if missing { -miss_cost(sheet) } else { 0.0 };
    let mut best = (None, nothing);
    for row in Row::ALL {
        if used != Some(row)
            && let Some(gain) = worth.gain(sheet, row, totals[row.index()])
            && gain > best.1
        {
            best = (Some(row), gain);
        }
    }
    best
}

/// Returns the active player's best entries for steps B and C together.
pub fn best_pair(worth: &Worth, sheet: &Sheet, totals: &[u8; 4]) -> EntryPair {
    let (shared, gain) = best_shared(worth, sheet, None, true, totals);
    let mut best = EntryPair { alone: shared, shared: None, gain };
    for (place, first) in Row::ALL.into_iter().enumerate() {
        let Some(gain) = worth.gain(sheet, first, totals[first.index()]) else { continue };
        let mut after = *sheet;
        after.enter(first, totals[first.index()]);
        for second in Row::ALL.into_iter().skip(place + 1) {
            if let Some(more) = worth.gain(&after, second, totals[second.index()])
                && gain + more > best.gain
            {
                best = EntryPair { alone: Some(first), shared: Some(second), gain: gain + more };
            }
        }
    }
    best
}
