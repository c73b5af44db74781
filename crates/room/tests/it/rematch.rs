//! Another game in the same room.

use crate::test_room::{MINUTE, TestRoom};
use game::Seat;
use room::RoomEvent;
use serde_json::json;

#[test]
fn a_rematch_returns_to_the_lobby_with_the_same_seats() {
    let mut table = TestRoom::finished(&["Ana", "Bea", "Cid"]);
    table.asks_for_a_rematch("Cid").unwrap();
    assert_eq!(table.phase(), "lobby");
    assert_eq!(table.names(), ["Ana", "Bea", "Cid"]);
    assert_eq!(table.host().as_deref(), Some("Ana"));
    assert!(table.room.history().is_empty());
    assert!(table.room.state(game::Viewer::Watcher, 0).is_none(), "the old table is cleared");
    table.starts("Ana").unwrap();
    assert_eq!(table.phase(), "playing");
    assert_eq!(table.next(Seat(0)), 0, "action numbers start again");
}

#[test]
fn refuses_a_rematch_before_the_end_and_a_second_one() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    assert_eq!(table.asks_for_a_rematch("Ana"), Err("not_finished"));
    table.starts("Ana").unwrap();
    assert_eq!(table.asks_for_a_rematch("Ana"), Err("not_finished"));
    table.plays_quietly();
    table.asks_for_a_rematch("Bea").unwrap();
    assert_eq!(table.asks_for_a_rematch("Ana"), Err("not_finished"));
}

#[test]
fn the_version_never_decreases() {
    let mut table = TestRoom::finished(&["Ana", "Bea"]);
    let end = table.room.version();
    table.asks_for_a_rematch("Ana").unwrap();
    assert_eq!(table.room.version(), end);
    table.starts("Ana").unwrap();
    assert_eq!(table.room.version(), end + 1);
}

#[test]
fn wins_are_counted_across_games() {
    let mut table = TestRoom::playing(&["Ana", "Bea"]);
    table.plays_for("Bea");
    assert_eq!(table.table()["outcome"]["winners"], serde_json::json!([1]));
    assert_eq!(table.wins(), [0, 1]);
    table.asks_for_a_rematch("Ana").unwrap();
    assert_eq!(table.wins(), [0, 1]);
    table.starts("Ana").unwrap();
    table.plays_for("Bea");
    assert_eq!(table.wins(), [0, 2]);
}

#[test]
fn a_shared_victory_counts_as_a_win_for_each_winner() {
    let table = TestRoom::finished(&["Ana", "Bea", "Cid"]);
    assert_eq!(table.table()["outcome"]["scores"], serde_json::json!([0, 0, 0]));
    assert_eq!(table.wins(), [1, 1, 1]);
}

#[test]
fn each_game_has_its_own_commitment_and_deal() {
    let mut table = TestRoom::playing(&["Ana", "Bea"]);
    let (first, row) = (table.commitment(), table.table()["row"].clone());
    table.plays_quietly();
    assert_eq!(table.commitment(), first, "the finished game can still be verified");
    table.asks_for_a_rematch("Ana").unwrap();
    assert_ne!(table.commitment(), first);
    table.starts("Ana").unwrap();
    assert_ne!(table.table()["row"], row);
}

#[test]
fn a_player_who_left_after_the_end_is_not_in_the_rematch() {
    let mut table = TestRoom::finished(&["Ana", "Bea", "Cid"]);
    table.leaves("Ana").unwrap();
    assert_eq!(table.asks_for_a_rematch("Ana"), Err("not_seated"));
    table.asks_for_a_rematch("Cid").unwrap();
    assert_eq!(table.names(), ["Bea", "Cid"], "the remaining players move up");
    assert_eq!(table.host().as_deref(), Some("Bea"));
    table.starts("Bea").unwrap();
    assert_eq!(table.table()["players"].as_array().unwrap().len(), 2);
}

#[test]
fn the_host_can_remove_a_player_after_the_end() {
    let mut table = TestRoom::finished(&["Ana", "Bea", "Cid"]);
    table.removes("Ana", 1).unwrap();
    assert_eq!(table.removes("Ana", 1), Err("no_such_seat"), "only once");
    table.asks_for_a_rematch("Ana").unwrap();
    assert_eq!(table.names(), ["Ana", "Cid"]);
}

#[test]
fn returns_to_the_lobby_when_the_last_player_leaves() {
    let mut table = TestRoom::finished(&["Ana", "Bea"]);
    let commitment = table.commitment();
    table.leaves("Ana").unwrap();
    assert_eq!(table.phase(), "finished");
    table.leaves("Bea").unwrap();
    assert_eq!((table.phase().as_str(), table.seats(), table.host()), ("lobby", 0, None));
    assert_ne!(table.commitment(), commitment);
    table.sits("Cid");
    assert_eq!(table.host().as_deref(), Some("Cid"));
}

#[test]
fn returns_to_the_lobby_when_a_lone_host_removes_themselves() {
    let mut table = TestRoom::finished(&["Ana", "Bea"]);
    table.leaves("Bea").unwrap();
    table.removes("Ana", 0).unwrap();
    assert_eq!((table.phase().as_str(), table.seats()), ("lobby", 0));
}

