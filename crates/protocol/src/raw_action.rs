//! An action in its game's own format: JSON text that only the game interprets.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// An action as JSON text. The game parses it once, and it is written to the journal and to records unchanged.
#[derive(Clone)]
pub struct RawAction {
    text: Box<RawValue>,
    /// The value the text was serialised from, so that the game need not parse it again.
    written: Option<Arc<dyn Any + Send + Sync>>,
}

impl RawAction {
    /// Serialises an action.
    pub fn of<T: Clone + Serialize + Send + Sync + 'static>(action: &T) -> RawAction {
        let text = to_raw_value(action).expect("actions have string keys only");
        RawAction { text, written: Some(Arc::new(action.clone())) }
    }

    /// Parses the action into its game's type. The protocol allows only objects, although serde would also accept a
    /// list.
    pub fn read<T: Clone + DeserializeOwned + 'static>(&self) -> Result<T, serde_json::Error> {
        if let Some(action) = self.written.as_ref().and_then(|written| written.downcast_ref::<T>()) {
            return Ok(action.clone());
        }
        if !self.text.get().starts_with('{') {
            return Err(serde::de::Error::custom("expected an object"));
        }
        serde_json::from_str(self.text.get())
    }

    /// Returns the length of the text in bytes.
    pub fn bytes(&self) -> usize {
        self.text.get().len()
    }

    /// Returns the action as a JSON tree, for code that does not know the game.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.text.get()).unwrap_or_default()
    }
}

impl fmt::Debug for RawAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.get())
    }
}

impl Serialize for RawAction {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(to)
    }
}

impl From<&RawValue> for RawAction {
    fn from(text: &RawValue) -> RawAction {
        RawAction { text: text.to_owned(), written: None }
    }
}

impl From<Value> for RawAction {
    fn from(value: Value) -> RawAction {
        RawAction { text: to_raw_value(&value).expect("a JSON value serialises"), written: None }
    }
}

/// Different texts of one JSON value are equal.
impl PartialEq for RawAction {
    fn eq(&self, other: &RawAction) -> bool {
        self.text.get() == other.text.get() || self.value() == other.value()
    }
}

/// Deserialises through a JSON tree, because inside a tagged enum serde no longer has the text. Hot paths borrow the
/// raw JSON instead and convert it to a [`RawAction`].
impl<'de> Deserialize<'de> for RawAction {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<RawAction, D::Error> {
        Value::deserialize(from).map(RawAction::from)
    }
}
