//! Chat messages.

use crate::test_room::{TestRoom, everything};
use room::{Entry, Room};
use serde_json::json;

#[test]
fn a_message_has_a_seat_a_name_and_a_time() {
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
fn accepts_up_to_500_grapheme_clusters() {
    let mut table = TestRoom::of(&["Ana"]);
    for unit in ["x", "ж", "語", "ė́", "🎲", "e\u{301}"] {
        table.says("Ana", &unit.repeat(500)).unwrap_or_else(|code| panic!("{unit}: {code}"));
        assert_eq!(table.says("Ana", &unit.repeat(501)), Err("bad_chat"), "{unit}");
    }
}

#[test]
fn refuses_messages_of_more_than_2000_bytes() {
    let mut table = TestRoom::of(&["Ana"]);
    for unit in ["🏳️‍🌈", "👩‍👩‍👧"] {
        let most = 2000 / unit.len();
        table.says("Ana", &unit.repeat(most)).unwrap_or_else(|code| panic!("{unit}: {code}"));
        assert_eq!(table.says("Ana", &unit.repeat(most + 1)), Err("bad_chat"), "{unit}");
    }
    // One grapheme cluster of four thousand bytes.
    assert_eq!(table.says("Ana", &format!("x{}", "\u{200d}👩".repeat(575))), Err("bad_chat"));
    assert_eq!(table.says("Ana", &format!("x{}", "\u{fe0f}".repeat(1300))), Err("bad_chat"));
}

#[test]
fn refuses_stacked_combining_marks() {
    let mut table = TestRoom::of(&["Ana"]);
    for fine in ["Thiệt là e\u{323}\u{302}n", "שִׁ\u{5bc}\u{591}", "ก็\u{e48}"] {
        table.says("Ana", fine).unwrap_or_else(|code| panic!("{fine}: {code}"));
    }
    for zalgo in [format!("H{}i", "\u{30d}".repeat(5)), format!("Z{}", "\u{323}\u{302}".repeat(20))] {
        assert_eq!(table.says("Ana", &zalgo), Err("bad_chat"), "{zalgo}");
    }
}

#[test]
fn refuses_blank_messages() {
    let mut table = TestRoom::of(&["Ana"]);
    for blank in ["", " ", "\n\t", "\u{a0}\u{2003}"] {
        assert_eq!(table.says("Ana", blank), Err("bad_chat"), "{blank:?}");
    }
    assert!(table.room.chat().is_empty());
}

#[test]
fn puts_pasted_text_on_one_line_without_control_characters() {
    let mut table = TestRoom::of(&["Ana"]);
    for (pasted, said) in [
        ("over\tthere\r\nand\nback\u{85}again\u{2028}now", "over there and back again now"),
        ("bell\u{7}, null\u{0}, escape\u{1b}[31m, delete\u{7f}, C1\u{9b}", "bell, null, escape[31m, delete, C1"),
        ("\u{202e}turned round\u{202c} or \u{2067}set apart\u{2069}", "turned round or set apart"),
        // Characters of real text stay: direction marks, joiners, variation selectors.
        ("שלום\u{200f}! \u{200e}ok", "שלום\u{200f}! \u{200e}ok"),
        ("👩‍👩‍👧 🏳️‍🌈 می‌خواهم", "👩‍👩‍👧 🏳️‍🌈 می‌خواهم"),
    ] {
        table.says("Ana", pasted).unwrap_or_else(|code| panic!("{pasted:?}: {code}"));
        assert_eq!(table.room.chat().last().unwrap().text, said);
    }
    for nothing in ["\u{0}\u{7f}", " \u{202e} ", "\u{2066}\u{2069}"] {
        assert_eq!(table.says("Ana", nothing), Err("bad_chat"), "{nothing:?}");
    }
    // Characters that are removed do not count.
    table.says("Ana", &("x".repeat(500) + "\u{0}\u{202e}")).unwrap();
}

#[test]
fn shows_stored_messages_unchanged() {
    let mut table = TestRoom::of(&["Ana"]);
    table.adds_chat_entry("Ana", "said");
    let said = table.journal.last_mut().unwrap();
    *said = said.replace("said", "said\\n\\u0007");
    table.says("Ana", "noted").unwrap();
    let noted = table.notes.get_mut(&0).unwrap();
    *noted = noted.replace("noted", "noted\\n");
    table.restarts();
    let chat: Vec<&str> = table.room.chat().iter().map(|line| line.text.as_str()).collect();
    assert_eq!(chat, ["said\n\u{7}", "noted\n"]);
}

#[test]
fn chat_writes_no_entries_and_at_most_fifty_notes() {
    let mut table = TestRoom::of(&["Ana"]);
    let (entries, revision) = (table.journal.len(), table.room.revision());
    for line in 0..1000 {
        table.says("Ana", &format!("line {line}")).unwrap();
    }
    assert_eq!((table.journal.len(), table.room.revision()), (entries, revision));
    assert_eq!(table.notes.len(), 50);
    table.restarts();
    table.says("Ana", "line 1000").unwrap();
    table.restarts();
    let chat = table.room.chat();
    assert_eq!((chat.len(), &*chat[0].text, &*chat[49].text), (50, "line 951", "line 1000"));
}

#[test]
fn shows_old_chat_entries_until_newer_messages_replace_them() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    for line in 0..60 {
        table.adds_chat_entry("Ana", &format!("old {line}"));
    }
    for game in 0..3 {
        for line in 0..20 {
            table.says("Bea", &format!("new {line} of {game}")).unwrap();
        }
        table.starts("Ana").unwrap();
        table.plays_quietly();
        table.asks_for_a_rematch("Ana").unwrap();
        let shown = everything(&table.room, table.now);
        let chat = table.room.chat();
        let old = chat.iter().filter(|line| line.text.starts_with("old")).count();
        assert_eq!((chat.len(), old), (50, [30, 10, 0][game]));
        // Rebuilt from the beginning, and from the checkpoint of the rematch.
        for room in [table.rebuilt(), table.rebuilt_from_checkpoint()] {
            assert_eq!(everything(&room, table.now), shown);
        }
    }
    assert!(
        !table.journal.last().unwrap().contains("old 59"),
        "a checkpoint contains only messages that are still shown"
    );
}

#[test]
fn skips_unreadable_notes() {
    let mut table = TestRoom::of(&["Ana"]);
    for text in ["one", "two", "three"] {
        table.says("Ana", text).unwrap();
    }
    let mut notes: Vec<String> = table.notes.values().cloned().collect();
    notes[0].truncate(9);
    notes[1] = notes[1].replace("\"v\":1", "\"v\":2");
    let entries = table.journal.iter().map(|line| Entry::read(line).unwrap());
    let mut room = Room::rebuild(entries, table.now).unwrap();
    assert_eq!(room.recall(&notes), 2);
    assert_eq!(room.chat().iter().map(|line| &*line.text).collect::<Vec<_>>(), ["three"]);
}

#[test]
fn keeps_the_last_fifty_messages_across_games_and_rematches() {
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
fn a_message_keeps_the_seat_of_its_sender() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.says("Bea", "from seat 1").unwrap();
    table.stands("Ana").unwrap();
    assert_eq!(table.room.chat()[0].seat, Some(game::Seat(1)));
    table.says("Bea", "from seat 0").unwrap();
    assert_eq!(table.room.chat()[1].seat, Some(game::Seat(0)));
}
