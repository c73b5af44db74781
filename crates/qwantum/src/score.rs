//! Scoring of columns and misses.

use crate::sheet::{CELLS, Sheet};
use serde::Serialize;

/// A player's points by source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Score {
    /// Points of each column, or null while it is not full.
    pub columns: [Option<i16>; CELLS],
    /// Cost of misses: 1 for the first, 2 for the second, and so on. Never above 0.
    pub misses: i16,
    /// Sum of all points.
    pub total: i16,
}

impl Score {
    pub(crate) fn of(sheet: &Sheet) -> Score {
        let columns = std::array::from_fn(|column| {
            let [violet, blue, red, yellow] = sheet.column(column);
            Some(i16::from(second_lowest([violet?, blue?, red?, yellow?])))
        });
        let misses = i16::from(sheet.misses);
        let misses = -misses * (misses + 1) / 2;
        Score { columns, misses, total: columns.iter().flatten().sum::<i16>() + misses }
    }
}

/// Returns the second-lowest distinct number of a full column. Four equal numbers score that number.
pub fn second_lowest(column: [u8; 4]) -> u8 {
    let lowest = column.into_iter().fold(u8::MAX, u8::min);
    column.into_iter().filter(|number| *number > lowest).min().unwrap_or(lowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_scores_its_second_lowest_distinct_number() {
        assert_eq!(second_lowest([4, 4, 7, 9]), 7);
        assert_eq!(second_lowest([4, 4, 4, 9]), 9);
        assert_eq!(second_lowest([4, 7, 7, 9]), 7);
        assert_eq!(second_lowest([6, 6, 6, 6]), 6);
        assert_eq!(second_lowest([9, 7, 4, 7]), 7, "in any order");
    }
}
