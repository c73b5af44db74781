//! Limits for the length of a room's journal, and for how much of it is read to rebuild the room.

use crate::test_room::{TestRoom, everything};
use game::{Salt, Seat};
use room::{Entry, Input, Room, RoomEvent};

/// A room whose journal has reached its limit.
fn full() -> TestRoom {
    let mut table = TestRoom::finished(&["Ana", "Bea"]);
    table.asks_for_a_rematch("Ana").unwrap();
    table.starts("Ana").unwrap();
    // A checkpoint contains the number of bytes written before it. The value corresponds to thousands of games.
    let checkpoint = table.before_checkpoint().expect("a checkpoint at the rematch");
    let line = &mut table.journal[checkpoint];
    let at = line.find("\"written\":").expect("the byte count") + "\"written\":".len();
    let end = at + line[at..].find('}').unwrap();
    line.replace_range(at..end, "67000000");
    let entries = Entry::read_all(checkpoint as u64, &table.journal[checkpoint..]).unwrap();
    table.room = Room::rebuild(entries, table.now).unwrap();
    table
}

#[test]
fn a_full_room_finishes_its_game_and_starts_nothing_new() {
    let mut table = full();
    for name in ["Ana", "Bea"] {
        table.comes_back(name);
    }
    // The game in progress is played to its end and still written.
    let mut acts = 0;
    while table.phase() == "playing" {
        let (seat, actions) = table.asked();
        table.plays(seat, actions[0].clone());
        acts += 1;
    }
    assert!(acts > 10);
    // About 100 KB were left until the limit. Further games use up the rest.
    table.asks_for_a_rematch("Ana").unwrap();
    for _ in 0..1000 {
        if table.starts("Ana") == Err("room_full") {
            break;
        }
        table.plays_quietly();
        table.asks_for_a_rematch("Ana").unwrap();
    }
    assert_eq!(table.starts("Ana"), Err("room_full"));
    assert_eq!(table.tries_to_sit("Cid", None), Err("room_full"));
    assert_eq!(table.chooses("Ana", "qwantum"), Err("room_full"));
    table.says("Ana", "let us open another").unwrap();
    table.leaves("Bea").unwrap();
    let shown = everything(&table.room, table.now);
    table.restarts();
    assert_eq!(everything(&table.room, table.now), shown);
    assert_eq!(table.starts("Ana"), Err("room_full"), "still full after a restart");
}

#[test]
fn a_busy_lobby_writes_regular_checkpoints() {
    let mut table = TestRoom::of(&["Ana"]);
    let ana = table.id("Ana");
    for n in 0..5000_u32 {
        let mut salt = [7; 16];
        salt[..4].copy_from_slice(&n.to_le_bytes());
        table.ask(Input::Salt { player: ana, salt: Salt(salt) }).unwrap();
        let before = table.before_checkpoint().unwrap_or(0);
        assert!(table.journal.len() - before <= 1002, "{} entries to read", table.journal.len() - before);
    }
    let checkpoints = table.journal.iter().filter(|line| Entry::read(line).unwrap().is_checkpoint()).count();
    assert_eq!(checkpoints, 4);
    let shown = everything(&table.room, table.now);
    for room in [table.rebuilt(), table.rebuilt_from_checkpoint(), table.rebuilt_without_checkpoints()] {
        assert_eq!(everything(&room, table.now), shown);
    }
    // A game contains no checkpoint. It begins without one, however many entries precede it.
    table.sits("Bea");
    for _ in 0..999 {
        let seed = table.seed();
        table.ask(Input::Salt { player: ana, salt: Salt(seed.0[..16].try_into().unwrap()) }).unwrap();
        table.ask(Input::Salt { player: ana, salt: Salt([0xee; 16]) }).unwrap();
    }
    let what = table.starts("Ana").unwrap();
    assert_eq!(what, [RoomEvent::Started { rules_version: 1, starter: None }]);
}

/// With mistakes allowed, five players go back and forth as often as the rules permit: the builder undoes every step
/// thirty times and retracts, and the next player outbids them. By the rules alone that would be 740,000 actions and a
/// welcome of 64 MB.
#[test]
fn limits_undo_and_retract_before_the_welcome_reaches_2_mb() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid", "Dan", "Eva"]);
    table.allows_mistakes("Ana");
    table.starts("Ana").unwrap();
    let mut acts = 0;
    let refusal = loop {
        let (seat, actions) = table.asked();
        let kind = |kind: &str| actions.iter().find(|action| action["type"] == kind);
        let highest = actions.iter().rev().find(|action| action["type"] == "bid");
        let wasteful = kind("undo").or(highest).or(kind("take")).or(kind("build")).or(kind("retract"));
        let action = wasteful.or(kind("pass")).unwrap_or(&actions[0]).clone();
        let (player, n) = (table.room.seats().at(seat).unwrap().id, table.next(seat));
        match table.ask(Input::Act { player, n, action: action.into() }) {
            Ok(_) => acts += 1,
            Err(code) => break code,
        }
        assert!(acts < 100_000, "no limit after 100,000");
    };
    assert_eq!(refusal, "too_many_acts");
    let history: usize = table.room.history().iter().map(|event| event.get().len() + 1).sum();
    assert!(history < 2 << 20, "{history} bytes of history after {acts} actions");
    // When a player leaves, a bot replaces them and takes nothing back.
    let (seat, _) = table.asked();
    let name = table.names()[seat.index()].clone();
    table.leaves(&name).unwrap();
    table.now += 60_000;
    assert!(!table.plays_due_actions().is_empty());
}

#[test]
fn limits_changed_choices_without_blocking_other_players() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.chooses("Ana", "qwantum").unwrap();
    table.starts("Ana").unwrap();
    // Advance to the step in which all choose simultaneously. A changed choice there has no event, but an entry.
    while table.table()["phase"] != "share" {
        let (seat, actions) = table.asked();
        let action = actions.iter().rev().find(|action| action["type"] != "reroll").unwrap().clone();
        table.plays(seat, action);
    }
    let (seat, _) = table.asked();
    let (player, other) = (table.room.seats().at(seat).unwrap().id, Seat(1 - seat.0));
    let entries = table.journal.len();
    let refusal = loop {
        let (n, actions) = (table.next(seat), table.acts_of(seat));
        let action = actions[n as usize % actions.len()].clone();
        if let Err(code) = table.ask(Input::Act { player, n, action: action.into() }) {
            break code;
        }
        assert!(table.table()["phase"] == "share", "the other player has not chosen");
        assert!(table.journal.len() < 100_000, "no limit after 100,000");
    };
    assert_eq!(refusal, "too_many_acts");
    assert!(table.journal.len() - entries <= 3000);
    let action = table.acts_of(other)[0].clone();
    table.plays(other, action);
}
