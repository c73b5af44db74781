//! The book of a room: statistics over all its games.

use crate::GamePlayed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `GET /api/rooms/{code}/book`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Book {
    /// Every game that was played to its end, in the order they were started.
    pub games: Vec<BookGame>,
    /// What they came to, for each game by itself: points of one are not points of the other.
    pub chapters: Vec<Chapter>,
}

/// One game as the book has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct BookGame {
    /// As in the list of games.
    #[serde(flatten)]
    pub played: GamePlayed,
    /// Which seats bots had.
    pub bots: Vec<bool>,
    /// What each seat had at the end, under names of the game's own: the height of its tallest tower, say.
    pub feats: Vec<BTreeMap<String, u32>>,
    /// Whether it counts: one that began with an earlier game is in the list only.
    pub counts: bool,
}

/// What all games of one kind came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Chapter {
    /// Which game.
    pub game: String,
    /// How many were played.
    pub games: u32,
    /// Who played them, whoever won most first.
    pub players: Vec<BookPlayer>,
    /// Two at the same table, those who met most often first.
    pub pairs: Vec<Pair>,
    /// The most of each feat that anybody had, and the most points.
    pub best: Vec<Best>,
}

/// One player, known by their name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct BookPlayer {
    /// What they were called.
    pub name: String,
    /// Whether a bot was called so whenever somebody was.
    pub bot: bool,
    /// How many games they played.
    pub games: u32,
    /// How many of them they won, or shared.
    pub wins: u32,
    /// Points in a game, to two places.
    pub average: f64,
    /// Their most points.
    pub highest: i16,
    /// Their fewest.
    pub lowest: i16,
}

/// Two who played at the same table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Pair {
    /// Who.
    pub players: [String; 2],
    /// How many games.
    pub games: u32,
    /// In how many of them each had more points than the other.
    pub ahead: [u32; 2],
}

/// The most that anybody had of something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Best {
    /// Of what: `points`, or a feat of the game.
    pub feat: String,
    /// How many.
    pub count: i64,
    /// Who had them first.
    pub player: String,
    /// In which game.
    pub number: u32,
}
