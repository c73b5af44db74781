//! Chooses the action of a simulated player from the listed ones, without knowing any rules.

use crate::dice::Dice;
use serde_json::{Value, json};

/// Returns a random action of those listed. Undo and retract are rarely chosen, because random players who use them
/// would play for days.
pub fn choose(actions: &str, dice: &mut Dice) -> Option<String> {
    let listed: Vec<Value> = serde_json::from_str(actions).ok()?;
    let takes_back = |action: &&Value| action["type"] == "undo" || action["type"] == "retract";
    let onward: Vec<&Value> = listed.iter().filter(|action| !takes_back(action)).collect();
    let from: Vec<&Value> =
        if onward.is_empty() || dice.one_in(40) { listed.iter().collect() } else { onward };
    if from.is_empty() {
        return None;
    }
    let action = *dice.pick(&from);
    Some(match action["type"].as_str() {
        // The list has one reroll of all dice. Any subset of the dice, in any order, may be rolled again.
        Some("reroll") => {
            let dice: Vec<u32> = (0..7).filter(|_| dice.one_in(2)).collect();
            if dice.is_empty() {
                action.to_string()
            } else {
                json!({"type": "reroll", "dice": dice}).to_string()
            }
        }
        _ => action.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::For;

    #[test]
    fn nothing_is_chosen_that_is_not_listed() {
        let mut dice = Dice::new(7, For::Person, 0, 0);
        assert_eq!(choose("[]", &mut dice), None);
        let listed = r#"[{"type":"bid","count":3},{"type":"pass"},{"type":"undo"}]"#;
        let listed_acts: Vec<Value> = serde_json::from_str(listed).unwrap();
        for _ in 0..100 {
            let chosen: Value = serde_json::from_str(&choose(listed, &mut dice).unwrap()).unwrap();
            assert!(listed_acts.contains(&chosen));
        }
    }

    #[test]
    fn some_dice_are_rolled_again() {
        let mut dice = Dice::new(7, For::Person, 0, 0);
        let listed = r#"[{"type":"reroll","dice":[0,1,2,3,4,5,6]}]"#;
        let some = (0..20).map(|_| choose(listed, &mut dice).unwrap());
        assert!(some.into_iter().collect::<std::collections::HashSet<_>>().len() > 5);
    }
}
