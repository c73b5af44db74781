//! Chooses the action of a simulated player from the listed ones, without knowing any rules.

use crate::dice::SeededRandom;

/// Returns a random action of those listed. Undo and retract are rarely chosen, because random players who use them
/// would play for days.
pub fn choose(actions: &str, dice: &mut SeededRandom) -> Option<String> {
    let any = dice.one_in(40);
    let action = client::scripted::choose(actions, any, dice.chance())?;
    if !action.starts_with(r#"{"type":"reroll""#) {
        return Some(action.to_owned());
    }
    // The list has one reroll of all dice. Any subset of the dice, in any order, may be rolled again.
    let some: Vec<u32> = (0..7).filter(|_| dice.one_in(2)).collect();
    Some(if some.is_empty() { action.to_owned() } else { format!(r#"{{"type":"reroll","dice":{some:?}}}"#) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::For;
    use serde_json::Value;

    #[test]
    fn only_listed_acts_are_chosen() {
        let mut dice = SeededRandom::new(7, For::Person, 0, 0);
        assert_eq!(choose("[]", &mut dice), None);
        let listed = r#"[{"type":"bid","count":3},{"type":"pass"},{"type":"undo"}]"#;
        let listed_acts: Vec<Value> = serde_json::from_str(listed).unwrap();
        for _ in 0..100 {
            let chosen: Value = serde_json::from_str(&choose(listed, &mut dice).unwrap()).unwrap();
            assert!(listed_acts.contains(&chosen));
        }
    }

    #[test]
    fn some_dice_are_rerolled() {
        let mut dice = SeededRandom::new(7, For::Person, 0, 0);
        let listed = r#"[{"type":"reroll","dice":[0,1,2,3,4,5,6]}]"#;
        let some = (0..20).map(|_| choose(listed, &mut dice).unwrap());
        assert!(some.into_iter().collect::<std::collections::HashSet<_>>().len() > 5);
    }
}
