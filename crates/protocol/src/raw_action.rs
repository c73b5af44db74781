//! An act in its game's own form: JSON text that only the game reads.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// An act as text. It is read once, by the game, and written as it stands: to the journal, and into a record.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct RawAction(Box<RawValue>);

impl RawAction {
    /// The act as its game writes it.
    pub fn of(action: &impl Serialize) -> RawAction {
        RawAction(to_raw_value(action).expect("acts have string keys only"))
    }

    /// The act in its game's own type. The contract knows objects only, where serde would also read a list.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        if !self.0.get().starts_with('{') {
            return Err(serde::de::Error::custom("expected an object"));
        }
        serde_json::from_str(self.0.get())
    }

    /// The act as a tree, for whoever knows nothing of its game.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.0.get()).unwrap_or_default()
    }
}

impl From<&RawValue> for RawAction {
    fn from(text: &RawValue) -> RawAction {
        RawAction(text.to_owned())
    }
}

impl From<Value> for RawAction {
    fn from(value: Value) -> RawAction {
        RawAction::of(&value)
    }
}

/// Two ways to write one act are equal.
impl PartialEq for RawAction {
    fn eq(&self, other: &RawAction) -> bool {
        self.0.get() == other.0.get() || self.value() == other.value()
    }
}

/// By way of a tree: inside a tagged enum serde has no text left to keep. Where acts are read often they are borrowed as
/// raw JSON instead, and become a [`RawAction`] from that.
impl<'de> Deserialize<'de> for RawAction {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<RawAction, D::Error> {
        Value::deserialize(from).map(RawAction::from)
    }
}
