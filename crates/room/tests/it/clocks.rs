//! The wall clock changes in the middle of a game. Only recorded times follow it.

use crate::test_room::{Change, MORNING, TestRoom};
use game::Viewer;
use protocol::Forced;
use room::{By, Entry};

const SECOND: u64 = 1_000;
const YEARS: i64 = 6 * 365 * 24 * 60 * 60 * 1000;

/// The recorded time of each entry in the journal.
fn written(table: &TestRoom) -> Vec<u64> {
    table.journal.iter().map(|line| Entry::read(line).unwrap().at.0).collect()
}

#[test]
fn a_wall_clock_jump_changes_no_deadline_or_time_away() {
    for jump in [YEARS, -YEARS] {
        let mut table = TestRoom::of(&["Ana", "Bea"]);
        let change = Change { clock: Some(Some(10)), forced: Some(Forced::Ask), ..Change::default() };
        table.configures("Ana", change).unwrap();
        table.starts("Ana").unwrap();
        table.now += 4 * SECOND;
        table.wall_offset = jump;
        let left = |table: &TestRoom| table.room.state(Viewer::Watcher, table.now).unwrap().deadline_ms;
        assert_eq!(left(&table), Some(6 * SECOND), "the jump does not affect the clock");

        let (seat, actions) = table.asked();
        table.plays(seat, actions[0].clone());
        assert_eq!(left(&table), Some(10 * SECOND), "the next player has the full time");
        let wants = table.room.wants(0);
        assert_eq!((wants[0].by, wants[0].at), (By::Clock, table.now + 10 * SECOND));

        // The time away is measured from the disconnection, whatever the wall clock says.
        table.goes_away("Bea");
        table.now += 3 * SECOND;
        assert_eq!(table.view()["seats"][1]["away_ms"], 3 * SECOND);
        table.comes_back("Bea");
    }
}

#[test]
fn a_player_who_leaves_after_the_end_is_away_from_then_on() {
    let mut table = TestRoom::finished(&["Ana", "Bea"]);
    table.wall_offset = -YEARS;
    table.leaves("Bea").unwrap();
    table.now += 5 * SECOND;
    assert_eq!(table.view()["seats"][1]["away_ms"], 5 * SECOND);
}

#[test]
fn entries_and_chat_show_the_wall_clock_even_backwards() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.says("Ana", "what a lovely morning").unwrap();
    table.wall_offset = -YEARS;
    table.says("Bea", "which one?").unwrap();
    table.stands("Bea").unwrap();
    let earlier = MORNING.checked_add_signed(-YEARS).unwrap();
    assert_eq!(written(&table), [MORNING, MORNING, MORNING, earlier]);
    for room in [&table.room, &table.rebuilt()] {
        let said: Vec<u64> = room.chat().iter().map(|line| line.at).collect();
        assert_eq!(said, [MORNING, earlier], "in the order of sending");
    }
}
