//! The strongest bot's evaluation of a finished game, and of a decision that is still to be made. Chances are in
//! thousandths, which is finer than their accuracy.

use crate::{By, RawAction};
use game::Seat;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// `GET /api/rooms/{code}/games/{number}/review`: what `hard` made of every decision of a game, given what its seat saw then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Review {
    /// How many decisions were judged: those in which there was something to choose, but for what was taken back.
    pub decisions: u32,
    /// Each player, in seat order.
    pub players: Vec<ReviewedPlayer>,
}

/// How one player did. What they had at the end is their fair share and all that came to it:
/// `result = fair - play + others + luck`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct ReviewedPlayer {
    /// Where.
    pub seat: Seat,
    /// The chance of winning of anyone before the first card: one in so many players.
    pub fair: i16,
    /// What their own decisions lost against those `hard` would have made.
    pub play: i16,
    /// What the others' decisions left to them, an equal part of what each of the others lost.
    pub others: i16,
    /// The rest: what cards and dice gave and took.
    pub luck: i16,
    /// All or nothing; of a shared win a part.
    pub result: i16,
    /// The chance of winning as this seat could see it, at its own decisions and at the end.
    pub curve: Vec<CurvePoint>,
    /// The decisions that lost most, the worst first, three at most. One that is as good as another as far as can be told is not among
    /// them.
    pub mistakes: Vec<Mistake>,
}

/// A chance of winning at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct CurvePoint {
    /// Which line of the game's moments, counted from 0.
    pub moment: u32,
    /// The chance.
    pub chance: u16,
}

/// A decision that lost something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Mistake {
    /// The line of the game's moments in which it was made, counted from 0; the one before is what lay on the table.
    pub moment: u32,
    /// Who made it.
    pub by: By,
    /// What was done.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub action: RawAction,
    /// What `hard` would have done.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub better: RawAction,
    /// The chance of winning with that.
    pub chance: u16,
    /// How much less it was with what was done.
    pub cost: u16,
}

/// One act of a hint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct HintedAct {
    /// What can be done.
    #[cfg_attr(
        feature = "types",
        ts(type = "unknown"),
        schemars(with = "serde_json::Map<String, serde_json::Value>")
    )]
    #[serde(deserialize_with = "as_written")]
    pub action: RawAction,
    /// The chance of winning with it.
    pub chance: u16,
}

/// Deserialises without a JSON tree, which would lose the order of the fields.
fn as_written<'de, D: Deserializer<'de>>(from: D) -> Result<RawAction, D::Error> {
    Box::<RawValue>::deserialize(from).map(|text| RawAction::from(&*text))
}
