//! Tests of the judge: each invariant is violated once and must be reported.

use super::*;
use serde_json::{Value, json};

const ROOM: &str = "K7QF3M";
const ANA: Participant = Participant::Person(0);
const BEA: Participant = Participant::Person(1);
const WIL: Participant = Participant::Watcher(0);

/// A room of Five Towers with Ana and Bea in it.
fn room(phase: &str, forced: &str) -> Value {
    let seat = |seat: u8, name: &str| {
        json!({"seat": seat, "name": name, "kind": "human", "connected": true, "away_ms": 0, "wins": 0,
               "bot": null})
    };
    json!({"code": ROOM, "game": "towers", "phase": phase, "rules": {}, "clock": null, "forced": forced, "min": 2,
           "max": 5, "host": 0, "watchers": 0, "seats": [seat(0, "Ana"), seat(1, "Bea")],
           "fair": {"commitment": "07".repeat(32)}, "keep_days": 30})
}

/// The state at a version, as sent to a client with this `next`.
fn state(version: u64, next: Option<u32>, table: &str) -> Value {
    let (mine, actions) = match next {
        Some(_) => (json!({"demolished": []}), json!([{"type": "pass"}])),
        None => (Value::Null, json!([])),
    };
    json!({"version": version, "next": next, "asked": [0], "mine": mine, "actions": actions, "deadline_ms": null,
           "table": {"row": table, "players": [{"demolished": 0}, {"demolished": 0}]},
           "events": [{"type": "pass", "version": version}]})
}

/// The events up to a version.
fn history(version: u64) -> Vec<Value> {
    (1..=version).map(|version| json!({"type": "pass", "version": version})).collect()
}

fn welcome(seat: Option<u8>, version: u64, next: Option<u32>, table: &str) -> String {
    let token = seat.map(|seat| format!("{seat}token{seat}"));
    json!({"type": "welcome", "protocol": 1, "you": {"seat": seat, "token": token, "name": "Any"},
           "room": room("playing", "ask"), "state": state(version, next, table), "history": history(version),
           "chat": []})
    .to_string()
}

fn changed(version: u64, next: Option<u32>, table: &str) -> String {
    json!({"type": "state", "state": state(version, next, table)}).to_string()
}

/// The record of a game in which these actions were played.
fn record(acts: &[(u8, &str)]) -> String {
    let acts: Vec<Value> =
        acts.iter().map(|(seat, kind)| json!({"seat": seat, "action": {"type": kind}, "at": 1})).collect();
    json!({"record_version": 1, "protocol": 1, "rules_version": 1, "game": "towers", "rules": {},
           "players": ["Ana", "Bea"], "server_seed": "01".repeat(32), "salts": ["02".repeat(16), "03".repeat(16)],
           "commitment": "07".repeat(32), "acts": acts, "outcome": {"winners": [0], "scores": [2, 1]}})
    .to_string()
}

/// The violations that the judge found.
fn found(judge: &Judge) -> Vec<Promise> {
    judge.violations().iter().map(|violation| violation.promise).collect()
}

