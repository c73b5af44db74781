//! Hidden information must not affect what a viewer is shown: neither the choices of others in step C nor future dice.

use crate::script::{ROLL, play};
use game::{Game, Seat, Seed, Viewer};
use gametest::shown;
use proptest::prelude::*;
use qwantum::{Action, Phase, Qwantum, Rules, lay};

/// Checks that only `owners` see a difference between two games, in views, debug output and refusals.
#[track_caller]
fn differ_only_for(one: &Qwantum, two: &Qwantum, owners: &[Seat]) {
    gametest::differ_only_for(one, two, one.players(), owners);
    assert_eq!(one.asked(), two.asked());
    for seat in Seat::all(one.players()).filter(|seat| !owners.contains(seat)) {
        let acts = qwantum::Row::ALL.map(|row| Action::Enter { row }).into_iter();
        for act in acts.chain([Action::Skip {}, Action::Roll {}, Action::Keep {}]) {
            assert_eq!(one.check(seat, &act), two.check(seat, &act), "{act:?} by {seat}");
        }
    }
}

#[test]
fn hides_choices_from_other_players() {
    let at_share = || {
        let mut game = lay::table(3).dice(ROLL).game().unwrap();
        play(&mut game, "0 keep, 0 enter violet");
        game
    };
    for other in ["1 enter yellow", "1 skip", "1 skip, 1 enter blue"] {
        let (mut one, mut two) = (at_share(), at_share());
        assert!(play(&mut one, "1 enter red").is_empty());
        assert!(play(&mut two, other).is_empty());
        differ_only_for(&one, &two, &[Seat(1)]);
        for game in [&mut one, &mut two] {
            assert!(play(game, "0 enter blue").is_empty());
        }
        differ_only_for(&one, &two, &[Seat(1)]);
        // When all have chosen, the choices are revealed.
        assert_ne!(play(&mut one, "2 skip"), play(&mut two, "2 skip"));
        assert_ne!(shown(&one, Viewer::Watcher), shown(&two, Viewer::Watcher));
    }
}

#[test]
fn hides_the_seed() {
    let laid = |seed| lay::table(3).seed(Seed([seed; 32])).dice(ROLL).game().unwrap();
    let (mut one, mut two) = (laid(1), laid(9));
    assert!(one != two);
    differ_only_for(&one, &two, &[]);
    for act in ["0 keep", "0 enter violet", "0 skip", "1 enter red", "2 skip"] {
        assert_eq!(play(&mut one, act), play(&mut two, act));
        differ_only_for(&one, &two, &[]);
    }
    assert_ne!(play(&mut one, "1 roll"), play(&mut two, "1 roll"));
}

proptest! {
    #![proptest_config(gametest::cases(32))]

    // In every step C of a random game, a player tries every possible choice. The others must receive identical bytes.
    #[test]
    fn a_choice_does_not_change_what_others_receive(
        players in 2..=4_usize, seed: [u8; 32], luck: u64,
    ) {
        let mut luck = gametest::luck(luck);
        let (mut game, _) = Qwantum::new(&Rules {}, players, Seed(seed));
        while let Some(first) = game.asked().first().copied() {
            let asked = game.asked();
            if game.phase() == Phase::Share && asked.len() == players {
                let owner = asked[luck.below(players)];
                let choices = game.legal(owner);
                let after = |choice: &Action| {
                    let mut after = game;
                    assert!(after.apply(owner, choice).unwrap().is_empty());
                    after
                };
                for choice in &choices[1..] {
                    differ_only_for(&after(&choices[0]), &after(choice), &[owner]);
                }
            }
            let listed = game.legal(first);
            game.apply(first, &listed[luck.below(listed.len())]).unwrap();
        }
    }
}
