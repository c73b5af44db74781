//! The games of a room, their records and moments, over HTTP, and the moments of records from elsewhere.

use crate::client::Client;
use crate::games::{catch_up, chance, play_one};
use crate::harness::{FAST, PATIENCE, TestServer, begin, open_with, read_all, request, request_with};
use crate::topology::Ground;
use client::scripted::abuse;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

pub async fn get(address: SocketAddr, path: &str) -> (u16, Value) {
    let (status, body) = request(address, "GET", &format!("/api/rooms/{path}"), "").await;
    (status, serde_json::from_str(&body).unwrap_or_else(|_| panic!("not JSON: {body}")))
}

fn lines(body: &str) -> Vec<Value> {
    body.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

pub async fn moments(address: SocketAddr, code: &str, number: u32) -> Vec<Value> {
    let path = format!("/api/rooms/{code}/games/{number}/moments");
    let (status, body) = request(address, "GET", &path, "").await;
    assert_eq!(status, 200, "{body}");
    lines(&body)
}

async fn post(address: SocketAddr, record: &str) -> (u16, String) {
    request(address, "POST", "/api/moments", record).await
}

/// All tables that were shown, by version.
pub type Tables = BTreeMap<u64, Value>;

/// Plays this number of actions, or to the end, and collects the tables shown.
async fn play(players: &mut [Client], seed: u8, acts: usize, seen: &mut Tables) {
    let mut chance = chance(seed);
    seen.insert(players[0].version, players[0].table());
    for _ in 0..acts {
        let goes_on = catch_up(players).await;
        seen.insert(players[0].version, players[0].table());
        if !goes_on {
            return;
        }
        play_one(players, &mut chance).await;
    }
}

fn tables(moments: &[Value]) -> Tables {
    moments.iter().map(|moment| (moment["version"].as_u64().unwrap(), moment["table"].clone())).collect()
}

/// A room in which one game of this kind was finished.
pub async fn finished(address: SocketAddr, game: &str) -> (String, Vec<Client>, Tables) {
    let code = open_with(address, json!({"game": game})).await;
    let mut players = begin(address, &code, 2).await;
    let mut seen = Tables::new();
    play(&mut players, 3, usize::MAX, &mut seen).await;
    (code, players, seen)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_game_of_a_room_can_be_replayed() {
    let server = TestServer::start().await;
    for game in ["towers", "qwantum"] {
        let (code, mut players, first) = finished(server.address, game).await;
        assert_eq!(tables(&moments(server.address, &code, 1).await), first, "the tables that were shown");
        let (_, last) = get(server.address, &format!("{code}/record")).await;
        assert_eq!(get(server.address, &format!("{code}/games/1/record")).await, (200, last.clone()));

        players[0].say(json!({"type": "rematch"})).await;
        players[0].until("the room is in the lobby", |player| player.room["phase"] == "lobby").await;
        players[0].say(json!({"type": "start"})).await;
        for player in &mut players {
            player
                .until("the game begins", |player| player.room["phase"] == "playing" && !player.asked().is_empty())
                .await;
        }
        let mut second = Tables::new();
        play(&mut players, 4, 12, &mut second).await;
        // The second game may have newer moments than all players have seen.
        let told = moments(server.address, &code, 2).await;
        assert_eq!(tables(&told).into_iter().take(second.len()).collect::<Tables>(), second, "the game in progress");
        let path = format!("/api/rooms/{code}/games/last/moments");
        let (_, last_told) = server.get(&path).await;
        assert_eq!(lines(&last_told)[0], told[0]);
        assert!(told[0]["version"].as_u64() > first.keys().last().copied(), "versions must not decrease in a room");

        let (status, games) = get(server.address, &format!("{code}/games")).await;
        assert_eq!(status, 200);
        assert_eq!(games.as_array().unwrap().len(), 2);
        assert_eq!((&games[0]["number"], &games[0]["game"]), (&json!(1), &json!(game)));
        assert_eq!((&games[0]["players"], &games[0]["outcome"]), (&last["players"], &last["outcome"]));
        assert!(games[0]["start"].as_u64() <= games[0]["end"].as_u64());
        assert_eq!((&games[1]["end"], &games[1]["outcome"]), (&Value::Null, &Value::Null));

        for (path, status, code_of) in [
            ("games/2/record", 409, "game_on"),
            ("games/last/record", 409, "game_on"),
            ("games/3/record", 404, "no_such_game"),
            ("games/3/moments", 404, "no_such_game"),
            ("games/0/moments", 404, "no_such_game"),
            ("games/one/moments", 404, "no_such_game"),
            ("games/4294967296/moments", 404, "no_such_game"),
            ("games/%ff/moments", 404, "no_such_room"),
        ] {
            let (answered, refused) = get(server.address, &format!("{code}/{path}")).await;
            assert_eq!((answered, &refused["error"]["code"]), (status, &json!(code_of)), "{path}");
        }
    }
    for path in ["games", "games/1/record", "games/1/moments"] {
        let (status, refused) = get(server.address, &format!("222222/{path}")).await;
        assert_eq!((status, &refused["error"]["code"]), (404, &json!("no_such_room")), "{path}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abandoned_game_has_moments_but_no_record() {
    let server = TestServer::start().await;
    let code = open_with(server.address, json!({"game": "towers"})).await;
    let mut players = begin(server.address, &code, 2).await;
    for player in &mut players {
        player.say(json!({"type": "leave"})).await;
        player.until_end().await;
    }
    let (status, refused) = get(server.address, &format!("{code}/games/1/record")).await;
    assert_eq!((status, &refused["error"]["code"]), (404, &json!("no_record")));
    assert_eq!(moments(server.address, &code, 1).await.len(), 1);
    let (_, games) = get(server.address, &format!("{code}/games")).await;
    assert!(games[0]["end"].is_u64() && games[0]["outcome"].is_null(), "{games}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_can_be_replayed_on_another_server() {
    let server = TestServer::start().await;
    let elsewhere = TestServer::on(Ground::fresh().await, FAST).await;
    for game in ["towers", "qwantum"] {
        let (code, _, seen) = finished(server.address, game).await;
        let path = format!("/api/rooms/{code}/games/1/record");
        let (_, record) = server.get(&path).await;
        let (status, body) = post(elsewhere.address, &record).await;
        assert_eq!(status, 200, "{body}");
        let told = lines(&body);
        assert_eq!(told.iter().map(|moment| &moment["table"]).collect::<Vec<_>>(), seen.values().collect::<Vec<_>>());
        for (n, moment) in told.iter().enumerate() {
            assert_eq!((&moment["version"], &moment["by"]), (&json!(n + 1), &Value::Null));
            assert_eq!(
                (moment["seat"].is_null(), moment["action"].is_null(), moment["at"].is_null()),
                (n == 0, n == 0, n == 0)
            );
        }
        // Compressed it has the same content in a fraction of the bytes.
        let packed = [("accept-encoding", "br, gzip")];
        let (status, packed) = request_with(elsewhere.address, "POST", "/api/moments", &record, &packed).await;
        assert!(status == 200 && packed.len() < body.len() / 5, "{} of {}", packed.len(), body.len());
        let refused = [("accept-encoding", "gzip;q=0")];
        let plain = request_with(elsewhere.address, "POST", "/api/moments", &record, &refused).await;
        assert!(plain == (200, body), "a weight of 0 refuses compression");
    }
    elsewhere.stop().await;
    server.stop().await;
}

/// Returns the reason why the server rejects a record.
async fn doubt(server: &TestServer, record: &str) -> Value {
    let (status, body) = post(server.address, record).await;
    let failure: Value = serde_json::from_str(&body).unwrap_or_else(|_| panic!("{status} {body}"));
    assert_eq!((status, &failure["error"]["code"]), (400, &json!("bad_record")), "{body}");
    assert!(body.len() < 1000, "the response is too long: {}", body.len());
    failure["error"]["doubt"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_record_is_refused_with_the_exact_reason() {
    let server = TestServer::start().await;
    let (code, _, _) = finished(server.address, "towers").await;
    let (_, mut record) = get(server.address, &format!("{code}/record")).await;
    let text = record.to_string();
    type Forge = fn(&mut Value);
    let changes: [(Forge, Value); 3] = [
        (|record| record["players"][0] = json!("Eva"), json!({"type": "changed", "part": "players", "n": null})),
        (|record| record["acts"][4]["at"] = json!(1), json!({"type": "changed", "part": "acts", "n": 4})),
        (|record| record["outcome"]["scores"][0] = json!(99), json!({"type": "changed", "part": "outcome", "n": null})),
    ];
    for (change, expected) in changes {
        let mut forged = record.clone();
        change(&mut forged);
        assert_eq!(doubt(&server, &forged.to_string()).await, expected);
    }
    // A record from before digests existed, or one whose digest was removed.
    record["record_version"] = json!(1);
    record.as_object_mut().unwrap().remove("digest").expect("a record has a digest");
    for cut in [0, 1, text.len() / 2, text.len() - 1] {
        assert_eq!(doubt(&server, &text[..cut]).await["type"], "unreadable", "cut after {cut}");
    }
    type Forgery = fn(&mut Value);
    let forgeries: [(Forgery, Value); 11] = [
        (|record| record["record_version"] = json!(4), json!({"type": "version", "version": 4})),
        (|record| record["protocol"] = json!(7), json!({"type": "protocol", "version": 7})),
        (|record| record["game"] = json!("chess".repeat(1000)), json!({"type": "game"})),
        (|record| record["rules_version"] = json!(9), json!({"type": "rules_version", "version": 9})),
        (|record| record["rules"] = json!({"mistakes": "never"}), json!({"type": "rules"})),
        (|record| record["players"] = json!(["Ana"]), json!({"type": "players", "count": 1})),
        (|record| record["server_seed"] = json!("00".repeat(32)), json!({"type": "commitment"})),
        (|record| record["outcome"]["scores"][0] = json!(99), json!({"type": "outcome"})),
        (|record| record["acts"].as_array_mut().unwrap().truncate(9), json!({"type": "no_end"})),
        (
            |record| record["acts"][4]["action"] = json!({"type": "fly"}),
            json!({"type": "act", "n": 4, "seat": record["acts"][4]["seat"], "code": null}),
        ),
        (|record| record["acts"][0]["seat"] = json!(7), json!({"type": "act", "n": 0, "seat": 7, "code": null})),
    ];
    for (n, (forge, expected)) in forgeries.into_iter().enumerate() {
        let mut forged = record.clone();
        forge(&mut forged);
        assert_eq!(doubt(&server, &forged.to_string()).await, expected, "forgery {n}");
    }
    let mut salted = record.clone();
    salted["salts"][0] = json!("00".repeat(16));
    let told = doubt(&server, &salted.to_string()).await;
    assert!(told["type"] == "outcome" || told["code"].is_string(), "another salt must give another deal: {told}");
    for nonsense in ["[]", "null", "a letter", &format!("{}1", "[".repeat(100_000)), "{\"record_version\":-1}"] {
        assert_eq!(doubt(&server, nonsense).await["type"], "unreadable");
    }
    let binary = server.raw_post(b"\xff\xfe{}").await;
    assert!(binary.contains("unreadable"), "{binary}");
    server.stop().await;
}

impl TestServer {
    /// Posts bytes to `/api/moments`, and returns the response.
    async fn raw_post(&self, body: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let head = format!(
            "POST /api/moments HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        // A server that has read enough may not read the rest.
        let _ = stream.write_all(body).await;
        read_all(stream).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_a_ten_megabyte_body_without_reading_it() {
    let server = TestServer::start().await;
    let answer = server.raw_post(&vec![b'x'; 10 << 20]).await;
    assert!(answer.is_empty() || answer.contains("too_large"), "{answer}");
    // A body without a declared length is read up to the limit for records.
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = "POST /api/moments HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let piece = [b"10000\r\n".as_slice(), &[b'x'; 0x10000], b"\r\n"].concat();
    let mut sent = 0;
    while sent < 10 << 20 && stream.write_all(&piece).await.is_ok() {
        sent += 0x10000;
    }
    let answer = read_all(stream).await;
    assert!(answer.is_empty() || answer.contains("too_large"), "{answer}");
    assert_eq!(server.metric("rookery_refusals_total{code=\"bad_record\"}").await, Some(2.0));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_records_posted_by_other_sites() {
    let server = TestServer::start().await;
    let foreign = [("origin", "http://elsewhere.example")];
    let (status, body) = request_with(server.address, "POST", "/api/moments", "{}", &foreign).await;
    assert_eq!((status, body.contains("foreign_origin")), (403, true), "{body}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stalled_readers_do_not_block_other_readers() {
    let server = TestServer::fresh(&["--acts-per-second", "0", "--bot-delay-ms", "3600000"]).await;
    let (code, _, _) = finished(server.address, "towers").await;
    let ask = abuse::pipelined(&format!("/api/rooms/{code}/games/1/moments"), 20);
    // Each requests more than the buffers can take, and reads nothing of it.
    let mut open = Vec::new();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(ask.as_bytes()).await.unwrap();
        stream.readable().await.unwrap();
        open.push(stream);
    }
    // Many concurrent requests are either answered or refused with 503.
    let mut asked = JoinSet::new();
    for _ in 0..40 {
        let (address, path) = (server.address, format!("/api/rooms/{code}/games/1/moments"));
        asked.spawn(async move { request(address, "GET", &path, "").await.0 });
    }
    let answers = asked.join_all().await;
    assert!(answers.iter().all(|status| [200, 503].contains(status)), "{answers:?}");
    drop(open);
    let path = format!("/api/rooms/{code}/games/1/moments");
    let again = async { while server.get(&path).await.0 != 200 {} };
    timeout(PATIENCE, again).await.expect("slots are released on disconnect");
    assert_eq!(get(server.address, &code).await.0, 200, "the room itself is available");
    server.stop().await;
}
