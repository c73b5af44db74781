//! Games that begin with an earlier one: continued from one of its moments, or with the same deal.

use crate::test_room::{Change, MORNING, TestRoom, everything};
use game::{Level, Salt, Seat, Seed, Viewer};
use protocol::{Forced, Moment, Origin, Record};
use room::{Doubt, Entry, Input, Moments, Room, RoomEvent, WallTime};
use room::{games_played, last_record, moments_of, options_of, origin_of, read_record, record_of, verify};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The stored games, of both kinds and for two to five players.
fn kept() -> Vec<Record> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games");
    let read = |path| -> Record {
        let kept: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        read_record(&kept["record"].to_string()).unwrap()
    };
    fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

/// A forger claims an older record version, which has no digest.
fn forged(record: Record) -> Record {
    Record { record_version: 1, digest: None, ..record }
}

fn one_of(game: &str, players: usize) -> Record {
    kept().into_iter().find(|record| record.game == game && record.players.len() == players).unwrap()
}

/// An empty room with this origin.
fn opened_from(origin: Origin) -> TestRoom {
    let options = options_of(&origin, None, Forced::Auto).unwrap();
    let entry = Room::open_from("K7QF3M", options, Seed([7; 32]), Box::new(origin), WallTime(MORNING));
    TestRoom::opened_by(entry)
}

fn at(record: &Record, moment: u32) -> TestRoom {
    opened_from(origin_of(record.clone(), Some(moment)).unwrap())
}

/// Ana takes a seat, and bots fill the others.
fn with_bots(table: &mut TestRoom) {
    table.sits_with("Ana", Some(Salt([5; 16])));
    while table.seats() < table.view()["max"].as_u64().unwrap() as usize {
        table.seats_bot("Ana", Level::Easy);
    }
    table.starts("Ana").unwrap();
}

fn tables(moments: Moments) -> Vec<Value> {
    moments.map(|moment: Moment| serde_json::from_str(moment.table.get()).unwrap()).collect()
}

/// The chair of each player, in seat order.
fn chairs(table: &TestRoom) -> Vec<(String, u64)> {
    let view = table.view();
    let chair = |seat: &Value| (seat["name"].as_str().unwrap().to_owned(), seat["chair"].as_u64().unwrap());
    view["seats"].as_array().unwrap().iter().map(chair).collect()
}

#[test]
fn continues_every_stored_game_from_its_moments() {
    for record in kept() {
        let moments = tables(Moments::of_record(record.clone()).unwrap());
        let last = record.acts.len() as u32 - 1;
        for moment in [0, last / 3, last / 2, last] {
            let mut table = at(&record, moment);
            with_bots(&mut table);
            let (mut begun, mut shown) = (table.table(), moments[moment as usize].clone());
            // Hidden choices are made again.
            for each in [&mut begun, &mut shown] {
                each.as_object_mut().unwrap().remove("decided");
            }
            assert_eq!(begun, shown, "{} at {moment}", record.game);
            assert_eq!(table.room.history().len(), 0, "earlier events are not part of this room");
            table.plays_on(9);

            let made = last_record(&table.journal).unwrap().expect("a finished game");
            assert_eq!(verify(&made), Ok(()));
            assert_eq!(made.origin.as_ref().unwrap().moment, Some(moment));
            assert_eq!(made.commitment, made.server_seed.commitment());
            let read = read_record(&serde_json::to_string(&made).unwrap()).unwrap();
            assert_eq!(read, made);
            let replayed = tables(moments_of(&table.journal, room::Which::Last).unwrap().unwrap());
            assert_eq!(replayed, tables(Moments::of_record(made.clone()).unwrap()), "journal and record agree");
            assert_eq!(replayed.len(), made.acts.len() + 1);
            assert_eq!(everything(&table.rebuilt(), 0), everything(&table.room, 0));
        }
    }
}

