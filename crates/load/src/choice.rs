//! Chooses the action of a simulated player from the listed ones, without knowing any rules.

use game::{Chance, Seed};
use serde_json::value::RawValue;

/// Random players who undo and retract would play for days, so these actions are avoided.
const TAKING_BACK: [&str; 2] = [r#"{"type":"undo"}"#, r#"{"type":"retract"}"#];

/// Returns a random action that takes nothing back, if there is one.
pub fn choose(actions: &RawValue, chance: &mut Chance) -> String {
    let actions: Vec<&RawValue> = serde_json::from_str(actions.get()).expect("acts are a list");
    let forward = |action: &&&RawValue| !TAKING_BACK.contains(&action.get());
    let onward: Vec<&RawValue> = actions.iter().filter(forward).copied().collect();
    let from = if onward.is_empty() { &actions } else { &onward };
    from[chance.below(from.len() as u32) as usize].get().to_owned()
}

/// Returns the random stream of these numbers, so that simulated players choose the same way on every run as far as the
/// server allows.
pub fn chance_of(numbers: [usize; 3]) -> Chance {
    let mut seed = [0; 32];
    for (bytes, number) in seed.chunks_exact_mut(8).zip(numbers) {
        bytes.copy_from_slice(&(number as u64).to_le_bytes());
    }
    Chance::new(Seed(seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_back_unless_there_is_nothing_else() {
        let choose = |actions: &str| {
            let actions: &RawValue = serde_json::from_str(actions).unwrap();
            choose(actions, &mut chance_of([1, 2, 3]))
        };
        assert_eq!(
            choose(r#"[{"type":"undo"},{"type":"finish"},{"type":"retract"}]"#),
            r#"{"type":"finish"}"#
        );
        assert_eq!(choose(r#"[{"type":"undo"}]"#), r#"{"type":"undo"}"#);
    }
}
