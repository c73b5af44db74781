//! The summary of all games of a room (book), and all its records in sequence.

use crate::test_room::TestRoom;
use game::{Level, Salt};
use room::{book_of, csv_of, last_record, records_of, verify};
use serde_json::{Value, json};

/// Ana and Bea play three games: Ana wins two, Bea one. After the last they return to the lobby.
fn evening() -> TestRoom {
    let mut table = TestRoom::open();
    table.sits_with("Ana", Some(Salt([3; 16])));
    table.sits_with("Bea", Some(Salt([4; 16])));
    for winner in ["Ana", "Bea", "Ana"] {
        table.starts("Ana").unwrap();
        table.plays_for(winner);
        table.asks_for_a_rematch("Ana").unwrap();
    }
    table
}

fn book(table: &TestRoom) -> Value {
    serde_json::to_value(book_of(&table.journal).unwrap()).unwrap()
}

#[test]
fn a_book_counts_games_wins_points_and_feats() {
    let mut table = evening();
    table.starts("Ana").unwrap();
    let book = book(&table);
    assert_eq!(book["games"].as_array().unwrap().len(), 3, "the running game is not included");
    let chapter = &book["chapters"][0];
    assert_eq!((&chapter["game"], &chapter["games"]), (&json!("towers"), &json!(3)));
    let names: Vec<&Value> = chapter["players"].as_array().unwrap().iter().map(|each| &each["name"]).collect();
    assert_eq!(names, [&json!("Ana"), &json!("Bea")], "most wins first");
    let ana = &chapter["players"][0];
    assert_eq!((&ana["games"], &ana["wins"], &ana["bot"]), (&json!(3), &json!(2), &json!(false)));
    let points: Vec<i64> =
        book["games"].as_array().unwrap().iter().map(|game| game["outcome"]["scores"][0].as_i64().unwrap()).collect();
    let average = points.iter().sum::<i64>() as f64 / 3.0;
    assert!((ana["average"].as_f64().unwrap() - average).abs() < 0.006);
    assert_eq!(ana["highest"], json!(points.iter().max()));
    assert_eq!(ana["lowest"], json!(points.iter().min()));
    assert_eq!(chapter["pairs"], json!([{"players": ["Ana", "Bea"], "games": 3, "ahead": [2, 1]}]));
    let best = chapter["best"].as_array().unwrap();
    let of = |feat: &str| best.iter().find(|best| best["feat"] == feat).unwrap();
    assert_eq!(
        (&of("tallest")["count"], &of("tallest")["number"]),
        (&json!(1), &json!(1)),
        "one card high, first in game 1"
    );
    assert_eq!(of("demolished")["count"], 0);
    assert!(best.iter().any(|best| best["feat"] == "points"));
}

#[test]
fn games_with_an_origin_are_listed_but_not_counted() {
    let mut table = evening();
    table.starts("Ana").unwrap();
    table.plays_for("Bea");
    let record = Box::new(last_record(&table.journal).unwrap().unwrap());
    let seed = table.seed();
    table.does("Ana", |player| room::Input::SameDeal { player, seed, record }).unwrap();
    table.starts("Ana").unwrap();
    table.plays_for("Ana");
    let book = book(&table);
    let counts: Vec<&Value> = book["games"].as_array().unwrap().iter().map(|game| &game["counts"]).collect();
    assert_eq!(counts, [true, true, true, true, false]);
    assert_eq!(book["chapters"][0]["games"], 4);
}

#[test]
fn includes_bots_and_the_other_game() {
    let mut table = TestRoom::open();
    table.sits_with("Ana", Some(Salt([3; 16])));
    table.chooses("Ana", "qwantum").unwrap();
    let bot = table.seats_bot("Ana", Level::Easy);
    table.starts("Ana").unwrap();
    table.plays_on(9);
    let book = book(&table);
    let chapter = &book["chapters"][0];
    assert_eq!(chapter["game"], "qwantum");
    let players = chapter["players"].as_array().unwrap();
    assert_eq!(players.iter().find(|each| each["name"] == json!(bot)).unwrap()["bot"], true);
    let feats: Vec<&str> =
        chapter["best"].as_array().unwrap().iter().map(|best| best["feat"].as_str().unwrap()).collect();
    assert_eq!(feats, ["columns", "misses", "points"]);
}

#[test]
fn the_csv_has_a_row_per_player_and_escapes_formulas() {
    let mut table = TestRoom::of(&["=1+1", "Bea \"B\""]);
    table.starts("=1+1").unwrap();
    table.plays_quietly();
    let csv = csv_of(&book_of(&table.journal).unwrap());
    let rows: Vec<&str> = csv.split("\r\n").collect();
    assert_eq!(rows.len(), 4, "header, two players, and the final line break");
    assert!(rows[1].contains(",0,\"'=1+1\",true,0,true,demolished=0 tallest=0"), "{csv}");
    assert!(rows[2].contains(",1,\"Bea \"\"B\"\"\","), "{csv}");
}

#[test]
fn lists_all_records_of_a_room_in_order() {
    let mut table = evening();
    table.starts("Ana").unwrap();
    table.leaves("Bea").unwrap();
    table.leaves("Ana").unwrap();
    let records: Vec<_> = records_of(table.journal.clone()).unwrap().map(Result::unwrap).collect();
    assert_eq!(records.len(), 3, "the last game was abandoned");
    for (number, record) in (1..).zip(&records) {
        assert_eq!(verify(record), Ok(()));
        let alone = room::record_of(&table.journal, room::Which::Number(number)).unwrap().unwrap();
        assert_eq!(&alone, record);
    }
    table.journal[9] = "nonsense".to_owned();
    assert!(records_of(table.journal).unwrap().any(|record| record.is_err()), "damage is reported, not skipped");
}

#[test]
fn a_chapter_has_the_fifty_most_frequent_players() {
    let mut table = TestRoom::of(&["Ana", "Bea"]);
    for guest in 0..30 {
        for name in [format!("Guest {guest}"), format!("Other {guest}")] {
            table.sits(&name);
        }
        table.starts("Ana").unwrap();
        table.plays_quietly();
        table.asks_for_a_rematch("Ana").unwrap();
        for name in [format!("Guest {guest}"), format!("Other {guest}")] {
            table.leaves(&name).unwrap();
        }
    }
    let book = book(&table);
    let players = book["chapters"][0]["players"].as_array().unwrap();
    assert_eq!(players.len(), 50);
    assert!(players.iter().any(|each| each["name"] == "Ana" && each["games"] == 30));
    assert_eq!(book["games"].as_array().unwrap().len(), 30, "all games are listed");
}
