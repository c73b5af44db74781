//! Random choices, all derived from the seed of the run. Each named stream is independent of the others: drawing more
//! often from one does not change another. So a run is repeatable except for network timing.

use game::{Chance, Seed};
use std::ops::Range;
use std::time::Duration;

/// Purpose of a stream. Each purpose has its own streams.
#[derive(Debug, Clone, Copy)]
pub enum For {
    /// Faults of servers and faults that hit all connections.
    Plan,
    /// Setup of a table.
    Table,
    /// Choices of a player or spectator.
    Person,
    /// Faults of one connection.
    Wire,
    /// Choices of an intruder.
    Intruder,
}

/// A stream of random choices.
pub struct SeededRandom(Chance);

impl SeededRandom {
    /// Creates the stream identified by these values.
    pub fn new(seed: u64, purpose: For, one: u64, other: u64) -> SeededRandom {
        let mut bytes = [0; 32];
        for (part, number) in bytes.chunks_exact_mut(8).zip([seed, purpose as u64 + 1, one, other]) {
            part.copy_from_slice(&number.to_le_bytes());
        }
        SeededRandom(Chance::new(Seed(bytes)))
    }

    /// Returns the underlying stream.
    pub fn chance(&mut self) -> &mut Chance {
        &mut self.0
    }

    /// Returns a number from `range`, which must not be empty.
    pub fn between(&mut self, range: Range<u32>) -> u32 {
        range.start + self.0.below(range.end - range.start)
    }

    /// Returns true with a probability of one in `times`.
    pub fn one_in(&mut self, times: u32) -> bool {
        self.0.below(times) == 0
    }

    /// Returns a random element of `from`, which must not be empty.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.0.below(from.len() as u32) as usize]
    }

    /// Returns a random duration from `range`, in milliseconds.
    pub fn ms(&mut self, range: Range<u32>) -> Duration {
        Duration::from_millis(u64::from(self.between(range)))
    }

    /// Returns a random string of `bytes` bytes in hex.
    pub fn hex(&mut self, bytes: usize) -> String {
        let bytes: Vec<u8> = (0..bytes).map(|_| self.between(0..256) as u8).collect();
        hex::encode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_reproducible_and_its_streams_are_independent() {
        let draw = |seed, purpose, one| SeededRandom::new(seed, purpose, one, 0).hex(16);
        assert_eq!(draw(7, For::Plan, 1), draw(7, For::Plan, 1));
        let others = [draw(8, For::Plan, 1), draw(7, For::Table, 1), draw(7, For::Plan, 2)];
        assert!(!others.contains(&draw(7, For::Plan, 1)));
    }
}