#[test]
fn deals_different_cards_after_the_moment() {
    let record = one_of("towers", 2);
    let rows = |record: Record, from: usize| -> Vec<Value> {
        let events = Moments::of_record(record).unwrap().skip(from).flat_map(|moment| moment.events);
        let events = events.map(|event| serde_json::from_str::<Value>(event.get()).unwrap());
        events.filter(|event| event["type"] == "round").map(|event| event["row"].clone()).collect()
    };
    let before = rows(record.clone(), 1);
    let mut table = at(&record, 0);
    with_bots(&mut table);
    table.plays_on(9);
    let after = rows(last_record(&table.journal).unwrap().unwrap(), 1);
    assert_ne!(before[..3], after[..3]);
}

#[test]
fn hidden_choices_are_made_again() {
    let record = one_of("qwantum", 3);
    let moments = tables(Moments::of_record(record.clone()).unwrap());
    let some = |table: &Value| {
        let decided = table["decided"].as_array();
        table["phase"] == "share" && decided.is_some_and(|decided| decided.contains(&json!(true)))
    };
    let moment = moments.iter().position(some).expect("a moment with some choices made") as u32;
    let mut table = at(&record, moment);
    with_bots(&mut table);
    assert_eq!(table.table()["decided"], json!([false, false, false]));
    for seat in Seat::all(3) {
        let state = table.room.state(Viewer::Seat(seat), 0).unwrap();
        assert_eq!(state.mine.unwrap().get(), r#"{"choice":null}"#);
    }
    table.plays_on(9);
}

#[test]
fn players_get_their_own_chairs_and_may_take_others() {
    let mut record = one_of("towers", 4);
    record.players = ["Ana", "Bea", "Cai", "Mira"].map(str::to_owned).into();
    let record = forged(record);
    let mut table = at(&record, 30);
    assert_eq!(table.view()["min"], 4, "as many as in the earlier game");
    assert_eq!(table.view()["origin"]["players"], json!(["Ana", "Bea", "Cai", "Mira"]));
    table.sits("Cai");
    table.sits("Dov");
    table.sits("Bea");
    let own = |name: &str| chairs(&table).into_iter().find(|(each, _)| each == name).unwrap().1;
    assert_eq!((own("Cai"), own("Bea")), (2, 1), "assigned by name");
    assert_ne!(own("Dov"), 2);
    assert_eq!(table.host().as_deref(), Some("Cai"), "the first player to sit");
    assert_eq!(table.starts("Cai"), Err("too_few_players"));
    table.seats_bot("Cai", Level::Easy);
    assert_eq!(table.view()["seats"][3]["chair"], 3, "ordered by chair");
    assert_eq!(table.tries_to_sit("Eli", None), Err("table_full"));

    let take = |table: &mut TestRoom, name: &str, chair: u8| {
        table.does(name, |player| Input::TakeChair { player, chair: Seat(chair) }).map(|_| ())
    };
    assert_eq!(take(&mut table, "Cai", 1), Err("chair_taken"), "Bea sits there");
    assert_eq!(take(&mut table, "Cai", 4), Err("no_such_seat"));
    assert_eq!(take(&mut table, "Cai", 2), Ok(()), "already in that chair");
    let bot = chairs(&table).into_iter().find(|(name, _)| !["Cai", "Dov", "Bea"].contains(&name.as_str()));
    let (bot, there) = bot.unwrap();
    assert_eq!(take(&mut table, "Cai", there as u8), Ok(()), "a bot swaps chairs");
    assert!(chairs(&table).contains(&("Cai".to_owned(), there)) && chairs(&table).contains(&(bot, 2)));
    table.restarts();
    let before = chairs(&table);
    table.starts("Cai").unwrap();
    assert_eq!(table.names(), before.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
    assert_eq!(take(&mut table, "Cai", 0), Err("not_in_lobby"));
}

#[test]
fn the_host_can_drop_the_earlier_game() {
    let record = one_of("towers", 2);
    let begun = || {
        let mut table = at(&record, 3);
        table.sits("Ana");
        table.sits("Bea");
        table
    };
    let new_deal = |table: &mut TestRoom, name: &str| table.does(name, |player| Input::NewDeal { player }).map(|_| ());
    let mut table = begun();
    assert_eq!(new_deal(&mut table, "Bea"), Err("not_host"));
    assert_eq!(new_deal(&mut table, "Ana"), Ok(()));
    assert_eq!(new_deal(&mut table, "Ana"), Err("no_origin"));
    let view = table.view();
    assert!(view.get("origin").is_none() && view["seats"][0].get("chair").is_none());
    assert_eq!((&view["min"], &view["max"]), (&json!(2), &json!(5)));
    table.sits("Cai");
    table.starts("Ana").unwrap();
    assert_eq!(table.table()["round"], 1);

    let mut table = begun();
    table.chooses("Ana", "qwantum").unwrap();
    assert!(table.view().get("origin").is_none(), "the origin is of another game");
    let mut table = begun();
    table.configures("Ana", Change { clock: Some(Some(60)), ..Change::default() }).unwrap();
    assert!(table.view().get("origin").is_some(), "a clock keeps the origin");
    table.starts("Ana").unwrap();
    table.plays_on(9);
    table.asks_for_a_rematch("Ana").unwrap();
    assert!(table.view().get("origin").is_none(), "a rematch is a new deal");
    assert_eq!(everything(&table.rebuilt(), 0), everything(&table.room, 0));
    assert_eq!(games_played(&table.journal).unwrap()[0].origin.as_ref().unwrap().moment, Some(3));
}

/// Requests the deal of the finished game once more.
fn same_deal(table: &mut TestRoom, name: &str) -> Result<Vec<RoomEvent>, &'static str> {
    let record = Box::new(last_record(&table.journal).unwrap().expect("a finished game"));
    let seed = table.seed();
    table.does(name, |player| Input::SameDeal { player, seed, record })
}

#[test]
fn repeats_a_deal_for_the_same_seats_and_records_its_origin() {
    let mut table = TestRoom::of(&["Ana", "Bea", "Cai"]);
    table.starts("Ana").unwrap();
    let (first, starter) = (table.table()["row"].clone(), table.table()["starter"].clone());
    table.plays_for("Bea");
    let earlier = last_record(&table.journal).unwrap().unwrap();
    table.leaves("Bea").unwrap();
    let commitment = table.commitment();
    same_deal(&mut table, "Ana").unwrap();
    assert_ne!(table.commitment(), commitment, "each game has its own commitment");
    assert_eq!(chairs(&table), [("Ana".to_owned(), 0), ("Cai".to_owned(), 2)]);
    let origin = table.view()["origin"].clone();
    assert_eq!(origin["moment"], Value::Null);
    assert_eq!(origin["outcome"], json!(earlier.outcome), "to compare the scores");
    table.restarts();
    assert_eq!(table.starts("Ana"), Err("too_few_players"));
    table.sits("Dov");
    assert_eq!(chairs(&table)[1], ("Dov".to_owned(), 1));
    table.starts("Ana").unwrap();
    assert_eq!((&table.table()["row"], &table.table()["starter"]), (&first, &starter));
    table.plays_for("Dov");
    let again = last_record(&table.journal).unwrap().unwrap();
    assert_eq!(verify(&again), Ok(()));
    assert_eq!(again.origin.as_ref().unwrap().record, earlier);
    assert_eq!(everything(&table.rebuilt(), 0), everything(&table.room, 0));
    let by_number = record_of(&table.journal, room::Which::Number(2)).unwrap().unwrap();
    assert_eq!(by_number, again);
}

#[test]
fn limits_how_often_a_deal_is_repeated() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    let mut times = 0;
    loop {
        table.starts("Ana").unwrap();
        table.plays_quietly();
        match same_deal(&mut table, "Ana") {
            Ok(_) => times += 1,
            Err(code) => break assert_eq!(code, "too_long_ago"),
        }
    }
    assert_eq!(times, 8);
    table.asks_for_a_rematch("Ana").unwrap();
}

