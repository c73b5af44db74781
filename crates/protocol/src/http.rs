//! Messages over plain HTTP.

use crate::{Code, Forced, Origin, Pace, RawAction, RecordDoubt};
use game::{Commitment, Outcome, RuleOption, Salt, Seat, Seed};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The body of `POST /api/rooms`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenRoom {
    /// The game's id.
    pub game: String,
    /// The game's own options. Missing options have their defaults.
    #[serde(default)]
    pub rules: Option<Value>,
    /// Seconds for each decision, or `None` for no limit.
    #[serde(default)]
    pub clock: Option<u32>,
    /// What happens when a seat has only one legal action.
    #[serde(default)]
    pub forced: Forced,
    /// How fast bots play.
    #[serde(default, skip_serializing_if = "Pace::is_normal")]
    pub pace: Pace,
}

/// The body of `POST /api/rooms/from`: a room that starts from an earlier game.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenRoomFrom<'a> {
    /// The record of the earlier game, parsed separately because records have their own versions.
    #[serde(borrow)]
    pub record: &'a RawValue,
    /// The moment of the earlier game to continue from, counted from 0. Without it the same deal is played again from
    /// its start.
    #[serde(default)]
    pub moment: Option<u32>,
    /// Seconds for each decision, or `None` for no limit.
    #[serde(default)]
    pub clock: Option<u32>,
    /// What happens when a seat has only one legal action.
    #[serde(default)]
    pub forced: Forced,
}

/// The body of `POST /api/rooms/{code}/qr.svg`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatKey {
    /// A handover code. It opens a seat, so the type does not implement `Debug`.
    pub key: String,
}

/// The response to `POST /api/rooms`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomOpened {
    /// The room's code.
    pub code: String,
    /// The path of its page.
    pub path: String,
}

/// One game of `GET /api/games`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameOffer {
    /// The game's id on the wire.
    pub id: String,
    /// Minimum number of players.
    pub min: usize,
    /// Maximum number of players.
    pub max: usize,
    /// The default rules of a room.
    pub rules: Value,
    /// The options of the rules.
    pub options: Vec<OptionOffer>,
}

/// One of the host's options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionOffer {
    /// The field's name in the rules object.
    pub name: String,
    /// The allowed values.
    pub values: Vec<String>,
    /// The value used unless the host chooses another.
    pub default: String,
}

impl From<&RuleOption> for OptionOffer {
    fn from(option: &RuleOption) -> OptionOffer {
        OptionOffer {
            name: option.name.to_owned(),
            values: option.values.iter().map(|value| (*value).to_owned()).collect(),
            default: option.default.to_owned(),
        }
    }
}

/// `GET /api/rooms/{code}/record`: a finished game with everything needed to replay and verify it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Version of the record format, independent of the protocol. The first records did not contain it.
    #[serde(default = "first_form")]
    pub record_version: u32,
    /// Always 1. The first records stored the protocol version here. It has no meaning any more.
    pub protocol: u32,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The game's id.
    pub game: String,
    /// Its options.
    pub rules: Value,
    /// Names in seat order.
    pub players: Vec<String>,
    /// The server's seed, which the commitment was made for.
    pub server_seed: Seed,
    /// Each player's contribution to the game's seed, in seat order. `None` for a bot.
    pub salts: Vec<Option<Salt>>,
    /// The starter chosen by the host, or `None` for a random one. Only records of version 3 contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starter: Option<Seat>,
    /// The commitment that players saw before the game.
    pub commitment: Commitment,
    /// Every accepted action, in order.
    pub acts: Vec<RecordedAct>,
    /// The result.
    pub outcome: Outcome,
    /// The earlier game this one started from, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<Origin>>,
    /// Hashes of the record when it was written. Records of version 1 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<RecordDigest>,
}

/// Hashes of a [`Record`] when it was written, so that later changes can be detected: SHA-256 in hex over canonical
/// JSON. Canonical JSON has no spaces, and the fields of every object are sorted by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordDigest {
    /// Hash of the whole record without this digest.
    pub whole: String,
    /// The first eight digits of the hash of each field except the actions.
    pub parts: BTreeMap<String, String>,
    /// The first eight digits of the hash of each action.
    pub acts: Vec<String>,
}

fn first_form() -> u32 {
    1
}

/// One action of a [`Record`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedAct {
    /// The acting seat.
    pub seat: Seat,
    /// The action.
    pub action: RawAction,
    /// Time in milliseconds since 1970.
    pub at: u64,
}

/// The body of every error response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    error: FailureBody,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FailureBody {
    code: Cow<'static, str>,
    detail: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    doubt: Option<RecordDoubt>,
}

impl Failure {
    /// Creates a failure from a stable code and an English text for developers.
    pub fn new(code: Code, detail: impl Into<Cow<'static, str>>) -> Failure {
        Failure { error: FailureBody { code: code.as_str().into(), detail: detail.into(), doubt: None } }
    }

    /// Adds what exactly is wrong with a record.
    pub fn with_doubt(mut self, doubt: Option<RecordDoubt>) -> Failure {
        self.error.doubt = doubt;
        self
    }

    /// Returns what exactly is wrong with a record.
    pub fn doubt(&self) -> Option<&RecordDoubt> {
        self.error.doubt.as_ref()
    }

    /// Returns the code, which the client translates.
    pub fn code(&self) -> &str {
        &self.error.code
    }

    /// Returns the text for developers.
    pub fn detail(&self) -> &str {
        &self.error.detail
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    /// Checks that `text` parses and serialises to the same bytes, and that fields added by a newer server are ignored.
    fn check<'a, T: Serialize + Deserialize<'a> + PartialEq + Debug>(text: &'a str, with_more: &'a str) {
        let read: T = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert_eq!(serde_json::from_str::<T>(with_more).unwrap(), read);
    }

    #[test]
    fn responses_round_trip_byte_for_byte() {
        check::<RoomOpened>(
            r#"{"code":"K7QF3M","path":"/r/K7QF3M"}"#,
            r#"{"code":"K7QF3M","path":"/r/K7QF3M","newer":1}"#,
        );
        check::<GameOffer>(
            r#"{"id":"towers","min":2,"max":5,"rules":{"mistakes":"prevented"},"options":[{"name":"mistakes","values":["prevented","allowed"],"default":"prevented"}]}"#,
            r#"{"id":"towers","min":2,"max":5,"rules":{"mistakes":"prevented"},"options":[{"name":"mistakes","values":["prevented","allowed"],"default":"prevented","newer":1}],"newer":1}"#,
        );
        check::<Failure>(
            r#"{"error":{"code":"bad_options","detail":"no \"speed\""}}"#,
            r#"{"error":{"code":"bad_options","detail":"no \"speed\"","newer":1},"newer":1}"#,
        );
        check::<Failure>(
            r#"{"error":{"code":"bad_record","detail":"","doubt":{"type":"act","n":5,"seat":1,"code":"roofed"}}}"#,
            r#"{"error":{"code":"bad_record","detail":"","doubt":{"type":"act","n":5,"seat":1,"code":"roofed","newer":1}}}"#,
        );
        let failure = Failure::new(Code::BadOptions, "clock must be 10–3600 or null");
        assert_eq!((failure.code(), failure.detail()), ("bad_options", "clock must be 10–3600 or null"));
    }

    #[test]
    fn refuses_unknown_fields_in_requests() {
        assert!(serde_json::from_str::<OpenRoom>(r#"{"game":"towers","newer":1}"#).is_err());
        assert!(serde_json::from_str::<SeatKey>(r#"{"key":"00ff","newer":1}"#).is_err());
    }
}
