//! Parses the messages of a client, and words the refusal of those that are invalid or too frequent.
//!
//! It does not know the room or the connection.

use crate::handle::{Arrival, JoinRefusal, Who};
use crate::limits::messages::MessageRate;
use game::Salt;
use protocol::{ClientMessage, Close, Code, PROTOCOL, ServerMessage};
use room::Name;
use serde::Deserialize;

/// Parses the first message.
pub fn read_join(text: &str) -> Result<Arrival, JoinRefusal> {
    if speaks_another_protocol(text) {
        return Err(Close::OtherProtocol.into());
    }
    let refused = |code, detail: &str| JoinRefusal::with_error(code, detail, Close::BadJoin);
    let message = ClientMessage::read(text).map_err(|wrong| refused(Code::BadMessage, &wrong.to_string()))?;
    let ClientMessage::Join { name, token, watch, salt, bot, have, .. } = message else {
        return Err(refused(Code::BadMessage, "the first message must be a join"));
    };
    let bad_salt = || refused(Code::BadMessage, "a salt is 32 random hex digits");
    let salt = salt.map(|salt| read_salt(&salt).ok_or_else(bad_salt)).transpose()?;
    let who = match (token, name) {
        (Some(token), _) => Who::Token(token),
        (None, name) => {
            let name = name.and_then(|name| Name::new(&name));
            let name = name.ok_or_else(|| refused(Code::BadName, "a name has 1–20 visible characters"))?;
            if watch { Who::Watcher(name) } else { Who::Player(name) }
        }
    };
    Ok(Arrival { who, salt, program: bot, have })
}

/// Returns whether the message is a join of another protocol version. This is checked before parsing, because such a
/// join may have unknown fields.
fn speaks_another_protocol(text: &str) -> bool {
    #[derive(Deserialize)]
    struct JoinVersion {
        r#type: String,
        protocol: Option<u32>,
    }
    let join = serde_json::from_str::<JoinVersion>(text).ok().filter(|join| join.r#type == "join");
    join.and_then(|join| join.protocol).is_some_and(|protocol| protocol != PROTOCOL)
}

fn read_salt(text: &str) -> Option<Salt> {
    let mut salt = [0; 16];
    hex::decode_to_slice(text, &mut salt).ok()?;
    Some(Salt(salt)).filter(Salt::is_fit)
}

pub(super) fn read(text: &str, rate: Option<&mut MessageRate>) -> Result<ClientMessage, String> {
    if let Some(refusal) = rate.and_then(|rate| too_fast(text, rate)) {
        return Err(refusal);
    }
    match ClientMessage::read(text) {
        Ok(ClientMessage::Join { .. }) => Err(error(Code::BadMessage, "already joined")),
        Ok(message) => Ok(message),
        Err(wrong) => Err(error(Code::BadMessage, &wrong.to_string())),
    }
}

/// Returns the refusal of a message that exceeds the rate limit, or `None` if it is allowed.
pub(super) fn too_fast(text: &str, rate: &mut MessageRate) -> Option<String> {
    if rate.allows_message() {
        return None;
    }
    let n = match ClientMessage::read(text) {
        Ok(ClientMessage::Act { n, .. }) => Some(n),
        _ => None,
    };
    let (code, detail) = (Code::TooFast.as_str(), "too many messages at once");
    let refusal = match n {
        Some(n) => ServerMessage::Rejected { n, code, detail },
        None => ServerMessage::Error { code, detail },
    };
    Some(refusal.to_json())
}

pub(super) fn error(code: Code, detail: &str) -> String {
    ServerMessage::Error { code: code.as_str(), detail }.to_json()
}
