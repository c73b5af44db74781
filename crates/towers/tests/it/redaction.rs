//! Hidden information must not affect what a viewer is shown.

use crate::script::{ALLOWED, play};
use game::Seat;
use gametest::{shown, viewers};
use towers::{Lay, lay};

/// Sets up both tables and plays the same actions on both. After each, only `owners` may see a difference.
fn differ_only_for(one: Lay, two: Lay, owners: &[Seat], acts: &str) {
    let (mut one, mut two) = (one.game().unwrap(), two.game().unwrap());
    assert!(one != two, "the tables differ");
    gametest::differ_only_for(&one, &two, one.players(), owners);
    for act in acts.split(',') {
        let (a, b) = (play(&mut one, act), play(&mut two, act));
        assert_eq!(serde_json::to_string(&a).unwrap(), serde_json::to_string(&b).unwrap());
        gametest::differ_only_for(&one, &two, one.players(), owners);
    }
}

fn table() -> Lay {
    let towers = "sand 6 4, tree 9 3";
    lay::table(3).rules(ALLOWED).towers(0, towers).row("sand7 candy1 spooky1 tree1 scrap1")
}

const ROUND: &str = "0 bid 2, 1 pass, 2 pass, 0 take sand7 tree1, 0 demolish sand, 0 build tree1, 0 undo, 0 undo, \
                     0 retract, 0 bid 1, 1 pass, 2 bid 3, 2 take sand7 tree1 scrap1";

#[test]
fn hides_the_order_of_the_draw_pile() {
    let next = |cards| table().draw(cards);
    let one = next("sand1 sand2 sand3 sand5 sand8 candy9 candy10");
    let two = next("candy10 sand5 sand3 sand2 sand8 candy9 sand1");
    differ_only_for(one, two, &[], ROUND);
}

#[test]
fn hides_the_seed() {
    differ_only_for(table(), table().seed(game::Seed([9; 32])), &[], ROUND);
}

#[test]
fn shows_a_demolition_pile_only_to_its_owner() {
    // The other cards are in the hidden draw pile.
    let one = table().demolished(1, "candy5 candy6").draw("scrap3 scrap4 candy7");
    let two = table().demolished(1, "candy7 scrap3").draw("candy5 scrap4 candy6");
    differ_only_for(one, two, &[Seat(1)], ROUND);
    let one = table().demolished(1, "candy5").demolished(2, "scrap5");
    let two = table().demolished(1, "scrap5").demolished(2, "candy5");
    differ_only_for(one, two, &[Seat(1), Seat(2)], ROUND);
}

#[test]
fn shows_everything_at_the_end() {
    let end = |one, two| {
        let laid = lay::table(2).deal(2).row("sand1").rest_discarded().demolished(0, one).demolished(1, two);
        let mut game = laid.game().unwrap();
        play(&mut game, "0 bid 1, 0 take sand1, 0 build sand1, 0 finish");
        game
    };
    let (one, two) = (end("tree1", "tree2"), end("tree2", "tree1"));
    for viewer in viewers(2) {
        assert_ne!(shown(&one, viewer), shown(&two, viewer));
        assert!(shown(&one, viewer).contains(r#""demolished_cards":[{"tower":"tree","value":2}]"#));
    }
}
