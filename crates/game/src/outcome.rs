//! The result of a game.

use crate::{MAX_PLAYERS, Seat};
use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

/// Winners and scores of a finished game.
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Seats with the highest score, in order.
    pub winners: ArrayVec<Seat, MAX_PLAYERS>,
    /// Points of all players, in seat order.
    pub scores: ArrayVec<i16, MAX_PLAYERS>,
}

impl Outcome {
    /// Creates the outcome in which the most points win and a tie is shared.
    pub fn most_points(scores: impl IntoIterator<Item = i16>) -> Outcome {
        let scores: ArrayVec<i16, MAX_PLAYERS> = scores.into_iter().collect();
        let best = scores.iter().max().copied();
        let winners = Seat::all(scores.len()).filter(|seat| Some(scores[seat.index()]) == best).collect();
        Outcome { winners, scores }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_is_shared() {
        let outcome = Outcome::most_points([18, 25, 25]);
        assert_eq!(outcome.winners.as_slice(), [Seat(1), Seat(2)]);
        assert_eq!(outcome.scores.as_slice(), [18, 25, 25]);
    }

    #[test]
    fn a_negative_score_can_win() {
        assert_eq!(Outcome::most_points([-3, -1]).winners.as_slice(), [Seat(1)]);
    }
}
