//! The book of a room: statistics over all its games.

use crate::GamePlayed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Response of `GET /api/rooms/{code}/book`: the results of all games of a room.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Book {
    /// Games that were played to their ends, in the order they were started.
    pub games: Vec<BookGame>,
    /// Statistics by game, because points of different games are not comparable.
    pub chapters: Vec<Chapter>,
}

/// A game in the book.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct BookGame {
    /// The game, as in the list of games.
    #[serde(flatten)]
    pub played: GamePlayed,
    /// Whether each seat had a bot at the start, in seat order.
    pub bots: Vec<bool>,
    /// Feats of each seat at the end, under names that the game defines, such as the height of its tallest tower.
    pub feats: Vec<BTreeMap<String, u32>>,
    /// Whether the game counts for the statistics. A game that began with an earlier one is listed but does not count.
    pub counts: bool,
}

/// Statistics over all games of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Chapter {
    /// Id of the game.
    pub game: String,
    /// Number of games that count.
    pub games: u32,
    /// Players, most wins first.
    pub players: Vec<BookPlayer>,
    /// Pairs of players at the same table, most games together first.
    pub pairs: Vec<Pair>,
    /// Maximum of each feat, and of points.
    pub best: Vec<Best>,
}

/// A player, identified by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct BookPlayer {
    /// Name of the player.
    pub name: String,
    /// Whether this name always belonged to a bot.
    pub bot: bool,
    /// Number of games played.
    pub games: u32,
    /// Number of games won, shared wins included.
    pub wins: u32,
    /// Average points per game, rounded to two decimal places.
    pub average: f64,
    /// Most points in a game.
    pub highest: i16,
    /// Fewest points in a game.
    pub lowest: i16,
}

/// Two players who played at the same table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Pair {
    /// Names of the two players.
    pub players: [String; 2],
    /// Number of games they played together.
    pub games: u32,
    /// Number of those games in which each had more points than the other.
    pub ahead: [u32; 2],
}

/// Highest value that a player reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct Best {
    /// Name of the value: `points`, or a feat of the game.
    pub feat: String,
    /// The value.
    pub count: i64,
    /// Name of the first player who reached it.
    pub player: String,
    /// Number of the game in which it was reached first.
    pub number: u32,
}
