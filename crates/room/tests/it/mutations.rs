//! Whatever is changed in a record is noticed, one leaf of its JSON at a time; and games that were kept once are told to this day as they
//! were then.

use crate::test_room::TestRoom;
use game::{Chance, Level, Salt, Seed};
use protocol::{Moment, Record};
use room::{Doubt, Moments, last_record, read_record, verify};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// How many games are played; `ROOKERY_GAMES=1000` plays more.
fn games() -> u32 {
    std::env::var("ROOKERY_GAMES").ok().and_then(|games| games.parse().ok()).unwrap_or(24)
}

/// A whole game by bots and a person who plays anything; which one, the number says.
fn played(number: u32) -> Record {
    let mut chance = Chance::new(Seed(std::array::from_fn(|i| (number >> (8 * (i % 4))) as u8)));
    let mut table = TestRoom::open_with(Seed(std::array::from_fn(|i| i as u8 ^ number as u8)));
    table.sits_with("Ana", Some(Salt([number as u8; 16])));
    let (game, most) = if number.is_multiple_of(2) { ("towers", 5) } else { ("qwantum", 4) };
    table.chooses("Ana", game).unwrap();
    if number % 4 == 2 {
        table.allows_mistakes("Ana");
    }
    if chance.below(2) == 0 {
        table.sits_with("Bea", Some(Salt([!number as u8; 16])));
    }
    while table.seats() < 2 || (table.seats() < most && chance.below(2) == 0) {
        table.seats_bot("Ana", Level::Easy);
    }
    table.starts("Ana").unwrap();
    while table.phase() == "playing" {
        table.now += 1000;
        if table.somebody_plays_for_others().is_empty() {
            table.plays_anything(&mut chance);
        }
    }
    last_record(&table.journal).unwrap().expect("it was played to its end")
}

/// The places of all leaves that mean something. Names and times are what people say and what the clock said: nothing follows from them.
fn leaves(value: &Value, path: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| !["players", "at"].contains(&name.as_str()))
            {
                leaves(value, &format!("{path}/{name}"), into);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, item)| leaves(item, &format!("{path}/{n}"), into));
        }
        _ => into.push(path.to_owned()),
    }
}

/// The leaf as it is not: another digit or letter, another number, something in place of nothing.
fn changed(leaf: &Value, chance: &mut Chance) -> Value {
    match leaf {
        Value::Number(number) => {
            let number = number.as_i64().unwrap();
            json!(if chance.below(2) == 0 { number + 1 } else { number - 1 })
        }
        Value::String(text) => {
            let at = chance.below(text.len() as u32) as usize;
            let mut bytes = text.clone().into_bytes();
            bytes[at] = if bytes[at] == b'a' { b'b' } else { b'a' };
            json!(String::from_utf8(bytes).unwrap())
        }
        Value::Null => json!("00".repeat(16)),
        other => panic!("{other}"),
    }
}

fn told(record: Record) -> Vec<String> {
    let moments = Moments::of_record(record).expect("it holds");
    moments.map(|moment| serde_json::to_string(&moment).unwrap()).collect()
}

