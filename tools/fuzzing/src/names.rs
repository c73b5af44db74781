//! Names and chat messages. Everything that is accepted must be displayable.

use crate::Tried;
use crate::table::{FuzzTable, hides};
use room::Name;
use serde_json::json;

/// Joins twice with this name, and sends it as a chat message.
pub fn try_one(bytes: &[u8]) -> Tried {
    let text = String::from_utf8_lossy(bytes);
    let name = Name::new(&text);
    if let Some(name) = &name {
        assert_eq!(Name::new(name.as_str()).as_ref(), Some(name), "normalizing is idempotent");
        let shown = name.as_str();
        assert!(!shown.chars().any(hides) && shown.len() <= 200 && shown.trim() == shown, "{shown:?}");
    }
    let mut table = FuzzTable::open("towers");
    for who in 0..2 {
        let joins = table.hear(who, &json!({"type": "join", "name": text}).to_string());
        assert_eq!(joins, name.is_some(), "{text:?}");
    }
    table.hear(2, r#"{"type":"join","name":"Ana"}"#);
    let said = table.hear(2, &json!({"type": "chat", "text": text}).to_string());
    if name.is_some() {
        table.close();
    }
    Tried { things: 1, taken: u64::from(said) }
}
