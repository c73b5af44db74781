//! What people say to each other.

use crate::test_room::TestRoom;
use serde_json::json;

#[test]
fn a_line_has_a_seat_a_name_and_a_time() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
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
    let mut table = TestRoom::of(&["Ana"]);
    for unit in ["x", "ė́", "🏳️‍🌈", "👩‍👩‍👧", "e\u{301}"] {
        table.says("Ana", &unit.repeat(500)).unwrap_or_else(|code| panic!("{unit}: {code}"));
        assert_eq!(table.says("Ana", &unit.repeat(501)), Err("bad_chat"), "{unit}");
    }
}

#[test]
fn nothing_is_not_a_line() {
    let mut table = TestRoom::of(&["Ana"]);
    for blank in ["", " ", "\n\t", "\u{a0}\u{2003}"] {
        assert_eq!(table.says("Ana", blank), Err("bad_chat"), "{blank:?}");
    }
    assert!(table.room.chat().is_empty());
}

#[test]
fn what_was_pasted_is_said_in_one_line() {
    let mut table = TestRoom::of(&["Ana"]);
    for (pasted, said) in [
        ("over\tthere\r\nand\nback\u{85}again\u{2028}now", "over there and back again now"),
        (
            "bell\u{7}, null\u{0}, escape\u{1b}[31m, delete\u{7f}, C1\u{9b}",
            "bell, null, escape[31m, delete, C1",
        ),
        ("\u{202e}turned round\u{202c} or \u{2067}set apart\u{2069}", "turned round or set apart"),
        // What people write with stays: marks of direction, joiners, variation selectors.
        ("שלום\u{200f}! \u{200e}ok", "שלום\u{200f}! \u{200e}ok"),
        ("👩‍👩‍👧 🏳️‍🌈 می‌خواهم", "👩‍👩‍👧 🏳️‍🌈 می‌خواهم"),
    ] {
        table.says("Ana", pasted).unwrap_or_else(|code| panic!("{pasted:?}: {code}"));
        assert_eq!(table.room.chat().last().unwrap().text, said);
    }
    for nothing in ["\u{0}\u{7f}", " \u{202e} ", "\u{2066}\u{2069}"] {
        assert_eq!(table.says("Ana", nothing), Err("bad_chat"), "{nothing:?}");
    }
    // What is not shown is not counted.
    table.says("Ana", &("x".repeat(500) + "\u{0}\u{202e}")).unwrap();
}

#[test]
fn lines_that_were_said_before_are_shown_as_they_were() {
    let mut table = TestRoom::of(&["Ana"]);
    table.says("Ana", "said").unwrap();
    let said = table.journal.last_mut().unwrap();
    *said = said.replace("said", "said\\n\\u0007");
    table.restarts();
    assert_eq!(table.room.chat()[0].text, "said\n\u{7}");
}

#[test]
fn the_last_fifty_lines_are_kept_through_games_and_rematches() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
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
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.says("Bea", "from seat 1").unwrap();
    table.stands("Ana").unwrap();
    assert_eq!(table.room.chat()[0].seat, Some(game::Seat(1)));
    table.says("Bea", "from seat 0").unwrap();
    assert_eq!(table.room.chat()[1].seat, Some(game::Seat(0)));
}
