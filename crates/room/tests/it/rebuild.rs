//! A room rebuilt from its journal equals the original.

use crate::test_room::{MINUTE, MORNING, TestRoom, everything};
use room::{Cause, Entry, Misfit, Options, Room, RoomEvent, WallTime};
use serde_json::{Value, json};

#[test]
fn players_are_away_after_a_restart_until_they_reconnect() {
    let mut table = TestRoom::playing(&["Ana", "Bea"]);
    table.now += MINUTE;
    let shown = everything(&table.room, table.now);
    table.restarts();
    assert_eq!(everything(&table.room, table.now), shown);
    let view = table.view();
    for seat in view["seats"].as_array().unwrap() {
        assert_eq!((&seat["connected"], &seat["away_ms"]), (&Value::Bool(false), &Value::from(0)));
    }
}

#[test]
fn a_game_continues_unchanged_after_every_restart() {
    let mut table = TestRoom::playing(&["Ana", "Bea", "Cid"]);
    let mut chance = game::Chance::new(game::Seed([3; 32]));
    while table.phase() == "playing" {
        table.plays_anything(&mut chance);
        let shown = everything(&table.room, table.now);
        table.restarts();
        assert_eq!(everything(&table.room, table.now), shown);
    }
}

#[test]
fn reads_actions_in_an_old_format_from_journals_and_records() {
    let mut table = TestRoom::playing(&["Ana", "Bea"]);
    table.plays_for("Bea");
    let shown = everything(&table.room, table.now);
    // Cards as lists: old forms in a journal stay readable, whatever form is used on the wire now.
    let mut old_format = 0;
    for line in &mut table.journal {
        let mut entry: Value = serde_json::from_str(line).unwrap();
        let action = &mut entry["what"]["action"];
        if action["type"] == "build" {
            let card = action["card"].take();
            action["card"] = json!([card["tower"], card["value"]]);
            old_format += 1;
        }
        *line = entry.to_string();
    }
    assert_eq!(old_format, 1);
    assert_eq!(everything(&table.rebuilt(), table.now), shown);
    let record = room::last_record(&table.journal).unwrap().expect("a finished game");
    assert_eq!(room::verify(&record), Ok(()));
}

#[test]
fn refuses_an_entry_of_a_newer_version() {
    let mut entry: Value = serde_json::from_str(&TestRoom::open().journal[0]).unwrap();
    assert_eq!(entry["v"], 1);
    entry["v"] = 4.into();
    let newer = Err(Cause::from("an entry written by a newer Rookery"));
    assert_eq!(Entry::read(&entry.to_string()), newer);
    // Even if nothing else can be read, the version is reported as the reason.
    assert_eq!(Entry::read(r#"{"v":7,"when":"noon"}"#), newer);
}

#[test]
fn refuses_malformed_entries() {
    for text in ["", "null", "{}", r#"{"v":1}"#, r#"{"v":1,"at":5,"what":{"type":"sang"}}"#, r#"{"v":-1}"#] {
        assert!(Entry::read(text).is_err(), "{text}");
    }
}

fn rebuilt(lines: &[String]) -> Result<(), Misfit> {
    Room::rebuild(Entry::read_all(0, lines)?, MORNING).map(|_| ())
}

#[test]
fn a_damaged_journal_is_an_error_not_a_panic() {
    let whole = TestRoom::finished(&["Ana", "Bea"]).journal;
    assert_eq!(rebuilt(&whole), Ok(()));
    assert!(rebuilt(&[]).is_err(), "no entries");
    assert!(rebuilt(&whole[1..]).is_err(), "no opening entry");
    assert!(rebuilt(&[whole.clone(), whole.clone()].concat()).is_err(), "a second opening entry");
    for missing in 1..whole.len() - 1 {
        let mut damaged = whole.clone();
        damaged.remove(missing);
        // Some gaps are harmless, such as a missing chat entry. Others must be refused without a panic.
        let _ = rebuilt(&damaged);
    }
    let mut twice = whole.clone();
    twice.insert(5, whole[5].clone());
    assert!(rebuilt(&twice).is_err(), "an action played twice");
}

#[test]
fn an_impossible_start_is_an_error_not_a_panic() {
    let mut alone = TestRoom::of(&["Ana"]).journal;
    alone.push(Entry::new(WallTime(MORNING), RoomEvent::Started { rules_version: 1, starter: None }).to_json());
    assert!(rebuilt(&alone).is_err());
}

#[test]
fn an_unknown_game_is_an_error_not_a_panic() {
    let whole = TestRoom::playing(&["Ana", "Bea"]).journal;
    let foreign: Vec<String> = whole.iter().map(|line| line.replace("towers", "chess")).collect();
    let misfit = |entry, cause| Err(Misfit { entry, cause: Cause::from(cause) });
    assert_eq!(rebuilt(&foreign), misfit(1, "an unknown game"));
    let mut changed = whole[..1].to_vec();
    let options = r#"{"game":"chess","rules":{},"clock":null,"forced":"auto"}"#;
    let options: Options = serde_json::from_str(options).unwrap();
    changed.push(Entry::new(WallTime(MORNING), RoomEvent::Configured { options }).to_json());
    assert_eq!(rebuilt(&changed), misfit(2, "an unknown game"));
    let odd: Vec<String> = whole.iter().map(|line| line.replace("prevented", "punished")).collect();
    assert_eq!(rebuilt(&odd), misfit(1, "rules that cannot be read"));
}

#[test]
fn errors_name_the_entry_and_the_cause() {
    let whole = TestRoom::finished(&["Ana", "Bea"]).journal;
    let error_after = |damage: fn(&mut Vec<String>)| {
        let mut damaged = whole.clone();
        damage(&mut damaged);
        rebuilt(&damaged).expect_err("damaged journal").to_string()
    };
    // Opened, two seated, started: the fifth entry is the first action, a bid, and the sixth the answer to it.
    for (damage, expected) in [
        (
            (|journal| journal.insert(5, journal[4].clone())) as fn(&mut Vec<String>),
            "entry 6 of the journal: an act the rules refuse as not_your_turn: it is another seat's turn",
        ),
        (|journal| drop(journal.remove(3)), "entry 4 of the journal: an act without a game"),
        (
            |journal| journal[6] = journal[6].replace(r#""type":"bid""#, r#""type":"fly""#),
            "entry 7 of the journal: an act this game cannot read",
        ),
        (
            |journal| journal[8].truncate(20),
            "entry 9 of the journal: an entry without a version (cut short, column 20)",
        ),
        (|journal| journal.clear(), "entry 1 of the journal: a journal without entries"),
    ] {
        assert_eq!(error_after(damage), expected);
    }
}

#[test]
fn errors_quote_no_secrets() {
    let whole = TestRoom::of(&["Ana", "Bea"]).journal;
    let secret = "0101010101";
    assert!(whole[0].contains(secret), "the seed of the next game");
    let odd = whole[0].replacen(secret, "zz01010101", 1);
    let misfit = rebuilt(&[odd]).unwrap_err();
    assert_eq!(misfit.entry, 1);
    assert!(!format!("{misfit} {misfit:?}").contains("0101"), "{misfit}");
}

#[test]
fn a_journal_contains_no_tokens() {
    let journal = TestRoom::of(&["Ana", "Bea"]).journal.join("\n");
    assert!(!journal.contains("token 2"), "only its hash");
}