/// Ana plays action 0, and the server acknowledges it.
fn ana_passes(judge: &Arc<Judge>) -> Witness {
    let mut ana = judge.witness(ROOM, ANA);
    ana.hears(&welcome(Some(0), 1, Some(0), "a"));
    ana.acts(0, r#"{"type":"pass"}"#, true);
    ana.hears(&changed(2, Some(1), "b"));
    ana
}

#[test]
fn a_correct_game_is_counted_without_violations() {
    let judge = Judge::new(None);
    ana_passes(&judge);
    let mut bea = judge.witness(ROOM, BEA);
    bea.hears(&welcome(Some(1), 2, Some(0), "b"));
    let mut wil = judge.witness(ROOM, WIL);
    wil.hears(&welcome(None, 2, None, "b"));
    assert_eq!(judge.unfinished(), [ROOM], "there is no record yet");
    judge.recorded(ROOM, &record(&[(0, "pass")]));
    assert_eq!(found(&judge), []);
    assert_eq!((judge.tally().acknowledged, judge.tally().games), (1, 1));
    assert!(judge.unfinished().is_empty());
}

#[test]
fn an_acknowledged_act_missing_from_the_record_is_lost() {
    let judge = Judge::new(None);
    ana_passes(&judge);
    judge.recorded(ROOM, &record(&[]));
    assert_eq!(found(&judge), [Promise::Lost]);
}

#[test]
fn an_unacknowledged_act_may_be_missing() {
    let judge = Judge::new(None);
    let mut ana = judge.witness(ROOM, ANA);
    ana.hears(&welcome(Some(0), 1, Some(0), "a"));
    ana.acts(0, r#"{"type":"pass"}"#, true);
    judge.recorded(ROOM, &record(&[]));
    assert_eq!(found(&judge), []);
}

#[test]
fn a_welcome_older_than_a_known_version_is_a_loss() {
    let judge = Judge::new(None);
    ana_passes(&judge);
    let mut bea = judge.witness(ROOM, BEA);
    bea.hears(&welcome(Some(1), 1, Some(0), "a"));
    assert_eq!(found(&judge), [Promise::Lost]);
}

#[test]
fn a_welcome_requested_earlier_may_be_older() {
    let judge = Judge::new(None);
    let mut bea = judge.witness(ROOM, BEA);
    ana_passes(&judge);
    bea.hears(&welcome(Some(1), 1, Some(0), "a"));
    assert_eq!(found(&judge), []);
}

#[test]
fn a_lobby_after_the_start_of_a_game_is_a_loss() {
    let judge = Judge::new(None);
    ana_passes(&judge);
    let lobby = json!({"type": "welcome", "protocol": 1, "you": {"seat": 1, "token": "1token1", "name": "Bea"},
                       "room": room("lobby", "ask"), "state": null, "history": [], "chat": []});
    judge.witness(ROOM, BEA).hears(&lobby.to_string());
    assert_eq!(found(&judge), [Promise::Lost]);
}

#[test]
fn an_act_recorded_twice_is_doubled() {
    let judge = Judge::new(None);
    ana_passes(&judge);
    judge.recorded(ROOM, &record(&[(0, "pass"), (0, "pass")]));
    assert_eq!(found(&judge), [Promise::Doubled]);
}

#[test]
fn two_different_tables_of_one_version_are_a_divergence() {
    let judge = Judge::new(None);
    ana_passes(&judge);
    let mut bea = judge.witness(ROOM, BEA);
    bea.hears(&welcome(Some(1), 2, Some(0), "c"));
    assert_eq!(found(&judge), [Promise::Diverged]);
}

#[test]
fn a_decreasing_version_is_a_divergence() {
    let judge = Judge::new(None);
    let mut ana = ana_passes(&judge);
    ana.hears(&changed(1, Some(0), "a"));
    assert_eq!(found(&judge), [Promise::Diverged]);
}

#[test]
fn a_changed_history_is_a_divergence() {
    let judge = Judge::new(None);
    ana_passes(&judge);
    let other =
        welcome(Some(1), 3, Some(0), "c").replace(r#""type":"pass","version":1"#, r#""type":"bid","version":1"#);
    judge.witness(ROOM, BEA).hears(&other);
    assert_eq!(found(&judge), [Promise::Diverged]);
}

#[test]
fn a_welcome_with_the_events_since_must_continue_the_history() {
    let since = |since: usize, event: &str| {
        let mut welcome: Value = serde_json::from_str(&welcome(Some(1), 2, Some(0), "b")).unwrap();
        welcome["since"] = json!(since);
        welcome["history"] = json!(history(2)[since.min(2)..]);
        welcome.to_string().replace(r#""history":[{"type":"pass""#, &format!(r#""history":[{{"type":"{event}""#))
    };
    for (told, violations) in [
        (since(0, "pass"), vec![]),
        (since(1, "pass"), vec![]),
        (since(2, "pass"), vec![]),
        (since(1, "bid"), vec![Promise::Diverged]),
        (since(3, "pass"), vec![Promise::Diverged]),
    ] {
        let judge = Judge::new(None);
        ana_passes(&judge);
        judge.witness(ROOM, BEA).hears(&told);
        assert_eq!(found(&judge), violations, "{told}");
    }
}

#[test]
fn a_seat_taken_by_another_player_is_foreign() {
    let judge = Judge::new(None);
    ana_passes(&judge);
    let of_ana = welcome(Some(0), 2, Some(1), "b").replace("0token0", "another");
    judge.witness(ROOM, BEA).hears(&of_ana);
    assert_eq!(found(&judge), [Promise::Foreign]);
}

#[test]
fn an_intruder_in_a_seat_and_an_act_never_sent_are_foreign() {
    let judge = Judge::new(None);
    judge.witness(ROOM, Participant::Intruder(0)).hears(&welcome(Some(1), 1, Some(0), "a"));
    assert_eq!(found(&judge), [Promise::Foreign]);
    let judge = Judge::new(None);
    ana_passes(&judge);
    judge.recorded(ROOM, &record(&[(0, "pass"), (0, "finish")]));
    assert_eq!(found(&judge), [Promise::Foreign]);
}

#[test]
fn acts_played_automatically_are_no_violation() {
    let judge = Judge::new(None);
    let mut ana = judge.witness(ROOM, ANA);
    let helped = json!({"type": "room", "room": room("playing", "auto")}).to_string();
    ana.hears(&welcome(Some(0), 1, Some(0), "a"));
    ana.hears(&helped);
    ana.acts(0, r#"{"type":"pass"}"#, true);
    ana.hears(&changed(2, Some(1), "b"));
    judge.recorded(ROOM, &record(&[(0, "finish"), (0, "finish")]));
    assert_eq!(found(&judge), []);
    assert_eq!((judge.tally().acknowledged, judge.tally().overtaken), (0, 1));
}

#[test]
fn a_seat_view_for_a_watcher_and_a_foreign_token_are_leaks() {
    let judge = Judge::new(None);
    judge.witness(ROOM, WIL).hears(&welcome(None, 1, Some(0), "a"));
    assert_eq!(found(&judge), [Promise::Leaked]);
    let judge = Judge::new(None);
    ana_passes(&judge);
    let named = json!({"type": "room", "room": room("playing", "ask")}).to_string().replace("\"Bea\"", "\"0token0\"");
    judge.witness(ROOM, BEA).hears(&named);
    assert_eq!(found(&judge), [Promise::Leaked]);
}

#[test]
fn a_chat_line_received_twice_is_doubled() {
    let judge = Judge::new(None);
    let mut ana = ana_passes(&judge);
    let said = r#"{"type":"chat","seat":1,"name":"Bea","text":"hm","at":5}"#;
    ana.hears(said);
    assert_eq!(found(&judge), []);
    ana.hears(said);
    assert_eq!(found(&judge), [Promise::Doubled]);
}

#[test]
fn a_record_that_changes_after_a_restart_is_a_loss() {
    let judge = Judge::new(None);
    ana_passes(&judge);
    judge.recorded(ROOM, &record(&[(0, "pass")]));
    judge.recorded_again(ROOM, &record(&[(0, "pass")]));
    assert_eq!(found(&judge), []);
    judge.recorded_again(ROOM, &record(&[]));
    assert_eq!(found(&judge), [Promise::Lost]);
}

#[test]
fn a_trace_has_the_messages_before_the_violation() {
    let folder = tempfile::tempdir().unwrap();
    let judge = Judge::new(Some(folder.path().to_owned()));
    ana_passes(&judge);
    judge.recorded(ROOM, &record(&[]));
    let trace = std::fs::read_to_string(folder.path().join(format!("{ROOM}.trace"))).unwrap();
    assert!(trace.contains(r#"person 0 acts 0 {"type":"pass"}"#), "{trace}");
    assert!(trace.ends_with("but the record has nothing\n"), "{trace}");
}
