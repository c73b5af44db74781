//! Messages from the server: [`ServerMessage`] for writing and [`Received`] for reading.

use crate::{HintedAct, Reaction, RoomView};
use game::Seat;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// One message to a client. It borrows, so that the open table is serialised once and copied as bytes; a client
/// borrows it from what it has [`Received`].
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage<'a> {
    /// Answer to a join, with everything the client may know.
    Welcome {
        /// Protocol version of the server, [`crate::PROTOCOL`].
        protocol: u32,
        /// Version of the page that this server serves, as in the paths of its files.
        #[cfg_attr(feature = "types", ts(optional))]
        #[serde(skip_serializing_if = "Option::is_none")]
        page: Option<&'a str>,
        /// Seat of this connection.
        you: You<'a>,
        /// The room.
        room: &'a RoomView,
        /// The game, or null in the lobby.
        state: Option<State<'a>>,
        /// Number of the first events that are left out of `history`, because the client has them (`have` of its join).
        /// Omitted if `history` is whole.
        #[cfg_attr(feature = "types", ts(optional))]
        #[serde(skip_serializing_if = "Option::is_none")]
        since: Option<u32>,
        /// Every event of this game so far, without the first `since` ones.
        #[cfg_attr(feature = "types", ts(type = "unknown[]"))]
        history: &'a [Box<RawValue>],
        /// The most recent chat lines.
        chat: &'a [ChatLine],
    },
    /// This connection's own seat or name changed.
    You {
        /// The new seat, or null for a watcher.
        seat: Option<Seat>,
        /// Token that resumes the seat, or null for a watcher.
        token: Option<&'a str>,
        /// Name at the table.
        name: &'a str,
    },
    /// Something in the room changed.
    Room {
        /// The room.
        room: &'a RoomView,
    },
    /// The game changed.
    State {
        /// The game.
        state: State<'a>,
    },
    /// An act was refused and changed nothing.
    Rejected {
        /// Number of the act, from its `n`.
        n: u32,
        /// Reason, as a code that the client turns into a text.
        code: &'a str,
        /// Reason in English, for developers.
        detail: &'a str,
    },
    /// Any other message was refused.
    Error {
        /// Reason, as a code that the client turns into a text.
        code: &'a str,
        /// Reason in English, for developers.
        detail: &'a str,
    },
    /// A new chat line.
    Chat {
        /// Seat of the sender, or null for a watcher.
        seat: Option<Seat>,
        /// Name of the sender.
        name: &'a str,
        /// Text of the line.
        text: &'a str,
        /// Time in milliseconds since 1970.
        at: u64,
    },
    /// A player reacted.
    Reacted {
        /// Seat of the player.
        seat: Seat,
        /// The reaction.
        reaction: Reaction,
    },
    /// A player has a new name.
    Renamed {
        /// Seat of the player.
        seat: Seat,
        /// Previous name.
        was: &'a str,
        /// New name.
        name: &'a str,
    },
    /// One-time code that opens this seat on another device.
    Handover {
        /// Code that the other device sends as its token.
        code: &'a str,
        /// Validity of the code in milliseconds.
        expires_ms: u64,
    },
    /// Progress of the review of the game on the table.
    Review {
        /// Number of decisions judged so far.
        done: u32,
        /// Total number of decisions to judge, or 0 while the review is queued.
        of: u32,
        /// Whether the review can be fetched.
        ready: bool,
    },
    /// What the strongest bot would do, best act first.
    Hint {
        /// Number of the act that the hint is for.
        n: u32,
        /// The best acts, at most three.
        acts: &'a [HintedAct],
    },
    /// Answer to a ping.
    Pong {
        /// Number of the ping, unchanged.
        #[cfg_attr(feature = "types", ts(type = "number"))]
        t: &'a Number,
    },
}

impl ServerMessage<'_> {
    /// Serialises the message.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("messages have string keys only")
    }
}

/// A message as a client reads it. Raw JSON is borrowed from the text, and strings that may contain escapes are owned.
/// [`Received::message`] returns it as a [`ServerMessage`].
///
/// The fields of all message types are in one struct, because serde reads a tagged enum through a copy of the whole
/// message, from which raw JSON cannot be borrowed. Unknown fields are ignored for forward compatibility.
#[derive(Debug, Deserialize)]
pub struct Received<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    protocol: Option<u32>,
    page: Option<String>,
    you: Option<Place>,
    room: Option<RoomView>,
    #[serde(borrow)]
    state: Option<State<'a>>,
    since: Option<u32>,
    history: Option<Vec<Box<RawValue>>>,
    chat: Option<Vec<ChatLine>>,
    seat: Option<Seat>,
    token: Option<String>,
    name: Option<String>,
    was: Option<String>,
    n: Option<u32>,
    code: Option<String>,
    detail: Option<String>,
    text: Option<String>,
    at: Option<u64>,
    expires_ms: Option<u64>,
    done: Option<u32>,
    of: Option<u32>,
    ready: Option<bool>,
    acts: Option<Vec<HintedAct>>,
    t: Option<Number>,
    /// The raw value, so that an unknown reaction of a newer server does not make the message unreadable.
    #[serde(borrow)]
    reaction: Option<&'a RawValue>,
}

