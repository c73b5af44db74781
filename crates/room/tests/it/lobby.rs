//! Joining, sitting, standing and leaving.

use crate::test_room::TestRoom;
use room::{RoomEvent, TokenHash};

#[test]
fn numbers_seats_in_the_order_players_sat_down() {
    let table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    assert_eq!(table.names(), ["Ana", "Bea", "Cid"]);
    assert_eq!(table.host().as_deref(), Some("Ana"));
}

#[test]
fn standing_up_leaves_no_gap_and_sitting_again_goes_last() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    table.stands("Bea").unwrap();
    assert_eq!(table.names(), ["Ana", "Cid"]);
    table.sits("Bea");
    assert_eq!(table.names(), ["Ana", "Cid", "Bea"]);
}

#[test]
fn numbers_equal_names_at_a_table() {
    let mut table = TestRoom::open();
    assert_eq!(table.sits("Ana"), "Ana");
    assert_eq!(table.sits("Ana"), "Ana 2");
    assert_eq!(table.sits("ana"), "ana 3");
    table.stands("Ana 2").unwrap();
    assert_eq!(table.sits("Ana"), "Ana 2", "a freed number is reused");
}

#[test]
fn a_name_is_free_again_after_its_owner_leaves() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.leaves("Ana").unwrap();
    assert_eq!(table.sits("Ana"), "Ana");
}

#[test]
fn refuses_a_sixth_player() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid", "Dan", "Eva"]);
    assert!(!table.room.has_free_seat());
    assert_eq!(table.tries_to_sit("Fay", None), Err("table_full"));
    table.stands("Cid").unwrap();
    assert_eq!(table.sits("Fay"), "Fay");
    assert_eq!(table.names(), ["Ana", "Bea", "Dan", "Eva", "Fay"]);
}

#[test]
fn refuses_to_sit_or_stand_outside_the_lobby() {
    for mut table in [TestRoom::playing(&["Ana", "Bea"]), TestRoom::finished(&["Ana", "Bea"])] {
        assert!(!table.room.has_free_seat());
        assert_eq!(table.tries_to_sit("Cid", None), Err("not_in_lobby"));
        assert_eq!(table.stands("Bea"), Err("not_in_lobby"));
    }
}

#[test]
fn only_the_host_removes_players() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    assert_eq!(table.removes("Bea", 2), Err("not_host"));
    assert_eq!(table.removes("Ana", 3), Err("no_such_seat"));
    table.removes("Ana", 1).unwrap();
    assert_eq!(table.names(), ["Ana", "Cid"]);
}

#[test]
fn a_token_is_valid_for_its_seat_until_the_seat_is_given_up() {
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
    assert!(table.room.seats().by_token(token).is_none(), "a player who sits down again gets a new token");
}

#[test]
fn only_the_host_starts_with_enough_players_and_once() {
    let mut table = TestRoom::of(&["Ana"]);
    assert_eq!(table.starts("Ana"), Err("too_few_players"));
    table.sits("Bea");
    assert_eq!(table.starts("Bea"), Err("not_host"));
    assert_eq!(table.starts("Ana"), Ok(vec![RoomEvent::Started { rules_version: 1, starter: None }]));
    assert_eq!(table.phase(), "playing");
    assert_eq!(table.starts("Ana"), Err("not_in_lobby"));
    table.plays_quietly();
    assert_eq!(table.starts("Ana"), Err("not_in_lobby"), "a rematch must come first");
}

#[test]
fn seats_stay_after_the_start() {
    let mut table = TestRoom::finished(&["Ana", "Bea", "Cid"]);
    table.leaves("Bea").unwrap();
    assert_eq!(table.names(), ["Ana", "Bea", "Cid"], "the table still shows all players");
    assert_eq!(table.room.seats().seat_of(table.id("Cid")).unwrap().0, 2);
    assert_eq!(table.leaves("Bea"), Err("not_seated"), "Bea has left");
}