#[test]
fn refuses_an_invalid_moment_or_record_as_origin() {
    let record = one_of("qwantum", 2);
    let acts = record.acts.len() as u32;
    for moment in [acts, acts + 1, u32::MAX] {
        assert_eq!(origin_of(record.clone(), Some(moment)).unwrap_err(), Doubt::NoMoment);
    }
    let mut nameless = record.clone();
    nameless.players[0] = "a name that is much longer than any".to_owned();
    assert_eq!(origin_of(forged(nameless), None).unwrap_err(), Doubt::Names);
    let mut cut = record.clone();
    cut.acts.pop();
    assert_eq!(origin_of(forged(cut), Some(3)).unwrap_err(), Doubt::NoEnd);
}

#[test]
fn refuses_a_record_with_a_changed_origin() {
    let record = one_of("towers", 2);
    let mut table = at(&record, 20);
    with_bots(&mut table);
    table.plays_on(9);
    let made = last_record(&table.journal).unwrap().unwrap();
    let with = |forge: &dyn Fn(&mut Origin)| {
        let mut record = forged(made.clone());
        let origin = record.origin.as_mut().unwrap();
        origin.record = forged(origin.record.clone());
        forge(origin);
        verify(&record)
    };
    let doubted = |doubt| Err(Doubt::Origin(Box::new(doubt)));
    assert_eq!(with(&|_| ()), Ok(()));
    assert_eq!(with(&|origin| origin.record.server_seed = Seed([0; 32])), doubted(Doubt::Commitment));
    assert_eq!(with(&|origin| origin.record.outcome.scores[0] += 1), doubted(Doubt::Outcome));
    assert_eq!(with(&|origin| origin.record.acts.truncate(25)), doubted(Doubt::NoEnd));
    assert_eq!(with(&|origin| origin.moment = Some(u32::MAX)), Err(Doubt::OriginMoment));
    assert_eq!(with(&|origin| origin.record = one_of("towers", 4)), Err(Doubt::OriginOther));
    assert_eq!(with(&|origin| origin.record = one_of("qwantum", 2)), Err(Doubt::OriginOther));
    for moment in [Some(19), Some(21), None] {
        assert!(with(&|origin| origin.moment = moment).is_err(), "{moment:?}");
    }
}

