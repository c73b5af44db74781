//! Games keep the version of the rules they began with: in a journal, in a record, and as the origin of another game.

use crate::test_room::{MORNING, TestRoom};
use game::{Level, Salt, Seat, Seed};
use protocol::{Forced, Record};
use room::{Doubt, Entry, Room, WallTime, last_record, options_of, origin_of, read_record, verify};
use serde_json::{Value, json};

/// Ana and Bea in a lobby where mistakes are allowed.
fn lobby() -> TestRoom {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.allows_mistakes("Ana");
    table
}

/// Their game as v0.1.0 began it: its entry has no version of the rules.
fn started_before() -> TestRoom {
    let mut table = lobby();
    let line = format!(r#"{{"v":1,"at":{MORNING},"what":{{"type":"started"}}}}"#);
    table.room.apply(&Entry::read(&line).unwrap(), table.now).unwrap();
    table.journal.push(line);
    table
}

fn started_now() -> TestRoom {
    let mut table = lobby();
    table.starts("Ana").unwrap();
    table
}

/// The starter bids 1 in the first round and wins. Any card can be built without towers.
fn wins_the_auction(table: &mut TestRoom) -> Seat {
    let (starter, _) = table.asked();
    table.plays(starter, json!({"type": "bid", "count": 1}));
    let (other, _) = table.asked();
    table.plays(other, json!({"type": "pass"}));
    starter
}

/// The builder takes a card, places it and finishes.
fn builds(table: &mut TestRoom, builder: Seat) {
    for _ in 0..3 {
        let act = table.acts_of(builder)[0].clone();
        table.plays(builder, act);
    }
}

fn offers_to_retract(table: &TestRoom, seat: Seat) -> bool {
    table.acts_of(seat).contains(&json!({"type": "retract"}))
}

#[test]
fn an_old_game_in_progress_offers_to_retract_at_any_time() {
    let mut table = started_before();
    let builder = wins_the_auction(&mut table);
    assert!(offers_to_retract(&table, builder), "when taking");
    let take = table.acts_of(builder)[0].clone();
    table.plays(builder, take);
    assert!(offers_to_retract(&table, builder), "when building");
    table.restarts();
    assert!(offers_to_retract(&table, builder), "after a restart");
    table.plays(builder, json!({"type": "retract"}));
    assert_eq!(table.table()["phase"], "auction");
}

#[test]
fn a_new_game_does_not_offer_to_retract_a_fulfillable_bid() {
    let mut table = started_now();
    let builder = wins_the_auction(&mut table);
    assert!(!offers_to_retract(&table, builder), "when taking");
    let take = table.acts_of(builder)[0].clone();
    table.plays(builder, take);
    assert!(!offers_to_retract(&table, builder), "when building");
    table.restarts();
    assert!(!offers_to_retract(&table, builder), "after a restart");
    let started = table.journal.iter().find(|line| line.contains(r#""rules_version":2"#));
    assert!(started.expect("a start with rules version 2").starts_with(r#"{"v":3,"#), "earlier servers must refuse it");
}

/// During a rolling update a server of v0.1.0 may take over a room that a newer one opened.
#[test]
fn writes_the_first_format_if_no_ruling_changed_for_the_game() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.starts("Ana").unwrap();
    table.plays_quietly();
    assert_eq!(last_record(&table.journal).unwrap().unwrap().rules_version, 1);
    let form = |line: &String| serde_json::from_str::<Value>(line).unwrap()["v"].as_u64().unwrap();
    assert_eq!(table.journal.iter().map(form).max(), Some(1), "all entries use the first format");
}

#[test]
fn a_rematch_in_an_old_room_uses_the_new_rules() {
    let mut table = started_before();
    table.plays_quietly();
    assert_eq!(last_record(&table.journal).unwrap().unwrap().rules_version, 1);
    table.asks_for_a_rematch("Ana").unwrap();
    table.starts("Ana").unwrap();
    let builder = wins_the_auction(&mut table);
    assert!(!offers_to_retract(&table, builder));
    builds(&mut table, builder);
    table.plays_quietly();
    assert_eq!(last_record(&table.journal).unwrap().unwrap().rules_version, 2);
}

/// A record whose builder retracts a bid that could have been fulfilled.
fn record_with_a_free_retraction() -> Record {
    let mut table = started_before();
    let builder = wins_the_auction(&mut table);
    table.plays(builder, json!({"type": "retract"}));
    table.plays_quietly();
    last_record(&table.journal).unwrap().expect("a finished game")
}

#[test]
fn verifies_a_record_by_its_own_version_of_the_rules() {
    let old = record_with_a_free_retraction();
    assert_eq!((old.rules_version, verify(&old)), (1, Ok(())));
    let forged = Record { rules_version: 2, record_version: 1, digest: None, ..old };
    let refused = Doubt::Act {
        n: 2,
        seat: forged.acts[2].seat,
        code: Some("no_retraction"),
        why: "a bid that can be fulfilled cannot be retracted".to_owned(),
    };
    assert_eq!(verify(&forged), Err(refused));
    for unknown in [0, 3] {
        let record = Record { rules_version: unknown, ..forged.clone() };
        assert_eq!(verify(&record), Err(Doubt::RulesVersion(unknown)));
    }
}

#[test]
fn verifies_a_stored_old_record_with_mistakes_allowed() {
    let kept: Value = serde_json::from_str(include_str!("../data/games/towers-2-2.json")).unwrap();
    let record = read_record(&kept["record"].to_string()).unwrap();
    assert_eq!((record.rules_version, &record.rules), (1, &json!({"mistakes": "allowed"})));
    assert_eq!(verify(&record), Ok(()));
}

#[test]
fn continues_an_old_table_by_the_new_rules() {
    let old = record_with_a_free_retraction();
    let retraction = old.acts.iter().position(|act| act.action.value()["type"] == "retract").unwrap() as u32;
    for moment in [Some(retraction), None] {
        let origin = origin_of(old.clone(), moment).unwrap();
        let options = options_of(&origin, None, Forced::Ask).unwrap();
        let entry = Room::open_from("K7QF3M", options, Seed([7; 32]), Box::new(origin), WallTime(MORNING));
        let mut table = TestRoom::opened_by(entry);
        table.sits_with("Ana", Some(Salt([5; 16])));
        table.sits_with("Bea", Some(Salt([6; 16])));
        table.starts("Ana").unwrap();
        if moment.is_none() {
            wins_the_auction(&mut table);
        }
        assert_eq!(table.table()["phase"], "take", "from {moment:?}");
        let (builder, _) = table.asked();
        assert!(!offers_to_retract(&table, builder), "from {moment:?}");
        builds(&mut table, builder);
        table.plays_quietly();
        let record = last_record(&table.journal).unwrap().expect("a finished game");
        assert_eq!((record.rules_version, record.origin.as_ref().unwrap().record.rules_version), (2, 1));
        assert_eq!(verify(&record), Ok(()));
    }
}

#[test]
fn refuses_a_game_with_a_future_version_of_the_rules() {
    let mut table = lobby();
    let line = format!(r#"{{"v":3,"at":{MORNING},"what":{{"type":"started","rules_version":99}}}}"#);
    let refused = table.room.apply(&Entry::read(&line).unwrap(), table.now).unwrap_err();
    assert!(refused.to_string().ends_with("an unsupported version of the rules"), "{refused}");
}

#[test]
fn writes_the_newer_format_only_for_games_that_need_it() {
    let mut towers = started_now();
    let started = |table: &TestRoom| table.journal.iter().find(|line| line.contains("started")).unwrap().clone();
    assert!(started(&towers).starts_with(r#"{"v":3,"#), "{}", started(&towers));
    towers = TestRoom::of(&["Ana"]);
    towers.chooses("Ana", "qwantum").unwrap();
    towers.seats_bot("Ana", Level::Easy);
    towers.starts("Ana").unwrap();
    assert!(started(&towers).starts_with(r#"{"v":1,"#), "{}", started(&towers));
}
