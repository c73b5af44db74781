//! Bots, substitutes, the clock and forced actions: a game never stops because a player left.

use crate::test_room::{Change, LOOK, MINUTE, PAUSE, TestRoom};
use game::{Level, Seat, Seed};
use protocol::Forced;
use room::{By, Input, RoomEvent};
use serde_json::json;

const SECOND: u64 = 1_000;

fn configured(table: &mut TestRoom, clock: Option<u32>, forced: Forced) {
    let change = Change { clock: Some(clock), forced: Some(forced), ..Change::default() };
    table.configures("Ana", change).unwrap();
}

/// Ana, Bea and a clock of ten seconds, with forced actions left to the players.
fn against_the_clock() -> TestRoom {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    configured(&mut table, Some(10), Forced::Ask);
    table.does("Ana", |player| Input::Start { player }).unwrap();
    table
}

fn name_at(table: &TestRoom, seat: Seat) -> String {
    table.room.seats().at(seat).expect("the seat is taken").name.to_string()
}

#[test]
fn any_legal_action_brings_every_game_to_its_end() {
    for (game, mistakes) in [("towers", Some("prevented")), ("towers", Some("allowed")), ("qwantum", None)] {
        let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
        table.chooses("Ana", game).unwrap();
        if let Some(mistakes) = mistakes {
            let rules = Some(json!({"mistakes": mistakes}));
            table.configures("Ana", Change { rules, ..Change::default() }).unwrap();
        }
        table.starts("Ana").unwrap();
        while table.phase() == "playing" {
            let (seat, _) = table.asked();
            let act = table.room.any_act(seat).expect("a seat that must act has a legal action");
            table.plays(seat, act.value());
            assert!(table.room.version() < 5000, "{game}, {mistakes:?}: the game does not end");
        }
    }
}

#[test]
fn the_host_adds_and_removes_bots() {
    let mut table = TestRoom::of(&["Ana", "Mira"]);
    let add = |player| Input::AddBot { player, level: Level::Hard };
    assert_eq!(table.does("Mira", add), Err("not_host"));
    let first = table.seats_bot("Ana", Level::Hard);
    let second = table.seats_bot("Ana", Level::Easy);
    assert_ne!(first, "Mira", "that name is taken");
    assert_ne!(first, second);
    let seat = &table.view()["seats"][2];
    assert_eq!((&seat["kind"], &seat["bot"], &seat["connected"]), (&json!("bot"), &json!("hard"), &json!(true)));
    table.seats_bot("Ana", Level::Normal);
    assert_eq!(table.does("Ana", add), Err("table_full"));
    table.removes("Ana", 2).unwrap();
    assert_eq!(table.names().len(), 4);
    assert_eq!(table.host().as_deref(), Some("Ana"));
}

#[test]
fn a_bot_is_never_host() {
    let mut table = TestRoom::of(&["Ana"]);
    table.seats_bot("Ana", Level::Easy);
    table.leaves("Ana").unwrap();
    assert_eq!(table.host(), None);
    table.sits("Bea");
    assert_eq!(table.host().as_deref(), Some("Bea"));
}

#[test]
fn one_human_and_two_bots_play_a_whole_game() {
    for (game, fewest) in [("towers", 30), ("qwantum", 20)] {
        let mut table = TestRoom::of(&["Ana"]);
        table.chooses("Ana", game).unwrap();
        table.seats_bot("Ana", Level::Normal);
        table.seats_bot("Ana", Level::Easy);
        table.starts("Ana").unwrap();
        let mut by_bots = 0;
        while table.phase() == "playing" {
            table.now += LOOK;
            let played = table.plays_due_actions();
            by_bots += played.len();
            if played.is_empty() {
                let (seat, actions) = table.asked();
                assert_eq!(seat, Seat(0), "the game waits only for Ana");
                table.plays(seat, actions[0].clone());
            }
        }
        assert!(by_bots > fewest, "the bots played {by_bots} actions of {game}");
    }
}

#[test]
fn bots_pause_so_that_people_can_follow() {
    let mut table = TestRoom::of(&["Ana"]);
    table.seats_bot("Ana", Level::Easy);
    configured(&mut table, None, Forced::Ask);
    table.does("Ana", |player| Input::Start { player }).unwrap();
    if table.asked().0 == Seat(0) {
        table.plays(Seat(0), json!({"type": "bid", "count": 0}));
    }
    let wants = table.room.wants(PAUSE);
    assert_eq!(wants.len(), 1);
    assert_eq!((wants[0].seat, wants[0].by, wants[0].at), (Seat(1), By::Bot, table.now + PAUSE));
}

