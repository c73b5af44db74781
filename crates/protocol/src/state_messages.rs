//! Builds the `state` messages for one change of a game from text that is serialised once.
//!
//! It only assembles text: what a viewer may see is already in their [`State`].

use crate::State;
use serde::Serialize;
use std::fmt::Write;

/// The text that all `state` messages of one change share, split around each viewer's own fields.
pub struct StateMessages {
    head: String,
    shown: String,
    tail: String,
}

impl StateMessages {
    /// Serialises the shared parts of this state.
    pub fn of(state: &State<'_>) -> StateMessages {
        // Every field is named, here and below, so that a new one cannot be forgotten.
        let State { version, next: _, asked, table, mine: _, actions: _, events, deadline_ms } = state;
        StateMessages {
            head: format!(r#"{{"type":"state","state":{{"version":{version},"next":"#),
            shown: format!(r#","asked":{},"table":{},"mine":"#, json(asked), table.get()),
            tail: format!(r#","events":{},"deadline_ms":{}}}}}"#, events.get(), json(deadline_ms)),
        }
    }

    /// Returns the message for this viewer, byte for byte equal to a serialised [`crate::ServerMessage::State`].
    pub fn message(&self, state: &State<'_>) -> String {
        let State { version: _, next, asked: _, table: _, mine, actions, events: _, deadline_ms: _ } = state;
        let StateMessages { head, shown, tail } = self;
        let (mine, actions) = (mine.as_ref().map_or("null", |mine| mine.get()), actions.get());
        let shared = head.len() + shown.len() + tail.len();
        let mut text = String::with_capacity(shared + mine.len() + actions.len() + 24);
        text.push_str(head);
        match next {
            Some(next) => write!(text, "{next}").expect("writing to a string cannot fail"),
            None => text.push_str("null"),
        }
        for part in [shown, mine, r#","actions":"#, actions, tail] {
            text.push_str(part);
        }
        text
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("numbers are JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ServerMessage;
    use serde_json::value::RawValue;

    #[test]
    fn assembled_messages_equal_those_of_serde() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let (table, events) = (raw(r#"{"row": [1, "\"ä"]}"#), raw(r#"[{"type":"round"}]"#));
        let state = |next, mine: Option<&str>, actions: &str, deadline_ms| State {
            version: 57,
            next,
            asked: vec![game::Seat(1), game::Seat(2)],
            table: &table,
            mine: mine.map(raw),
            actions: raw(actions),
            events: &events,
            deadline_ms,
        };
        for deadline_ms in [None, Some(41_000)] {
            let seated = state(Some(12), Some(r#"{"choice":"\\"}"#), r#"[{"type":"pass"}]"#, deadline_ms);
            let watching = state(None, None, "[]", deadline_ms);
            let messages = StateMessages::of(&watching);
            for state in [seated, watching] {
                assert_eq!(messages.message(&state), ServerMessage::State { state: state.clone() }.to_json());
            }
        }
    }
}
