//! Counts of reachable positions, like chess perft: the tree of all legal actions is walked to a fixed depth. A change
//! of the rules that no example notices changes a count here.
//!
//! The numbers come from this code. The first actions of every tree are also found without `legal`, by trying every
//! conceivable action. The dice follow from the seed, so a roll has one result, but each choice of dice to re-roll is
//! an action of its own.

use crate::script::{ROLL, play};
use game::{Game, Seat, Seed};
use gametest::Perft;
use qwantum::{Action, DICE, Qwantum, Row, Rules, lay};

/// Depth to which every conceivable action is tried.
const TRIED: usize = 2;

/// Returns every choice of dice, the empty one included.
fn choices_of_dice() -> impl Iterator<Item = Vec<u64>> {
    (0..1_u64 << DICE).map(|dice| (0..DICE as u64).filter(|die| dice >> die & 1 == 1).collect())
}

/// Returns the actions that the game lists. The listed re-roll stands for a re-roll of any dice.
fn listed(game: &Qwantum, seat: Seat) -> Vec<Action> {
    let every = |action| match action {
        Action::Reroll { .. } => {
            let choices = choices_of_dice().filter(|dice| !dice.is_empty());
            choices.map(|dice| Action::Reroll { dice }).collect()
        }
        other => vec![other],
    };
    game.legal(seat).into_iter().flat_map(every).collect()
}

/// Returns every action that could be legal in any position, and some that could not.
fn conceivable(_: &Qwantum) -> Vec<Action> {
    let mut conceivable = vec![Action::Roll {}, Action::Keep {}, Action::Skip {}];
    conceivable.extend(Row::ALL.map(|row| Action::Enter { row }));
    conceivable.extend(choices_of_dice().map(|dice| Action::Reroll { dice }));
    // A die twice, and a die that does not exist.
    conceivable.extend([vec![3, 3], vec![DICE as u64]].map(|dice| Action::Reroll { dice }));
    conceivable
}

#[track_caller]
fn check(game: &Qwantum, expected: &[[usize; 2]]) {
    let normal = |action| action;
    Perft { players: Qwantum::players, listed, conceivable, normal, tried_depth: TRIED }.check(game, expected);
}

fn after(lay: &lay::Lay, actions: &str) -> Qwantum {
    let mut game = lay.game().unwrap();
    play(&mut game, actions);
    game
}

#[test]
fn first_turn_of_two_players() {
    check(&Qwantum::new(&Rules {}, 2, Seed([7; 32])).0, &[[1, 1], [128, 124], [640, 620], [5376, 5208]]);
}

#[test]
fn first_turn_of_four_players() {
    check(&Qwantum::new(&Rules {}, 4, Seed([7; 32])).0, &[[1, 1], [128, 124], [640, 620], [10752, 10416]]);
}

#[test]
fn rolling_again_or_keeping() {
    let lay = lay::table(3).dice(ROLL).rows(0, "violet 3 10, blue 14").rows(1, "red 4 9").rows(2, "yellow 8");
    check(&lay.game().unwrap(), &[[128, 128], [429, 429], [4322, 4322]]);
}

#[test]
fn choosing_a_total() {
    let lay = lay::table(2).dice(ROLL).rows(0, "violet 3 5 7, blue 14").rows(1, "red 4 9, yellow 6");
    check(&after(&lay, "0 keep"), &[[3, 3], [18, 18], [110, 34], [412, 50], [8062, 2098], [48258, 9058]]);
}

#[test]
fn choosing_at_the_same_time() {
    let lay = lay::table(3).dice(ROLL).rows(0, "violet 3 10").rows(1, "red 4 9").rows(2, "yellow 8, blue 2");
    check(&after(&lay, "0 keep, 0 enter red"), &[[10, 10], [100, 43], [1000, 79], [8056, 115]]);
}

#[test]
fn last_cell_of_a_sheet() {
    let rows = "violet 1 2 3 9 8 7, blue 1 2 3 20 19 18, red 1 2 3 9 8 7, yellow 1 2 3 20 19";
    let lay = lay::table(2).dice(ROLL).rows(0, rows).rows(1, "red 4 9");
    check(&after(&lay, "0 keep"), &[[2, 2], [6, 6], [36, 14], [128, 18], [1480, 530]]);
}

#[test]
fn fifth_miss() {
    let lay = lay::table(2).dice(ROLL).misses(0, 4).rows(0, "violet 7, blue 14").rows(1, "red 4 9");
    check(&after(&lay, "0 keep"), &[[3, 3], [18, 18], [110, 34], [404, 46], [7010, 1582]]);
}
