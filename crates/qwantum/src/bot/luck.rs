//! Luck for tries by the thousand. It is seeded from a [`Chance`], whose own words are too dear to draw for every die
//! of every try; nothing that is rolled at a table ever comes from here.

use game::Chance;

/// Marsaglia's generator.
pub struct Luck(u64);

impl Luck {
    pub fn new(chance: &mut Chance) -> Luck {
        let [high, low] = [chance.below(u32::MAX), chance.below(u32::MAX)].map(u64::from);
        // A generator at 0 stays there.
        Luck((high << 32 | low) | 1)
    }

    /// Other luck, which is alike for alike numbers.
    pub fn branch(number: u32) -> Luck {
        // A small number takes the generator some words to get away from.
        Luck((u64::from(number) << 1 | 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.word()) * n as u64) >> 32) as usize
    }

    /// About 0 on average, never more than `width` away from it.
    pub fn stray(&mut self, width: f32) -> f32 {
        let unit = |luck: &mut Luck| luck.word() as f32 / u32::MAX as f32 - 0.5;
        (unit(self) + unit(self)) * width
    }
}
