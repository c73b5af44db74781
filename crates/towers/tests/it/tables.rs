//! Positions that can be set up.

use towers::lay::{Impossible, table};

const ROW: &str = "sand7 tree7 candy1 candy2 candy3";

#[test]
fn sets_up_possible_tables() {
    let game = table(3).row(ROW).game().unwrap();
    assert_eq!(game.players(), 3);
    let laid = table(3).row(ROW).towers(1, "sand 8 15 , tree 3").demolished(2, "sand9 tree1").rest_discarded();
    assert!(laid.game().is_ok());
}

#[test]
fn refuses_impossible_tables() {
    let card = |text: &str| text.parse().unwrap();
    let cases = [
        (table(1).row(ROW), Impossible::Players(1)),
        (table(6).row(ROW), Impossible::Players(6)),
        (table(2).row(ROW).starter(2), Impossible::NoSuchSeat(2)),
        (table(2).row(ROW).towers(2, "sand 1"), Impossible::NoSuchSeat(2)),
        (table(2).row(ROW).demolished(3, "sand1"), Impossible::NoSuchSeat(3)),
        (table(2), Impossible::Row),
        (table(2).row("sand1"), Impossible::Row),
        (table(2).deal(2).row("sand1"), Impossible::Row),
        (table(2).row(&format!("{ROW} sand1")), Impossible::Row),
        (table(2).row("sand7 tree7 candy1 candy2 candy16"), Impossible::NotACard("candy16".into())),
        (table(2).row(ROW).towers(0, "mud 3"), Impossible::NotACard("mud".into())),
        (table(2).row("sand7 sand7 candy1 candy2 candy3"), Impossible::Doubled(card("sand7"))),
        (table(2).row(ROW).towers(0, "sand 7"), Impossible::Doubled(card("sand7"))),
        (table(4).row(ROW).discard("sand7 sand7"), Impossible::Doubled(card("sand7"))),
        (table(4).row(ROW).discard("sand8 sand8"), Impossible::Doubled(card("sand8"))),
        (table(2).row(ROW).towers(0, "sand 4 5"), Impossible::Stack("sand 4 5".into())),
        (table(2).row(ROW).demolished(0, "sand0"), Impossible::Demolished("sand0".into())),
        (table(2).row(ROW).draw("sand1").rest_discarded(), Impossible::DrawPile),
        (table(2).row(ROW).deal(3), Impossible::Deal(3)),
    ];
    for (lay, expected) in cases {
        assert_eq!(lay.game().map(|_| ()), Err(expected), "{lay:?}");
    }
}
