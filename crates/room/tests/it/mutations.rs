//! Every change of a record is detected, one leaf of its JSON at a time. Stored games are replayed exactly as they were
//! when they were stored.

use crate::test_room::TestRoom;
use game::{Chance, Level, Salt, Seed};
use protocol::{Moment, Record};
use room::{Doubt, Moments, last_record, read_record, verify};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Number of games to play. `ROOKERY_GAMES=1000` plays more.
fn games() -> u32 {
    std::env::var("ROOKERY_GAMES").ok().and_then(|games| games.parse().ok()).unwrap_or(24)
}

/// Plays a whole game of bots and random players. The number determines the game.
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
        table.plays_next(1000, &mut chance);
    }
    last_record(&table.journal).unwrap().expect("a finished game")
}

/// Collects the JSON pointers of all leaves.
fn leaves(value: &Value, path: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| leaves(value, &format!("{path}/{name}"), into));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, item)| leaves(item, &format!("{path}/{n}"), into));
        }
        _ => into.push(path.to_owned()),
    }
}

/// Returns a changed leaf: another character, another number, or a value instead of null.
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

fn replayed(record: Record) -> Vec<String> {
    let moments = Moments::of_record(record).expect("a valid record");
    moments.map(|moment| serde_json::to_string(&moment).unwrap()).collect()
}

/// Returns the part of a record that a JSON pointer leads to, and for actions the index.
fn part_of(place: &str) -> (String, Option<usize>) {
    let mut steps = place.split('/').skip(1);
    let part = steps.next().unwrap().to_owned();
    let n = if part == "acts" { steps.next().map(|n| n.parse().unwrap()) } else { None };
    (part, n)
}

/// A modification of a record.
type Forge = fn(&mut Record);

/// If `ROOKERY_FORGED=file` is set, writes the records with their modifications and results to that file, one per line,
/// so that the web page's verification can be tested with the same data (`web/tests/deal.test.js`).
struct Forged(Option<BufWriter<File>>);

impl Forged {
    fn open() -> Forged {
        let file =
            std::env::var_os("ROOKERY_FORGED").map(|path| File::create(path).expect("failed to create the file"));
        Forged(file.map(BufWriter::new))
    }

    fn write(&mut self, record: &Record, changes: &[Value]) {
        let Some(file) = &mut self.0 else { return };
        let moments = Moments::of_record(record.clone()).expect("a valid record");
        let past: Vec<_> = moments.map(|moment| json!({"events": moment.events, "action": moment.action})).collect();
        writeln!(file, "{}", json!({"record": record, "past": past, "changes": changes})).unwrap();
    }
}

#[test]
fn bot_games_verify_and_every_change_in_a_record_is_named() {
    let (mut tried, mut unreadable, mut file) = (0_u32, 0_u32, Forged::open());
    for number in 0..games() {
        let record = played(number);
        assert_eq!(verify(&record), Ok(()), "game {number}");
        let whole = serde_json::to_value(&record).unwrap();
        let mut places = Vec::new();
        leaves(&whole, "", &mut places);
        let mut chance = Chance::new(Seed([number as u8; 32]));
        // All leaves of the head, and a sample of the actions and their digests, which are the largest part.
        let many = |place: &String| place.starts_with("/acts") || place.starts_with("/digest/acts");
        let (acts, head): (Vec<String>, Vec<String>) = places.into_iter().partition(many);
        let some = (0..80).map(|_| acts[chance.below(acts.len() as u32) as usize].clone()).collect::<Vec<_>>();
        let mut changes = Vec::new();
        for place in head.iter().chain(&some) {
            let mut forged = whole.clone();
            let leaf = forged.pointer_mut(place).unwrap();
            *leaf = changed(leaf, &mut chance);
            tried += 1;
            let (part, n) = part_of(place);
            changes.push(json!({"place": place, "leaf": forged.pointer(place), "part": part, "n": n}));
            match read_record(&forged.to_string()).and_then(|record| verify(&record)) {
                Err(Doubt::Changed { part: named, n: which }) => {
                    assert_eq!((named, which), (part, n), "game {number}, {place}");
                }
                Err(Doubt::Version(newer)) => assert_eq!((part.as_str(), newer), ("record_version", 3)),
                Err(Doubt::Unreadable(_)) => unreadable += 1,
                doubt => panic!("game {number}, {place}: {doubt:?}"),
            }
        }
        file.write(&record, &changes);
        // Removed, duplicated and reordered parts.
        let acts = record.acts.len();
        let forgeries: [(Forge, &str, Option<usize>); 5] = [
            (|record| drop(record.acts.remove(3)), "acts", Some(3)),
            (|record| record.acts.insert(3, record.acts[2].clone()), "acts", Some(3)),
            (|record| drop(record.acts.pop()), "acts", Some(acts - 1)),
            (|record| record.players.reverse(), "players", None),
            (|record| record.digest = None, "digest", None),
        ];
        for (forge, part, n) in forgeries {
            let mut forged = record.clone();
            forge(&mut forged);
            assert_eq!(verify(&forged), Err(Doubt::Changed { part: part.to_owned(), n }), "game {number}");
        }
    }
    println!("{} games, {tried} changes, {unreadable} of them unreadable", games());
    assert!(unreadable * 2 < tried, "{unreadable} of {tried}");
}

/// A deliberate forger recalculates the digest. The commitment, the rules and the outcome must then still be
/// consistent. A forgery that passes them is a game that was not played, which nothing in the record can reveal.
#[test]
fn without_a_digest_other_checks_detect_forgeries() {
    let mut noticed = 0;
    for number in 0..8 {
        let record = Record { record_version: 1, digest: None, ..played(number) };
        assert_eq!(verify(&record), Ok(()), "a record from before digests existed");
        let forgeries: [Forge; 4] = [
            |record| record.outcome.scores[0] += 1,
            |record| record.server_seed.0[0] ^= 1,
            |record| record.salts[0] = Some(Salt([0x55; 16])),
            |record| drop(record.acts.pop()),
        ];
        for forge in forgeries {
            let mut forged = record.clone();
            forge(&mut forged);
            let doubt = verify(&forged).expect_err("a forged record");
            assert!(!matches!(doubt, Doubt::Changed { .. }), "game {number}: {doubt}");
            noticed += 1;
        }
    }
    assert_eq!(noticed, 32);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games")
}

/// Returns a record with the expected results: the hash of its moments, and all scores at each moment.
fn kept(record: &Record) -> Value {
    let lines = replayed(record.clone());
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

/// `ROOKERY_WRITE_GAMES=1 cargo test -p room --test it mutations` regenerates the last four games.
#[test]
fn stored_games_replay_exactly_as_stored() {
    if std::env::var_os("ROOKERY_WRITE_GAMES").is_some() {
        fs::create_dir_all(folder()).unwrap();
        // The first twelve were stored when records had no digest, and are never regenerated.
        for number in 12..16 {
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
        seen.push((record.game, record.record_version));
    }
    for (version, least) in [(1, 12), (2, 4)] {
        assert!(seen.iter().filter(|(_, of)| *of == version).count() >= least, "{seen:?}");
    }
    for game in ["towers", "qwantum"] {
        assert!(seen.iter().filter(|(id, _)| id == game).count() >= 6, "{seen:?}");
    }
}
