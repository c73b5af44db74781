//! What goes over plain HTTP.

use crate::Forced;
use game::RuleOption;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// The body of `POST /api/rooms`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenRoom {
    /// Which game.
    pub game: String,
    /// The game's own options; the defaults if left out.
    #[serde(default)]
    pub rules: Option<Value>,
    /// Seconds for each decision, or none.
    #[serde(default)]
    pub clock: Option<u32>,
    /// What happens when a seat has only one act.
    #[serde(default)]
    pub forced: Forced,
}

/// The body of `POST /api/rooms/{code}/qr.svg`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatKey {
    /// A handover code. It opens a seat, so it is not printed.
    pub key: String,
}

/// The answer to `POST /api/rooms`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomOpened {
    /// The room's code.
    pub code: String,
    /// Where its page is.
    pub path: String,
}

/// One game of `GET /api/games`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GameOffer {
    /// Its name on the wire.
    pub id: &'static str,
    /// The fewest players.
    pub min: usize,
    /// The most players.
    pub max: usize,
    /// The rules a room has unless its host says otherwise.
    pub rules: Value,
    /// What each rule may be.
    pub options: &'static [RuleOption],
}

/// The body of every answer that is an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    error: FailureBody,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct FailureBody {
    code: &'static str,
    detail: Cow<'static, str>,
}

impl Failure {
    /// A stable code and some English for developers.
    pub fn new(code: &'static str, detail: impl Into<Cow<'static, str>>) -> Failure {
        Failure { error: FailureBody { code, detail: detail.into() } }
    }
}
