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

fn ana_plays_modestly(table: &mut TestRoom) {
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
fn bots_wait_longer_when_there_is_more_to_see() {
    let mut table = with_bots();
    let opens = table.table()["starter"] == 0;
    let (_, actions) = table.asked();
    let bid = actions.iter().find(|act| act["type"] == "bid").expect("Ana can bid").clone();
    table.plays(Seat(0), bid);
    let after_bid = pause(&table, PAUSE);
    assert!(after_bid >= PAUSE, "a bid gets a full pause: {after_bid}");
    if opens {
        table.plays(Seat(1), json!({"type": "pass"}));
        let after_pass = pause(&table, PAUSE);
        assert!(after_pass < after_bid && after_pass > 0, "a pass gets a shorter pause: {after_pass}");
    }
    assert_eq!(pause(&table, 0), 0, "a base pause of 0 disables pauses");
    assert!(pause(&table, u64::MAX / 4) > 0, "a huge base pause does not overflow");
}

#[test]
fn a_bot_places_its_cards_in_quick_succession() {
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
    assert!(steps > 0, "at least one bot built");
}

#[test]
fn the_host_can_set_the_pace_during_a_game() {
    let mut table = with_bots();
    ana_plays_modestly(&mut table);
    let normal = pause(&table, PAUSE);
    assert_eq!(table.view()["pace"], "normal");
    assert_eq!(at_pace(&mut table, "Ana", Pace::Brisk), Ok(1));
    let brisk = pause(&table, PAUSE);
    assert_eq!(at_pace(&mut table, "Ana", Pace::Calm), Ok(1));
    let calm = pause(&table, PAUSE);
    assert!(brisk < normal && normal < calm, "{brisk}, {normal}, {calm}");
    assert_eq!(at_pace(&mut table, "Ana", Pace::Calm), Ok(0), "no change writes no entry");
    assert_eq!(table.view()["pace"], "calm");
    table.restarts();
    assert_eq!(table.view()["pace"], "calm", "restored from the journal");

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
fn reads_and_writes_options_without_a_pace() {
    let old = concat!(
        r#"{"v":1,"at":5,"what":{"type":"configured","options":{"game":"towers","#,
        r#""rules":{"mistakes":"allowed"},"clock":60,"forced":"ask"}}}"#
    );
    let entry = Entry::read(old).unwrap();
    assert_eq!(entry.to_json(), old);
}

#[test]
fn hurrying_makes_bots_play_at_once_until_a_person_decides() {
    let mut table = with_bots();
    let ana = table.id("Ana");
    ana_plays_modestly(&mut table);
    let (before, written) = (table.room.wants(PAUSE), table.journal.len());
    table.room.hurry(ana).unwrap();
    table.room.hurry(ana).unwrap();
    let hurried = table.room.wants(PAUSE);
    assert!(hurried[0].at - table.now < PAUSE / 10 && hurried[0].at < before[0].at);
    assert!(hurried[0].is_for(&before[0]), "the same decision, so its search continues");
    assert_eq!(table.journal.len(), written, "not written to the journal");
    while table.asked().0 != Seat(0) {
        assert!(pause(&table, PAUSE) < PAUSE / 10, "later bots hurry too");
        let (seat, actions) = table.asked();
        table.plays(seat, modest(&actions));
    }
    ana_plays_modestly(&mut table);
    assert!(pause(&table, PAUSE) > PAUSE / 10, "her decision ends the hurry");
}

#[test]
fn hurrying_affects_no_person_and_needs_a_game() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    let ana = table.id("Ana");
    assert_eq!(table.room.hurry(ana).map_err(|refusal| refusal.code()), Err("no_game"));
    table.starts("Ana").unwrap();
    let wants = table.room.wants(PAUSE);
    table.room.hurry(ana).unwrap();
    assert_eq!(table.room.wants(PAUSE), wants, "a person must decide, so nothing changes");
    let bea = table.id("Bea");
    table.leaves("Bea").unwrap();
    assert_eq!(table.room.hurry(bea).map_err(|refusal| refusal.code()), Err("not_seated"));
}

#[test]
fn neither_hurrying_nor_the_pace_changes_the_clock() {
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
