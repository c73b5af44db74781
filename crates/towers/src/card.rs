//! The cards and the deck. Which card may go on which is defined in `tower`.

use crate::list::{Item, List};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// The five types of tower, in the order of the deck.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "TowerType"), schemars(rename = "TowerType"))]
#[serde(rename_all = "snake_case")]
pub enum Tower {
    /// Pink.
    Candy,
    /// Violet.
    Spooky,
    /// Green and brown.
    Tree,
    /// Grey.
    Scrap,
    /// Yellow.
    Sand,
}

impl Tower {
    /// All types, in the order of the deck.
    pub const ALL: [Tower; 5] = [Tower::Candy, Tower::Spooky, Tower::Tree, Tower::Scrap, Tower::Sand];

    /// Returns the type as an index into lists in this order.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the type's name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Tower::Candy => "candy",
            Tower::Spooky => "spooky",
            Tower::Tree => "tree",
            Tower::Scrap => "scrap",
            Tower::Sand => "sand",
        }
    }

    /// Returns the type's bit in a set of types.
    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl FromStr for Tower {
    type Err = NoSuchCard;

    fn from_str(text: &str) -> Result<Tower, NoSuchCard> {
        Tower::ALL.into_iter().find(|tower| tower.name() == text).ok_or(NoSuchCard)
    }
}

/// The highest value.
pub const HIGHEST: u8 = 15;

/// The value of a roof.
pub const ROOF: u8 = 0;

/// The values that occur twice in a deck for four or five players.
pub const EXTRA: [u8; 6] = [0, 2, 5, 7, 10, 12];

/// Number of cards in the largest deck.
pub const MAX_DECK: usize = 110;

/// A card in one byte: the type in the upper half, the value in the lower half.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(type = "{ tower: TowerType, value: number }"))]
pub struct Card(u8);

#[cfg(feature = "types")]
impl schemars::JsonSchema for Card {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Card".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "properties": {
                "tower": generator.subschema_for::<Tower>(),
                "value": { "type": "integer", "minimum": 0, "maximum": HIGHEST },
            },
            "required": ["tower", "value"],
        })
    }
}

/// Cards of one row, or taken from it. A row has at most five cards. The capacity is larger so that an action with too
/// many cards can be parsed and refused with a precise code instead of as malformed.
pub type Cards = List<Card, 8>;

impl Card {
    /// Returns the card of this type and value, or `None` for a value above 15.
    pub const fn new(tower: Tower, value: u8) -> Option<Card> {
        if value <= HIGHEST { Some(Card::of(tower, value)) } else { None }
    }

    /// Like [`Card::new`], for a value that is known to be valid.
    pub(crate) const fn of(tower: Tower, value: u8) -> Card {
        debug_assert!(value <= HIGHEST);
        Card((tower as u8) << 4 | value)
    }

    /// Returns the card's type.
    pub const fn tower(self) -> Tower {
        Tower::ALL[(self.0 >> 4) as usize]
    }

    /// Returns the card's value, 0 to 15.
    pub const fn value(self) -> u8 {
        self.0 & 15
    }

    /// Returns every distinct card, in the order of the deck.
    pub fn all() -> impl Iterator<Item = Card> {
        Tower::ALL.into_iter().flat_map(|tower| (0..=HIGHEST).map(move |value| Card::of(tower, value)))
    }

    /// Returns the number of copies in a deck for `players`.
    pub fn copies(self, players: usize) -> usize {
        if players >= 4 && EXTRA.contains(&self.value()) { 2 } else { 1 }
    }
}

impl Item for Card {
    const BLANK: Card = Card(0);
}

/// Returns the unshuffled deck for `players`, in the order that the record format defines.
pub fn deck(players: usize) -> impl Iterator<Item = Card> {
    let extra = if players >= 4 { &EXTRA[..] } else { &[] };
    let extra = Tower::ALL.into_iter().flat_map(move |tower| extra.iter().map(move |value| Card::of(tower, *value)));
    Card::all().chain(extra)
}

/// A text that does not name a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no such card")]
pub struct NoSuchCard;

impl FromStr for Card {
    type Err = NoSuchCard;

    /// Parses what `Display` writes, such as `sand7`.
    fn from_str(text: &str) -> Result<Card, NoSuchCard> {
        let digits = text.find(|c: char| c.is_ascii_digit()).ok_or(NoSuchCard)?;
        let (tower, value) = text.split_at(digits);
        Card::new(tower.parse()?, value.parse().map_err(|_| NoSuchCard)?).ok_or(NoSuchCard)
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.tower().name(), self.value())
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A card in its JSON form.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename = "Card")]
struct NamedCard {
    tower: Tower,
    value: u8,
}

/// Every card as JSON, indexed by its byte. Most of a table's text is cards, and copying one costs a fifth of
/// serialising it.
static JSON: LazyLock<Vec<Box<RawValue>>> = LazyLock::new(|| {
    let named = |card: Card| NamedCard { tower: card.tower(), value: card.value() };
    Card::all().map(|card| to_raw_value(&named(card)).expect("a card is JSON")).collect()
});

impl Serialize for Card {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        JSON[usize::from(self.0)].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Card {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Card, D::Error> {
        let named = NamedCard::deserialize(deserializer)?;
        Card::new(named.tower, named.value).ok_or_else(|| D::Error::custom(NoSuchCard))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decks_have_80_and_110_cards() {
        for players in 2..=5 {
            let cards: Vec<Card> = deck(players).collect();
            assert_eq!(cards.len(), if players < 4 { 80 } else { 110 });
            for card in Card::all() {
                assert_eq!(cards.iter().filter(|c| **c == card).count(), card.copies(players), "{card}");
            }
        }
    }

    #[test]
    fn serialises_a_card_with_its_type_and_value() {
        for card in Card::all() {
            let json = serde_json::to_string(&card).unwrap();
            assert_eq!(json, format!(r#"{{"tower":"{}","value":{}}}"#, card.tower().name(), card.value()));
            assert_eq!(serde_json::from_str::<Card>(&json).unwrap(), card);
        }
    }

    #[test]
    fn parses_a_card_from_its_name() {
        for card in Card::all() {
            assert_eq!(card.to_string().parse(), Ok(card));
        }
        for text in ["", "sand", "sand16", "7", "mud3", "sand-1", "sand 7"] {
            assert_eq!(text.parse::<Card>(), Err(NoSuchCard), "{text:?}");
        }
    }
}