#[test]
fn a_bot_takes_over_after_two_timeouts_until_the_owner_acts() {
    let mut table = against_the_clock();
    let mut run_out = 0;
    let slow = table.asked().0;
    loop {
        let (seat, actions) = table.asked();
        if seat != slow {
            table.plays(seat, actions[0].clone());
            continue;
        }
        let wants = table.room.wants(PAUSE);
        let [want] = wants[..] else { panic!("{wants:?}") };
        if want.by == By::Bot {
            break;
        }
        assert_eq!((want.by, want.at), (By::Clock, table.now + 10 * SECOND));
        let state = table.room.state(game::Viewer::Watcher, table.now + 4 * SECOND).unwrap();
        assert_eq!(state.deadline_ms, Some(6 * SECOND));
        table.now += 10 * SECOND - 1;
        assert!(table.plays_due_actions().is_empty(), "one millisecond is left");
        table.now += 1;
        assert!(!table.plays_due_actions().is_empty());
        run_out += 1;
    }
    assert_eq!(run_out, 2);
    let seat = &table.view()["seats"][slow.index()];
    assert_eq!((&seat["kind"], &seat["bot"]), (&json!("human"), &json!("normal")));

    // The owner acts in time and takes the seat back.
    let (seat, actions) = table.asked();
    let (name, n) = (name_at(&table, seat), table.next(seat));
    let what = table.does(&name, |player| Input::Act { player, n, action: actions[0].clone().into() }).unwrap();
    assert!(matches!(what[..], [RoomEvent::Returned { .. }, RoomEvent::Acted { by: By::Player, .. }]));
    assert_eq!(table.view()["seats"][slow.index()]["bot"], json!(null));
}

#[test]
fn acting_in_time_resets_the_timeout_count() {
    let mut table = against_the_clock();
    let slow = table.asked().0;
    let mut asked = 0;
    for _ in 0..20 {
        let (seat, actions) = table.asked();
        asked += u32::from(seat == slow);
        if seat == slow && asked % 2 == 1 {
            table.now += 10 * SECOND;
            let played = table.plays_due_actions();
            assert!(matches!(played[..], [RoomEvent::Acted { by: By::Clock, .. }]), "not twice in a row: {played:?}");
        } else {
            table.plays(seat, actions[0].clone());
        }
    }
    assert!(asked > 4);
}

#[test]
fn plays_a_forced_action_after_a_pause_unless_set_to_ask() {
    for forced in [Forced::Auto, Forced::Ask] {
        let mut table = TestRoom::of(&["Ana", "Bea"]);
        configured(&mut table, None, forced);
        table.does("Ana", |player| Input::Start { player }).unwrap();
        // After a bid of four of five, the other can bid five or pass. A player who cannot build five may only pass.
        let mut seen = 0;
        let mut chance = game::Chance::new(Seed([3; 32]));
        while table.phase() == "playing" {
            let (seat, actions) = table.asked();
            let wants = table.room.wants(PAUSE);
            if actions.len() == 1 && forced == Forced::Auto {
                assert_eq!((wants[0].seat, wants[0].by), (seat, By::Force));
                let pause = wants[0].at - table.now;
                assert!((PAUSE / 10..=2 * PAUSE).contains(&pause), "{pause} ms");
                assert_eq!(table.room.only_act(seat), Some(actions[0].clone().into()));
                seen += 1;
            } else {
                assert!(wants.is_empty(), "no automatic action for {seat}");
            }
            table.plays_anything(&mut chance);
        }
        assert!(forced == Forced::Ask || seen > 0);
    }
}

#[test]
fn pauses_while_all_people_are_disconnected() {
    let mut table = TestRoom::of(&["Ana"]);
    configured(&mut table, Some(10), Forced::Ask);
    table.seats_bot("Ana", Level::Easy);
    table.does("Ana", |player| Input::Start { player }).unwrap();
    table.goes_away("Ana");
    table.now += 10 * MINUTE;
    assert!(table.room.wants(PAUSE).is_empty(), "bots and clocks stop while no player is connected");
    assert_eq!(table.room.state(game::Viewer::Watcher, table.now).unwrap().deadline_ms, None);
    table.comes_back("Ana");
    let wants = table.room.wants(PAUSE);
    assert_eq!(wants.len(), 1);
    assert!(wants[0].at > table.now, "waiting times start again");
}

