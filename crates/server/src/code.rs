//! Room codes: what people read to each other over the phone.

use std::fmt;

/// No 0, O, 1, I, L or U: nothing that is read for something else.
const ALPHABET: &[u8; 30] = b"23456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 6;

/// Six characters of the alphabet, in capitals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoomCode([u8; LENGTH]);

impl RoomCode {
    /// Reads a code without regard to case; none if it cannot be one.
    pub fn read(text: &str) -> Option<RoomCode> {
        let bytes: [u8; LENGTH] = text.as_bytes().try_into().ok()?;
        let bytes = bytes.map(|byte| byte.to_ascii_uppercase());
        bytes.iter().all(|byte| ALPHABET.contains(byte)).then_some(RoomCode(bytes))
    }

    /// A code nobody can guess.
    pub fn random() -> RoomCode {
        RoomCode(std::array::from_fn(|_| {
            // Rejection sampling against modulo bias: 240 is the largest multiple of 30 a byte holds, and a byte above
            // it would favour the first letters.
            let byte = std::iter::repeat_with(|| random_bytes::<1>()[0]).find(|byte| *byte < 240);
            ALPHABET[usize::from(byte.expect("the system's randomness does not run out")) % ALPHABET.len()]
        }))
    }

    /// The code as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("the alphabet is ASCII")
    }
}

impl fmt::Display for RoomCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Bytes from the operating system.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_without_regard_to_case() {
        assert_eq!(RoomCode::read("k7qf3m"), RoomCode::read("K7QF3M"));
        assert_eq!(RoomCode::read("k7qf3m").unwrap().as_str(), "K7QF3M");
    }

    #[test]
    fn what_cannot_be_a_code_is_not_looked_up() {
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