/// The data a [`You`] borrows.
#[derive(Debug, Deserialize)]
struct Place {
    seat: Option<Seat>,
    token: Option<String>,
    name: String,
}

impl<'a> Received<'a> {
    /// Parses one message of the protocol.
    pub fn read(text: &'a str) -> Result<Received<'a>, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns the message, or `None` if its type is unknown or a required field is missing. A state can be taken only
    /// once.
    pub fn message(&mut self) -> Option<ServerMessage<'_>> {
        let token = self.token.as_deref();
        Some(match &*self.kind {
            "welcome" => ServerMessage::Welcome {
                protocol: self.protocol?,
                page: self.page.as_deref(),
                you: {
                    let Place { seat, token, name } = self.you.as_ref()?;
                    You { seat: *seat, token: token.as_deref(), name }
                },
                room: self.room.as_ref()?,
                state: self.state.take(),
                since: self.since,
                history: self.history.as_deref()?,
                chat: self.chat.as_deref()?,
            },
            "you" => ServerMessage::You { seat: self.seat, token, name: self.name.as_deref()? },
            "room" => ServerMessage::Room { room: self.room.as_ref()? },
            "state" => ServerMessage::State { state: self.state.take()? },
            "rejected" => {
                ServerMessage::Rejected { n: self.n?, code: self.code.as_deref()?, detail: self.detail.as_deref()? }
            }
            "error" => ServerMessage::Error { code: self.code.as_deref()?, detail: self.detail.as_deref()? },
            "chat" => ServerMessage::Chat {
                seat: self.seat,
                name: self.name.as_deref()?,
                text: self.text.as_deref()?,
                at: self.at?,
            },
            "reacted" => {
                ServerMessage::Reacted { seat: self.seat?, reaction: serde_json::from_str(self.reaction?.get()).ok()? }
            }
            "renamed" => {
                ServerMessage::Renamed { seat: self.seat?, was: self.was.as_deref()?, name: self.name.as_deref()? }
            }
            "handover" => ServerMessage::Handover { code: self.code.as_deref()?, expires_ms: self.expires_ms? },
            "review" => ServerMessage::Review { done: self.done?, of: self.of?, ready: self.ready? },
            "hint" => ServerMessage::Hint { n: self.n?, acts: self.acts.as_deref()? },
            "pong" => ServerMessage::Pong { t: self.t.as_ref()? },
            _ => return None,
        })
    }
}

/// Seat and name of a connection.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct You<'a> {
    /// The seat, or null for a watcher.
    pub seat: Option<Seat>,
    /// Token that resumes the seat, or null for a watcher.
    pub token: Option<&'a str>,
    /// Name at the table.
    pub name: &'a str,
}

/// A game as one viewer sees it. `table` and `events` are the same bytes for everyone.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct State<'a> {
    /// Number of changes of the room's games. Rises by one with each change and never falls in a room.
    pub version: u64,
    /// Number of this seat's next act, or null for a watcher. It rises by one with every act of this seat, and by one
    /// more when simultaneous choices are counted.
    pub next: Option<u32>,
    /// Seats that must act before the game continues, the same for every viewer.
    pub asked: Vec<Seat>,
    /// Public part of the game.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    #[serde(borrow)]
    pub table: &'a RawValue,
    /// Part of the game that only this seat sees, or null for a watcher.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub mine: Option<Box<RawValue>>,
    /// Legal acts of this seat now.
    #[cfg_attr(feature = "types", ts(type = "unknown[]"), schemars(with = "Vec<serde_json::Value>"))]
    pub actions: Box<RawValue>,
    /// Events since the previous version.
    #[cfg_attr(feature = "types", ts(type = "unknown[]"), schemars(with = "Vec<serde_json::Value>"))]
    #[serde(borrow)]
    pub events: &'a RawValue,
    /// Milliseconds left for the seats that must act, or null without a clock.
    pub deadline_ms: Option<u64>,
}

