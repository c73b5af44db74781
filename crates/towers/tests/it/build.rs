//! Building: taking, demolishing, placing and undoing.

use crate::script::{ALLOWED, legal, play, refused};
use game::{Game, Seat};
use towers::{Event, Lay, MAX_UNDOS, Phase, Towers, lay};

/// A table for two where seat 0 has won the auction and taken these cards.
fn building(table: Lay, bid: &str, take: &str) -> Towers {
    let mut game = table.game().unwrap();
    play(&mut game, &format!("0 bid {bid}"));
    if game.turn() != Some(Seat(0)) {
        play(&mut game, "1 pass");
    }
    play(&mut game, &format!("0 take {take}"));
    game
}

#[test]
fn on_a_5_the_cards_9_8_15_go_only_in_that_order() {
    let row = "sand15 sand9 sand8 tree1 candy1";
    let table = lay::table(2).towers(0, "sand 5").row(row);
    let mut game = building(table, "3", "sand8 sand9 sand15");
    // The 5 may also be demolished, and then any card can be placed. Otherwise there is only one order.
    assert_eq!(legal(&game, 0), "demolish sand, build sand9, undo");
    refused(&game, "0 build sand15", "too_high_for_top");
    refused(&game, "0 build sand8", "too_high_for_top");
    play(&mut game, "0 build sand9");
    assert_eq!(legal(&game, 0), "build sand8, undo");
    play(&mut game, "0 build sand8");
    assert_eq!(legal(&game, 0), "build sand15, undo");
    play(&mut game, "0 build sand15");
    assert_eq!(*game.table().players[0].towers.sand, [5, 9, 8, 15]);
}

#[test]
fn an_8_goes_on_a_3_only_after_a_9() {
    // The 3 is on a 4, so demolishing it does not help.
    let table = lay::table(2).towers(0, "sand 4 3").row("sand8 sand9 tree1 candy1 scrap1");
    let mut game = table.game().unwrap();
    play(&mut game, "0 bid 1, 1 pass");
    refused(&game, "0 take sand8", "take_unbuildable");
    let mut game = building(table, "2", "sand8 sand9");
    assert_eq!(legal(&game, 0), "demolish sand, build sand9, undo");
    play(&mut game, "0 build sand9, 0 build sand8, 0 finish");
}

#[test]
fn on_an_8_the_15_goes_before_the_9() {
    let table = lay::table(2).towers(0, "sand 10 8").row("sand9 sand15 tree1 candy1 scrap1");
    let mut game = building(table, "2", "sand9 sand15");
    refused(&game, "0 build sand9", "would_strand");
    assert_eq!(legal(&game, 0), "build sand15, undo", "without the 8 the 15 would not fit at all");
    refused(&game, "0 demolish sand", "demolish_unbuildable");
    play(&mut game, "0 build sand15, 0 build sand9, 0 finish");
}

#[test]
fn a_roof_may_start_a_tower_and_ends_it() {
    let table = lay::table(2).rules(ALLOWED).row("sand0 sand9 tree1 candy1 scrap1");
    let mut game = building(table, "2", "sand0 sand9");
    play(&mut game, "0 build sand0");
    refused(&game, "0 build sand9", "roofed");
    assert_eq!(legal(&game, 0), "undo", "cannot finish with cards in hand, and the bid can be fulfilled");
    refused(&game, "0 finish", "hand_not_empty");

    let strict = lay::table(2).row("sand0 sand9 tree1 candy1 scrap1");
    let game = building(strict, "2", "sand0 sand9");
    refused(&game, "0 build sand0", "would_strand");
}

#[test]
fn a_roof_is_never_demolished() {
    let table = lay::table(2).rules(ALLOWED).towers(0, "sand 3 0, tree 4").row("sand5 tree2 candy1 scrap1 spooky1");
    let game = building(table, "1", "tree2");
    refused(&game, "0 demolish sand", "roof_stays");
    refused(&game, "0 demolish candy", "nothing_to_demolish");
    assert_eq!(legal(&game, 0), "demolish tree, build tree2, undo");
}

#[test]
fn allows_one_demolition_before_the_first_card_without_need() {
    let table = lay::table(2).towers(0, "sand 5 3, tree 4").row("tree2 tree1 candy1 scrap1 spooky1");
    let mut game = building(table, "2", "tree2 tree1");
    let mut placed = game;
    play(&mut placed, "0 build tree2");
    refused(&placed, "0 demolish sand", "demolish_first");
    play(&mut game, "0 demolish sand");
    refused(&game, "0 demolish tree", "already_demolished");
    assert_eq!(*game.table().players[0].towers.sand, [5]);
    assert_eq!(game.table().demolished_now.map(|tower| tower.name()), Some("sand"));
    assert_eq!(game.mine(Seat(0)).demolished[0].to_string(), "sand3");
    assert_eq!(game.mine(Seat(1)).demolished.len(), 0);
}

#[test]
fn a_tower_demolished_to_nothing_can_be_started_again() {
    let table = lay::table(2).towers(0, "sand 6").row("sand15 tree1 candy1 scrap1 spooky1");
    let mut game = building(table, "1", "sand15");
    play(&mut game, "0 demolish sand");
    assert!(game.table().players[0].towers.sand.is_empty());
    play(&mut game, "0 build sand15, 0 finish");
    assert_eq!(*game.table().players[0].towers.sand, [15]);
}

