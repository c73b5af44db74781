//! Steps A and B: rolling, re-rolling, keeping, and what the active player may enter.

use crate::script::{ROLL, as_json, asked, legal, play, refused};
use game::{Game, Seat, Seed};
use qwantum::{Phase, Qwantum, Row, Rules, lay};

/// Returns the totals in the order of the examples in the rules: red, yellow, violet, blue.
fn totals(dice: &str) -> [u8; 4] {
    let totals = lay::table(2).dice(dice).game().unwrap().table().totals.unwrap();
    [Row::Red, Row::Yellow, Row::Violet, Row::Blue].map(|row| totals.of(row))
}

#[test]
fn a_total_is_the_sum_of_the_colours_dice_and_the_white_die() {
    assert_eq!(totals(ROLL), [6, 8, 6, 13]);
    assert_eq!(totals("3 B5 B5 B4 B2 Y4 Y1"), [3, 8, 3, 19], "a colour not rolled has the white die alone");
    assert_eq!(totals("6 V6 V4 V3 V3 V5 V6"), [6, 6, 33, 6], "33 is the highest possible total");
}

#[test]
fn a_turn_begins_with_a_roll_of_the_active_player() {
    let mut game = lay::table(3).game().unwrap();
    assert_eq!((legal(&game, 0).as_str(), asked(&game)), ("roll", vec![0]));
    assert_eq!(legal(&game, 1), "");
    let table = game.table();
    assert_eq!((table.phase, table.rolls, table.dice, table.totals), (Phase::Roll, 0, None, None));
    for act in ["reroll 0", "keep", "enter red", "skip"] {
        refused(&game, &format!("0 {act}"), "wrong_phase");
    }
    for act in ["roll", "reroll 0", "keep", "enter red", "skip"] {
        refused(&game, &format!("1 {act}"), "not_your_turn");
        refused(&game, &format!("7 {act}"), "not_your_turn");
    }
    play(&mut game, "0 roll");
    assert_eq!((legal(&game, 0).as_str(), asked(&game)), ("reroll 0 1 2 3 4 5 6, keep", vec![0]));
    let table = game.table();
    assert_eq!((table.phase, table.rolls), (Phase::Roll, 1));
    assert!(table.dice.is_some() && table.totals.is_some());
    for act in ["roll", "enter red", "skip"] {
        refused(&game, &format!("0 {act}"), "wrong_phase");
    }
}

#[test]
fn a_re_roll_names_existing_dice_once_each() {
    let game = lay::table(2).dice(ROLL).game().unwrap();
    refused(&game, "0 reroll", "no_dice");
    refused(&game, "0 reroll 3 3", "die_twice");
    refused(&game, "0 reroll 0 1 2 3 4 5 6 0", "die_twice");
    refused(&game, "0 reroll 7", "no_such_die");
    refused(&game, "0 reroll 0 256", "no_such_die");
    refused(&game, "0 reroll 18446744073709551615", "no_such_die");
    refused(&game, "1 reroll 3", "not_your_turn");
    for acts in ["0 reroll 6", "0 reroll 5 0 3", "0 reroll 6 5 4 3 2 1 0"] {
        play(&mut game.clone(), acts);
    }
}

#[test]
fn a_re_roll_keeps_the_other_dice_and_ends_the_rolling() {
    let laid = lay::table(2).dice(ROLL).game().unwrap();
    let before = laid.table().dice.unwrap();
    let mut changed = [false; 7];
    for number in 0..20 {
        let mut game = lay::table(2).seed(Seed([number; 32])).dice(ROLL).game().unwrap();
        let events = play(&mut game, "0 reroll 5 0 3");
        let table = game.table();
        assert_eq!((table.phase, table.rolls), (Phase::Choose, 2));
        let after = table.dice.unwrap();
        assert!(as_json(&events)[0].starts_with("{type:roll,seat:0,dice:[{color:white,"), "{events:?}");
        for die in 0..7 {
            changed[die] |= before[die] != after[die];
        }
        refused(&game, "0 reroll 0", "no_reroll_left");
        refused(&game, "0 roll", "no_reroll_left");
        refused(&game, "0 keep", "wrong_phase");
    }
    assert_eq!(changed, [true, false, false, true, false, true, false]);
}

