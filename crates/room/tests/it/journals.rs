//! Old rooms stay playable: the journals under `tests/data` are rebuilt in every run. A journal is created with
//! `cargo run -p room --example journal > crates/room/tests/data/two_games.jsonl`. The stored files are never
//! regenerated, because they represent old versions. `checkpoint.jsonl` has the first form of a checkpoint, as written
//! at the rematch of those two games. `two_games.jsonl` is older than checkpoints.

use crate::test_room::{MORNING, everything};
use game::{Seat, Viewer};
use room::{Entry, Room};
use serde_json::{Value, json};

fn rebuilt(lines: &[&str]) -> Room {
    Room::rebuild(lines.iter().map(|line| Entry::read(line).expect("a valid entry")), MORNING).expect("a valid journal")
}

#[test]
fn rebuilds_two_games_with_chat_and_a_rematch() {
    let lines: Vec<&str> = include_str!("../data/two_games.jsonl").lines().collect();
    let room = rebuilt(&lines);
    let view = serde_json::to_value(room.view(Vec::new(), 30, MORNING)).unwrap();
    let state = room.state(Viewer::Watcher, 0).unwrap();
    let table: Value = serde_json::from_str(state.table.get()).unwrap();
    let wins: Vec<&Value> = view["seats"].as_array().unwrap().iter().map(|seat| &seat["wins"]).collect();
    let names: Vec<&Value> = view["seats"].as_array().unwrap().iter().map(|seat| &seat["name"]).collect();
    let end = json!({
        "phase": view["phase"], "host": view["host"], "names": names, "wins": wins, "rules": view["rules"],
        "version": room.version(), "events": room.history().len(), "rounds": table["round"],
        "outcome": table["outcome"], "chat": room.chat().last().map(|line| &line.text),
    });
    assert_eq!(
        end,
        json!({
            "phase": "finished", "host": 1, "names": ["Ana", "ana 2"], "wins": [0, 2],
            "rules": {"mistakes": "allowed"}, "version": 1005, "events": 897, "rounds": 26,
            "outcome": {"winners": [1], "scores": [-10, 9]}, "chat": "Good game!",
        })
    );
}

#[test]
fn parsed_entries_serialise_to_the_same_bytes() {
    let lines = include_str!("../data/two_games.jsonl").lines();
    for line in lines.chain(include_str!("../data/checkpoint.jsonl").lines()) {
        assert_eq!(Entry::read(line).unwrap().to_json(), line);
    }
}

#[test]
fn rebuilds_two_games_with_a_checkpoint_between_them() {
    let mut lines: Vec<&str> = include_str!("../data/two_games.jsonl").lines().collect();
    let rematch = lines.iter().position(|line| line.contains("rematched")).unwrap();
    let without = everything(&rebuilt(&lines), MORNING);
    lines.insert(rematch + 1, include_str!("../data/checkpoint.jsonl").trim_end());
    assert_eq!(everything(&rebuilt(&lines), MORNING), without, "the checkpoint matches the entries before it");
    assert_eq!(
        everything(&rebuilt(&lines[rematch + 1..]), MORNING),
        without,
        "the checkpoint replaces the entries before it"
    );
}

#[test]
fn a_journal_cut_anywhere_can_be_rebuilt() {
    let lines: Vec<&str> = include_str!("../data/two_games.jsonl").lines().collect();
    let mut room = rebuilt(&lines[..1]);
    for cut in 1..lines.len() {
        room.apply(&Entry::read(lines[cut]).unwrap(), MORNING).unwrap();
        // Rebuilding from the beginning every time would be slow, so it is done for every 40th entry.
        if cut % 40 == 0 {
            let again = rebuilt(&lines[..=cut]);
            assert_eq!(everything(&again, MORNING), everything(&room, MORNING));
        }
    }
    assert!(room.state(Viewer::Seat(Seat(0)), 0).is_some());
}
