//! A second game in the same room: chosen in the lobby, and with a step in which all choose simultaneously.

use crate::test_room::{Change, PAUSE, TestRoom, everything};
use game::{Seat, Viewer};
use protocol::Forced;
use room::By;
use serde_json::{Value, json};

const SECOND: u64 = 1_000;
const CLOCK: u64 = 10 * SECOND;

/// Ana and Bea with a clock, in the third step of the first turn: both may enter any of the four totals.
fn all_choose_at_once() -> TestRoom {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.chooses("Ana", "qwantum").unwrap();
    let (clock, forced) = (Some(Some(10)), Some(Forced::Ask));
    table.configures("Ana", Change { clock, forced, ..Change::default() }).unwrap();
    table.starts("Ana").unwrap();
    let active = table.asked().0;
    for act in ["roll", "keep", "skip"] {
        table.plays(active, json!({"type": act}));
    }
    assert_eq!(table.table()["phase"], "share");
    table
}

fn own_choice(table: &TestRoom, seat: Seat) -> Value {
    let mine = table.room.state(Viewer::Seat(seat), 0).unwrap().mine;
    serde_json::from_str::<Value>(mine.unwrap().get()).unwrap()["choice"].clone()
}

#[test]
fn the_host_changes_the_game_before_the_start() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    assert_eq!(table.chooses("Bea", "qwantum"), Err("not_host"));
    table.chooses("Ana", "qwantum").unwrap();
    let view = table.view();
    assert_eq!((&view["game"], &view["rules"]), (&json!("qwantum"), &json!({})));
    assert_eq!((&view["min"], &view["max"]), (&json!(2), &json!(4)));
    table.starts("Ana").unwrap();
    assert_eq!(table.chooses("Ana", "towers"), Err("not_in_lobby"));
}

#[test]
fn refuses_a_game_for_four_with_five_players() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid", "Dan", "Eva"]);
    assert_eq!(table.chooses("Ana", "qwantum"), Err("too_many_players"));
    table.stands("Eva").unwrap();
    table.chooses("Ana", "qwantum").unwrap();
    assert_eq!(table.tries_to_sit("Eva", None), Err("table_full"));
}

#[test]
fn a_rematch_may_be_a_different_game() {
    let mut table = TestRoom::finished(&["Ana", "Bea"]);
    table.asks_for_a_rematch("Bea").unwrap();
    table.chooses("Ana", "qwantum").unwrap();
    table.starts("Ana").unwrap();
    assert_eq!(table.table()["phase"], "roll");
    assert_eq!(table.wins(), [1, 1], "wins are counted across games");
}

#[test]
fn each_player_has_the_full_time_when_all_choose_at_once() {
    let mut table = all_choose_at_once();
    let began = table.now;
    let wants = table.room.wants(PAUSE);
    assert_eq!(wants.len(), 2, "the room waits for both");
    assert!(wants.iter().all(|want| (want.by, want.at) == (By::Clock, began + CLOCK)));

    table.now += 4 * SECOND;
    table.plays(Seat(0), json!({"type": "enter", "row": "blue"}));
    // A changed choice does not restart anybody's clock.
    table.plays(Seat(0), json!({"type": "skip"}));
    let wants = table.room.wants(PAUSE);
    let [want] = wants[..] else { panic!("{wants:?}") };
    assert_eq!((want.seat, want.at), (Seat(1), began + CLOCK), "the room waits only for Bea");

    table.now = began + CLOCK;
    assert_eq!(table.plays_due_actions().len(), 1);
    assert_eq!(table.table()["phase"], "roll", "the next turn");
}

#[test]
fn shows_everyone_which_seats_must_act() {
    let mut table = all_choose_at_once();
    let asked_seats = |table: &TestRoom| {
        let viewers = [Viewer::Seat(Seat(0)), Viewer::Seat(Seat(1)), Viewer::Watcher];
        viewers.map(|viewer| table.room.state(viewer, 0).expect("the room has a game").asked)
    };
    assert_eq!(asked_seats(&table), [[Seat(0), Seat(1)], [Seat(0), Seat(1)], [Seat(0), Seat(1)]]);
    table.plays(Seat(0), json!({"type": "skip"}));
    assert_eq!(asked_seats(&table), [[Seat(1)], [Seat(1)], [Seat(1)]], "Ana has chosen");
    assert!(!table.acts_of(Seat(0)).is_empty(), "Ana may still change her choice");
    while table.phase() == "playing" {
        let (seat, acts) = table.asked();
        table.plays(seat, acts[0].clone());
    }
    assert_eq!(asked_seats(&table), [const { Vec::<Seat>::new() }; 3], "no seat at the end");
}

#[test]
fn a_choice_survives_a_restart_and_stays_secret() {
    let mut table = all_choose_at_once();
    let before = everything(&table.room, table.now);
    table.plays(Seat(1), json!({"type": "enter", "row": "red"}));
    table.restarts();
    assert_eq!(own_choice(&table, Seat(1)), json!({"type": "enter", "row": "red"}));
    assert_eq!(own_choice(&table, Seat(0)), Value::Null);
    assert_eq!(table.table()["decided"], json!([false, true]));
    assert_eq!(everything(&table.room, table.now)["history"], before["history"], "the choice adds no event");
    table.plays(Seat(0), json!({"type": "skip"}));
    assert_eq!(table.table()["players"][1]["rows"]["red"].as_array().unwrap().len(), 1);
}
