//! A second game in the same room: chosen in the lobby, and with a step in which all choose simultaneously.

use crate::test_room::{Change, LOOK, PAUSE, TestRoom, everything};
use game::{Level, Seat, Viewer};
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
fn five_at_the_table_are_too_many_for_a_game_of_four() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid", "Dan", "Eva"]);
    assert_eq!(table.chooses("Ana", "qwantum"), Err("too_many_players"));
    table.stands("Eva").unwrap();
    table.chooses("Ana", "qwantum").unwrap();
    assert_eq!(table.tries_to_sit("Eva", None), Err("table_full"));
}

#[test]
fn a_rematch_may_be_another_game() {
    let mut table = TestRoom::finished(&["Ana", "Bea"]);
    table.asks_for_a_rematch("Bea").unwrap();
    table.chooses("Ana", "qwantum").unwrap();
    table.starts("Ana").unwrap();
    assert_eq!(table.table()["phase"], "roll");
    assert_eq!(table.wins(), [1, 1], "wins are counted across games");
}

#[test]
fn each_has_the_whole_time_where_all_choose_at_once() {
    let mut table = all_choose_at_once();
    let began = table.now;
    let wants = table.room.wants(PAUSE);
    assert_eq!(wants.len(), 2, "both are waited for");
    assert!(wants.iter().all(|want| (want.by, want.at) == (By::Clock, began + CLOCK)));

    table.now += 4 * SECOND;
    table.plays(Seat(0), json!({"type": "enter", "row": "blue"}));
    // A changed choice does not restart anybody's clock.
    table.plays(Seat(0), json!({"type": "skip"}));
    let wants = table.room.wants(PAUSE);
    let [want] = wants[..] else { panic!("{wants:?}") };
    assert_eq!((want.seat, want.at), (Seat(1), began + CLOCK), "whoever has decided is not waited for");

    table.now = began + CLOCK;
    assert_eq!(table.somebody_plays_for_others().len(), 1);
    assert_eq!(table.table()["phase"], "roll", "the next turn");
}

#[test]
fn everyone_is_told_who_is_asked() {
    let mut table = all_choose_at_once();
    let told = |table: &TestRoom| {
        let viewers = [Viewer::Seat(Seat(0)), Viewer::Seat(Seat(1)), Viewer::Watcher];
        viewers.map(|viewer| table.room.state(viewer, 0).expect("a game").asked)
    };
    assert_eq!(told(&table), [[Seat(0), Seat(1)], [Seat(0), Seat(1)], [Seat(0), Seat(1)]]);
    table.plays(Seat(0), json!({"type": "skip"}));
    assert_eq!(told(&table), [[Seat(1)], [Seat(1)], [Seat(1)]], "whoever has decided is not");
    assert!(!table.acts_of(Seat(0)).is_empty(), "though they may change their mind");
    while table.phase() == "playing" {
        let (seat, acts) = table.asked();
        table.plays(seat, acts[0].clone());
    }
    assert_eq!(told(&table), [const { Vec::<Seat>::new() }; 3], "nobody at the end");
}

#[test]
fn a_choice_outlives_a_restart_and_stays_a_secret() {
    let mut table = all_choose_at_once();
    let before = everything(&table.room, table.now);
    table.plays(Seat(1), json!({"type": "enter", "row": "red"}));
    table.restarts();
    assert_eq!(own_choice(&table, Seat(1)), json!({"type": "enter", "row": "red"}));
    assert_eq!(own_choice(&table, Seat(0)), Value::Null);
    assert_eq!(table.table()["decided"], json!([false, true]));
    assert_eq!(everything(&table.room, table.now)["history"], before["history"], "nothing has been said");
    table.plays(Seat(0), json!({"type": "skip"}));
    assert_eq!(table.table()["players"][1]["rows"]["red"].as_array().unwrap().len(), 1);
}

#[test]
fn one_human_and_two_bots_play_a_whole_game() {
    let mut table = TestRoom::of(&["Ana"]);
    table.chooses("Ana", "qwantum").unwrap();
    table.seats_bot("Ana", Level::Normal);
    table.seats_bot("Ana", Level::Easy);
    table.starts("Ana").unwrap();
    let mut by_bots = 0;
    while table.phase() == "playing" {
        table.now += LOOK;
        let played = table.somebody_plays_for_others();
        by_bots += played.len();
        if played.is_empty() {
            let (seat, acts) = table.asked();
            assert_eq!(seat, Seat(0), "only Ana is waited for");
            table.plays(seat, acts[0].clone());
        }
    }
    assert!(by_bots > 20, "the bots played {by_bots} acts");
}
