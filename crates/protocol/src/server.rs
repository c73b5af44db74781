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
    /// The answer to a join: all there is to know.
    Welcome {
        /// [`crate::PROTOCOL`].
        protocol: u32,
        /// Where this connection sits.
        you: You<'a>,
        /// The room.
        room: &'a RoomView,
        /// The game; none in the lobby.
        state: Option<State<'a>>,
        /// Every event of this game so far.
        #[cfg_attr(feature = "types", ts(type = "unknown[]"))]
        history: &'a [Box<RawValue>],
        /// The last lines said.
        chat: &'a [ChatLine],
    },
    /// This connection's own place changed.
    You {
        /// The new seat; none for a watcher.
        seat: Option<Seat>,
        /// What brings this player back to it.
        token: Option<&'a str>,
        /// The name at the table.
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
        /// The act's own number.
        n: u32,
        /// Why, for the client to word.
        code: &'a str,
        /// Why, for developers.
        detail: &'a str,
    },
    /// Any other message was refused.
    Error {
        /// Why, for the client to word.
        code: &'a str,
        /// Why, for developers.
        detail: &'a str,
    },
    /// Somebody said something.
    Chat {
        /// Their seat, if they had one.
        seat: Option<Seat>,
        /// Their name.
        name: &'a str,
        /// What they said.
        text: &'a str,
        /// When, in milliseconds since 1970.
        at: u64,
    },
    /// Somebody at the table gave a sign.
    Reacted {
        /// Their seat.
        seat: Seat,
        /// Which.
        reaction: Reaction,
    },
    /// Somebody at the table is called otherwise from now on.
    Renamed {
        /// Their seat.
        seat: Seat,
        /// What they were called.
        was: &'a str,
        /// What they are called.
        name: &'a str,
    },
    /// A code that brings another device to this seat, once.
    Handover {
        /// What the other device sends as its token.
        code: &'a str,
        /// For how long it is good.
        expires_ms: u64,
    },
    /// How far the review of the game on the table has come.
    Review {
        /// How many decisions are judged.
        done: u32,
        /// Of how many; 0 while it waits for its turn.
        of: u32,
        /// Whether it is there to be fetched.
        ready: bool,
    },
    /// What the strongest bot would do, the best first.
    Hint {
        /// The number of the act it is for.
        n: u32,
        /// The best acts, three at most.
        acts: &'a [HintedAct],
    },
    /// The line is alive.
    Pong {
        /// As it came.
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
    you: Option<Place>,
    room: Option<RoomView>,
    #[serde(borrow)]
    state: Option<State<'a>>,
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
                you: {
                    let Place { seat, token, name } = self.you.as_ref()?;
                    You { seat: *seat, token: token.as_deref(), name }
                },
                room: self.room.as_ref()?,
                state: self.state.take(),
                history: self.history.as_deref()?,
                chat: self.chat.as_deref()?,
            },
            "you" => ServerMessage::You { seat: self.seat, token, name: self.name.as_deref()? },
            "room" => ServerMessage::Room { room: self.room.as_ref()? },
            "state" => ServerMessage::State { state: self.state.take()? },
            "rejected" => ServerMessage::Rejected {
                n: self.n?,
                code: self.code.as_deref()?,
                detail: self.detail.as_deref()?,
            },
            "error" => ServerMessage::Error { code: self.code.as_deref()?, detail: self.detail.as_deref()? },
            "chat" => ServerMessage::Chat {
                seat: self.seat,
                name: self.name.as_deref()?,
                text: self.text.as_deref()?,
                at: self.at?,
            },
            "reacted" => ServerMessage::Reacted {
                seat: self.seat?,
                reaction: serde_json::from_str(self.reaction?.get()).ok()?,
            },
            "renamed" => ServerMessage::Renamed {
                seat: self.seat?,
                was: self.was.as_deref()?,
                name: self.name.as_deref()?,
            },
            "handover" => {
                ServerMessage::Handover { code: self.code.as_deref()?, expires_ms: self.expires_ms? }
            }
            "review" => ServerMessage::Review { done: self.done?, of: self.of?, ready: self.ready? },
            "hint" => ServerMessage::Hint { n: self.n?, acts: self.acts.as_deref()? },
            "pong" => ServerMessage::Pong { t: self.t.as_ref()? },
            _ => return None,
        })
    }
}