#[test]
fn games_of_bots_hold_and_whatever_is_changed_in_their_records_is_named() {
    let (mut tried, mut other_games) = (0_u32, 0_u32);
    for number in 0..games() {
        let record = played(number);
        assert_eq!(verify(&record), Ok(()), "game {number}");
        let whole = serde_json::to_value(&record).unwrap();
        let mut places = Vec::new();
        leaves(&whole, "", &mut places);
        let mut chance = Chance::new(Seed([number as u8; 32]));
        // All of the head, and some of the acts, which are most of it.
        let (acts, head): (Vec<String>, Vec<String>) =
            places.into_iter().partition(|place| place.starts_with("/acts"));
        let some =
            (0..60).map(|_| acts[chance.below(acts.len() as u32) as usize].clone()).collect::<Vec<_>>();
        for place in head.iter().chain(&some) {
            let mut forged = whole.clone();
            let leaf = forged.pointer_mut(place).unwrap();
            *leaf = changed(leaf, &mut chance);
            tried += 1;
            let doubt = read_record(&forged.to_string()).and_then(|record| verify(&record));
            match (place.split('/').nth(1).unwrap(), doubt) {
                // One act may be another by which everything goes on as it did: a game that might have been played. It is told otherwise.
                ("acts", Ok(())) => {
                    other_games += 1;
                    let forged = read_record(&forged.to_string()).unwrap();
                    assert_ne!(told(forged), told(record.clone()), "game {number}, {place}");
                }
                ("acts", Err(Doubt::Unreadable(_) | Doubt::Act { .. } | Doubt::NoEnd | Doubt::Outcome)) => {}
                ("server_seed" | "commitment", Err(Doubt::Commitment | Doubt::Unreadable(_))) => {}
                ("salts", Err(Doubt::Act { .. } | Doubt::Outcome | Doubt::NoEnd | Doubt::Unreadable(_))) => {}
                ("outcome", Err(Doubt::Outcome | Doubt::Unreadable(_))) => {}
                ("game", Err(Doubt::Game(_))) => {}
                ("rules", Err(Doubt::Rules(_))) => {}
                ("rules_version", Err(Doubt::RulesVersion(_))) => {}
                ("protocol", Err(Doubt::Protocol(_))) => {}
                ("record_version", Err(Doubt::Version(2))) => {}
                // There was none before the first, and what is older is read.
                ("record_version", Ok(())) if forged["record_version"] == 0 => {}
                (_, doubt) => panic!("game {number}, {place}: {doubt:?}"),
            }
        }
    }
    println!("{} games, {tried} changes, {other_games} of them make another game", games());
    assert!(other_games * 10 < tried, "{other_games} of {tried} were not noticed");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games")
}

/// A record with what must come of it: the moments as a hash of their lines, and everyone's points at each.
fn kept(record: &Record) -> Value {
    let lines = told(record.clone());
    let scores = lines.iter().map(|line| {
        let moment: Moment = serde_json::from_str(line).unwrap();
        let table: Value = serde_json::from_str(moment.table.get()).unwrap();
        let players = table["players"].as_array().unwrap().clone();
        players.iter().map(|player| player["score"]["total"].clone()).collect::<Vec<_>>()
    });
    let scores: Vec<_> = scores.collect();
    let hash = hex::encode(Sha256::digest(lines.join("\n")));
    json!({"record": record, "moments": {"count": lines.len(), "sha256": hash}, "scores": scores})
}

/// `ROOKERY_WRITE_GAMES=1 cargo test -p room --test it mutations` keeps a dozen anew.
#[test]
fn kept_games_are_told_as_they_were_when_they_were_kept() {
    if std::env::var_os("ROOKERY_WRITE_GAMES").is_some() {
        fs::create_dir_all(folder()).unwrap();
        for number in 0..12 {
            let record = played(100 + number);
            let file = folder().join(format!("{}-{}-{number}.json", record.game, record.players.len()));
            fs::write(file, kept(&record).to_string() + "\n").unwrap();
        }
    }
    let mut seen = Vec::new();
    for file in fs::read_dir(folder()).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let was: Value = serde_json::from_str(&text).unwrap();
        let record = read_record(&was["record"].to_string()).unwrap();
        assert_eq!(verify(&record), Ok(()), "{path:?}");
        let now = kept(&record);
        for part in ["moments", "scores"] {
            assert_eq!(now[part], was[part], "{part} of {path:?}");
        }
        seen.push((record.game, record.players.len()));
    }
    assert!(seen.len() >= 12, "{seen:?}");
    for game in ["towers", "qwantum"] {
        assert!(seen.iter().filter(|(id, _)| id == game).count() >= 6, "{seen:?}");
    }
}
