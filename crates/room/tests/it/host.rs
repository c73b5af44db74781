//! Who is host, and who becomes the next host.

use crate::test_room::{MINUTE, MORNING, TestRoom};
use room::RoomEvent;

#[test]
fn the_first_player_to_sit_is_host() {
    let mut table = TestRoom::open();
    assert_eq!(table.host(), None);
    table.sits("Ana");
    table.sits("Bea");
    assert_eq!(table.host().as_deref(), Some("Ana"));
}

#[test]
fn the_next_seat_becomes_host_when_the_host_leaves_or_stands() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    table.leaves("Ana").unwrap();
    assert_eq!(table.host().as_deref(), Some("Bea"));
    table.stands("Bea").unwrap();
    assert_eq!(table.host().as_deref(), Some("Cid"));
    table.sits("Ana");
    assert_eq!(table.host().as_deref(), Some("Cid"), "a former host has no claim");
}

#[test]
fn the_next_host_is_chosen_clockwise() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    table.goes_away("Ana");
    table.passes(MINUTE);
    assert_eq!(table.host().as_deref(), Some("Bea"));
    table.comes_back("Ana");
    table.stands("Bea").unwrap();
    assert_eq!(table.host().as_deref(), Some("Cid"), "Cid sits to the left of Bea, Ana to the right");
}

#[test]
fn the_host_stays_when_another_player_leaves() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    let bea = table.id("Bea");
    assert_eq!(table.stands("Bea"), Ok(vec![RoomEvent::Left { player: bea }]));
    assert_eq!(table.host().as_deref(), Some("Ana"));
}

#[test]
fn the_role_passes_on_when_the_host_is_away_for_a_minute() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    assert_eq!(table.room.due(), None, "the host is connected");
    table.goes_away("Ana");
    assert_eq!(table.room.due(), Some(MORNING + MINUTE));
    table.passes(MINUTE - 1);
    assert_eq!(table.host().as_deref(), Some("Ana"));
    table.passes(1);
    assert_eq!(table.host().as_deref(), Some("Bea"));
    assert_eq!(table.room.due(), None);
    table.comes_back("Ana");
    assert_eq!(table.host().as_deref(), Some("Bea"));
}

#[test]
fn a_host_who_returns_in_time_stays_host() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.goes_away("Ana");
    table.passes(MINUTE - 1);
    table.comes_back("Ana");
    table.passes(MINUTE);
    assert_eq!(table.host().as_deref(), Some("Ana"));
    table.goes_away("Ana");
    assert_eq!(table.room.due(), Some(table.now + MINUTE), "the minute starts again");
}

#[test]
fn a_host_with_two_devices_is_away_when_both_disconnect() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.comes_back("Ana");
    table.goes_away("Ana");
    assert_eq!(table.room.due(), None);
    assert_eq!(table.view()["seats"][0]["connected"], true);
    table.now += 5;
    table.goes_away("Ana");
    assert_eq!(table.room.due(), Some(MORNING + 5 + MINUTE));
}

#[test]
fn the_role_skips_absent_players() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    table.goes_away("Bea");
    table.goes_away("Ana");
    table.passes(MINUTE);
    assert_eq!(table.host().as_deref(), Some("Cid"));
}

#[test]
fn a_connected_player_follows_a_host_who_leaves() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    table.goes_away("Bea");
    table.leaves("Ana").unwrap();
    assert_eq!(table.host().as_deref(), Some("Cid"));
}

#[test]
fn the_host_stays_while_all_players_are_away() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.goes_away("Ana");
    table.goes_away("Bea");
    assert_eq!(table.room.due(), None, "no connected player can take over");
    table.passes(10 * MINUTE);
    assert_eq!(table.host().as_deref(), Some("Ana"));
    table.comes_back("Bea");
    assert_eq!(table.room.due(), Some(MORNING + MINUTE), "already overdue");
    table.passes(0);
    assert_eq!(table.host().as_deref(), Some("Bea"));
}

#[test]
fn the_next_player_to_sit_in_an_empty_room_is_host() {
    let mut table = TestRoom::of(&["Ana"]);
    table.stands("Ana").unwrap();
    assert_eq!((table.host(), table.seats()), (None, 0));
    assert_eq!(table.room.due(), None);
    table.sits("Bea");
    table.sits("Ana");
    assert_eq!(table.host().as_deref(), Some("Bea"));
}

#[test]
fn after_a_restart_the_host_has_a_minute_to_come_back() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.now += 10 * MINUTE;
    table.restarts();
    table.comes_back("Bea");
    assert_eq!(table.room.due(), Some(table.now + MINUTE));
    table.passes(MINUTE - 1);
    assert_eq!(table.host().as_deref(), Some("Ana"));
    table.passes(1);
    assert_eq!(table.host().as_deref(), Some("Bea"));
}

#[test]
fn the_role_passes_on_during_a_game_and_after_its_end() {
    for mut table in [TestRoom::playing(&["Ana", "Bea"]), TestRoom::finished(&["Ana", "Bea"])] {
        table.goes_away("Ana");
        table.passes(MINUTE);
        assert_eq!(table.host().as_deref(), Some("Bea"));
    }
}

#[test]
fn a_player_who_left_after_the_end_does_not_become_host() {
    let mut table = TestRoom::finished(&["Ana", "Bea", "Cid"]);
    table.leaves("Bea").unwrap();
    table.leaves("Ana").unwrap();
    assert_eq!(table.host().as_deref(), Some("Cid"));
    assert_eq!(table.ticks(), Ok(vec![]));
}

#[test]
fn shows_the_time_away() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.goes_away("Bea");
    table.now += 1234;
    assert_eq!(table.view()["seats"][1]["away_ms"], 1234);
    assert_eq!(table.view()["seats"][1]["connected"], false);
    assert_eq!(table.view()["seats"][0]["away_ms"], 0);
}
