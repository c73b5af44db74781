//! The random choices of simulated players.

use game::{Chance, Seed};

/// Returns the random stream of these numbers, so that simulated players choose the same way on every run as far as the
/// server allows.
pub fn chance_of(numbers: [usize; 3]) -> Chance {
    let mut seed = [0; 32];
    for (bytes, number) in seed.chunks_exact_mut(8).zip(numbers) {
        bytes.copy_from_slice(&(number as u64).to_le_bytes());
    }
    Chance::new(Seed(seed))
}
