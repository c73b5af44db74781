//! What people say to each other.

use crate::table::Table;
use serde_json::json;

#[test]
fn a_line_has_a_seat_a_name_and_a_time() {
    let mut table = Table::of(&["Ana", "Bea"]);
    table.says("Bea", " hello ").unwrap();
    table.says("Wil", "a watcher speaks").unwrap();
    let chat = serde_json::to_value(table.room.chat()).unwrap();
    assert_eq!(
        chat,
        json!([{"seat": 1, "name": "Bea", "text": " hello ", "at": table.now},
               {"seat": null, "name": "Wil", "text": "a watcher speaks", "at": table.now}])
    );
}

#[test]
fn up_to_five_hundred_characters_as_people_count_them() {
    let mut table = Table::of(&["Ana"]);
    for unit in ["x", "ė́", "🏳️‍🌈", "👩‍👩‍👧", "e\u{301}"] {
        table.says("Ana", &unit.repeat(500)).unwrap_or_else(|code| panic!("{unit}: {code}"));
        assert_eq!(table.says("Ana", &unit.repeat(501)), Err("bad_chat"), "{unit}");
    }
}

#[test]
fn nothing_is_not_a_line() {
    let mut table = Table::of(&["Ana"]);
    for blank in ["", " ", "\n\t", "\u{a0}\u{2003}"] {
        assert_eq!(table.says("Ana", blank), Err("bad_chat"), "{blank:?}");
    }
    assert!(table.room.chat().is_empty());
}

#[test]
fn the_last_fifty_lines_are_kept_through_games_and_rematches() {
    let mut table = Table::of(&["Ana", "Bea"]);
    for line in 0..60 {
        table.says("Ana", &format!("line {line}")).unwrap();
        if line == 55 {
            table.starts("Ana").unwrap();
            table.plays_quietly();
        }
    }
    table.asks_for_a_rematch("Ana").unwrap();
    let chat = table.room.chat();
    assert_eq!(chat.len(), 50);
    assert_eq!((chat[0].text.as_str(), chat[49].text.as_str()), ("line 10", "line 59"));
}

#[test]
fn a_line_keeps_the_seat_it_was_said_from() {
    let mut table = Table::of(&["Ana", "Bea"]);
    table.says("Bea", "from seat 1").unwrap();
    table.stands("Ana").unwrap();
    assert_eq!(table.room.chat()[0].seat, Some(game::Seat(1)));
    table.says("Bea", "from seat 0").unwrap();
    assert_eq!(table.room.chat()[1].seat, Some(game::Seat(0)));
}