#[test]
fn refuses_deeply_nested_origins_without_overflow() {
    let mut record = one_of("qwantum", 2);
    for _ in 0..10 {
        let earlier = Origin { moment: None, record: record.clone() };
        record = forged(Record { origin: Some(Box::new(earlier)), ..record });
    }
    assert_eq!(verify(&record), Err(Doubt::OriginDeep));
    let text = "{\"record_version\":1,\"origin\":{\"record\":".repeat(100_000);
    assert!(matches!(read_record(&text), Err(Doubt::Unreadable(_))));
}

#[test]
fn writes_the_newer_format_only_for_entries_that_need_it() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    table.starts("Ana").unwrap();
    table.plays_quietly();
    table.asks_for_a_rematch("Ana").unwrap();
    for line in &table.journal {
        assert!(line.starts_with("{\"v\":1,"), "{line}");
        assert!(!line.contains("\"form\":2"), "{line}");
    }
    let mut table = at(&one_of("towers", 2), 5);
    table.sits("Ana");
    let versions: Vec<Value> =
        table.journal.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["v"].clone()).collect();
    assert_eq!(versions, [2, 1, 2], "opened, sat, and the chair taken");
    let newer = table.journal[0].replacen("\"v\":2", "\"v\":4", 1);
    assert_eq!(Entry::read(&newer).unwrap_err().to_string(), "an entry written by a newer Rookery");
}
