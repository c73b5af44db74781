//! Joining, sitting, standing and leaving.

use crate::test_room::TestRoom;
use room::{TokenHash, What};

#[test]
fn seats_are_numbered_in_the_order_people_sat_down() {
    let table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    assert_eq!(table.names(), ["Ana", "Bea", "Cid"]);
    assert_eq!(table.host().as_deref(), Some("Ana"));
}

#[test]
fn whoever_stands_leaves_no_gap_and_sits_down_again_at_the_end() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    table.stands("Bea").unwrap();
    assert_eq!(table.names(), ["Ana", "Cid"]);
    table.sits("Bea");
    assert_eq!(table.names(), ["Ana", "Cid", "Bea"]);
}

#[test]
fn names_at_the_table_are_told_apart() {
    let mut table = TestRoom::open();
    assert_eq!(table.sits("Ana"), "Ana");
    assert_eq!(table.sits("Ana"), "Ana 2");
    assert_eq!(table.sits("ana"), "ana 3");
    table.stands("Ana 2").unwrap();
    assert_eq!(table.sits("Ana"), "Ana 2", "a number given back is given out again");
}

#[test]
fn a_name_is_free_again_once_its_owner_left() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.leaves("Ana").unwrap();
    assert_eq!(table.sits("Ana"), "Ana");
}

#[test]
fn a_sixth_finds_the_table_full() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid", "Dan", "Eva"]);
    assert!(!table.room.has_free_seat());
    assert_eq!(table.tries_to_sit("Fay", None), Err("table_full"));
    table.stands("Cid").unwrap();
    assert_eq!(table.sits("Fay"), "Fay");
    assert_eq!(table.names(), ["Ana", "Bea", "Dan", "Eva", "Fay"]);
}

#[test]
fn nobody_sits_down_or_stands_up_in_a_game_or_after_its_end() {
    for mut table in [TestRoom::playing(&["Ana", "Bea"]), TestRoom::finished(&["Ana", "Bea"])] {
        assert!(!table.room.has_free_seat());
        assert_eq!(table.tries_to_sit("Cid", None), Err("not_in_lobby"));
        assert_eq!(table.stands("Bea"), Err("not_in_lobby"));
    }
}

#[test]
fn only_the_host_takes_somebody_from_the_table() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    assert_eq!(table.removes("Bea", 2), Err("not_host"));
    assert_eq!(table.removes("Ana", 3), Err("no_such_seat"));
    table.removes("Ana", 1).unwrap();
    assert_eq!(table.names(), ["Ana", "Cid"]);
}

#[test]
fn a_token_opens_its_own_seat_until_that_is_given_up() {
    let mut table = TestRoom::open();
    // The first token that `TestRoom` generates is "token 2".
    table.sits("Ana");
    table.sits("Bea");
    let token = TokenHash::of("token 2");
    assert_eq!(table.room.seats().by_token(token).unwrap().name.as_str(), "Ana");
    assert!(table.room.seats().by_token(TokenHash::of("token 9")).is_none());
    table.stands("Ana").unwrap();
    assert!(table.room.seats().by_token(token).is_none());
    table.sits("Ana");
    assert!(table.room.seats().by_token(token).is_none(), "who sits down again gets another token");
}

#[test]
fn too_few_cannot_start_nor_can_a_guest_nor_can_anyone_twice() {
    let mut table = TestRoom::of(&["Ana"]);
    assert_eq!(table.starts("Ana"), Err("too_few_players"));
    table.sits("Bea");
    assert_eq!(table.starts("Bea"), Err("not_host"));
    assert_eq!(table.starts("Ana"), Ok(vec![What::Started { rules_version: 1, starter: None }]));
    assert_eq!(table.phase(), "playing");
    assert_eq!(table.starts("Ana"), Err("not_in_lobby"));
    table.plays_quietly();
    assert_eq!(table.starts("Ana"), Err("not_in_lobby"), "after the end comes the rematch first");
}

#[test]
fn from_the_start_on_seats_stay() {
    let mut table = TestRoom::finished(&["Ana", "Bea", "Cid"]);
    table.leaves("Bea").unwrap();
    assert_eq!(table.names(), ["Ana", "Bea", "Cid"], "the table still shows who played");
    assert_eq!(table.room.seats().seat_of(table.id("Cid")).unwrap().0, 2);
    assert_eq!(table.leaves("Bea"), Err("not_seated"), "but Bea is gone");
}
