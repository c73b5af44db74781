//! Pauses before automatic actions: they depend on how much there is to see, on the room's pace, and on whether a
//! player hurries.

use crate::test_room::{Change, PAUSE, TestRoom};
use game::{Level, Seat};
use protocol::Pace;
use room::{By, Entry, Input};
use serde_json::{Value, json};

/// Ana and two bots. Ana must act, and after a modest action of hers a bot is next.
fn with_bots() -> TestRoom {
    let mut table = TestRoom::of(&["Ana"]);
    table.seats_bot("Ana", Level::Easy);
    table.seats_bot("Ana", Level::Easy);
    table.starts("Ana").unwrap();
    while table.asked().0 != Seat(0) {
        let (seat, actions) = table.asked();
        table.plays(seat, modest(&actions));
    }
    assert_eq!(table.table()["phase"], "auction");
    table
}

fn modest(actions: &[Value]) -> Value {
    let pass = json!({"type": "pass"});
    if actions.contains(&pass) { pass } else { json!({"type": "bid", "count": 0}) }
}

fn ana_is_modest(table: &mut TestRoom) {
    let (seat, actions) = table.asked();
    assert_eq!(seat, Seat(0));
    table.plays(seat, modest(&actions));
    assert_ne!(table.asked().0, Seat(0));
}

/// The pause before the only pending automatic decision.
fn pause(table: &TestRoom, of_host: u64) -> u64 {
    let wants = table.room.wants(of_host);
    let [want] = wants[..] else { panic!("{wants:?}") };
    want.at - table.now
}

fn at_pace(table: &mut TestRoom, name: &str, pace: Pace) -> Result<usize, &'static str> {
    table.configures(name, Change { pace: Some(pace), ..Change::default() }).map(|what| what.len())
}

#[test]
fn bots_wait_for_as_long_as_there_is_to_see() {
    let mut table = with_bots();
    let opens = table.table()["starter"] == 0;
    let (_, actions) = table.asked();
    let bid = actions.iter().find(|act| act["type"] == "bid").expect("Ana can bid").clone();
    table.plays(Seat(0), bid);
    let after_bid = pause(&table, PAUSE);
    assert!(after_bid >= PAUSE, "a bid is followed: {after_bid}");
    if opens {
        table.plays(Seat(1), json!({"type": "pass"}));
        let after_pass = pause(&table, PAUSE);
        assert!(after_pass < after_bid && after_pass > 0, "a pass takes less: {after_pass}");
    }
    assert_eq!(pause(&table, 0), 0, "a host who wants no pauses has none");
    assert!(pause(&table, u64::MAX / 4) > 0, "whatever the host says, nothing overflows");
}

#[test]
fn one_bots_cards_come_together() {
    let mut table = with_bots();
    let mut steps = 0;
    for _ in 0..400 {
        let (seat, actions) = table.asked();
        let first = |kind: &str| actions.iter().find(|act| act["type"] == kind).cloned();
        let bids = first("bid").filter(|_| seat != Seat(0));
        let act = bids
            .or_else(|| first("take"))
            .or_else(|| first("build"))
            .or_else(|| first("demolish"))
            .or_else(|| first("finish"))
            .unwrap_or_else(|| modest(&actions));
        let plain = act["type"] == "build" && act["card"]["value"] != 0;
        table.plays(seat, act);
        if plain && seat != Seat(0) {
            assert!(pause(&table, PAUSE) * 4 < PAUSE, "the next step follows at once");
            steps += 1;
        }
        if table.phase() != "playing" || steps > 5 {
            break;
        }
    }
    assert!(steps > 0, "some bot built");
}

