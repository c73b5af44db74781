//! A finished game can be verified by anyone from its record alone.

use crate::test_room::TestRoom;
use game::{Level, Salt, Seat};
use protocol::Record;
use room::{Doubt, last_record, read_record, verify};
use serde_json::json;

fn record_of(table: &TestRoom) -> Option<Record> {
    last_record(&table.journal).unwrap()
}

/// Ana, with a salt, and a bot play a game to its end.
fn played(game: &str) -> TestRoom {
    let mut table = TestRoom::open();
    table.sits_with("Ana", Some(Salt([3; 16])));
    table.chooses("Ana", game).unwrap();
    table.seats_bot("Ana", Level::Easy);
    table.starts("Ana").unwrap();
    table.plays_on(9);
    table
}

#[test]
fn the_record_of_every_game_is_valid() {
    for offer in room::GAMES {
        let table = played(offer.id);
        let commitment = table.commitment();
        let record = record_of(&table).expect("a finished game");
        assert_eq!(verify(&record), Ok(()), "{}", offer.id);

        let value = serde_json::to_value(&record).unwrap();
        assert_eq!((&value["game"], &value["protocol"]), (&json!(offer.id), &json!(1)));
        assert_eq!(value["commitment"], json!(commitment), "the published commitment");
        assert_eq!(value["salts"], json!([hex::encode([3; 16]), null]), "a bot has no salt");
        assert_eq!(value["players"][0], "Ana");
        assert_eq!(value["outcome"], table.table()["outcome"]);
        assert_eq!(value["server_seed"].as_str().unwrap().len(), 64);
        let read: Record = serde_json::from_value(value).unwrap();
        assert_eq!(read, record);
    }
}

#[test]
fn the_last_record_is_available_until_the_next_game_ends() {
    let mut table = TestRoom::playing(&["Ana", "Bea"]);
    assert_eq!(record_of(&table), None);
    table.plays_quietly();
    let first = record_of(&table).expect("a finished game");
    table.asks_for_a_rematch("Ana").unwrap();
    assert_eq!(record_of(&table).as_ref(), Some(&first));
    table.starts("Ana").unwrap();
    assert_eq!(record_of(&table).as_ref(), Some(&first));
    table.plays_quietly();
    let second = record_of(&table).expect("a second finished game");
    assert_ne!(second.server_seed, first.server_seed);
    assert_eq!(verify(&second), Ok(()));
}

#[test]
fn finds_the_last_record_before_abandoned_games() {
    let mut table = TestRoom::open();
    table.sits_with("Ana", Some(Salt([3; 16])));
    table.sits("Bea");
    for _ in 0..2 {
        table.starts("Ana").unwrap();
        table.plays_for("Bea");
        table.asks_for_a_rematch("Ana").unwrap();
    }
    let last = record_of(&table).expect("a finished game");
    assert_eq!(verify(&last), Ok(()));
    assert_eq!((&last.players[..], last.outcome.winners.len()), (&["Ana".to_owned(), "Bea".to_owned()][..], 1));
    table.starts("Ana").unwrap();
    table.leaves("Ana").unwrap();
    table.leaves("Bea").unwrap();
    // A bot is left in Ana's seat, and nobody stays to finish the game.
    for name in ["Cid", "Dan"] {
        table.sits(name);
        table.starts(name).unwrap();
        table.leaves(name).unwrap();
    }
    assert_eq!(record_of(&table), Some(last.clone()));
    // Entries before the preceding checkpoint are not read.
    let acted = table.journal.iter().position(|line| line.contains("acted")).unwrap();
    table.journal[acted] = "a letter".to_owned();
    assert_eq!(record_of(&table), Some(last));
}

#[test]
fn an_abandoned_game_has_no_record() {
    let mut table = TestRoom::playing(&["Ana", "Bea"]);
    table.leaves("Ana").unwrap();
    table.leaves("Bea").unwrap();
    assert_eq!(table.phase(), "lobby");
    assert_eq!(record_of(&table), None);
}

#[test]
fn verifies_a_record_without_a_version() {
    let record = record_of(&played("qwantum")).expect("a finished game");
    let mut value = serde_json::to_value(&record).unwrap();
    assert_eq!(value["record_version"], 2);
    for newer in ["record_version", "digest"] {
        value.as_object_mut().unwrap().remove(newer).unwrap();
    }
    let old = read_record(&value.to_string()).unwrap();
    assert_eq!(verify(&old), Ok(()));
}

#[test]
fn refuses_a_record_of_a_newer_version_for_its_version_only() {
    let newer = json!({"record_version": 4, "seeds": ["another form"], "acts": "packed"});
    let doubt = read_record(&newer.to_string()).unwrap_err();
    assert_eq!(doubt, Doubt::Version(4));
    assert_eq!(doubt.to_string(), "it is a record of version 4, which needs a newer Rookery");
    assert!(matches!(read_record("a letter"), Err(Doubt::Unreadable(_))));
}

/// A modification of a record, and the doubt it must raise.
type Forgery = (fn(&mut Record), fn(&Doubt) -> bool);

#[test]
fn detects_changes_in_a_record_without_a_digest() {
    let record = record_of(&played("towers")).expect("a finished game");
    let record = Record { record_version: 1, digest: None, ..record };
    let forgeries: [Forgery; 12] = [
        (|record| record.record_version = 4, |doubt| matches!(doubt, Doubt::Version(4))),
        (|record| record.protocol = 2, |doubt| matches!(doubt, Doubt::Protocol(2))),
        (|record| record.game = "chess".to_owned(), |doubt| matches!(doubt, Doubt::Game(_))),
        (|record| record.rules_version = 3, |doubt| matches!(doubt, Doubt::RulesVersion(3))),
        (|record| record.rules = json!({"mistakes": "never"}), |doubt| matches!(doubt, Doubt::Rules(_))),
        (|record| record.server_seed.0[0] ^= 1, |doubt| *doubt == Doubt::Commitment),
        (|record| record.salts[0] = Some(Salt([4; 16])), |_| true),
        (|record| record.salts.truncate(1), |doubt| matches!(doubt, Doubt::Players(2))),
        (|record| record.acts.truncate(20), |doubt| *doubt == Doubt::NoEnd),
        (|record| record.acts[0].seat = Seat(7), |doubt| matches!(doubt, Doubt::Act { n: 0, .. })),
        (
            |record| record.acts[5].action = json!({"type": "fly"}).into(),
            |doubt| matches!(doubt, Doubt::Act { n: 5, .. }),
        ),
        (|record| record.outcome.scores[0] += 1, |doubt| *doubt == Doubt::Outcome),
    ];
    for (n, (forge, fits)) in forgeries.into_iter().enumerate() {
        let mut forged = record.clone();
        forge(&mut forged);
        let doubt = verify(&forged).expect_err("a forged record");
        assert!(fits(&doubt), "forgery {n}: {doubt}");
    }
}
