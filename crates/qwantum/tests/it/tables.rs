//! Positions that can be set up.

use crate::script::ROLL;
use game::{Game, Seat};
use qwantum::lay::{Impossible, table};
use qwantum::{IllegalAction, Row};

#[test]
fn sets_up_the_requested_table() {
    let lay = table(3).active(2).round(4).rows(1, "violet 3 10, red 5").misses(1, 2).dice(ROLL);
    let shown = lay.game().unwrap().table();
    assert_eq!((shown.turn, shown.round, shown.rolls), (Some(Seat(2)), 4, 1));
    let player = &shown.players[1];
    assert_eq!((player.rows.of(Row::Violet), player.rows.of(Row::Red)), (&[3, 10][..], &[5][..]));
    assert_eq!((player.misses, player.score.total), (2, -3));
}

#[test]
fn refuses_impossible_tables() {
    let number = |number, row, why| Impossible::Number { number, row, why };
    let full = "violet 1 2 3 4 3 2, blue 1 2 3 4 3 2, red 1 2 3 4 3 2, yellow 1 2 3 4 3 2";
    let not_a_row = |text: &str| Impossible::NotARow(text.into());
    let dice = |text: &str| Impossible::Dice(text.into());
    let cases = [
        (table(1), Impossible::Players(1)),
        (table(5), Impossible::Players(5)),
        (table(2).active(2), Impossible::NoSuchSeat(2)),
        (table(2).rows(2, "red 1"), Impossible::NoSuchSeat(2)),
        (table(2).misses(3, 1), Impossible::NoSuchSeat(3)),
        (table(2).rows(0, "green 1"), not_a_row("green 1")),
        (table(2).rows(0, "red one"), not_a_row("red one")),
        (table(2).rows(0, "red 0"), not_a_row("red 0")),
        (table(2).rows(0, "red 34"), not_a_row("red 34")),
        (table(2).rows(0, "red 1,"), not_a_row("")),
        (table(2).rows(0, "red 5 5"), number(5, Row::Red, IllegalAction::MustBeHigher)),
        (table(2).rows(0, "red 1 2 3 4 5"), number(5, Row::Red, IllegalAction::MustBeLower)),
        (table(2).rows(0, "blue 1 2 3 9 8 7 6"), number(6, Row::Blue, IllegalAction::RowFull)),
        (table(2).rows(0, full), Impossible::Over),
        (table(2).misses(1, 5), Impossible::Over),
        (table(2).dice("3"), dice("3")),
        (table(2).dice("7 Y5 B5 V3 B2 R3 B3"), dice("7 Y5 B5 V3 B2 R3 B3")),
        (table(2).dice("3 Y4 B5 V3 B2 R3 B3"), dice("3 Y4 B5 V3 B2 R3 B3")),
        (table(2).dice("3 Y5 B5 V3 B2 R3 B3 B3"), dice("3 Y5 B5 V3 B2 R3 B3 B3")),
        (table(2).dice("3 5 B5 V3 B2 R3 B3"), dice("3 5 B5 V3 B2 R3 B3")),
    ];
    for (lay, expected) in cases {
        assert_eq!(lay.game().map(|_| ()), Err(expected), "{lay:?}");
    }
}