#[test]
fn ready_marks_stay_until_the_next_game_starts() {
    let mut table = TestRoom::playing(&["Ana", "Bea", "Cid"]);
    assert_eq!(table.is_ready("Ana", true), Err("game_on"));
    table.plays_quietly();
    let (revision, written) = (table.room.revision(), table.journal.len());
    table.is_ready("Bea", true).unwrap();
    table.is_ready("Cid", true).unwrap();
    assert_eq!(table.room.revision(), revision + 2);
    table.is_ready("Cid", true).unwrap();
    assert_eq!(table.room.revision(), revision + 2, "a repeated mark changes nothing");
    assert_eq!(table.ready(), ["Bea", "Cid"]);
    assert_eq!(table.journal.len(), written, "not written to the journal");
    table.asks_for_a_rematch("Ana").unwrap();
    assert_eq!(table.ready(), ["Bea", "Cid"]);
    table.is_ready("Cid", false).unwrap();
    table.is_ready("Ana", true).unwrap();
    assert_eq!(table.ready(), ["Ana", "Bea"]);
    table.starts("Ana").unwrap();
    assert!(table.ready().is_empty(), "a start clears the marks");
    assert_eq!(table.is_ready("Bea", false), Err("game_on"));
}

#[test]
fn the_next_game_starts_three_seconds_after_everyone_is_ready() {
    let mut table = TestRoom::finished(&["Ana", "Bea", "Cid"]);
    let fair = table.view()["fair"].clone();
    for name in ["Bea", "Cid"] {
        table.is_ready(name, true).unwrap();
    }
    assert_eq!((table.room.due(), table.view().get("starts_in_ms").cloned()), (None, None), "Ana has not asked for it");
    table.is_ready("Ana", true).unwrap();
    assert_eq!(table.room.due(), Some(table.now + 3000));
    table.passes(2999);
    assert_eq!((table.phase().as_str(), &table.view()["starts_in_ms"]), ("finished", &json!(1)));
    table.now += 1;
    let seed = match table.ticks().as_deref() {
        Ok([RoomEvent::Rematched { seed }, ..]) => *seed,
        other => panic!("{other:?}"),
    };
    assert_eq!(table.phase(), "lobby", "everyone sees the commitment before the start");
    assert_eq!(table.view()["fair"]["commitment"], json!(seed.commitment()));
    assert_ne!(table.view()["fair"]["commitment"], fair["commitment"]);
    assert!(matches!(table.ticks().as_deref(), Ok([RoomEvent::Started { .. }, ..])));
    assert_eq!((table.phase().as_str(), table.room.due()), ("playing", None));
    assert_eq!(table.view().get("starts_in_ms"), None);
}

#[test]
fn any_player_stops_the_countdown() {
    let mut table = TestRoom::finished(&["Ana", "Bea", "Cid"]);
    let everyone = |table: &mut TestRoom| {
        for name in ["Ana", "Bea", "Cid"] {
            table.is_ready(name, true).unwrap();
        }
        let starts_in = table.room.due().map(|due| due - table.now);
        assert_eq!(starts_in, Some(3000));
    };
    everyone(&mut table);
    table.passes(2000);
    let revision = table.room.revision();
    table.is_ready("Cid", false).unwrap();
    assert!(table.room.revision() > revision, "everyone sees it");
    assert_eq!(table.room.due(), None);
    table.passes(MINUTE);
    assert_eq!(table.phase(), "finished");
    // It begins from the start again.
    everyone(&mut table);
    table.goes_away("Bea");
    assert_eq!(table.view().get("starts_in_ms"), None, "a game does not start without a player");
    table.comes_back("Bea");
    assert_eq!(table.view()["starts_in_ms"], 3000);
    // In the lobby it can still be stopped.
    table.now += 3000;
    table.ticks().unwrap();
    table.is_ready("Ana", false).unwrap();
    table.passes(MINUTE);
    assert_eq!(table.phase(), "lobby");
    table.is_ready("Ana", true).unwrap();
    assert_eq!(table.room.due(), None, "in the lobby the host starts the game");
}

#[test]
fn a_countdown_needs_enough_players() {
    let mut table = TestRoom::finished(&["Ana", "Bea"]);
    table.is_ready("Ana", true).unwrap();
    table.leaves("Bea").unwrap();
    assert_eq!((table.phase().as_str(), table.room.due()), ("finished", None), "Ana is alone");
    let mut table = TestRoom::finished(&["Ana", "Bea", "Cid"]);
    table.is_ready("Ana", true).unwrap();
    table.is_ready("Cid", true).unwrap();
    table.leaves("Bea").unwrap();
    table.passes(3000);
    table.ticks().unwrap();
    assert_eq!((table.phase(), table.names()), ("playing".to_owned(), vec!["Ana".to_owned(), "Cid".to_owned()]));
}

#[test]
fn a_ready_mark_belongs_to_its_player_and_leaves_with_them() {
    let mut table = TestRoom::finished(&["Ana", "Bea", "Cid"]);
    for name in ["Ana", "Bea", "Cid"] {
        table.is_ready(name, true).unwrap();
    }
    table.leaves("Ana").unwrap();
    assert_eq!(table.ready(), ["Bea", "Cid"], "leaving removes the mark");
    assert_eq!(table.is_ready("Ana", true), Err("not_seated"));
    table.asks_for_a_rematch("Bea").unwrap();
    assert_eq!((table.names(), table.ready()), (vec!["Bea".into(), "Cid".into()], vec!["Bea".into(), "Cid".into()]));
    table.stands("Bea").unwrap();
    table.sits("Bea");
    assert_eq!(table.ready(), ["Cid"], "Cid keeps the mark after moving up");
    table.goes_away("Cid");
    assert_eq!(table.ready(), ["Cid"], "a disconnected player keeps the mark");
    table.restarts();
    assert!(table.ready().is_empty(), "like presence, it is not stored");
}