/// Where a connection sits.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct You<'a> {
    /// None for a watcher.
    pub seat: Option<Seat>,
    /// None for a watcher.
    pub token: Option<&'a str>,
    /// The name at the table.
    pub name: &'a str,
}

/// A game as one viewer sees it. `table` and `events` are the same bytes for everyone.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct State<'a> {
    /// Rises by one with each change of the game and never falls in a room.
    pub version: u64,
    /// The number of this seat's next act; none for a watcher. It rises with every act of this seat, and by one more
    /// when choices made together are counted.
    pub next: Option<u32>,
    /// The seats that must act before the game goes on, the same for everyone.
    pub asked: Vec<Seat>,
    /// What everyone sees.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    #[serde(borrow)]
    pub table: &'a RawValue,
    /// What this seat alone sees.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub mine: Option<Box<RawValue>>,
    /// What this seat may do now.
    #[cfg_attr(feature = "types", ts(type = "unknown[]"), schemars(with = "Vec<serde_json::Value>"))]
    pub actions: Box<RawValue>,
    /// What happened since the version before.
    #[cfg_attr(feature = "types", ts(type = "unknown[]"), schemars(with = "Vec<serde_json::Value>"))]
    #[serde(borrow)]
    pub events: &'a RawValue,
    /// Time left for whoever must act.
    pub deadline_ms: Option<u64>,
}

/// One line of the chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ChatLine {
    /// The speaker's seat, if they had one.
    pub seat: Option<Seat>,
    /// The speaker's name.
    pub name: String,
    /// What they said.
    pub text: String,
    /// When, in milliseconds since 1970.
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
        let welcome = |state: &str, you: &str| {
            format!(
                r#"{{"type":"welcome","protocol":1,"you":{you},"room":{ROOM},"state":{state},"history":[{{"type":"round"}}],"chat":[{{"seat":null,"name":"W\\l","text":"a\nb","at":5}}]}}"#
            )
        };
        vec![
            welcome(STATE, r#"{"seat":0,"token":"00ff","name":"Ana \"A\""}"#),
            welcome("null", r#"{"seat":null,"token":null,"name":"Wil"}"#),
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
    fn what_was_written_is_read_and_written_again_to_the_byte() {
        for text in one_of_each() {
            assert_eq!(again(&text).as_ref(), Some(&text));
        }
    }

    #[test]
    fn whatever_a_newer_server_adds_is_ignored() {
        // Every place where an object of the protocol ends, in the message and inside its fields.
        let ends = [
            r#""muted":true}"#,
            r#""newer":1}]}"#,
            r#""ready":true}"#,
            r#""deadline_ms":41000}"#,
            r#""at":5}"#,
        ];
        for text in one_of_each() {
            let mut more = format!(r#"{},"newer":{{"of":["any"]}}}}"#, text.strip_suffix('}').unwrap());
            for end in ends {
                more = more.replace(end, &format!(r#"{},"newer":1}}"#, end.strip_suffix('}').unwrap()));
            }
            assert_eq!(again(&more).as_ref(), Some(&text), "{more}");
        }
        let newer = Received::read(r#"{"type":"fireworks","colour":"red"}"#).unwrap().message().is_none();
        assert!(newer, "a type that is not known here is read, and says nothing");
        let newer = r#"{"type":"reacted","seat":0,"reaction":"dance"}"#;
        assert!(Received::read(newer).unwrap().message().is_none(), "nor does a reaction that is not");
    }

    #[test]
    fn a_message_without_what_its_type_always_has_says_nothing() {
        for text in one_of_each() {
            let whole: Value = serde_json::from_str(&text).unwrap();
            for field in whole.as_object().unwrap().keys() {
                let mut part = whole.clone();
                part.as_object_mut().unwrap().remove(field);
                // These fields can be null, and a missing field counts as null.
                let always = whole["type"] == "state" || whole["type"] == "reacted";
                let optional = ["state", "seat", "token"].contains(&&**field) && !always;
                assert_eq!(again(&part.to_string()).is_some(), optional, "{part}");
            }
        }
    }

    #[test]
    fn the_open_table_is_not_copied() {
        let text = format!(r#"{{"type":"state","state":{STATE}}}"#);
        let mut received = Received::read(&text).unwrap();
        let Some(ServerMessage::State { state }) = received.message() else { panic!("a state") };
        assert!(text.as_bytes().as_ptr_range().contains(&state.table.get().as_ptr()));
    }
}
