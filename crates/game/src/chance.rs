//! Provably fair randomness: a ChaCha20 keystream. The server commits to its part of the seed before it knows the
//! players' salts (commit and reveal), so players can verify the deal afterwards. A seed must give the same deal in
//! every future version.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// A 32-byte seed: either the seed of a game's keystream or the server's contribution to it.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(#[serde(with = "hex::serde")] pub [u8; 32]);

impl Seed {
    /// Returns the commitment that the server publishes before the game: SHA-256 of its seed.
    pub fn commitment(&self) -> Commitment {
        Commitment(Sha256::digest(self.0).into())
    }

    /// Returns the game's seed: SHA-256 of the server's seed followed by the salts in seat order.
    pub fn salted(&self, salts: impl IntoIterator<Item = Salt>) -> Seed {
        let mut hash = Sha256::new_with_prefix(self.0);
        for salt in salts {
            hash.update(salt.0);
        }
        Seed(hash.finalize().into())
    }
}

// Never prints the bytes: a seed in a log would reveal the rest of the game.
impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(…)")
    }
}

/// 16 bytes that a player contributes to the seed of a game.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(type = "string"), schemars(extend("pattern" = "^[0-9a-f]{32}$")))]
#[serde(transparent)]
pub struct Salt(
    #[cfg_attr(feature = "types", schemars(with = "String"))]
    #[serde(with = "hex::serde")]
    pub [u8; 16],
);

impl Salt {
    /// Returns whether a player may use this salt. The only refused salt would allow a length-extension attack. SHA-256
    /// pads a 32-byte message with a one bit, zeros and the length, and the commitment is the hash state after seed and
    /// padding. Two players whose salts are the two halves of that padding could continue hashing from the commitment
    /// and compute the game's seed. Refusing the first half prevents this.
    pub fn is_fit(&self) -> bool {
        let mut padding = [0; 16];
        padding[0] = 0x80;
        self.0 != padding
    }
}

// Salts are secret until the game starts.
impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(…)")
    }
}

/// Hash that commits the server to a seed it has not revealed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(type = "string"), schemars(extend("pattern" = "^[0-9a-f]{64}$")))]
#[serde(transparent)]
pub struct Commitment(
    #[cfg_attr(feature = "types", schemars(with = "String"))]
    #[serde(with = "hex::serde")]
    pub [u8; 32],
);

/// The keystream of a seed (nonce and counter 0), read as little-endian 32-bit words.
#[derive(Clone)]
pub struct Chance(ChaCha20Rng);

impl Chance {
    /// Starts at the beginning of the stream.
    pub fn new(seed: Seed) -> Chance {
        Chance(ChaCha20Rng::from_seed(seed.0))
    }

    /// Continues the stream after `drawn` words, so that a compact game state need not contain the generator.
    pub fn resume(seed: Seed, drawn: u32) -> Chance {
        let mut stream = Chance::new(seed).0;
        stream.set_word_pos(u128::from(drawn));
        Chance(stream)
    }

    /// Returns the number of words drawn so far.
    pub fn drawn(&self) -> u32 {
        u32::try_from(self.0.get_word_pos()).expect("a game draws few words")
    }

    /// Returns a uniformly distributed number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        assert!(n > 0, "there is no number below 0");
        // Rejection sampling: words in the last, incomplete run of `n` would favour small numbers (modulo bias), so
        // they are skipped.
        let fair = (1_u64 << 32) / u64::from(n) * u64::from(n);
        loop {
            let word = self.0.next_u32();
            if u64::from(word) < fair {
                return word % n;
            }
        }
    }

    /// Shuffles with Fisher–Yates, from the last index down to 1.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for i in (1..things.len()).rev() {
            let j = self.below(i as u32 + 1) as usize;
            things.swap(i, j);
        }
    }
}

