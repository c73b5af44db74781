//! Everything that is drawn here is drawn from the run's seed, each stream by its own name: who asks how often of one
//! stream changes nothing in another, so a run can be repeated as far as the network lets it.

use game::{Chance, Seed};
use std::ops::Range;
use std::time::Duration;

/// What a stream is for, so that no two are the same.
#[derive(Debug, Clone, Copy)]
pub enum For {
    /// The faults of servers, and storms.
    Plan,
    /// How a table is set up.
    Table,
    /// What somebody at a table chooses.
    Person,
    /// What happens to one connection on its way.
    Wire,
    /// What an intruder tries.
    Intruder,
}

/// A stream of choices.
pub struct Dice(Chance);

impl Dice {
    /// The stream of this name.
    pub fn new(seed: u64, purpose: For, one: u64, other: u64) -> Dice {
        let mut bytes = [0; 32];
        for (part, number) in bytes.chunks_exact_mut(8).zip([seed, purpose as u64 + 1, one, other]) {
            part.copy_from_slice(&number.to_le_bytes());
        }
        Dice(Chance::new(Seed(bytes)))
    }

    /// A number from this range, which is not empty.
    pub fn between(&mut self, range: Range<u32>) -> u32 {
        range.start + self.0.below(range.end - range.start)
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: u32) -> bool {
        self.0.below(times) == 0
    }

    /// One of these, which are not none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.0.below(from.len() as u32) as usize]
    }

    /// A time of so many milliseconds.
    pub fn ms(&mut self, range: Range<u32>) -> Duration {
        Duration::from_millis(u64::from(self.between(range)))
    }

    /// So many bytes in hex.
    pub fn hex(&mut self, bytes: usize) -> String {
        let bytes: Vec<u8> = (0..bytes).map(|_| self.between(0..256) as u8).collect();
        hex::encode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_again_and_streams_are_their_own() {
        let draw = |seed, purpose, one| Dice::new(seed, purpose, one, 0).hex(16);
        assert_eq!(draw(7, For::Plan, 1), draw(7, For::Plan, 1));
        let others = [draw(8, For::Plan, 1), draw(7, For::Table, 1), draw(7, For::Plan, 2)];
        assert!(!others.contains(&draw(7, For::Plan, 1)));
    }
}
