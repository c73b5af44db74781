//! An act in its game's own form: JSON text that only the game reads.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// An act as text. It is read once, by the game, and written as it stands: to the journal, and into a record.
#[derive(Clone)]
pub struct RawAction {
    text: Box<RawValue>,
    /// What the game wrote it from, so that it need not read it again (memoisation).
    written: Option<Arc<dyn Any + Send + Sync>>,
}

impl RawAction {
    /// The act as its game writes it.
    pub fn of<T: Clone + Serialize + Send + Sync + 'static>(action: &T) -> RawAction {
        let text = to_raw_value(action).expect("acts have string keys only");
        RawAction { text, written: Some(Arc::new(action.clone())) }
    }

    /// The act in its game's own type. The contract knows objects only, where serde would also read a list.
    pub fn read<T: Clone + DeserializeOwned + 'static>(&self) -> Result<T, serde_json::Error> {
        if let Some(action) = self.written.as_ref().and_then(|written| written.downcast_ref::<T>()) {
            return Ok(action.clone());
        }
        if !self.text.get().starts_with('{') {
            return Err(serde::de::Error::custom("expected an object"));
        }
        serde_json::from_str(self.text.get())
    }

    /// How many bytes it is written in.
    pub fn bytes(&self) -> usize {
        self.text.get().len()
    }

    /// The act as a tree, for whoever knows nothing of its game.
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
        RawAction { text: to_raw_value(&value).expect("a tree is JSON"), written: None }
    }
}

/// Two ways to write one act are equal.
impl PartialEq for RawAction {
    fn eq(&self, other: &RawAction) -> bool {
        self.text.get() == other.text.get() || self.value() == other.value()
    }
}

/// By way of a tree: inside a tagged enum serde has no text left to keep. Where acts are read often they are borrowed as
/// raw JSON instead, and become a [`RawAction`] from that.
impl<'de> Deserialize<'de> for RawAction {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<RawAction, D::Error> {
        Value::deserialize(from).map(RawAction::from)
    }
}
