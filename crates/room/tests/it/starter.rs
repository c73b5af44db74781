//! The host may choose who begins. Otherwise it is random.

use crate::test_room::{Change, TestRoom};
use game::{Level, Seat};
use protocol::Record;
use room::{Doubt, RoomEvent, last_record, record_of, verify};
use serde_json::{Value, json};

fn chooses(table: &mut TestRoom, host: &str, starter: Option<u8>) -> Result<Vec<RoomEvent>, &'static str> {
    table.configures(host, Change { starter: Some(starter.map(Seat)), ..Change::default() })
}

fn starter(table: &TestRoom) -> Value {
    table.view()["starter"].clone()
}

/// The player who must act first.
fn begins(table: &TestRoom) -> String {
    let (seat, _) = table.asked();
    table.names()[seat.index()].clone()
}

#[test]
fn the_chosen_player_begins_every_kind_of_game() {
    for offer in room::GAMES {
        for (seat, name) in ["Ana", "Bea", "Cid"].into_iter().enumerate() {
            let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
            table.chooses("Ana", offer.id).unwrap();
            assert_eq!(starter(&table), json!(null), "random by default");
            chooses(&mut table, "Ana", Some(seat as u8)).unwrap();
            assert_eq!(starter(&table), json!(seat));
            table.restarts();
            assert_eq!(starter(&table), json!(seat), "restored from the journal");
            table.starts("Ana").unwrap();
            assert_eq!(begins(&table), name, "{}", offer.id);
            table.restarts();
            assert_eq!(begins(&table), name, "{}", offer.id);
        }
    }
}

#[test]
fn the_choice_changes_nothing_else_about_the_deal() {
    let dealt = |starter: Option<u8>| {
        let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
        chooses(&mut table, "Ana", starter).unwrap();
        table.starts("Ana").unwrap();
        (begins(&table), table.table()["row"].clone())
    };
    let (drawn, row) = dealt(None);
    for seat in 0..3 {
        assert_eq!(dealt(Some(seat)), (["Ana", "Bea", "Cid"][usize::from(seat)].to_owned(), row.clone()));
    }
    assert_eq!(dealt(None).0, drawn, "the random starter stays the same");
}

#[test]
fn only_the_host_chooses_and_only_seated_players_in_the_lobby() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    assert_eq!(chooses(&mut table, "Bea", Some(1)), Err("not_host"));
    assert_eq!(chooses(&mut table, "Ana", Some(2)), Err("no_such_seat"));
    chooses(&mut table, "Ana", Some(1)).unwrap();
    assert_eq!(chooses(&mut table, "Ana", Some(1)), Ok(vec![]), "no change writes no entry");
    chooses(&mut table, "Ana", None).unwrap();
    assert_eq!(starter(&table), json!(null), "random again");
    table.starts("Ana").unwrap();
    assert_eq!(chooses(&mut table, "Ana", Some(1)), Err("not_in_lobby"));
}

#[test]
fn the_choice_follows_its_player_and_ends_when_they_leave() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    chooses(&mut table, "Ana", Some(2)).unwrap();
    table.leaves("Bea").unwrap();
    assert_eq!(starter(&table), json!(1), "Cid moved up");
    table.configures("Ana", Change { clock: Some(Some(60)), ..Change::default() }).unwrap();
    assert_eq!(starter(&table), json!(1), "other options do not affect it");
    table.leaves("Cid").unwrap();
    assert_eq!(starter(&table), json!(null));
    table.sits("Dan");
    assert_eq!(starter(&table), json!(null), "the next player in that seat was not chosen");
}

#[test]
fn a_bot_may_be_chosen_and_the_choice_is_valid_for_one_game() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    let bot = table.seats_bot("Ana", Level::Easy);
    chooses(&mut table, "Ana", Some(2)).unwrap();
    table.starts("Ana").unwrap();
    assert_eq!(begins(&table), bot);
    table.plays_quietly();
    table.asks_for_a_rematch("Ana").unwrap();
    assert_eq!(starter(&table), json!(null), "random again in a rematch");
    table.restarts();
    assert_eq!(starter(&table), json!(null));
}

/// The record of a game in which the host chose Bea to begin.
fn recorded() -> (TestRoom, Record) {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cid"]);
    chooses(&mut table, "Ana", Some(1)).unwrap();
    table.starts("Ana").unwrap();
    table.plays_quietly();
    let record = last_record(&table.journal).unwrap().expect("a finished game");
    (table, record)
}

#[test]
fn the_record_names_the_chosen_starter_and_is_valid() {
    let (table, record) = recorded();
    assert_eq!((record.record_version, record.starter), (3, Some(Seat(1))));
    assert_eq!(verify(&record), Ok(()));
    assert_eq!(record_of(&table.journal, room::Which::Last).unwrap(), Ok(record.clone()));
    let other = Record { starter: Some(Seat(2)), ..record.clone() };
    assert_eq!(verify(&other), Err(Doubt::Changed { part: "starter".to_owned(), n: None }));
    let forged = Record { record_version: 1, digest: None, ..other };
    assert!(matches!(verify(&forged), Err(Doubt::Act { n: 0, .. })), "another seat began");
    let nobody = Record { starter: Some(Seat(3)), ..forged };
    assert!(matches!(verify(&nobody), Err(Doubt::Unreadable(_))));
}

#[test]
fn a_random_starter_is_not_recorded() {
    let mut table = TestRoom::playing(&["Ana", "Bea"]);
    table.plays_quietly();
    let record = last_record(&table.journal).unwrap().expect("a finished game");
    assert_eq!((record.record_version, record.starter), (2, None));
    assert!(serde_json::to_value(&record).unwrap().get("starter").is_none());
}

#[test]
fn the_same_seat_begins_when_a_deal_is_repeated() {
    let (mut table, record) = recorded();
    let seed = table.seed();
    let record = Box::new(record);
    table.does("Ana", |player| room::Input::SameDeal { player, seed, record }).unwrap();
    assert_eq!(chooses(&mut table, "Ana", Some(0)), Err("bad_options"), "the earlier game determines the starter");
    table.starts("Ana").unwrap();
    assert_eq!(begins(&table), "Bea");
    table.plays_quietly();
    let again = last_record(&table.journal).unwrap().expect("a finished game");
    assert_eq!((again.starter, verify(&again)), (None, Ok(())));
}
