//! Messages from clients.

use crate::{Forced, Pace, RawAction, Reaction};
use game::{Level, Seat};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

/// One message from a client. Unknown types and unknown fields are refused, so every variant has braces:
/// serde ignores `deny_unknown_fields` on unit variants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientMessage {
    /// The first message of a connection: take a seat, come back to one, or watch.
    Join {
        /// Ignored when a token resumes a seat.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default)]
        name: Option<String>,
        /// Resumes the seat it belongs to.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default)]
        token: Option<String>,
        /// Asks for no seat.
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        #[serde(default)]
        watch: bool,
        /// 32 hex digits that go into the seed of the next game.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default)]
        salt: Option<String>,
        /// The contract the client was written for.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default)]
        protocol: Option<u32>,
        /// Says that a program plays, and not a person. Left out where it is not so: servers of before it refuse what they do
        /// not know.
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        bot: bool,
    },
    /// An act in the game. Its form is the game's own.
    Act {
        /// The `next` of the state in which it was chosen: it names the decision this act is for.
        n: u32,
        /// The act.
        #[cfg_attr(
            feature = "types",
            ts(type = "unknown"),
            schemars(with = "serde_json::Map<String, Value>")
        )]
        action: RawAction,
    },
    /// A line for everyone in the room.
    Chat {
        /// 1–500 characters.
        text: String,
    },
    /// Begin the game.
    Start {},
    /// Change the options; what is left out stays.
    Configure {
        /// Another game.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default)]
        game: Option<String>,
        /// The game's own options.
        #[cfg_attr(
            feature = "types",
            ts(optional, type = "Record<string, unknown>"),
            schemars(with = "Option<serde_json::Map<String, Value>>")
        )]
        #[serde(default)]
        rules: Option<Value>,
        /// Seconds for each decision; null for none.
        #[cfg_attr(feature = "types", ts(optional, type = "number | null"))]
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        clock: Option<Option<u32>>,
        /// What happens when a seat has only one act.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default)]
        forced: Option<Forced>,
        /// How fast bots play.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pace: Option<Pace>,
        /// The seat that begins the next game; null to leave it to chance.
        #[cfg_attr(feature = "types", ts(optional, type = "Seat | null"))]
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        starter: Option<Option<Seat>>,
    },
    /// Seat a bot.
    AddBot {
        /// How well it plays.
        level: Level,
    },
    /// Take somebody from the table.
    Remove {
        /// Whom.
        seat: Seat,
        /// What they are called. Seats are numbered anew when somebody goes: said twice on a slow line, the second would otherwise
        /// be about whoever moved up.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Let a watcher talk, or not.
    Mute {
        /// Whom: their `id` in the room's `audience`.
        watcher: u64,
        /// Whether they are muted from now on.
        muted: bool,
    },
    /// Send a watcher away.
    RemoveWatcher {
        /// Whom: their `id` in the room's `audience`.
        watcher: u64,
    },
    /// Let a bot play for somebody who is away.
    Substitute {
        /// For whom.
        seat: Seat,
        /// How well it plays.
        level: Level,
    },
    /// A watcher takes a free seat.
    Sit {},
    /// A player becomes a watcher.
    Stand {},
    /// After the end: back to the lobby.
    Rematch {},
    /// The same, and the next game is dealt as this one was.
    SameDeal {},
    /// In the lobby of a game that begins with an earlier one: not so, but with a deal of its own.
    NewDeal {},
    /// In the same lobby: take another place of the earlier game.
    TakeChair {
        /// Its seat then.
        chair: Seat,
    },
    /// Between games: say that one wants another, or take it back.
    Ready {
        /// Whether one does.
        ready: bool,
    },
    /// A sign to everyone at the table, without words.
    React {
        /// Which.
        reaction: Reaction,
    },
    /// Be called otherwise at this table from now on.
    Rename {
        /// As a name at joining.
        name: String,
    },
    /// In a game: no more pauses until a person has to decide.
    Hurry {},
    /// After the end: what does the strongest bot make of this game?
    Review {},
    /// Alone among bots: what would the strongest of them do now?
    Hint {},
    /// Ask for a code that brings another device to this seat.
    Handover {},
    /// Go.
    Leave {},
    /// Is the line alive?
    Ping {
        /// Comes back as it went.
        #[cfg_attr(feature = "types", ts(type = "number"))]
        t: Number,
    },
}

