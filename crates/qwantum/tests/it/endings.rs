//! How games end and how they are scored.

use crate::script::{ROLL, as_json, asked, legal, play, refused};
use game::{Game, Seat};
use qwantum::{Lay, Phase, lay};

/// Columns 1 to 5 of seat 0 score 6, 8, 12, 16 and 11. The last column has a 3, 4 and 5, and lacks the red 6 of the
/// roll.
fn nearly_full() -> Lay {
    lay::table(2)
        .rows(0, "violet 5 7 11 15 10 3, blue 6 8 12 16 11 4, red 9 10 13 17 12, yellow 9 10 13 17 12 5")
        .dice(ROLL)
}

#[test]
fn scores_51_for_the_worked_example() {
    let mut game = nearly_full().misses(0, 3).game().unwrap();
    let before = game.table().players[0].score;
    assert_eq!(before.columns, [Some(6), Some(8), Some(12), Some(16), Some(11), None]);
    assert_eq!((before.misses, before.total), (-6, 47), "a column that is not full scores nothing");
    let events = play(&mut game, "0 keep, 0 enter red");
    let score = game.table().players[0].score;
    assert_eq!(score.columns, [6, 8, 12, 16, 11, 4].map(Some));
    assert_eq!((score.misses, score.total), (-6, 51));
    assert_eq!(as_json(&events)[2], "{type:end,winners:[0],scores:[51,0]}");
}

#[test]
fn filling_the_last_cell_in_step_b_ends_the_game_at_once() {
    let mut game = nearly_full().game().unwrap();
    play(&mut game, "0 keep");
    let events = play(&mut game, "0 enter red");
    assert_eq!(as_json(&events), ["{type:enter,seat:0,row:red,value:6}", "{type:end,winners:[0],scores:[57,0]}"]);
    let table = game.table();
    assert_eq!((table.phase, table.turn), (Phase::Finished, None));
    assert!(table.dice.is_some() && table.totals.is_some(), "the last dice stay on the table");
    assert_eq!(game.outcome().unwrap().winners.as_slice(), [Seat(0)]);
    assert!(asked(&game).is_empty());
    for seat in 0..2 {
        assert_eq!(legal(&game, seat), "");
        for act in ["roll", "reroll 0", "keep", "enter red", "skip"] {
            refused(&game, &format!("{seat} {act}"), "game_over");
        }
    }
}

#[test]
fn filling_the_last_cell_in_step_c_ends_the_game_after_step_c() {
    let mut game = nearly_full().active(1).game().unwrap();
    let events = play(&mut game, "1 keep, 1 enter blue, 0 enter red, 1 enter red");
    assert_eq!(
        as_json(&events)[2..],
        [
            "{type:enter,seat:0,row:red,value:6}",
            "{type:enter,seat:1,row:red,value:6}",
            "{type:end,winners:[0],scores:[57,0]}",
        ]
    );
    // It also ends if the active player fills their own last cell.
    let mut game = nearly_full().game().unwrap();
    let events = play(&mut game, "0 keep, 0 skip, 0 enter red, 1 enter red");
    assert_eq!(as_json(&events).len(), 5, "{events:?}");
    assert_eq!(game.phase(), Phase::Finished);
}

#[test]
fn a_miss_in_the_last_step_c_still_counts() {
    let mut game = nearly_full().active(1).game().unwrap();
    let events = play(&mut game, "1 keep, 1 skip, 0 enter red, 1 skip");
    assert_eq!(as_json(&events)[4..], ["{type:miss,seat:1}", "{type:end,winners:[0],scores:[57,-1]}"]);
}

#[test]
fn the_fifth_miss_ends_the_game_after_step_c() {
    let mut game = lay::table(3).misses(0, 4).misses(1, 4).dice(ROLL).game().unwrap();
    let events = play(&mut game, "0 keep, 0 skip, 0 skip, 1 enter red, 2 skip");
    assert_eq!(
        as_json(&events)[2..],
        [
            "{type:skip,seat:0}",
            "{type:enter,seat:1,row:red,value:6}",
            "{type:skip,seat:2}",
            "{type:miss,seat:0}",
            "{type:end,winners:[2],scores:[-15,-10,0]}",
        ]
    );
    assert_eq!(game.table().players[0].misses, 5);
    // A fourth miss does not end the game.
    let mut game = lay::table(3).misses(0, 3).misses(1, 4).dice(ROLL).game().unwrap();
    play(&mut game, "0 keep, 0 skip, 0 skip, 1 skip, 2 skip");
    assert_eq!((game.turn(), game.outcome()), (Some(Seat(1)), None));
}

#[test]
fn a_tie_is_shared() {
    let mut game = lay::table(4).misses(0, 4).misses(3, 2).dice(ROLL).game().unwrap();
    play(&mut game, "0 keep, 0 skip, 0 skip, 1 skip, 2 skip, 3 skip");
    let outcome = game.outcome().unwrap();
    assert_eq!(outcome.winners.as_slice(), [Seat(1), Seat(2)]);
    assert_eq!(outcome.scores.as_slice(), [-15, 0, 0, -3]);
    assert_eq!(game.table().outcome, Some(outcome));
}

#[test]
fn scores_the_columns_of_the_worked_examples() {
    let rows = "violet 4 5 6 7 6, blue 4 5 8 9 6, red 7 8 9 10 6, yellow 9 10 11 12 6";
    let game = lay::table(2).rows(0, rows).game().unwrap();
    let columns = game.table().players[0].score.columns;
    assert_eq!(columns, [Some(7), Some(8), Some(8), Some(9), Some(6), None]);
    let rows = "violet 4 4, blue 4";
    assert!(lay::table(2).rows(0, rows).game().is_err(), "a row cannot contain equal numbers");
    let game = lay::table(2).rows(0, "violet 4, blue 7, red 7, yellow 9").game().unwrap();
    assert_eq!(game.table().players[0].score.columns[0], Some(7));
    let game = lay::table(2).rows(0, "violet 4, blue 4, red 4, yellow 9").game().unwrap();
    assert_eq!(game.table().players[0].score.columns[0], Some(9));
}
