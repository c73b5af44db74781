//! Checks of an action before the rules see it, and refusals by the rules.

use crate::test_room::TestRoom;
use game::Seat;
use room::{Input, PlayerId, RoomEvent};
use serde_json::json;

fn pass() -> serde_json::Value {
    json!({"type": "pass"})
}

/// A started game, the player who must act, and the other one.
fn begun() -> (TestRoom, &'static str, &'static str) {
    let table = TestRoom::playing(&["Ana", "Bea"]);
    let (Seat(seat), _) = table.asked();
    let (asked, other) = if seat == 0 { ("Ana", "Bea") } else { ("Bea", "Ana") };
    (table, asked, other)
}

#[test]
fn counts_actions_per_seat() {
    let (mut table, asked, other) = begun();
    let bid = json!({"type": "bid", "count": 0});
    let seat = table.asked().0;
    assert_eq!(
        table.acts(asked, 0, bid.clone()),
        Ok(vec![RoomEvent::Acted { seat, action: bid.into(), by: room::By::Player }])
    );
    assert_eq!(table.next(seat), 1);
    assert_eq!(table.next(table.asked().0), 0, "the other seat has its own count");
    table.acts(other, 0, pass()).unwrap();
}

#[test]
fn a_resent_action_is_reported_as_already_played() {
    let (mut table, asked, other) = begun();
    let bid = json!({"type": "bid", "count": 0});
    table.acts(asked, 0, bid.clone()).unwrap();
    // It is the other player's turn now, and the first one resends the same bytes.
    assert_eq!(table.acts(asked, 0, bid), Err("already_played"));
    assert_eq!(table.acts(asked, 0, json!("nonsense")), Err("already_played"));
    assert_eq!(table.acts(asked, 2, pass()), Err("out_of_step"));
    assert_eq!(table.acts(other, 1, pass()), Err("out_of_step"));
    assert_eq!(table.acts(other, u32::MAX, pass()), Err("out_of_step"));
}

#[test]
fn refuses_an_action_out_of_turn() {
    let (mut table, _, other) = begun();
    assert_eq!(table.acts(other, 0, pass()), Err("not_your_turn"));
}

#[test]
fn refusals_by_the_rules_have_their_own_codes() {
    let (mut table, asked, _) = begun();
    assert_eq!(table.acts(asked, 0, pass()), Err("starter_must_bid"));
    assert_eq!(table.acts(asked, 0, json!({"type": "bid", "count": 6})), Err("bid_too_high"));
    assert_eq!(table.acts(asked, 0, json!({"type": "finish"})), Err("wrong_phase"));
}

#[test]
fn distinguishes_malformed_actions_from_refused_ones() {
    let (mut table, asked, other) = begun();
    for nonsense in [
        json!(null),
        json!([]),
        json!("pass"),
        json!({"type": "fly"}),
        json!({"type": "pass", "loudly": true}),
        json!({"type": "bid"}),
        json!({"type": "bid", "count": -1}),
        json!({"type": "bid", "count": 1.5}),
        json!({"type": "bid", "count": 300}),
        json!({"type": "take", "cards": [{"tower": "sand", "value": 16}]}),
        json!({"type": "take", "cards": [["sand", 7]]}),
        json!({"type": "take", "cards": "sand"}),
        json!(["bid", 3]),
    ] {
        assert_eq!(table.acts(asked, 0, nonsense.clone()), Err("bad_message"), "{nonsense}");
        assert_eq!(table.acts(other, 0, nonsense.clone()), Err("bad_message"), "{nonsense}");
    }
}

#[test]
fn the_rules_refuse_a_take_of_too_many_cards() {
    let mut table = TestRoom::playing(&["Ana", "Bea"]);
    let (seat, _) = table.asked();
    let take = |cards| json!({"type": "take", "cards": vec![json!({"tower": "sand", "value": 7}); cards]});
    let name = ["Ana", "Bea"][seat.index()];
    assert_eq!(table.acts(name, 0, take(120)), Err("wrong_phase"));
    table.plays(seat, json!({"type": "bid", "count": 5}));
    for cards in [6, 8, 9, 120] {
        assert_eq!(table.acts(name, 1, take(cards)), Err("wrong_number_of_cards"), "{cards} cards");
    }
}

#[test]
fn accepts_the_cards_of_a_take_in_any_order() {
    let mut table = TestRoom::playing(&["Ana", "Bea"]);
    let (seat, _) = table.asked();
    table.plays(seat, json!({"type": "bid", "count": 2}));
    let (other, _) = table.asked();
    table.plays(other, pass());
    let (builder, takes) = table.asked();
    assert_eq!(builder, seat);
    let mut backwards = takes.iter().find(|take| take["type"] == "take").unwrap().clone();
    backwards["cards"].as_array_mut().unwrap().reverse();
    assert!(!takes.contains(&backwards), "only one order is listed");
    table.plays(builder, backwards);
    assert_eq!(table.table()["hand"].as_array().unwrap().len(), 2);
}

#[test]
fn refuses_an_action_without_a_seat_or_a_game() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    assert_eq!(table.acts("Ana", 0, pass()), Err("no_game"));
    let nobody = PlayerId(99);
    assert_eq!(table.ask(Input::Act { player: nobody, n: 0, action: pass().into() }), Err("not_seated"));
}

#[test]
fn after_the_end_old_actions_count_and_new_ones_are_refused() {
    let mut table = TestRoom::finished(&["Ana", "Bea"]);
    let next = table.next(Seat(0));
    assert!(next > 0);
    assert_eq!(table.acts("Ana", next - 1, pass()), Err("already_played"));
    assert_eq!(table.acts("Ana", next, pass()), Err("game_over"));
    assert_eq!(table.acts("Ana", next + 1, pass()), Err("out_of_step"));
    table.asks_for_a_rematch("Ana").unwrap();
    assert_eq!(table.acts("Ana", next - 1, pass()), Err("no_game"));
}

#[test]
fn the_start_and_each_action_increase_the_version_by_one() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    assert_eq!(table.room.version(), 0);
    table.starts("Ana").unwrap();
    assert_eq!(table.room.version(), 1);
    let (seat, actions) = table.asked();
    table.plays(seat, actions[0].clone());
    assert_eq!(table.room.version(), 2);
    table.says("Ana", "hm").unwrap();
    assert_eq!(table.room.version(), 2, "chat does not change the version");
}
