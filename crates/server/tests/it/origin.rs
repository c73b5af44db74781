//! Games that begin with an earlier one, the book of a room and all its records, over HTTP, sockets and
//! `rookery verify`.

use crate::client::Client;
use crate::edge::raw;
use crate::games::play_on;
use crate::harness::{FAST, TestServer, begin, open_with, request, request_with};
use crate::journals::{Mood, TestJournal};
use crate::past::get;
use crate::topology::Ground;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;

/// A room in which Ana and Bea have finished one game of this kind, and its record.
async fn finished(address: SocketAddr, game: &str) -> (String, Vec<Client>, Value) {
    let code = open_with(address, json!({"game": game})).await;
    let mut players = begin(address, &code, 2).await;
    play_on(&mut players, 3).await;
    let (status, record) = get(address, &format!("{code}/games/1/record")).await;
    assert_eq!(status, 200, "{record}");
    (code, players, record)
}

async fn open_from(address: SocketAddr, wanted: &Value) -> (u16, Value) {
    let (status, body) = request(address, "POST", "/api/rooms/from", &wanted.to_string()).await;
    (status, serde_json::from_str(&body).unwrap_or_else(|_| panic!("not JSON: {body}")))
}

/// Runs `rookery verify` on this text. Returns the output, and whether the records are valid.
fn verified(text: &str) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("records.jsonl");
    std::fs::write(&file, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_rookery")).arg("verify").arg(&file).output().unwrap();
    (String::from_utf8([output.stdout, output.stderr].concat()).unwrap(), output.status.success())
}

