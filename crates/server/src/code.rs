//! Room codes, short enough to be read out over the phone.

use std::fmt;

/// The characters of a code. 0, O, 1, I, L and U are left out, because they are easily misread.
const ALPHABET: &[u8; 30] = b"23456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 6;

/// Six upper-case characters of the alphabet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoomCode([u8; LENGTH]);

impl RoomCode {
    /// Parses a code, ignoring case. Returns `None` if it cannot be one.
    pub fn read(text: &str) -> Option<RoomCode> {
        let bytes: [u8; LENGTH] = text.as_bytes().try_into().ok()?;
        let bytes = bytes.map(|byte| byte.to_ascii_uppercase());
        bytes.iter().all(|byte| ALPHABET.contains(byte)).then_some(RoomCode(bytes))
    }

    /// Returns an unpredictable code.
    pub fn random() -> RoomCode {
        RoomCode(std::array::from_fn(|_| {
            // Rejection sampling avoids modulo bias: 240 is the largest multiple of 30 in a byte, and larger bytes
            // would favour the first characters.
            let byte = std::iter::repeat_with(|| random_bytes::<1>()[0]).find(|byte| *byte < 240);
            ALPHABET[usize::from(byte.expect("the system provides random bytes")) % ALPHABET.len()]
        }))
    }

    /// Returns the code as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("the alphabet is ASCII")
    }
}

impl fmt::Display for RoomCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns random bytes from the operating system.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system provides random bytes");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_codes_in_upper_and_lower_case() {
        assert_eq!(RoomCode::read("k7qf3m"), RoomCode::read("K7QF3M"));
        assert_eq!(RoomCode::read("k7qf3m").unwrap().as_str(), "K7QF3M");
    }

    #[test]
    fn rejects_texts_that_cannot_be_codes() {
        for text in ["", "K7QF3", "K7QF3MM", "K7QF3O", "K7QF31", "K7QF3Ü", "../../"] {
            assert_eq!(RoomCode::read(text), None, "{text} was read");
        }
    }

    #[test]
    fn random_codes_can_be_read_back_and_differ() {
        let (a, b) = (RoomCode::random(), RoomCode::random());
        assert_eq!(RoomCode::read(a.as_str()), Some(a));
        assert_ne!(a, b);
    }
}
