//! Scoring of towers and demolished cards.

use crate::card::ROOF;
use crate::side::Side;
use serde::Serialize;

/// A player's points by source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Score {
    /// Points for towers: one for each card, two if its tower has a roof.
    pub towers: i16,
    /// Points for the tallest tower: one for each card.
    pub tallest: i16,
    /// Cost of demolished cards: 1 for the first, 2 for the second, and so on. Never above 0.
    pub demolition: i16,
    /// Sum of all points.
    pub total: i16,
}

impl Score {
    pub(crate) fn of(side: &Side) -> Score {
        let mut towers = 0;
        let mut tallest = 0;
        for stack in &side.stacks {
            let height = stack.len() as i16;
            let roofed = stack.last() == Some(&ROOF);
            towers += if roofed { 2 * height } else { height };
            tallest = tallest.max(height);
        }
        let demolished = side.demolished.len() as i16;
        let demolition = -demolished * (demolished + 1) / 2;
        Score { towers, tallest, demolition, total: towers + tallest + demolition }
    }
}