#[tokio::test(flavor = "multi_thread")]
async fn continues_a_game_from_a_moment_on_another_server() {
    let server = TestServer::start().await;
    let elsewhere = TestServer::on(Ground::fresh().await, FAST).await;
    for game in ["towers", "qwantum"] {
        let (code, _, record) = finished(server.address, game).await;
        let (_, told) = server.get(&format!("/api/rooms/{code}/games/1/moments")).await;
        let moment = record["acts"].as_array().unwrap().len() / 2;
        let shown: Value = serde_json::from_str(told.lines().nth(moment).unwrap()).unwrap();
        let (status, opened) = open_from(elsewhere.address, &json!({"record": record, "moment": moment})).await;
        assert_eq!(status, 201, "{opened}");
        let code = opened["code"].as_str().unwrap().to_owned();
        let (_, room) = get(elsewhere.address, &code).await;
        assert_eq!((&room["min"], &room["max"]), (&json!(2), &json!(2)));
        assert_eq!(room["origin"]["moment"], json!(moment));
        assert_eq!(room["origin"]["players"], record["players"]);

        let mut bea = Client::join(elsewhere.address, &code, "Bea").await;
        let mut ana = Client::join(elsewhere.address, &code, "Ana").await;
        bea.until("Ana takes the first seat", |bea| bea.seat() == Some(1)).await;
        assert_eq!(ana.seat(), Some(0), "chairs are assigned by name");
        bea.say(json!({"type": "take_chair", "chair": 0})).await;
        assert_eq!(bea.until_heard("error").await.json["code"], "chair_taken");
        bea.say(json!({"type": "start"})).await;
        for player in [&mut ana, &mut bea] {
            player.until("the game begins", |player| !player.asked().is_empty()).await;
        }
        let (mut begun, mut shown) = (ana.table(), shown["table"].clone());
        for table in [&mut begun, &mut shown] {
            table.as_object_mut().unwrap().remove("decided");
        }
        assert_eq!(begun, shown, "{game}");
        let mut players = [ana, bea];
        play_on(&mut players, 5).await;

        let (_, made) = get(elsewhere.address, &format!("{code}/record")).await;
        assert_eq!(made["origin"]["record"], record);
        let (said, valid) = verified(&made.to_string());
        assert!(valid && said.contains(&format!("it continues after {moment} of the")), "{said}");
        let mut forged = made.clone();
        forged["origin"]["moment"] = json!(0);
        assert!(!verified(&forged.to_string()).1);
        let (status, body) = request(server.address, "POST", "/api/moments", &made.to_string()).await;
        assert_eq!((status, body.lines().count()), (200, made["acts"].as_array().unwrap().len() + 1));
        let (_, games) = get(elsewhere.address, &format!("{code}/games")).await;
        assert_eq!(games[0]["origin"]["moment"], json!(moment));

        // The rematch is a normal game.
        players[0].say(json!({"type": "rematch"})).await;
        players[0].until("the room is in the lobby", |player| player.room["phase"] == "lobby").await;
        assert!(players[0].room.get("origin").is_none());
    }
    elsewhere.stop().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_the_record_for_the_same_deal_does_not_hold_the_room() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let (code, mut players, _) = finished(server.address, "towers").await;
    journal.turn(&code, Mood::HangsOnReading);
    players[1].say(json!({"type": "same_deal"})).await;
    players[1].say(json!({"type": "chat", "text": "again?"})).await;
    assert_eq!(players[0].until_heard("chat").await.json["text"], "again?");
    players[0].say(json!({"type": "rematch"})).await;
    players[0].until("the room is in the lobby", |player| player.room["phase"] == "lobby").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replays_the_same_deal_and_lists_both_games_in_the_book() {
    let server = TestServer::start().await;
    let (code, mut players, record) = finished(server.address, "towers").await;
    players[1].say(json!({"type": "same_deal"})).await;
    for player in &mut players {
        player.until("the room is in the lobby", |player| player.room["phase"] == "lobby").await;
    }
    assert_eq!(players[0].room["origin"]["outcome"], record["outcome"], "the earlier outcome is shown for comparison");
    assert_eq!(players[0].room["origin"]["moment"], Value::Null);
    players[1].say(json!({"type": "new_deal"})).await;
    assert_eq!(players[1].until_heard("error").await.json["code"], "not_host");
    players[0].say(json!({"type": "start"})).await;
    for player in &mut players {
        player.until("the game begins", |player| !player.asked().is_empty()).await;
    }
    let moments = format!("/api/rooms/{code}/games");
    let (_, first) = server.get(&format!("{moments}/1/moments")).await;
    let first: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    assert_eq!(players[0].table()["row"], first["table"]["row"]);
    play_on(&mut players, 7).await;
    let (_, again) = get(server.address, &format!("{code}/record")).await;
    let (said, valid) = verified(&again.to_string());
    assert!(valid && said.contains("its deal was already known from an earlier game of Ana, Bea"), "{said}");

    // A new room can also be opened from the record alone.
    let (status, opened) = open_from(server.address, &json!({"record": record})).await;
    assert_eq!(status, 201, "{opened}");

    let (status, book) = get(server.address, &format!("{code}/book")).await;
    assert_eq!(status, 200);
    assert_eq!(book["chapters"][0]["games"], 1);
    assert_eq!((&book["games"][0]["counts"], &book["games"][1]["counts"]), (&json!(true), &json!(false)));
    assert_eq!(book["games"][1]["outcome"], again["outcome"]);
    let (status, csv) = server.get(&format!("/api/rooms/{code}/book.csv")).await;
    assert_eq!((status, csv.lines().count()), (200, 5), "{csv}");

    let (status, file) = server.get(&format!("/api/rooms/{code}/records")).await;
    let records: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((status, &records), (200, &vec![record, again]));
    let (said, valid) = verified(&file);
    assert!(valid && said.contains("line 1, is valid") && said.contains("line 2, is valid"), "{said}");
    let (said, valid) = verified(&file.replacen("\"scores\":[", "\"scores\":[1", 1));
    assert!(!valid && said.contains("line 1, is not valid"), "{said}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_an_unusable_record_with_the_exact_reason() {
    let server = TestServer::start().await;
    let (code, mut players, record) = finished(server.address, "qwantum").await;
    let acts = record["acts"].as_array().unwrap().len();
    let with = |change: &dyn Fn(&mut Value)| {
        let mut record = record.clone();
        record.as_object_mut().unwrap().remove("digest");
        record["record_version"] = json!(1);
        change(&mut record);
        json!({"record": record, "moment": 3})
    };
    let long = "a name much longer than any";
    for (wanted, status, code, doubt) in [
        (json!({"record": record, "moment": acts}), 404, "no_such_moment", "moment"),
        (json!({"record": record, "moment": u32::MAX}), 404, "no_such_moment", "moment"),
        (json!({"record": record, "moment": -1}), 400, "bad_options", ""),
        (json!({"record": record, "moment": "last"}), 400, "bad_options", ""),
        (json!({"record": record, "moment": 3, "clock": 5}), 400, "bad_options", ""),
        (json!({"record": record, "more": 3}), 400, "bad_options", ""),
        (json!({"moment": 3}), 400, "bad_options", ""),
        (json!({"record": "a letter"}), 400, "bad_record", "unreadable"),
        (with(&|record| record["game"] = json!("chess")), 400, "bad_record", "game"),
        (with(&|record| record["record_version"] = json!(99)), 400, "bad_record", "version"),
        (with(&|record| record["rules_version"] = json!(99)), 400, "bad_record", "rules_version"),
        (with(&|record| record["acts"].as_array_mut().unwrap().truncate(9)), 400, "bad_record", "no_end"),
        (with(&|record| record["players"][0] = json!(long)), 400, "bad_record", "names"),
    ] {
        let (answered, refused) = open_from(server.address, &wanted).await;
        assert_eq!((answered, &refused["error"]["code"]), (status, &json!(code)), "{refused}");
        assert_eq!(refused["error"]["doubt"]["type"].as_str().unwrap_or_default(), doubt, "{refused}");
    }
    // A game with too many earlier games behind it.
    let mut deep = record.clone();
    for _ in 0..9 {
        let mut next = record.clone();
        next.as_object_mut().unwrap().remove("digest");
        next["record_version"] = json!(1);
        next["origin"] = json!({"moment": null, "record": deep});
        deep = next;
    }
    let (_, refused) = open_from(server.address, &json!({"record": deep})).await;
    assert_eq!(refused["error"]["doubt"]["type"], "origin_deep", "{refused}");

    for body in ["", "[]", "null", "{\"record\":", &"x".repeat(1 << 20)] {
        let (status, answer) = request(server.address, "POST", "/api/rooms/from", body).await;
        assert_eq!((status, answer.contains("bad_options")), (400, true), "{answer}");
        assert!(answer.len() < 1000);
    }
    // Only the length is sent: a client that is still sending when the connection closes may not be able to read the
    // reason.
    let head = "POST /api/rooms/from HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3145728\r\n\r\n";
    let answer = raw(server.address, head).await;
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("too_large"), "{answer}");
    let foreign = [("origin", "http://elsewhere.example")];
    let (status, answer) = request_with(server.address, "POST", "/api/rooms/from", "{}", &foreign).await;
    assert_eq!((status, answer.contains("foreign_origin")), (403, true));

    // Over the WebSocket: refused during a game, and without an origin.
    for (message, code) in
        [(json!({"type": "take_chair", "chair": 0}), "not_in_lobby"), (json!({"type": "new_deal"}), "not_in_lobby")]
    {
        players[0].say(message).await;
        assert_eq!(players[0].until_heard("error").await.json["code"], code);
    }
    players[0].say(json!({"type": "rematch"})).await;
    players[0].until("the room is in the lobby", |player| player.room["phase"] == "lobby").await;
    for (message, code) in [
        (json!({"type": "take_chair", "chair": 0}), "no_origin"),
        (json!({"type": "new_deal"}), "no_origin"),
        (json!({"type": "same_deal"}), "not_finished"),
        (json!({"type": "take_chair", "chair": 300}), "bad_message"),
    ] {
        players[0].say(message).await;
        assert_eq!(players[0].until_heard("error").await.json["code"], code);
    }
    for path in ["book", "book.csv", "records"] {
        let (status, refused) = get(server.address, &format!("222222/{path}")).await;
        assert_eq!((status, &refused["error"]["code"]), (404, &json!("no_such_room")), "{path}");
    }
    let (_, games) = get(server.address, &format!("{code}/games")).await;
    assert_eq!(games.as_array().unwrap().len(), 1, "refused messages change nothing");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn opening_from_a_record_counts_towards_the_room_limit() {
    let server = TestServer::fresh(&["--rooms-per-hour", "2", "--acts-per-second", "0"]).await;
    let (_, _, record) = finished(server.address, "towers").await;
    // A refused request does not count.
    assert_eq!(open_from(server.address, &json!({"record": record, "moment": u32::MAX})).await.0, 404);
    assert_eq!(open_from(server.address, &json!({"record": record})).await.0, 201);
    let (status, refused) = open_from(server.address, &json!({"record": record})).await;
    assert_eq!((status, &refused["error"]["code"]), (429, &json!("too_many_rooms")));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_concurrent_reads_of_whole_rooms() {
    let server = TestServer::start().await;
    let (code, _, _) = finished(server.address, "towers").await;
    let path = format!("/api/rooms/{code}/records");
    // Fewer than may wait for a record, so that only the limit for whole rooms refuses any. Whether two overlap is
    // random.
    let mut refused = 0;
    for _ in 0..30 {
        let asked = (0..12).map(|_| server.get(&path));
        for (status, body) in join_all(asked).await {
            assert!(status == 200 || (status == 503 && body.contains("busy")), "{status} {body}");
            refused += u32::from(status == 503);
        }
        if refused > 0 {
            break;
        }
    }
    assert!(refused > 0, "concurrent reads were not limited");
    assert_eq!(server.get(&path).await.0, 200, "the slot is released");
    server.stop().await;
}