#[test]
fn keeping_the_dice_gives_up_the_re_roll() {
    let mut game = lay::table(2).dice(ROLL).game().unwrap();
    assert_eq!(as_json(&play(&mut game, "0 keep")), ["{type:keep,seat:0}"]);
    assert_eq!((game.phase(), game.table().rolls), (Phase::Choose, 1));
    assert_eq!(legal(&game, 0), "enter violet, enter blue, enter red, enter yellow, skip");
    assert_eq!((legal(&game, 1).as_str(), asked(&game)), ("", vec![0]));
    refused(&game, "0 reroll 0", "no_reroll_left");
    refused(&game, "0 keep", "wrong_phase");
    refused(&game, "1 enter red", "not_your_turn");
    refused(&game, "1 skip", "not_your_turn");
}

#[test]
fn after_a_fourth_18_only_a_lower_number_is_accepted() {
    // Blue is 5+5+4+2 plus the white die. Violet and red are the white die alone.
    let check = |white: u8| {
        let dice = format!("{white} B5 B5 B4 B2 Y4 Y1");
        let mut game = lay::table(2).rows(0, "blue 3 10 12 18").dice(&dice).game().unwrap();
        play(&mut game, "0 keep");
        game
    };
    refused(&check(3), "0 enter blue", "must_be_lower");
    refused(&check(2), "0 enter blue", "must_be_lower");
    assert_eq!(as_json(&play(&mut check(1), "0 enter blue")), ["{type:enter,seat:0,row:blue,value:17}"]);
    assert_eq!(legal(&check(2), 0), "enter violet, enter red, enter yellow, skip");
}

#[test]
fn numbers_increase_before_the_thick_line() {
    let rows = "violet 6, blue 13 14 15 16 15 14, red 5, yellow 1 9";
    let mut game = lay::table(2).rows(0, rows).dice(ROLL).game().unwrap();
    play(&mut game, "0 keep");
    refused(&game, "0 enter violet", "must_be_higher");
    refused(&game, "0 enter yellow", "must_be_higher");
    refused(&game, "0 enter blue", "row_full");
    assert_eq!(legal(&game, 0), "enter red, skip");
    play(&mut game, "0 enter red");
    assert_eq!(game.table().players[0].rows.of(Row::Red), [5, 6]);
    assert_eq!(game.table().used, Some(Row::Red));
    assert!(game.table().players[1].rows.of(Row::Red).is_empty(), "only the active player enters in step B");
}

#[test]
fn the_next_player_clockwise_is_active_and_rounds_are_counted() {
    let mut game = lay::table(3).active(2).dice(ROLL).game().unwrap();
    let events = play(&mut game, "2 keep, 2 enter red, 0 skip, 1 skip, 2 skip");
    assert_eq!(as_json(&events).last().unwrap(), "{type:turn,seat:0}");
    let table = game.table();
    assert_eq!((table.turn, table.round, table.rolls), (Some(Seat(0)), 2, 0));
    assert_eq!((table.dice, table.totals, table.used), (None, None, None), "a turn begins without dice");
    for (seat, next, round) in [(0, 1, 2), (1, 2, 2), (2, 0, 3)] {
        play(&mut game, &format!("{seat} roll, {seat} keep, {seat} skip, 0 skip, 1 skip, 2 skip"));
        assert_eq!((game.turn(), game.table().round), (Some(Seat(next)), round));
    }
}

#[test]
fn a_round_begins_with_the_first_player_of_the_game() {
    for number in 0..12 {
        let (mut game, events) = Qwantum::new(&Rules {}, 3, Seed([number; 32]));
        let first = game.turn().unwrap();
        assert_eq!(as_json(&events), [format!("{{type:turn,seat:{first}}}")]);
        for turn in 0..7 {
            let seat = game.turn().unwrap();
            assert_eq!((seat.index() + 3 - first.index()) % 3, turn % 3);
            assert_eq!(usize::from(game.table().round), 1 + turn / 3, "{first} rolled first");
            play(&mut game, &format!("{seat} roll, {seat} keep, {seat} skip, 0 skip, 1 skip, 2 skip"));
        }
    }
}