#[test]
fn the_host_sets_the_pace_also_while_a_game_is_on() {
    let mut table = with_bots();
    ana_is_modest(&mut table);
    let normal = pause(&table, PAUSE);
    assert_eq!(table.view()["pace"], "normal");
    assert_eq!(at_pace(&mut table, "Ana", Pace::Brisk), Ok(1));
    let brisk = pause(&table, PAUSE);
    assert_eq!(at_pace(&mut table, "Ana", Pace::Calm), Ok(1));
    let calm = pause(&table, PAUSE);
    assert!(brisk < normal && normal < calm, "{brisk}, {normal}, {calm}");
    assert_eq!(at_pace(&mut table, "Ana", Pace::Calm), Ok(0), "what it is already is not written");
    assert_eq!(table.view()["pace"], "calm");
    table.restarts();
    assert_eq!(table.view()["pace"], "calm", "it is written down");

    let mut table = TestRoom::playing(&["Ana", "Bea"]);
    assert_eq!(at_pace(&mut table, "Bea", Pace::Calm), Err("not_host"));
    let with_more = |player| Input::Configure {
        player,
        game: None,
        rules: None,
        clock: Some(Some(60)),
        forced: None,
        pace: Some(Pace::Calm),
        starter: None,
    };
    assert_eq!(table.does("Ana", with_more), Err("not_in_lobby"), "the pace alone may change");
}

#[test]
fn a_journal_of_before_there_was_a_pace_is_read_and_a_normal_one_is_written_as_before() {
    let old = r#"{"v":1,"at":5,"what":{"type":"configured","options":{"game":"towers","rules":{"mistakes":"allowed"},"clock":60,"forced":"ask"}}}"#;
    let entry = Entry::read(old).unwrap();
    assert_eq!(entry.to_json(), old);
}

#[test]
fn whoever_hurries_sees_bots_play_at_once_until_a_person_decides() {
    let mut table = with_bots();
    let ana = table.id("Ana");
    ana_is_modest(&mut table);
    let (before, written) = (table.room.wants(PAUSE), table.journal.len());
    table.room.hurry(ana).unwrap();
    table.room.hurry(ana).unwrap();
    let hurried = table.room.wants(PAUSE);
    assert!(hurried[0].at - table.now < PAUSE / 10 && hurried[0].at < before[0].at);
    assert!(hurried[0].is_for(&before[0]), "it is the same decision, and whoever thinks about it goes on");
    assert_eq!(table.journal.len(), written, "it is no history");
    while table.asked().0 != Seat(0) {
        assert!(pause(&table, PAUSE) < PAUSE / 10, "and so on");
        let (seat, actions) = table.asked();
        table.plays(seat, modest(&actions));
    }
    ana_is_modest(&mut table);
    assert!(pause(&table, PAUSE) > PAUSE / 10, "she has decided, and nobody hurries any more");
}

#[test]
fn nobody_hurries_a_person_or_a_table_without_a_game() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    let ana = table.id("Ana");
    assert_eq!(table.room.hurry(ana).map_err(|refusal| refusal.code()), Err("no_game"));
    table.starts("Ana").unwrap();
    let wants = table.room.wants(PAUSE);
    table.room.hurry(ana).unwrap();
    assert_eq!(table.room.wants(PAUSE), wants, "where a person has to decide nothing changes");
    let bea = table.id("Bea");
    table.leaves("Bea").unwrap();
    assert_eq!(table.room.hurry(bea).map_err(|refusal| refusal.code()), Err("not_seated"));
}

#[test]
fn a_clock_is_not_hurried_and_no_pace_changes_it() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    let configure = |player| Input::Configure {
        player,
        game: None,
        rules: None,
        clock: Some(Some(10)),
        forced: Some(protocol::Forced::Ask),
        pace: Some(Pace::Brisk),
        starter: None,
    };
    table.does("Ana", configure).unwrap();
    table.starts("Ana").unwrap();
    let ana = table.id("Ana");
    table.room.hurry(ana).unwrap();
    let wants = table.room.wants(PAUSE);
    assert_eq!((wants[0].by, wants[0].at), (By::Clock, table.now + 10_000));
}
