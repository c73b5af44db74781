//! Dice for tries by the thousand. They are seeded from a [`Chance`], whose own words are too dear to draw a pile from
//! for every try; nothing that is dealt at a table ever comes from here.

use game::Chance;

/// Marsaglia's generator.
pub struct Dice(u64);

impl Dice {
    pub fn new(chance: &mut Chance) -> Dice {
        let [high, low] = [chance.below(u32::MAX), chance.below(u32::MAX)].map(u64::from);
        // A generator at 0 stays there.
        Dice((high << 32 | low) | 1)
    }

    /// Other dice, which fall alike for alike numbers.
    pub fn branch(number: u32) -> Dice {
        Dice(u64::from(number) << 1 | 1)
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

    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for i in (1..things.len()).rev() {
            things.swap(i, self.below(i + 1));
        }
    }

    /// About 0 on average, rarely more than `width` away from it.
    pub fn stray(&mut self, width: f32) -> f32 {
        let unit = |dice: &mut Dice| dice.word() as f32 / u32::MAX as f32 - 0.5;
        (unit(self) + unit(self)) * width
    }
}