#[test]
fn one_demolition_helps_only_one_tower() {
    let table = lay::table(2).towers(0, "sand 2, tree 2").row("sand7 tree7 candy1 candy2 candy3");
    let mut game = table.game().unwrap();
    assert_eq!(game.mine(Seat(0)).highest_bid, 4);
    play(&mut game, "0 bid 2, 1 pass");
    refused(&game, "0 take sand7 tree7", "take_unbuildable");
    play(&mut game, "0 take candy1 sand7");
    assert_eq!(legal(&game, 0), "demolish sand, undo", "the wrong demolition and a first card are both refused");
    refused(&game, "0 demolish tree", "demolish_unbuildable");
    refused(&game, "0 build candy1", "would_strand");
}

#[test]
fn a_take_has_as_many_cards_as_bid_and_all_from_the_row() {
    let mut game = lay::table(2).row("sand7 tree7 candy1 candy2 candy3").game().unwrap();
    play(&mut game, "0 bid 2, 1 pass");
    refused(&game, "0 take sand7", "wrong_number_of_cards");
    refused(&game, "0 take sand7 tree7 candy1", "wrong_number_of_cards");
    // More cards than any row has are a valid message, but refused by the rules.
    refused(&game, "0 take sand7 tree7 candy1 candy2 candy3 candy4 candy5", "wrong_number_of_cards");
    refused(&game, "0 take", "wrong_number_of_cards");
    refused(&game, "0 take sand7 sand8", "not_in_row");
    refused(&game, "0 take sand7 sand7", "not_in_row");
    let mut other = game;
    let one = play(&mut game, "0 take candy2 sand7");
    let two = play(&mut other, "0 take sand7 candy2");
    assert!(game == other && one == two, "the order does not matter");
    refused(&game, "0 build tree7", "not_in_hand");
    let table = game.table();
    assert_eq!(format!("{:?} {:?}", table.row, table.hand), "[tree7, candy1, candy3] [sand7, candy2]");
}

#[test]
fn equal_cards_are_one_choice_and_the_first_of_them_is_taken() {
    let mut game = lay::table(4).row("sand7 tree2 sand7 tree2 candy1").game().unwrap();
    play(&mut game, "0 bid 2, 1 pass, 2 pass, 3 pass");
    assert_eq!(
        legal(&game, 0),
        "take sand7 tree2, take sand7 candy1, take tree2 candy1",
        "two equal cards cannot both be built on one tower here"
    );
    play(&mut game, "0 take candy1 sand7");
    assert_eq!(format!("{:?}", game.table().row), "[tree2, sand7, tree2]", "the second sand 7 is left");
    play(&mut game, "0 build sand7, 0 build candy1");
    let events = play(&mut game, "0 finish");
    assert_eq!(format!("{:?}", events[1]), "Discard { cards: [tree2, sand7, tree2] }");

    let mut game = lay::table(4).rules(ALLOWED).row("sand7 tree2 sand7 tree2 candy1").game().unwrap();
    play(&mut game, "0 bid 2, 1 pass, 2 pass, 3 pass");
    assert_eq!(game.legal(Seat(0)).len(), 5, "expected five choices: {}", legal(&game, 0));
    play(&mut game, "0 take sand7 sand7, 0 build sand7");
    refused(&game, "0 build sand7", "too_high_for_top");
}

#[test]
fn two_equal_cards_are_built_around_a_9() {
    let table = lay::table(4).towers(0, "sand 10").row("sand7 sand9 sand7 tree2 candy1");
    let mut game = table.game().unwrap();
    play(&mut game, "0 bid 3, 1 pass, 2 pass, 3 pass, 0 take sand7 sand7 sand9");
    refused(&game, "0 build sand9", "would_strand");
    assert_eq!(legal(&game, 0), "demolish sand, build sand7, undo", "the card is listed once");
    play(&mut game, "0 build sand7, 0 build sand9, 0 build sand7, 0 finish");
    assert_eq!(*game.table().players[0].towers.sand, [10, 7, 9, 7]);
}

#[test]
fn undo_goes_back_step_by_step_to_the_choice_of_cards() {
    let table = lay::table(2).towers(0, "sand 5 3").row("sand4 tree7 candy1 candy2 candy3");
    let mut game = table.game().unwrap();
    let mut tables = Vec::new();
    for act in ["0 bid 2", "1 pass", "0 take tree7 sand4", "0 demolish sand", "0 build tree7", "0 build sand4"] {
        play(&mut game, act);
        tables.push(game.table());
    }
    for before in tables.iter().rev().skip(1).take(4) {
        assert_eq!(play(&mut game, "0 undo"), [Event::Undo { seat: Seat(0) }]);
        assert_eq!(game.table(), *before);
    }
    assert_eq!(game.phase(), Phase::Take);
    refused(&game, "0 undo", "nothing_to_undo");
    play(&mut game, "0 take candy1 tree7");
}

#[test]
fn allows_thirty_undos_in_one_build() {
    let table = lay::table(2).rules(ALLOWED).row("sand4 tree7 candy1 candy2 candy3");
    let mut game = building(table, "1", "sand4");
    for _ in 0..MAX_UNDOS {
        play(&mut game, "0 build sand4, 0 undo");
    }
    assert_eq!(legal(&game, 0), "build sand4");
    refused(&game, "0 undo", "too_many_undos");

    let mut retracted = game;
    retracted.set_rules_version(1);
    play(&mut retracted, "0 retract, 0 bid 0, 1 bid 1, 1 take tree7, 1 undo");
    assert_eq!(retracted.phase(), Phase::Take, "a retraction resets the undo count");

    play(&mut game, "0 build sand4, 0 finish, 1 bid 1, 0 pass");
    let take = game.legal(Seat(1))[0];
    game.apply(Seat(1), &take).unwrap();
    assert!(legal(&game, 1).contains("undo"), "the next round resets the undo count");
}
