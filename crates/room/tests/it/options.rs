//! Options that the host chooses before the start.

use crate::test_room::{Change, TestRoom};
use protocol::Forced;
use room::{Options, RoomEvent};
use serde_json::{Value, json};

#[test]
fn keeps_options_that_are_left_out() {
    let mut table = TestRoom::of(&["Ana"]);
    let allowed = json!({"mistakes": "allowed"});
    table.does("Ana", |ana| Change { rules: Some(allowed), ..Change::default() }.by(ana)).unwrap();
    table.does("Ana", |ana| Change { clock: Some(Some(60)), ..Change::default() }.by(ana)).unwrap();
    table.does("Ana", |ana| Change { forced: Some(Forced::Ask), ..Change::default() }.by(ana)).unwrap();
    let view = table.view();
    assert_eq!(view["rules"], json!({"mistakes": "allowed"}));
    assert_eq!((&view["clock"], &view["forced"]), (&json!(60), &json!("ask")));
    table.does("Ana", |ana| Change { clock: Some(None), ..Change::default() }.by(ana)).unwrap();
    let view = table.view();
    assert_eq!(view["clock"], Value::Null, "null removes the clock");
    assert_eq!((&view["rules"]["mistakes"], &view["forced"]), (&json!("allowed"), &json!("ask")));
}

#[test]
fn choosing_the_same_game_again_keeps_its_rules() {
    let mut table = TestRoom::of(&["Ana"]);
    let allowed = json!({"mistakes": "allowed"});
    table.does("Ana", |ana| Change { rules: Some(allowed), ..Change::default() }.by(ana)).unwrap();
    let same = table.does("Ana", |ana| Change { game: Some("towers"), ..Change::default() }.by(ana));
    assert_eq!(same, Ok(vec![]), "nothing changed, so nothing is written");
    assert_eq!(table.view()["rules"]["mistakes"], "allowed");
}

#[test]
fn omitted_rules_get_their_defaults() {
    let mut table = TestRoom::of(&["Ana"]);
    let allowed = json!({"mistakes": "allowed"});
    table.does("Ana", |ana| Change { rules: Some(allowed), ..Change::default() }.by(ana)).unwrap();
    table.does("Ana", |ana| Change { rules: Some(json!({})), ..Change::default() }.by(ana)).unwrap();
    assert_eq!(table.view()["rules"], json!({"mistakes": "prevented"}));
}

#[test]
fn refuses_a_change_with_any_bad_option() {
    let mut table = TestRoom::of(&["Ana"]);
    let before = table.view();
    let bad = [
        Change { game: Some("chess"), ..Change::default() },
        Change { game: Some(""), ..Change::default() },
        Change { rules: Some(json!({"mistakes": "sometimes"})), ..Change::default() },
        Change { rules: Some(json!({"mistakes": "allowed", "more": 1})), ..Change::default() },
        Change { rules: Some(json!([])), ..Change::default() },
        Change { rules: Some(json!("prevented")), ..Change::default() },
        Change { clock: Some(Some(9)), ..Change::default() },
        Change { clock: Some(Some(3601)), forced: Some(Forced::Ask), ..Change::default() },
    ];
    for change in bad {
        assert_eq!(table.does("Ana", |ana| change.by(ana)), Err("bad_options"));
        assert_eq!(table.view(), before);
    }
    for clock in [10, 3600] {
        table.does("Ana", |ana| Change { clock: Some(Some(clock)), ..Change::default() }.by(ana)).unwrap();
    }
}

#[test]
fn only_the_host_configures_and_only_in_the_lobby() {
    let change = || Change { clock: Some(Some(60)), ..Change::default() };
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    assert_eq!(table.does("Bea", |bea| change().by(bea)), Err("not_host"));
    table.starts("Ana").unwrap();
    assert_eq!(table.does("Ana", |ana| change().by(ana)), Err("not_in_lobby"));
    table.plays_quietly();
    assert_eq!(table.does("Ana", |ana| change().by(ana)), Err("not_in_lobby"));
    table.asks_for_a_rematch("Bea").unwrap();
    let written = table.does("Ana", |ana| change().by(ana)).unwrap();
    assert!(matches!(&written[..], [RoomEvent::Configured { .. }]));
}

#[test]
fn validates_the_options_of_a_new_room() {
    let open = |game, rules: Option<Value>, clock| {
        Options::new(game, rules.as_ref(), clock, Forced::Auto).map_err(|refusal| refusal.code())
    };
    assert_eq!(open("chess", None, None), Err("bad_options"));
    assert_eq!(open("towers", Some(json!({"mistake": "allowed"})), None), Err("bad_options"));
    assert_eq!(open("towers", None, Some(5)), Err("bad_options"));
    assert_eq!(open("towers", None, Some(10)).unwrap().rules(), &json!({"mistakes": "prevented"}));
}
