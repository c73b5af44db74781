//! What goes over plain HTTP.

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
    /// How fast bots play.
    #[serde(default, skip_serializing_if = "Pace::is_normal")]
    pub pace: Pace,
}

/// The body of `POST /api/rooms/from`: a room that begins with an earlier game.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenRoomFrom<'a> {
    /// The record of the earlier game, read by itself: it has versions of its own.
    #[serde(borrow)]
    pub record: &'a RawValue,
    /// From which of its moments to play on, counted from 0; without one the same deal is played again from its start.
    #[serde(default)]
    pub moment: Option<u32>,
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameOffer {
    /// Its name on the wire.
    pub id: String,
    /// The fewest players.
    pub min: usize,
    /// The most players.
    pub max: usize,
    /// The rules a room has unless its host says otherwise.
    pub rules: Value,
    /// What each rule may be.
    pub options: Vec<OptionOffer>,
}

/// One choice a host has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionOffer {
    /// The field of the rules object.
    pub name: String,
    /// What it may be.
    pub values: Vec<String>,
    /// What it is unless the host says otherwise.
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

/// `GET /api/rooms/{code}/record`: a finished game, with all that is needed to play it again and compare.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The version of a record's own form, whatever the wire's. The first records did not say.
    #[serde(default = "first_form")]
    pub record_version: u32,
    /// 1. The first records had the wire's version here; it says nothing any more.
    pub protocol: u32,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// Which game.
    pub game: String,
    /// Its options.
    pub rules: Value,
    /// Names in seat order.
    pub players: Vec<String>,
    /// What the commitment bound the server to.
    pub server_seed: Seed,
    /// What each human added to the chance, in seat order; nothing for a bot.
    pub salts: Vec<Option<Salt>>,
    /// The seat that the host chose to begin, if it was not left to chance. Only records of version 3 have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starter: Option<Seat>,
    /// What everyone was shown before the game.
    pub commitment: Commitment,
    /// Every accepted act in order.
    pub acts: Vec<RecordedAct>,
    /// How it ended.
    pub outcome: Outcome,
    /// The earlier game whose table or deal it began with, if it did not begin with a deal of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<Origin>>,
    /// What all of this was when it was written; records of version 1 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<RecordDigest>,
}

/// What a [`Record`] was when it was written, for whoever reads it years later: SHA-256 in hex over canonical JSON, which is
/// without spaces and has the fields of every object in the order of their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordDigest {
    /// Of the whole record but for this digest.
    pub whole: String,
    /// The first eight digits of that of each field by itself, but for the acts.
    pub parts: BTreeMap<String, String>,
    /// The same of each act.
    pub acts: Vec<String>,
}

fn first_form() -> u32 {
    1
}

/// One act of a [`Record`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedAct {
    /// Whose.
    pub seat: Seat,
    /// What was played.
    pub action: RawAction,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

/// The body of every answer that is an error.
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
    /// A stable code and some English for developers.
    pub fn new(code: Code, detail: impl Into<Cow<'static, str>>) -> Failure {
        Failure { error: FailureBody { code: code.as_str().into(), detail: detail.into(), doubt: None } }
    }

    /// The same with what exactly does not hold in a record.
    pub fn with_doubt(mut self, doubt: Option<RecordDoubt>) -> Failure {
        self.error.doubt = doubt;
        self
    }

    /// What exactly does not hold in a record.
    pub fn doubt(&self) -> Option<&RecordDoubt> {
        self.error.doubt.as_ref()
    }

    /// Why, for the client to word.
    pub fn code(&self) -> &str {
        &self.error.code
    }

    /// Why, for developers.
    pub fn detail(&self) -> &str {
        &self.error.detail
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    /// Reads it, and writes it again to the byte; what a newer server adds is ignored.
    fn check<'a, T: Serialize + Deserialize<'a> + PartialEq + Debug>(text: &'a str, with_more: &'a str) {
        let read: T = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert_eq!(serde_json::from_str::<T>(with_more).unwrap(), read);
    }

    #[test]
    fn answers_are_read_and_written_again_to_the_byte() {
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
    fn what_a_client_adds_to_a_request_is_refused() {
        assert!(serde_json::from_str::<OpenRoom>(r#"{"game":"towers","newer":1}"#).is_err());
        assert!(serde_json::from_str::<SeatKey>(r#"{"key":"00ff","newer":1}"#).is_err());
    }
}
