//! Step C: all choose simultaneously, and nothing is counted before the last has chosen.

use crate::script::{ROLL, as_json, asked, legal, play, refused};
use game::{Game, Seat};
use qwantum::{Choice, Lay, Phase, Qwantum, Row, lay};

fn at_share(table: Lay, acts: &str) -> Qwantum {
    let mut game = table.dice(ROLL).game().unwrap();
    play(&mut game, acts);
    assert_eq!(game.phase(), Phase::Share);
    game
}

#[test]
fn the_colour_used_in_step_b_is_closed_to_all() {
    let game = at_share(lay::table(3), "0 keep, 0 enter violet");
    for seat in 0..3 {
        assert_eq!(legal(&game, seat), "enter blue, enter red, enter yellow, skip");
        refused(&game, &format!("{seat} enter violet"), "color_used");
    }
    let totals = game.table().totals.unwrap();
    assert_eq!([Row::Red, Row::Yellow, Row::Blue].map(|row| totals.of(row)), [6, 8, 13]);
}

#[test]
fn all_four_colours_are_open_when_step_b_was_skipped() {
    let mut game = lay::table(3).dice(ROLL).game().unwrap();
    play(&mut game, "0 keep");
    assert_eq!(as_json(&play(&mut game, "0 skip")), ["{type:skip,seat:0}"]);
    for seat in 0..3 {
        assert_eq!(legal(&game, seat), "enter violet, enter blue, enter red, enter yellow, skip");
    }
    assert_eq!(game.table().used, None);
}

#[test]
fn all_players_are_asked_until_they_have_chosen() {
    let mut game = at_share(lay::table(3), "0 keep, 0 enter violet");
    assert_eq!((asked(&game), game.table().decided.to_vec()), (vec![0, 1, 2], vec![false; 3]));
    assert!(play(&mut game, "1 enter red").is_empty(), "a hidden choice has no events");
    assert_eq!((asked(&game), game.table().decided.to_vec()), (vec![0, 2], vec![false, true, false]));
    assert!(play(&mut game, "0 skip").is_empty());
    assert_eq!(asked(&game), [2]);
    assert!(game.table().players.iter().all(|player| player.rows.of(Row::Red).is_empty()));
    let events = play(&mut game, "2 enter red");
    let expected = [
        "{type:skip,seat:0}",
        "{type:enter,seat:1,row:red,value:6}",
        "{type:enter,seat:2,row:red,value:6}",
        "{type:turn,seat:1}",
    ];
    assert_eq!(as_json(&events), expected, "several players may use the same colour");
    assert_eq!(game.table().decided.to_vec(), [false; 3]);
}

#[test]
fn a_choice_can_be_changed_until_all_have_chosen() {
    let mut game = at_share(lay::table(3), "0 keep, 0 enter violet");
    let choice = |game: &Qwantum| game.mine(Seat(1)).choice;
    assert_eq!(choice(&game), None);
    play(&mut game, "1 enter red");
    assert_eq!(choice(&game), Some(Choice::Enter { row: Row::Red }));
    assert_eq!(legal(&game, 1), "enter blue, enter red, enter yellow, skip");
    assert!(play(&mut game, "1 skip, 1 enter blue, 1 enter blue").is_empty());
    assert_eq!(choice(&game), Some(Choice::Enter { row: Row::Blue }));
    refused(&game, "1 enter violet", "color_used");
    assert_eq!(choice(&game), Some(Choice::Enter { row: Row::Blue }), "a refusal changes nothing");
    play(&mut game, "0 skip, 2 skip");
    assert_eq!(choice(&game), None, "the choice has been counted");
    assert_eq!(game.table().players[1].rows.of(Row::Blue), [13]);
    assert!(game.table().players[1].rows.of(Row::Red).is_empty());
}

#[test]
fn refuses_a_late_choice_as_already_counted() {
    let mut game = at_share(lay::table(3), "0 keep, 0 enter violet");
    play(&mut game, "0 skip, 1 enter red, 2 skip");
    for act in ["0 enter blue", "1 enter blue", "1 skip", "2 enter red"] {
        refused(&game, act, "already_counted");
    }
    play(&mut game, "1 roll");
    refused(&game, "2 enter red", "not_your_turn");
    refused(&game, "1 enter red", "wrong_phase");
}

#[test]
fn refuses_rolls_and_unknown_seats_in_step_c() {
    let game = at_share(lay::table(2), "0 keep, 0 enter violet");
    refused(&game, "0 roll", "no_reroll_left");
    refused(&game, "0 reroll 1", "no_reroll_left");
    refused(&game, "0 keep", "wrong_phase");
    refused(&game, "1 roll", "not_your_turn");
    refused(&game, "2 skip", "not_your_turn");
    refused(&game, "4 enter red", "not_your_turn");
    assert_eq!(legal(&game, 2), "");
    assert_eq!(game.mine(Seat(4)).choice, None);
}

#[test]
fn each_players_own_rows_limit_their_entries_in_step_c() {
    let table = lay::table(2).rows(1, "blue 13, red 1 2 3 6, yellow 1 2 3 9");
    let game = at_share(table, "0 keep, 0 enter violet");
    refused(&game, "1 enter blue", "must_be_higher");
    refused(&game, "1 enter red", "must_be_lower");
    assert_eq!(legal(&game, 1), "enter yellow, skip");
    assert_eq!(legal(&game, 0), "enter blue, enter red, enter yellow, skip");
}

#[test]
fn only_an_active_player_who_enters_nothing_marks_a_miss() {
    let mut game = at_share(lay::table(2), "0 keep, 0 skip, 1 skip");
    let events = play(&mut game, "0 skip");
    assert_eq!(
        as_json(&events),
        ["{type:skip,seat:0}", "{type:skip,seat:1}", "{type:miss,seat:0}", "{type:turn,seat:1}"]
    );
    let table = game.table();
    assert_eq!((table.players[0].misses, table.players[1].misses), (1, 0));
    assert_eq!((table.players[0].score.misses, table.players[0].score.total), (-1, -1));
}

#[test]
fn an_entry_in_step_c_alone_avoids_a_miss() {
    let mut game = at_share(lay::table(2), "0 keep, 0 skip");
    play(&mut game, "1 skip, 0 enter red");
    assert_eq!(game.table().players[0].misses, 0);
    assert_eq!(game.turn(), Some(Seat(1)));
    // An entry in step B alone is not a miss either.
    play(&mut game, "1 roll, 1 keep, 1 enter red, 0 skip, 1 skip");
    assert_eq!(game.table().players[1].misses, 0);
}

#[test]
fn a_player_who_cannot_enter_anything_skips_and_misses() {
    let full = "violet 30, blue 30, red 30, yellow 30";
    let mut game = lay::table(2).rows(0, full).dice(ROLL).game().unwrap();
    play(&mut game, "0 keep");
    assert_eq!(legal(&game, 0), "skip");
    play(&mut game, "0 skip");
    assert_eq!(legal(&game, 0), "skip");
    let events = play(&mut game, "0 skip, 1 enter red");
    assert!(as_json(&events).contains(&"{type:miss,seat:0}".to_owned()));
}
