//! A game continued with another seed: what everyone has seen stays, future dice differ, and hidden choices are made
//! again.

use crate::script::{ROLL, play};
use game::{Game, Seat, Seed, Viewer};
use gametest::shown;
use qwantum::lay;

#[test]
fn changes_future_dice() {
    let mut one = lay::table(3).dice(ROLL).game().unwrap();
    play(&mut one, "0 keep, 0 enter violet, 0 skip, 1 enter red, 2 skip");
    let mut two = one;
    two.reseed(Seed([9; 32]));
    assert_eq!(shown(&one, Viewer::Watcher), shown(&two, Viewer::Watcher));
    let mut three = two;
    three.reseed(Seed([9; 32]));
    assert_ne!(play(&mut one, "1 roll"), play(&mut two, "1 roll"));
    assert_eq!(play(&mut two, "1 keep"), {
        play(&mut three, "1 roll");
        play(&mut three, "1 keep")
    });
    assert!(two == three, "the same seed gives the same dice");
}

#[test]
fn hidden_choices_are_made_again() {
    let mut game = lay::table(3).dice(ROLL).game().unwrap();
    play(&mut game, "0 keep, 0 enter violet, 1 enter red, 0 skip");
    assert_eq!(game.asked().as_slice(), [Seat(2)]);
    game.reseed(Seed([9; 32]));
    assert_eq!(game.asked().as_slice(), [Seat(0), Seat(1), Seat(2)]);
    assert!(shown(&game, Viewer::Seat(Seat(1))).contains(r#""choice":null"#));
}

#[test]
fn feats_match_the_sheet() {
    let game = lay::table(2).dice(ROLL).game().unwrap();
    assert_eq!(game.feats(Seat(0)), [("columns", 0), ("misses", 0)]);
}
