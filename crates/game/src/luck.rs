//! A fast pseudo-random number generator for the bots' playouts and for tests. It is seeded from a [`Chance`], whose
//! cryptographic keystream would be too slow for every card of every playout. Nothing that is dealt or rolled in a real
//! game uses it.

use crate::Chance;

/// The multiplier of Fibonacci hashing (2^64 divided by the golden ratio), which spreads small numbers over all bits.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// An xorshift64* generator: Marsaglia's xorshift with a multiplied output.
#[derive(Debug, Clone)]
pub struct Luck(u64);

impl Luck {
    /// Seeds a generator from `chance`.
    pub fn new(chance: &mut Chance) -> Luck {
        let [high, low] = [chance.below(u32::MAX), chance.below(u32::MAX)].map(u64::from);
        // Xorshift never leaves 0, so the seed must not be 0.
        Luck((high << 32 | low) | 1)
    }

    /// Seeds a generator from a number. Equal numbers give equal streams (common random numbers), so that candidates
    /// can be compared on the same luck.
    pub fn branch(number: u32) -> Luck {
        // Without mixing, small seeds would produce small first words.
        Luck((u64::from(number) << 1 | 1).wrapping_mul(SPREAD))
    }

    /// Returns 32 random bits.
    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32
    }

    /// Returns a number below `n` by multiplying and shifting. The tiny bias is harmless because nothing is dealt from
    /// it.
    pub fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.word()) * n as u64) >> 32) as usize
    }

    /// Shuffles with Fisher–Yates.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for i in (1..things.len()).rev() {
            things.swap(i, self.below(i + 1));
        }
    }

    /// Returns noise from a triangular distribution around 0, at most `width` away.
    pub fn stray(&mut self, width: f32) -> f32 {
        let unit = |luck: &mut Luck| luck.word() as f32 / u32::MAX as f32 - 0.5;
        (unit(self) + unit(self)) * width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_of_small_numbers_differ_from_the_first_word() {
        let first: Vec<usize> = (0..64).map(|number| Luck::branch(number).below(8)).collect();
        for face in 0..8 {
            let count = first.iter().filter(|first| **first == face).count();
            assert!((2..=16).contains(&count), "{face} occurs {count} times: {first:?}");
        }
    }

    #[test]
    fn equal_numbers_give_equal_sequences() {
        let words = |number| {
            let mut luck = Luck::branch(number);
            [luck.word(), luck.word(), luck.word()]
        };
        assert_eq!(words(7), words(7));
        assert_ne!(words(7), words(8));
    }
}
