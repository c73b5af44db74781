//! What a returning client already has of a game's history.

use game::Commitment;
use serde::{Deserialize, Serialize};

/// The events of a game that a returning client already has. If they are the first events of the game on the table, the
/// welcome brings only those after them.
///
/// The checksum is compared, not only the number: if a database loses its last moves, a game may continue differently
/// and reach the same number of events again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Have {
    /// Commitment of the game, from the room's `fair`.
    pub game: Commitment,
    /// Number of events.
    pub events: u32,
    /// 32-bit FNV-1a of the bytes of the events as one JSON list without spaces, as the server sent them.
    pub checksum: u32,
}

impl Have {
    /// Describes these events of a game, each given as its JSON text.
    pub fn of<'a>(game: Commitment, texts: impl IntoIterator<Item = &'a str>) -> Have {
        let (mut events, mut checksum) = (0, Fnv1a::new());
        checksum.add("[");
        for text in texts {
            if events > 0 {
                checksum.add(",");
            }
            checksum.add(text);
            events += 1;
        }
        checksum.add("]");
        Have { game, events, checksum: checksum.0 }
    }
}

/// The hash function. It takes a few lines in any language and detects everything that is not forged. A client that
/// forges it misleads only itself.
struct Fnv1a(u32);

impl Fnv1a {
    fn new() -> Fnv1a {
        Fnv1a(0x811c_9dc5)
    }

    fn add(&mut self, text: &str) {
        self.0 = text.bytes().fold(self.0, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_fnv_1a() {
        // From the test vectors of the algorithm's authors.
        for (text, hash) in [("", 0x811c_9dc5), ("a", 0xe40c_292c), ("foobar", 0xbf9c_f968)] {
            let mut checksum = Fnv1a::new();
            checksum.add(text);
            assert_eq!(checksum.0, hash, "{text}");
        }
    }

    #[test]
    fn the_checksum_is_of_the_events_as_one_list() {
        let (game, round, pass) = (Commitment([7; 32]), r#"{"type":"round"}"#, r#"{"type":"pass","seat":1}"#);
        for (texts, list) in [
            (vec![], "[]".to_owned()),
            (vec![round], format!("[{round}]")),
            (vec![round, pass], format!("[{round},{pass}]")),
        ] {
            let mut checksum = Fnv1a::new();
            checksum.add(&list);
            let have = Have { game, events: texts.len() as u32, checksum: checksum.0 };
            assert_eq!(Have::of(game, texts), have);
        }
    }
}