impl fmt::Debug for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Chance(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting_seed() -> Seed {
        Seed(std::array::from_fn(|i| i as u8))
    }

    #[test]
    fn generates_the_words_of_chacha20() {
        // The published keystream of the all-zero key begins 76 b8 e0 ad a0 f1 3d 90.
        let mut chance = Chance::new(Seed([0; 32]));
        assert_eq!(chance.0.next_u32(), 0xade0_b876);
        assert_eq!(chance.0.next_u32(), 0x903d_f1a0);
    }

    #[test]
    fn below_takes_the_word_modulo_n() {
        let mut chance = Chance::new(Seed([0; 32]));
        assert_eq!(chance.below(10), 0xade0_b876 % 10);
        assert_eq!(chance.below(1000), 0x903d_f1a0 % 1000);
        assert_eq!(chance.drawn(), 2);
    }

    #[test]
    fn below_skips_words_of_the_incomplete_range() {
        // With n just over half the range, every word from n upwards is skipped.
        let n = 0x9000_0000;
        let mut words = Chance::new(Seed([0; 32]));
        let expected = std::iter::repeat_with(|| words.0.next_u32()).find(|word| *word < n).unwrap();
        let mut chance = Chance::new(Seed([0; 32]));
        assert_eq!(chance.below(n), expected);
        assert!(chance.drawn() > 1, "the first word, 0xade0b876, is too large");
    }

    #[test]
    fn below_one_still_draws_a_word() {
        let mut chance = Chance::new(Seed([0; 32]));
        assert_eq!(chance.below(1), 0);
        assert_eq!(chance.drawn(), 1);
    }

    #[test]
    fn a_resumed_stream_continues_at_its_position() {
        let mut whole = Chance::new(counting_seed());
        let first: Vec<u32> = (0..100).map(|_| whole.below(6)).collect();
        for cut in [0, 1, 15, 16, 17, 63, 64, 65, 99] {
            let mut resumed = Chance::resume(counting_seed(), cut);
            let rest: Vec<u32> = (cut..100).map(|_| resumed.below(6)).collect();
            assert_eq!(rest, first[cut as usize..]);
            assert_eq!(resumed.drawn(), 100);
        }
    }

    // The vectors below come from an independent implementation, written from the specification alone.
    #[test]
    fn below_matches_the_reference_vectors() {
        let mut chance = Chance::new(counting_seed());
        let dice: Vec<u32> = (0..20).map(|_| chance.below(6)).collect();
        assert_eq!(dice, [1, 5, 5, 2, 2, 0, 4, 2, 3, 2, 1, 2, 1, 5, 2, 0, 2, 1, 5, 5]);
        let mut chance = Chance::new(counting_seed());
        let mixed = [2, 3, 5, 80, 1000, 3_000_000_000, 7].map(|n| chance.below(n));
        assert_eq!(mixed, [1, 2, 2, 56, 458, 1_283_312_818, 5]);
    }

    #[test]
    fn shuffle_matches_the_reference_vector() {
        let mut things: Vec<u32> = (0..20).collect();
        Chance::new(counting_seed()).shuffle(&mut things);
        assert_eq!(things, [6, 16, 9, 19, 14, 8, 15, 5, 12, 1, 17, 3, 2, 4, 0, 10, 18, 11, 7, 13]);
    }

    #[test]
    fn a_salt_that_allows_a_length_extension_is_not_fit() {
        // The padding of SHA-256 for 32 bytes: a one bit, zeros, and the length of 256 bits.
        let padding: Vec<u8> = [0x80].into_iter().chain([0; 29]).chain([1, 0]).collect();
        let first = Salt(padding[..16].try_into().unwrap());
        assert!(!first.is_fit());
        assert!(Salt(padding[16..].try_into().unwrap()).is_fit(), "the second half alone is harmless");
        assert!(Salt([0; 16]).is_fit());
    }

    #[test]
    fn commitment_and_salts_match_the_reference_vectors() {
        let seed = counting_seed();
        let commitment = hex::encode(seed.commitment().0);
        assert_eq!(commitment, "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd");
        let salted = hex::encode(seed.salted([Salt([0x11; 16]), Salt([0x22; 16])]).0);
        assert_eq!(salted, "82faa0ba716c8e3d37b2267cc522e97b8816fff4aae0c1d343e4b1878a160ceb");
        assert_eq!(seed.salted([]).0, seed.commitment().0, "without salts only the seed is hashed");
    }
}
