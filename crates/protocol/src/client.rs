//! Messages from clients.

use crate::{Forced, Have, Pace, RawAction, Reaction};
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
    /// The first message of a connection: takes a seat, resumes one, or watches.
    Join {
        /// Requested name. Ignored when a token resumes a seat.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default)]
        name: Option<String>,
        /// Token of the seat to resume.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default)]
        token: Option<String>,
        /// Whether to watch instead of taking a seat.
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        #[serde(default)]
        watch: bool,
        /// Salt for the seed of the next game, as 32 hex digits.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default)]
        salt: Option<String>,
        /// Protocol version the client was written for.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default)]
        protocol: Option<u32>,
        /// Whether a program plays instead of a person. Omitted if false, because earlier servers refuse unknown
        /// fields.
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        bot: bool,
        /// What the client already has of the game on the table. Omitted if nothing, because earlier servers refuse
        /// unknown fields.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        have: Option<Have>,
    },
    /// Plays an act in the game. Each game defines the form of its acts.
    Act {
        /// The `next` of the state in which the act was chosen. It identifies the decision this act is for.
        n: u32,
        /// The act, in the game's own form.
        #[cfg_attr(feature = "types", ts(type = "unknown"), schemars(with = "serde_json::Map<String, Value>"))]
        action: RawAction,
    },
    /// Sends a chat line to everyone in the room.
    Chat {
        /// The line, 1–500 characters.
        text: String,
    },
    /// Starts the game.
    Start {},
    /// Changes the options. Omitted fields keep their values.
    Configure {
        /// Game to play instead.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default)]
        game: Option<String>,
        /// Options of the game.
        #[cfg_attr(
            feature = "types",
            ts(optional, type = "Record<string, unknown>"),
            schemars(with = "Option<serde_json::Map<String, Value>>")
        )]
        #[serde(default)]
        rules: Option<Value>,
        /// Seconds for each decision, or null for no clock.
        #[cfg_attr(feature = "types", ts(optional, type = "number | null"))]
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        clock: Option<Option<u32>>,
        /// Handling of a seat that has only one legal act.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default)]
        forced: Option<Forced>,
        /// Pace of the bots.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pace: Option<Pace>,
        /// Seat that begins the next game, or null for a random one.
        #[cfg_attr(feature = "types", ts(optional, type = "Seat | null"))]
        #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
        starter: Option<Option<Seat>>,
    },
    /// Adds a bot to the table.
    AddBot {
        /// Level of the bot.
        level: Level,
    },
    /// Removes a player or a bot from the table.
    Remove {
        /// Seat to remove.
        seat: Seat,
        /// Name of the player in that seat. Seats are renumbered when a player leaves, so without the name a request
        /// that is sent twice on a slow connection could remove the player who moved up.
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Mutes or unmutes a watcher.
    Mute {
        /// The watcher's `id` in the room's `audience`.
        watcher: u64,
        /// True to mute, false to unmute.
        muted: bool,
    },
    /// Removes a watcher from the room.
    RemoveWatcher {
        /// The watcher's `id` in the room's `audience`.
        watcher: u64,
    },
    /// Lets a bot play for a player who is away.
    Substitute {
        /// Seat of that player.
        seat: Seat,
        /// Level of the bot.
        level: Level,
    },
    /// Takes a free seat. Only for watchers.
    Sit {},
    /// Gives up the seat to become a watcher. Only for players.
    Stand {},
    /// Returns to the lobby after the end of a game.
    Rematch {},
    /// Returns to the lobby after the end of a game, and gives the next game the same deal.
    SameDeal {},
    /// In the lobby of a game that begins with an earlier one: makes it an ordinary game with a deal of its own.
    NewDeal {},
    /// In the lobby of a game that begins with an earlier one: takes another place of the earlier game.
    TakeChair {
        /// Seat number of that place in the earlier game.
        chair: Seat,
    },
    /// Between games: announces that the player wants another game, or withdraws that.
    Ready {
        /// Whether the player wants another game.
        ready: bool,
    },
    /// Sends a reaction to everyone at the table.
    React {
        /// The reaction.
        reaction: Reaction,
    },
    /// Changes the player's name at this table.
    Rename {
        /// New name, with the same rules as the name of a join.
        name: String,
    },
    /// In a game: skips pauses until a person has to decide.
    Hurry {},
    /// After the end: asks for the strongest bot's review of this game.
    Review {},
    /// For a person who plays with bots alone: asks what the strongest bot would do now.
    Hint {},
    /// Asks for a code that opens this seat on another device.
    Handover {},
    /// Leaves the room.
    Leave {},
    /// Checks that the connection is alive.
    Ping {
        /// Number that the pong returns unchanged.
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
    fn refuses_unknown_types_and_fields() {
        for text in [
            r#"{"type":"fly"}"#,
            r#"{"type":"start","now":true}"#,
            r#"{"type":"join","name":"Ana","have":57}"#,
            r#"{"type":"join","name":"Ana","have":{"events":57}}"#,
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
            assert!(Message::read(text).is_err(), "{text} was accepted");
        }
    }

    #[test]
    fn parses_an_action_with_fields_in_any_order() {
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
            assert!(Message::read(wrong).is_err(), "{wrong} was accepted");
        }
    }

    fn act(n: u32, action: &str) -> ClientMessage {
        let action: &RawValue = serde_json::from_str(action).unwrap();
        ClientMessage::Act { n, action: action.into() }
    }

    #[test]
    fn distinguishes_a_null_clock_from_a_missing_one() {
        let ClientMessage::Configure { clock, .. } = Message::read(r#"{"type":"configure","clock":null}"#).unwrap()
        else {
            panic!("expected a configure message");
        };
        assert_eq!(clock, Some(None));
        let ClientMessage::Configure { clock, .. } = Message::read(r#"{"type":"configure"}"#).unwrap() else {
            panic!("expected a configure message");
        };
        assert_eq!(clock, None);
        // Our own client does not remove the clock either when it leaves the field out.
        let silent =
            Message::Configure { game: None, rules: None, clock: None, forced: None, pace: None, starter: None };
        assert_eq!(Message::read(&serde_json::to_string(&silent).unwrap()).unwrap(), silent);
    }

    #[test]
    fn preserves_the_number_of_a_ping() {
        for t in ["123", "1.5", "-7", "18446744073709551615"] {
            let ClientMessage::Ping { t: read } = Message::read(&format!(r#"{{"type":"ping","t":{t}}}"#)).unwrap()
            else {
                panic!("expected a ping message");
            };
            assert_eq!(read.to_string(), t);
        }
    }
}