#[test]
fn a_substitute_plays_for_an_absent_player_until_they_return() {
    let mut table = TestRoom::playing(&["Ana", "Bea"]);
    let substitute = |seat| move |player| Input::Substitute { player, seat: Seat(seat), level: Level::Easy };
    assert_eq!(table.does("Ana", substitute(1)), Err("not_away"));
    assert_eq!(table.does("Ana", substitute(4)), Err("no_such_seat"));
    table.goes_away("Bea");
    table.now += 29 * SECOND;
    assert_eq!(table.does("Ana", substitute(1)), Err("not_away"));
    table.now += SECOND;
    table.does("Ana", substitute(1)).unwrap();
    assert_eq!(table.does("Ana", substitute(1)), Err("is_bot"));
    assert_eq!(table.view()["seats"][1]["bot"], "easy");

    table.comes_back("Bea");
    let what = table.does("Bea", |player| Input::Return { player }).unwrap();
    assert!(matches!(what[..], [RoomEvent::Returned { .. }]));
    assert_eq!(table.view()["seats"][1]["bot"], json!(null));
    assert_eq!(table.does("Bea", |player| Input::Return { player }), Ok(vec![]), "no substitute to dismiss");
}

#[test]
fn refuses_a_substitute_outside_a_game() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.goes_away("Bea");
    table.now += MINUTE;
    let substitute = |player| Input::Substitute { player, seat: Seat(1), level: Level::Easy };
    assert_eq!(table.does("Ana", substitute), Err("no_game"));
}

#[test]
fn a_bot_takes_over_a_seat_given_up_during_a_game() {
    let mut table = TestRoom::playing(&["Ana", "Bea", "Cid"]);
    let what = table.leaves("Ana").unwrap();
    assert!(matches!(what[..], [RoomEvent::Replaced { .. }, RoomEvent::HostPassed { .. }]), "{what:?}");
    assert_eq!(table.host().as_deref(), Some("Bea"));
    table.removes("Bea", 2).unwrap();
    assert_eq!(table.names(), ["Ana", "Bea", "Cid"], "the seats stay as they are");
    let seats = &table.view()["seats"];
    assert_eq!((&seats[0]["kind"], &seats[2]["kind"]), (&json!("bot"), &json!("bot")));
    assert_eq!(table.removes("Bea", 0), Err("is_bot"));
    assert_eq!(table.phase(), "playing");
}

#[test]
fn returns_to_the_lobby_when_the_last_human_leaves_a_game() {
    let mut table = TestRoom::playing(&["Ana", "Bea"]);
    table.leaves("Ana").unwrap();
    table.leaves("Bea").unwrap();
    assert_eq!((table.phase().as_str(), table.host()), ("lobby", None));
    table.sits("Cid");
    assert_eq!(table.host().as_deref(), Some("Cid"));
}

#[test]
fn a_rematch_removes_substitutes_but_keeps_bots() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.seats_bot("Ana", Level::Easy);
    table.does("Ana", |player| Input::Start { player }).unwrap();
    table.goes_away("Bea");
    table.now += MINUTE;
    table.does("Ana", |player| Input::Substitute { player, seat: Seat(1), level: Level::Hard }).unwrap();
    table.plays_quietly();
    let seed = Seed([9; 32]);
    table.does("Ana", |player| Input::Rematch { player, seed }).unwrap();
    let seats = &table.view()["seats"];
    assert_eq!((&seats[1]["bot"], &seats[2]["bot"]), (&json!(null), &json!("easy")));
}

#[test]
fn reads_entries_written_before_bots_existed() {
    let old = r#"{"v":1,"at":5,"what":{"type":"acted","seat":0,"action":{"count":0,"type":"bid"}}}"#;
    let entry = room::Entry::read(old).unwrap();
    assert!(matches!(entry.what, RoomEvent::Acted { by: By::Player, .. }));
    assert_eq!(entry.to_json(), old);
}