impl ClientMessage {
    /// Parses one message of the protocol.
    pub fn read(text: &str) -> Result<ClientMessage, serde_json::Error> {
        // Serde would also read a tagged enum from a list, but the protocol allows only objects.
        if !text.trim_ascii_start().starts_with('{') {
            return Err(serde::de::Error::custom("a message is a JSON object"));
        }
        // Nearly all messages are actions, and this path parses them without copying their parts.
        if let Ok(SaidAct { r#type: ActType::Act, n, action }) = serde_json::from_str(text) {
            return Ok(ClientMessage::Act { n, action: action.into() });
        }
        serde_json::from_str(text)
    }
}

/// A [`ClientMessage::Act`] as a plain struct, because serde reads a tagged enum through an intermediate copy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SaidAct<'a> {
    r#type: ActType,
    n: u32,
    #[serde(borrow)]
    action: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ActType {
    Act,
}

/// Distinguishes `"clock": null` (no clock) from a missing `clock` (unchanged).
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

#[cfg(test)]
mod tests {
    use super::ClientMessage as Message;
    use super::*;

    #[test]
    fn unknown_types_and_fields_are_refused() {
        for text in [
            r#"{"type":"fly"}"#,
            r#"{"type":"start","now":true}"#,
            r#"{"type":"join","name":"Ana","colour":"red"}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"ready"}"#,
            r#"{"type":"rename"}"#,
            r#"{"type":"rename","name":null}"#,
            r#"{"type":"react","reaction":"fly"}"#,
            r#"{"type":"act","n":-1,"action":{}}"#,
            r#"{"n":1}"#,
            r#"["join"]"#,
            "null",
            "",
        ] {
            assert!(Message::read(text).is_err(), "{text} was read");
        }
    }

    #[test]
    fn an_act_is_read_as_it_was_said_and_in_whatever_order() {
        let said = r#"{"type":"act","n":4,"action":{"type":"bid","count":3}}"#;
        assert_eq!(Message::read(said).unwrap(), act(4, r#"{"type":"bid","count":3}"#));
        let shuffled = r#" { "action" : {"count": 3, "type": "bid"}, "n": 4, "type": "act" }"#;
        assert_eq!(Message::read(shuffled).unwrap(), act(4, r#"{"count": 3, "type": "bid"}"#));
        for wrong in [
            r#"{"type":"act","n":4,"action":{"type":"bid","count":3},"more":1}"#,
            r#"{"type":"act","action":{}}"#,
            r#"{"type":"act","n":4}"#,
            r#"{"type":"act","n":4,"n":5,"action":{}}"#,
            r#"{"type":"act","n":4,"action":{"type":}}"#,
        ] {
            assert!(Message::read(wrong).is_err(), "{wrong} was read");
        }
    }

    fn act(n: u32, action: &str) -> ClientMessage {
        let action: &RawValue = serde_json::from_str(action).unwrap();
        ClientMessage::Act { n, action: action.into() }
    }

    #[test]
    fn a_clock_of_null_is_not_a_clock_left_out() {
        let ClientMessage::Configure { clock, .. } =
            Message::read(r#"{"type":"configure","clock":null}"#).unwrap()
        else {
            panic!("not a configure");
        };
        assert_eq!(clock, Some(None));
        let ClientMessage::Configure { clock, .. } = Message::read(r#"{"type":"configure"}"#).unwrap() else {
            panic!("not a configure");
        };
        assert_eq!(clock, None);
        // Our own client does not remove the clock either when it leaves the field out.
        let silent = Message::Configure {
            game: None,
            rules: None,
            clock: None,
            forced: None,
            pace: None,
            starter: None,
        };
        assert_eq!(Message::read(&serde_json::to_string(&silent).unwrap()).unwrap(), silent);
    }

    #[test]
    fn a_ping_comes_back_as_it_went() {
        for t in ["123", "1.5", "-7", "18446744073709551615"] {
            let ClientMessage::Ping { t: read } =
                Message::read(&format!(r#"{{"type":"ping","t":{t}}}"#)).unwrap()
            else {
                panic!("not a ping");
            };
            assert_eq!(read.to_string(), t);
        }
    }
}
