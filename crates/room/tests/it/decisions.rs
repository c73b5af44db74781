//! An action's number identifies one decision: whatever happens meanwhile, an action counts for the decision it was
//! made for or not at all.

use crate::test_room::{Change, MINUTE, TestRoom};
use game::{Chance, Seat, Seed};
use room::Input;
use serde_json::{Value, json};
use std::collections::HashMap;

const NAMES: [&str; 5] = ["Ana", "Bea", "Cid", "Dan", "Eva"];

/// What a seat decides now: its legal actions, and the table. Which other seats have already chosen is excluded.
fn decision(table: &TestRoom, seat: Seat) -> Option<Value> {
    let acts = table.acts_of(seat);
    let mut before = table.table();
    before.as_object_mut().expect("a JSON object").remove("decided");
    (!acts.is_empty()).then(|| json!({"acts": acts, "before": before}))
}

/// A started game with this number of players and a clock.
fn begun(game: &str, players: usize, seed: u8) -> TestRoom {
    let mut table = TestRoom::open_with(Seed([seed; 32]));
    NAMES[..players].iter().for_each(|name| _ = table.sits(name));
    table.chooses("Ana", game).unwrap();
    let (clock, rules) = (Some(Some(10)), (game == "towers").then(|| json!({"mistakes": "allowed"})));
    table.configures("Ana", Change { rules, clock, ..Change::default() }).unwrap();
    table.starts("Ana").unwrap();
    table
}

/// Plays a random action, asked or as a change of an earlier choice, or lets time pass so that others decide.
fn goes_on(table: &mut TestRoom, chance: &mut Chance) {
    let seats = table.seats();
    let player = Seat::from(chance.below(seats as u32) as usize);
    match (chance.below(12), table.acts_of(player)) {
        (0, _) => {
            table.now += MINUTE;
            table.plays_due_actions();
        }
        (1..5, acts) if !acts.is_empty() => {
            table.plays(player, acts[chance.below(acts.len() as u32) as usize].clone());
        }
        _ => table.plays_anything(chance),
    }
}

#[test]
fn a_number_identifies_exactly_one_decision() {
    let games = [("towers", 2), ("towers", 3), ("towers", 5), ("qwantum", 2), ("qwantum", 3), ("qwantum", 4)];
    let mut changes_of_mind = 0;
    for (seed, (game, players)) in (0..3).flat_map(|seed| games.map(|game| (seed, game))) {
        let mut table = begun(game, players, seed);
        let mut chance = Chance::new(Seed([100 + seed; 32]));
        let mut decided: HashMap<(Seat, u32), Value> = HashMap::new();
        for _ in 0..400 {
            if table.phase() != "playing" {
                break;
            }
            for seat in Seat::all(players) {
                let Some(decision) = decision(&table, seat) else { continue };
                changes_of_mind += usize::from(table.table()["decided"][seat.index()] == true);
                let n = table.next(seat);
                let first = decided.entry((seat, n)).or_insert_with(|| decision.clone());
                assert_eq!(*first, decision, "action {n} of {seat} in {game} has two meanings");
            }
            goes_on(&mut table, &mut chance);
        }
    }
    assert!(changes_of_mind > 500, "a choice could be changed {changes_of_mind} times");
}

/// Three players in step C of the first turn of Qwantum. The first seat returned is active in this turn, the second in
/// the next.
fn all_choose_at_once() -> (TestRoom, [Seat; 3]) {
    let mut table = begun("qwantum", 3, 1);
    let active = table.asked().0;
    let seats = [active, active.next(3), active.next(3).next(3)];
    rolls(&mut table, active);
    (table, seats)
}

/// Brings the active player to step C.
fn rolls(table: &mut TestRoom, active: Seat) {
    for act in ["roll", "keep", "skip"] {
        table.plays(active, json!({"type": act}));
    }
    assert_eq!(table.table()["phase"], "share");
}

fn skip() -> Value {
    json!({"type": "skip"})
}

#[test]
fn revealing_the_choices_increases_the_number_of_every_seat() {
    let (mut table, seats) = all_choose_at_once();
    let before = seats.map(|seat| table.next(seat));
    for seat in seats {
        table.plays(seat, skip());
    }
    assert_eq!(seats.map(|seat| table.next(seat)), before.map(|next| next + 2), "one action, and the reveal");
    let shown = seats.map(|seat| table.next(seat));
    table.restarts();
    assert_eq!(seats.map(|seat| table.next(seat)), shown, "restored from the journal");
}

#[test]
fn refuses_a_changed_choice_that_arrives_a_turn_late() {
    for last in 0..3 {
        let (mut table, seats) = all_choose_at_once();
        let late = seats[2];
        let name = table.names()[late.index()].clone();
        let mut order = seats;
        order.swap(2, last);
        // A changed choice is the action after the choice, whether that was the last one or not.
        let n = table.next(late) + 1;
        for seat in order {
            table.plays(seat, skip());
        }
        assert_eq!(table.acts(&name, n, json!({"type": "enter", "row": "red"})), Err("already_played"));
        rolls(&mut table, seats[1]);
        assert_eq!(table.acts(&name, n, json!({"type": "enter", "row": "red"})), Err("already_played"));
        assert_eq!(table.table()["decided"], json!([false, false, false]));
        table.plays(late, skip());
    }
}

#[test]
fn refuses_an_automatic_action_for_the_previous_turn() {
    let (mut table, seats) = all_choose_at_once();
    table.now += MINUTE;
    let wanted = table.room.wants(0);
    assert_eq!(wanted.len(), 3, "the clock waits for everyone");
    for seat in seats {
        table.plays(seat, skip());
    }
    rolls(&mut table, seats[1]);
    for want in wanted {
        let input = Input::Play { seat: want.seat, n: want.n, action: skip().into(), by: want.by };
        assert_eq!(table.ask(input), Err("already_played"));
        assert!(!table.room.wants(0).contains(&want));
    }
}