/// A chat line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ChatLine {
    /// Seat of the sender, or null for a watcher.
    pub seat: Option<Seat>,
    /// Name of the sender.
    pub name: String,
    /// Text of the line.
    pub text: String,
    /// Time in milliseconds since 1970.
    pub at: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    const ROOM: &str = r#"{"code":"K7QF3M","game":"towers","phase":"playing","rules":{"mistakes":"prevented"},"clock":60,"forced":"ask","pace":"brisk","starter":1,"min":2,"max":5,"host":0,"watchers":1,"seats":[{"seat":0,"name":"Ana \"A\"","kind":"human","connected":true,"away_ms":0,"wins":1,"bot":null,"ready":true},{"seat":1,"name":"Mira","kind":"bot","connected":true,"away_ms":0,"wins":0,"bot":"hard"}],"fair":{"commitment":"0707070707070707070707070707070707070707070707070707070707070707","salts":["01010101010101010101010101010101",null]},"keep_days":30,"audience":[{"id":7,"name":"W\\l","muted":true}]}"#;
    const STATE: &str = r#"{"version":57,"next":12,"asked":[1],"table":{"row": [1, 2]},"mine":{"choice":"\\"},"actions":[{"type":"pass"}],"events":[],"deadline_ms":41000}"#;

    /// Returns one message of each type, with characters that JSON escapes wherever people can type them.
    fn one_of_each() -> Vec<String> {
        let welcome = |page: &str, state: &str, since: &str, you: &str| {
            format!(
                r#"{{"type":"welcome","protocol":1,{page}"you":{you},"room":{ROOM},"state":{state},{since}"history":[{{"type":"round"}}],"chat":[{{"seat":null,"name":"W\\l","text":"a\nb","at":5}}]}}"#
            )
        };
        vec![
            welcome(
                r#""page":"00ff00ff00ff00ff","#,
                STATE,
                r#""since":12,"#,
                r#"{"seat":0,"token":"00ff","name":"Ana \"A\""}"#,
            ),
            welcome("", "null", "", r#"{"seat":null,"token":null,"name":"Wil"}"#),
            r#"{"type":"you","seat":1,"token":"00ff","name":"\"Bea\""}"#.to_owned(),
            format!(r#"{{"type":"room","room":{ROOM}}}"#),
            format!(r#"{{"type":"state","state":{STATE}}}"#),
            r#"{"type":"rejected","n":3,"code":"bid_too_low","detail":"\"2\" is too low"}"#.to_owned(),
            r#"{"type":"error","code":"bad_message","detail":"string \"pass\""}"#.to_owned(),
            r#"{"type":"chat","seat":0,"name":"Ana","text":"\"Gr\\üße\"","at":1700000000000}"#.to_owned(),
            r#"{"type":"reacted","seat":1,"reaction":"wow"}"#.to_owned(),
            r#"{"type":"handover","code":"00ff","expires_ms":300000}"#.to_owned(),
            r#"{"type":"review","done":3,"of":240,"ready":false}"#.to_owned(),
            r#"{"type":"hint","n":3,"acts":[{"action":{"type":"pass"},"chance":431}]}"#.to_owned(),
            r#"{"type":"pong","t":-0.25}"#.to_owned(),
        ]
    }

    /// Parses a message and serialises it again, or returns `None` if it cannot be read.
    fn again(text: &str) -> Option<String> {
        Received::read(text).ok()?.message().map(|message| message.to_json())
    }

    #[test]
    fn messages_round_trip_byte_for_byte() {
        for text in one_of_each() {
            assert_eq!(again(&text).as_ref(), Some(&text));
        }
    }

    #[test]
    fn ignores_fields_and_types_of_newer_servers() {
        // Every place where an object of the protocol ends, in the message and inside its fields.
        let ends = [r#""muted":true}"#, r#""newer":1}]}"#, r#""ready":true}"#, r#""deadline_ms":41000}"#, r#""at":5}"#];
        for text in one_of_each() {
            let mut more = format!(r#"{},"newer":{{"of":["any"]}}}}"#, text.strip_suffix('}').unwrap());
            for end in ends {
                more = more.replace(end, &format!(r#"{},"newer":1}}"#, end.strip_suffix('}').unwrap()));
            }
            assert_eq!(again(&more).as_ref(), Some(&text), "{more}");
        }
        let newer = Received::read(r#"{"type":"fireworks","colour":"red"}"#).unwrap().message().is_none();
        assert!(newer, "an unknown type is ignored");
        let newer = r#"{"type":"reacted","seat":0,"reaction":"dance"}"#;
        assert!(Received::read(newer).unwrap().message().is_none(), "an unknown reaction is ignored");
    }

    #[test]
    fn ignores_messages_without_required_fields() {
        for text in one_of_each() {
            let whole: Value = serde_json::from_str(&text).unwrap();
            for field in whole.as_object().unwrap().keys() {
                let mut part = whole.clone();
                part.as_object_mut().unwrap().remove(field);
                // These fields can be null or missing, and a missing field counts as null.
                let always = whole["type"] == "state" || whole["type"] == "reacted";
                let optional = ["page", "state", "since", "seat", "token"].contains(&&**field) && !always;
                assert_eq!(again(&part.to_string()).is_some(), optional, "{part}");
            }
        }
    }

    #[test]
    fn does_not_copy_the_table() {
        let text = format!(r#"{{"type":"state","state":{STATE}}}"#);
        let mut received = Received::read(&text).unwrap();
        let Some(ServerMessage::State { state }) = received.message() else { panic!("expected a state message") };
        assert!(text.as_bytes().as_ptr_range().contains(&state.table.get().as_ptr()));
    }
}
