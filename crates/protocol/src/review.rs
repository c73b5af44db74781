//! The strongest bot's evaluation of a finished game, and of a decision that is still to be made. Chances are in
//! thousandths, which is finer than their accuracy.

use crate::{By, RawAction};
use game::Seat;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// Response of `GET /api/rooms/{code}/games/{number}/review`: the `hard` bot's judgement of every decision of a game,
/// given only what the seat saw then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Review {
    /// Number of judged decisions: those with more than one option, except for what was taken back.
    pub decisions: u32,
    /// Players, in seat order.
    pub players: Vec<ReviewedPlayer>,
}

/// Review of one player. The result is the fair share plus all gains and losses:
/// `result = fair - play + others + luck`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct ReviewedPlayer {
    /// Seat of the player.
    pub seat: Seat,
    /// Chance of winning before the game, the same for every player: one divided by the number of players.
    pub fair: i16,
    /// Loss through the player's own decisions, compared with those of `hard`.
    pub play: i16,
    /// Gain through the other players' decisions: an equal part of what each of them lost.
    pub others: i16,
    /// The rest: gain or loss through cards and dice.
    pub luck: i16,
    /// Result: 1000 for a win, 0 for a loss, or a share for a shared win.
    pub result: i16,
    /// Chance of winning as this seat could see it, at its own decisions and at the end.
    pub curve: Vec<CurvePoint>,
    /// The decisions that cost most, worst first, at most three. Decisions that are as good as the best, as far as the
    /// judgement can tell, are left out.
    pub mistakes: Vec<Mistake>,
}

/// Chance of winning at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct CurvePoint {
    /// Line of the game's moments, counted from 0.
    pub moment: u32,
    /// Chance of winning.
    pub chance: u16,
}

/// A decision that lowered the chance of winning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Mistake {
    /// Line of the game's moments in which it was made, counted from 0. The line before shows the table at that
    /// decision.
    pub moment: u32,
    /// Source of the decision.
    pub by: By,
    /// Act that was played.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub action: RawAction,
    /// Act that `hard` would have played.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub better: RawAction,
    /// Chance of winning with the better act.
    pub chance: u16,
    /// How much lower the chance was with the played act.
    pub cost: u16,
}

/// An act of a hint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct HintedAct {
    /// The act.
    #[cfg_attr(feature = "types", ts(type = "unknown"), schemars(with = "serde_json::Map<String, serde_json::Value>"))]
    #[serde(deserialize_with = "as_written")]
    pub action: RawAction,
    /// Chance of winning with this act.
    pub chance: u16,
}

/// Deserialises without a JSON tree, which would lose the order of the fields.
fn as_written<'de, D: Deserializer<'de>>(from: D) -> Result<RawAction, D::Error> {
    Box::<RawValue>::deserialize(from).map(|text| RawAction::from(&*text))
}
