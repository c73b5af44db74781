//! A short inline list that is `Copy`, so that actions, events and the whole state are `Copy` and off the heap.
//!
//! Where `Copy` is not needed, the crate uses `arrayvec::ArrayVec`, which needs no blank items. `tinyvec::ArrayVec` is
//! `Copy` and as fast, but makes the state larger (its lengths take two bytes) and refuses to deserialise a list that
//! is too long.

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// An element type of [`List`].
pub trait Item: Copy {
    /// Filler for unused slots. It is never visible.
    const BLANK: Self;
}

impl Item for u8 {
    const BLANK: u8 = 0;
}

impl Item for i16 {
    const BLANK: i16 = 0;
}

impl Item for game::Seat {
    const BLANK: game::Seat = game::Seat(0);
}

/// A list of up to `N` items. Dereferences to a slice.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(as = "Vec<T>", bound = "T: ts_rs::TS"))]
pub struct List<T, const N: usize> {
    len: u8,
    items: [T; N],
}

#[cfg(feature = "types")]
impl<T: schemars::JsonSchema, const N: usize> schemars::JsonSchema for List<T, N> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("List_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "array", "items": generator.subschema_for::<T>(), "maxItems": N })
    }
}

impl<T: Item, const N: usize> List<T, N> {
    /// Creates an empty list.
    pub const fn new() -> Self {
        List { len: 0, items: [T::BLANK; N] }
    }

    /// Appends an item.
    ///
    /// # Panics
    /// If the list is full. The rules bound every list, so this would be a bug in them.
    pub fn push(&mut self, item: T) {
        self.items[usize::from(self.len)] = item;
        self.len += 1;
    }

    /// Returns the remaining capacity.
    pub fn room(&self) -> usize {
        N - self.len()
    }

    /// Removes and returns the last item.
    pub fn pop(&mut self) -> Option<T> {
        let last = *self.last()?;
        self.len -= 1;
        Some(last)
    }
}

impl<T: Item, const N: usize> From<&[T]> for List<T, N> {
    /// # Panics
    /// If there are more than `N` items.
    fn from(slice: &[T]) -> Self {
        let mut list = List::new();
        list.items[..slice.len()].copy_from_slice(slice);
        list.len = slice.len() as u8;
        list
    }
}

impl<T: Item, const N: usize> FromIterator<T> for List<T, N> {
    /// # Panics
    /// If there are more than `N` items.
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = List::new();
        for item in items {
            list.push(item);
        }
        list
    }
}

impl<T: Item, const N: usize> Default for List<T, N> {
    fn default() -> Self {
        List::new()
    }
}

impl<T, const N: usize> Deref for List<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items[..usize::from(self.len)]
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a List<T, N> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

// Equality compares the slices, because leftover values in unused slots do not matter.
impl<T: PartialEq, const N: usize> PartialEq for List<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq, const N: usize> Eq for List<T, N> {}

impl<T: fmt::Debug, const N: usize> fmt::Debug for List<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&**self).finish()
    }
}

impl<T: Serialize, const N: usize> Serialize for List<T, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&**self)
    }
}

impl<'de, T: Item + Deserialize<'de>, const N: usize> Deserialize<'de> for List<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Items(PhantomData))
    }
}

struct Items<T, const N: usize>(PhantomData<T>);

impl<'de, T: Item + Deserialize<'de>, const N: usize> Visitor<'de> for Items<T, N> {
    type Value = List<T, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    /// Truncates: a list that is too long is read as a full one. An action with too many cards is then refused by the
    /// rules with a precise code instead of as malformed. No action can be valid with a full list, because the capacity
    /// exceeds the number of cards in a row.
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = List::new();
        while let Some(item) = seq.next_element()? {
            if list.room() > 0 {
                list.push(item);
            }
        }
        Ok(list)
    }
}
