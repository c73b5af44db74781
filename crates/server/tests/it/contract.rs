//! The wire contract, row by row: what is answered to whom, and what closes a connection.

use crate::client::{Client, Cuttable, End};
use crate::harness::{FAST, PATIENCE, TestServer, request, request_with};
use futures_util::{SinkExt, StreamExt};
use journal::memory::Memory;
use protocol::ClientMessage;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::{Bytes, Message};

/// A connection that says whatever it likes.
pub struct Raw {
    pub ws: WebSocketStream<Cuttable>,
}

impl Raw {
    pub async fn open(address: SocketAddr, code: &str) -> Raw {
        Raw { ws: Client::connect(address, code).await.expect("an upgrade") }
    }

    pub async fn says(mut self, message: impl Into<Message>) -> Raw {
        self.ws.send(message.into()).await.expect("the line is open");
        self
    }

    /// The next message as JSON, or how the line ended.
    pub async fn hear(&mut self) -> Result<Value, End> {
        loop {
            match timeout(PATIENCE, self.ws.next()).await.expect("something within the time") {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).expect("JSON")),
                Some(Ok(Message::Close(Some(frame)))) => return Err(End::Closed(frame.code.into())),
                Some(Ok(Message::Close(None))) | Some(Err(_)) | None => return Err(End::Broken),
                Some(Ok(_)) => {}
            }
        }
    }

    /// Everything that still comes, and how it ends.
    pub async fn until_end(mut self) -> (Vec<Value>, End) {
        let mut heard = Vec::new();
        loop {
            match self.hear().await {
                Ok(message) => heard.push(message),
                Err(end) => return (heard, end),
            }
        }
    }
}

fn error_code(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("not JSON: {body:?}"));
    let error = body["error"].as_object().expect("an error");
    assert_eq!(error.keys().collect::<Vec<_>>(), ["code", "detail"]);
    assert!(!error["detail"].as_str().unwrap().is_empty());
    error["code"].as_str().unwrap().to_owned()
}

async fn get(server: &TestServer, path: &str) -> (u16, String) {
    request(server.address, "GET", path, "").await
}

#[tokio::test]
async fn the_games_on_offer() {
    let server = TestServer::start().await;
    let (status, body) = get(&server, "/api/games").await;
    assert_eq!(status, 200);
    assert_eq!(
        serde_json::from_str::<Value>(&body).unwrap(),
        json!([{"id": "towers", "min": 2, "max": 5, "rules": {"mistakes": "prevented"},
                "options": [{"name": "mistakes", "values": ["prevented", "allowed"], "default": "prevented"}]},
               {"id": "qwantum", "min": 2, "max": 4, "rules": {}, "options": []}])
    );
}

#[tokio::test]
async fn a_room_is_opened_and_looked_at() {
    let server = TestServer::start().await;
    let body = r#"{"game":"towers","rules":{"mistakes":"allowed"},"clock":60,"forced":"ask"}"#;
    let (status, answer) = request(server.address, "POST", "/api/rooms", body).await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(status, 201);
    let code = answer["code"].as_str().unwrap();
    assert!(code.len() == 6 && code.chars().all(|c| "23456789ABCDEFGHJKMNPQRSTVWXYZ".contains(c)), "{code}");
    assert_eq!(answer, json!({"code": code, "path": format!("/r/{code}")}));

    let (status, room) = get(&server, &format!("/api/rooms/{code}")).await;
    assert_eq!(status, 200);
    let mut room: Value = serde_json::from_str(&room).unwrap();
    let commitment = room["fair"]["commitment"].take();
    let commitment = commitment.as_str().unwrap();
    assert!(commitment.len() == 64 && commitment.chars().all(|c| c.is_ascii_hexdigit()));
    assert_eq!(
        room,
        json!({"code": code, "game": "towers", "phase": "lobby", "rules": {"mistakes": "allowed"}, "clock": 60,
               "forced": "ask", "min": 2, "max": 5, "host": null, "watchers": 0, "seats": [],
               "fair": {"commitment": null}, "keep_days": 30})
    );
    let (_, lower) = get(&server, &format!("/api/rooms/{}", code.to_lowercase())).await;
    assert_eq!(serde_json::from_str::<Value>(&lower).unwrap()["code"], code, "read without regard to case");
}

#[tokio::test]
async fn the_link_to_a_seat_is_drawn_for_another_device_without_the_key_in_an_address() {
    let server = TestServer::start().await;
    let path = format!("/api/rooms/{}/qr.svg", server.open("prevented").await);
    let (status, plain) = get(&server, &path).await;
    assert_eq!(status, 200);
    let (status, keyed) = request(server.address, "POST", &path, r#"{"key":"00ff"}"#).await;
    assert_eq!(status, 200);
    assert!(keyed.contains("<svg") && keyed != plain, "another link, another picture");
    let long = format!(r#"{{"key":"{}"}}"#, "a".repeat(65));
    for bad in [
        r#"["00ff"]"#,
        r#"{"key":""}"#,
        &long,
        r#"{"key":"a b"}"#,
        r#"{"key":"<"}"#,
        r#"{"key":1}"#,
        "{}",
        r#"{"key":"00ff","more":1}"#,
    ] {
        let (status, answer) = request(server.address, "POST", &path, bad).await;
        assert_eq!((status, error_code(&answer).as_str()), (400, "bad_options"), "{bad}");
    }
    let (status, _) = request(server.address, "POST", "/api/rooms/222222/qr.svg", r#"{"key":"00ff"}"#).await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn all_but_the_game_is_optional() {
    let server = TestServer::start().await;
    let (status, answer) = request(server.address, "POST", "/api/rooms", r#"{"game":"towers"}"#).await;
    assert_eq!(status, 201);
    let code = serde_json::from_str::<Value>(&answer).unwrap()["code"].as_str().unwrap().to_owned();
    let (_, room) = get(&server, &format!("/api/rooms/{code}")).await;
    let room: Value = serde_json::from_str(&room).unwrap();
    assert_eq!((&room["clock"], &room["forced"]), (&Value::Null, &json!("auto")));
    assert_eq!(room["rules"], json!({"mistakes": "prevented"}));
}

#[tokio::test]
async fn a_room_that_cannot_be_opened_says_why() {
    let server = TestServer::start().await;
    let long = format!(r#"{{"game":"{}"}}"#, "x".repeat(5000));
    for (body, status) in [
        ("", 400),
        ("{", 400),
        ("[]", 400),
        (r#"["towers"]"#, 400),
        (r#"["towers",{},60,"auto"]"#, 400),
        ("{}", 400),
        (r#"{"game":7}"#, 400),
        (r#"{"game":"chess"}"#, 400),
        (r#"{"game":"towers","colour":"red"}"#, 400),
        (r#"{"game":"towers","rules":{"mistakes":"never"}}"#, 400),
        (r#"{"game":"towers","rules":{"speed":1}}"#, 400),
        (r#"{"game":"towers","rules":[]}"#, 400),
        (r#"{"game":"towers","clock":9}"#, 400),
        (r#"{"game":"towers","clock":3601}"#, 400),
        (r#"{"game":"towers","clock":-1}"#, 400),
        (r#"{"game":"towers","forced":"never"}"#, 400),
        (&long, 413),
    ] {
        let (answered, answer) = request(server.address, "POST", "/api/rooms", body).await;
        assert_eq!((answered, error_code(&answer).as_str()), (status, "bad_options"), "{body}: {answer}");
    }
    let (_, answer) = request(server.address, "POST", "/api/rooms", r#"{"game":"towers","clock":9}"#).await;
    assert_eq!(
        answer, r#"{"error":{"code":"bad_options","detail":"clock must be 10–3600 or null"}}"#,
        "word for word as the contract has it"
    );
}

#[tokio::test]
async fn a_body_that_does_not_say_it_is_json_is_refused() {
    let server = TestServer::start().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let body = r#"{"game":"towers"}"#;
    let request = format!(
        "POST /api/rooms HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 415"), "{answer}");
    error_code(answer.split_once("\r\n\r\n").unwrap().1);
}

#[tokio::test]
async fn what_is_not_there_is_not_found_and_says_so_in_json() {
    let server = TestServer::start().await;
    for code in ["K7QF3M", "K7QF3", "K7QF3MM", "O0O0O0", "%ff%ff", "%00", "k7qf3%C3%9C"] {
        for path in [format!("/api/rooms/{code}"), format!("/ws/{code}")] {
            let (status, body) = get(&server, &path).await;
            assert_eq!((status, error_code(&body).as_str()), (404, "no_such_room"), "{path}");
        }
    }
    for path in ["/api", "/api/rooms/K7QF3M/more", "/metrics", "/api/rooms/", "/a/0/none.js"] {
        let (status, body) = get(&server, path).await;
        assert_eq!((status, error_code(&body).as_str()), (404, "not_found"), "{path}");
    }
}

#[tokio::test]
async fn only_with_the_right_method() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    for (method, path) in [
        ("GET", "/api/rooms".to_owned()),
        ("POST", "/api/games".to_owned()),
        ("DELETE", format!("/api/rooms/{code}")),
        ("POST", "/healthz".to_owned()),
        ("POST", format!("/ws/{code}")),
    ] {
        let (status, body) = request(server.address, method, &path, "").await;
        assert_eq!((status, error_code(&body).as_str()), (405, "bad_method"), "{method} {path}");
    }
    let (status, body) = get(&server, &format!("/ws/{code}")).await;
    assert!((400..500).contains(&status), "a plain GET is no upgrade: {status}");
    assert_eq!(error_code(&body), "not_websocket");
}

#[tokio::test]
async fn a_well_server_says_so() {
    let server = TestServer::start().await;
    assert_eq!(get(&server, "/healthz").await.0, 200);
    assert_eq!(get(&server, "/readyz").await.0, 200);
}

#[tokio::test]
async fn metrics_are_on_the_admin_address_only() {
    let server = TestServer::start().await;
    server.open("prevented").await;
    assert_eq!(server.metric("rookery_rooms_opened_total").await, Some(1.0));
    assert_eq!(request(server.address, "GET", "/metrics", "").await.0, 404);
    assert_eq!(request(server.admin, "GET", "/api/games", "").await.0, 404);
}

#[tokio::test]
async fn the_page_asks_for_its_manifest_with_the_visitors_password() {
    let server = TestServer::start().await;
    let (_, page) = get(&server, "/").await;
    let link = page.lines().find(|line| line.contains("rel=\"manifest\"")).expect("a manifest");
    // Browsers leave credentials out otherwise, and a proxy with Basic auth in front refuses.
    assert!(link.contains("crossorigin=\"use-credentials\""), "{link}");
}

/// The head of an upgrade from a page of this site.
fn upgrade_from(origin: &str) -> String {
    format!(
        "Origin: {origin}\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    )
}

/// The status of an upgrade, without waiting for the connection's end.
async fn upgrade_status(address: SocketAddr, code: &str, origin: &str) -> u16 {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "GET /ws/{code} HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\n{}\r\n",
        upgrade_from(origin)
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut status = [0; 12];
    timeout(PATIENCE, stream.read_exact(&mut status)).await.unwrap().unwrap();
    std::str::from_utf8(&status[9..]).unwrap().parse().unwrap()
}

#[tokio::test]
async fn pages_of_other_sites_may_not_act_for_our_players() {
    let flags = [FAST, &["--public-url", "https://games.example.org"]].concat();
    let server = TestServer::with(Arc::new(Memory::default()), &flags).await;
    let code = server.open("prevented").await;
    let own = format!("http://{}", server.address);
    for (origin, welcome) in [
        (own.as_str(), true),
        ("https://games.example.org", true),
        ("http://games.example.org", false),
        ("https://games.example.org.evil.example", false),
        ("https://evil.example", false),
        ("null", false),
        ("", false),
        ("file://", false),
        ("http://127.0.0.1:1", false),
    ] {
        let header = format!("Origin: {origin}\r\n");
        let body = r#"{"game":"towers"}"#;
        let (status, answer) = request_with(server.address, "POST", "/api/rooms", body, &header).await;
        assert_eq!(status, if welcome { 201 } else { 403 }, "POST from {origin:?}");
        if !welcome {
            assert_eq!(error_code(&answer), "foreign_origin");
        }
        let status = upgrade_status(server.address, &code, origin).await;
        assert_eq!(status, if welcome { 101 } else { 403 }, "upgrade from {origin:?}");
    }
}

#[tokio::test]
async fn a_welcome_has_the_form_of_the_contract() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let join = json!({"type": "join", "name": "Ana", "token": null, "watch": false, "salt": "0f".repeat(16), "protocol": 1});
    let mut ana = Raw::open(server.address, &code).await.says(join.to_string()).await;
    let mut welcome = ana.hear().await.unwrap();
    let token = welcome["you"]["token"].take();
    assert!(token.as_str().unwrap().len() >= 32, "nobody guesses it");
    assert_eq!(welcome["room"]["fair"]["commitment"].take().as_str().unwrap().len(), 64);
    assert_eq!(
        welcome,
        json!({"type": "welcome", "protocol": 1, "you": {"seat": 0, "token": null, "name": "Ana"},
               "room": {"code": code, "game": "towers", "phase": "lobby", "rules": {"mistakes": "prevented"},
                        "clock": null, "forced": "auto", "min": 2, "max": 5, "host": 0, "watchers": 0,
                        "seats": [{"seat": 0, "name": "Ana", "kind": "human", "connected": true, "away_ms": 0,
                                   "wins": 0, "bot": null}],
                        "fair": {"commitment": null}, "keep_days": 30},
               "state": null, "history": [], "chat": []})
    );

    // And for a watcher of a game.
    let mut bea = server.join(&code, "Bea").await;
    let mut ana = ana.says(json!({"type": "start"}).to_string()).await;
    bea.until("the game begins", |bea| bea.version > 0).await;
    let join = json!({"type": "join", "name": "Wil"});
    let mut wil = Raw::open(server.address, &code).await.says(join.to_string()).await;
    let welcome = wil.hear().await.unwrap();
    assert_eq!(welcome["you"], json!({"seat": null, "token": null, "name": "Wil"}));
    let salts = &welcome["room"]["fair"]["salts"];
    assert_eq!(salts[0], "0f".repeat(16), "public once the game is on");
    assert_eq!(salts[1].as_str().map(str::len), Some(32), "who brought none was given one");
    let state = welcome["state"].as_object().unwrap();
    let fields: Vec<&String> = state.keys().collect();
    assert_eq!(fields, ["actions", "asked", "deadline_ms", "events", "mine", "next", "table", "version"]);
    assert_eq!((&state["version"], &state["next"]), (&json!(1), &Value::Null));
    assert_eq!((&state["mine"], &state["actions"]), (&Value::Null, &json!([])));
    assert_eq!(state["deadline_ms"], Value::Null);
    assert_eq!(state["asked"], json!([state["table"]["turn"]]), "a watcher knows whom the game waits for");
    assert_eq!(&welcome["history"], &state["events"]);
    assert_eq!(welcome["history"][0]["type"], "round");

    // What a player is told of the same game.
    let room = ana.hear().await.unwrap();
    assert_eq!((&room["type"], &room["room"]["seats"][1]["name"]), (&json!("room"), &json!("Bea")));
    assert_eq!(room.as_object().unwrap().len(), 2);
    let room = ana.hear().await.unwrap();
    assert_eq!((&room["type"], &room["room"]["phase"]), (&json!("room"), &json!("playing")));
    let mut message = ana.hear().await.unwrap();
    assert_eq!(message["type"], "state");
    let table = message["state"]["table"].take();
    let fields: Vec<&String> = table.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        [
            "calls",
            "deal",
            "demolished_now",
            "discard",
            "draw",
            "hand",
            "outcome",
            "phase",
            "players",
            "round",
            "row",
            "standing",
            "starter",
            "turn"
        ]
    );
    assert_eq!(
        table["players"][0],
        json!({"seat": 0, "towers": {"candy": [], "spooky": [], "tree": [], "scrap": [], "sand": []},
               "demolished": 0, "score": {"towers": 0, "tallest": 0, "demolition": 0, "total": 0}})
    );
    assert_eq!(message["state"]["mine"], json!({"demolished": [], "highest_bid": 5}));
    assert_eq!(message["state"]["next"], 0);
}

#[tokio::test]
async fn first_messages_that_close_the_connection() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let salted = |salt: &str| json!({"type": "join", "name": "Ana", "salt": salt}).to_string();
    let named = |name: &str| json!({"type": "join", "name": name}).to_string();
    for (first, said, closed) in [
        ("hello".to_owned(), Some("bad_message"), 4000),
        ("".to_owned(), Some("bad_message"), 4000),
        ("null".to_owned(), Some("bad_message"), 4000),
        (r#"["join"]"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"fly"}"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"start"}"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"ping","t":1}"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"join","name":"Ana","colour":"red"}"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"join","name":7}"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"join","name":"Ana","watch":"yes"}"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"join"}"#.to_owned(), Some("bad_name"), 4000),
        (named(""), Some("bad_name"), 4000),
        (named("   "), Some("bad_name"), 4000),
        (named(&"x".repeat(21)), Some("bad_name"), 4000),
        (named("Ana\u{202e}"), Some("bad_name"), 4000),
        (named("Ana\u{0}"), Some("bad_name"), 4000),
        (salted("1234"), Some("bad_message"), 4000),
        (salted(&"0g".repeat(16)), Some("bad_message"), 4000),
        (salted(&"00".repeat(17)), Some("bad_message"), 4000),
        (salted(&format!("80{}", "00".repeat(15))), Some("bad_message"), 4000),
        (r#"{"type":"join","token":"nonsense"}"#.to_owned(), None, 4001),
        (r#"{"type":"join","name":"Ana","token":""}"#.to_owned(), None, 4001),
        (r#"{"type":"join","name":"Ana","protocol":2}"#.to_owned(), None, 4011),
        (r#"{"type":"join","name":"Ana","protocol":0}"#.to_owned(), None, 4011),
        // What a later protocol adds to a join is not known here.
        (r#"{"type":"join","name":"Ana","protocol":2,"colour":"red"}"#.to_owned(), None, 4011),
    ] {
        let raw = Raw::open(server.address, &code).await.says(first.clone()).await;
        let (heard, end) = raw.until_end().await;
        let codes: Vec<&str> = heard.iter().map(|message| message["code"].as_str().unwrap()).collect();
        assert_eq!((codes, end), (Vec::from_iter(said), End::Closed(closed)), "{first}");
        assert!(heard.iter().all(|message| message["type"] == "error"));
    }
    let (_, room) = get(&server, &format!("/api/rooms/{code}")).await;
    let room: Value = serde_json::from_str(&room).unwrap();
    assert_eq!((&room["seats"], &room["watchers"]), (&json!([]), &json!(0)), "nobody came in");
}

#[tokio::test]
async fn a_token_is_of_one_room_only() {
    let server = TestServer::start().await;
    let (here, there) = (server.open("prevented").await, server.open("prevented").await);
    let ana = server.join(&here, "Ana").await;
    let other = Client::resume(server.address, &there, ana.token.as_deref().unwrap()).await;
    assert_eq!(other.err(), Some(End::Closed(4001)));
}

#[tokio::test]
async fn a_token_brings_its_seat_back_whatever_name_comes_with_it() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let ana = server.join(&code, "Ana").await;
    for name in [json!("Zoe"), json!(""), Value::Null] {
        let join = json!({"type": "join", "name": name, "token": ana.token, "watch": true});
        let again = Client::join_as(server.address, &code, join).await.expect("the seat");
        assert_eq!((again.seat, again.name.as_str(), &again.token), (Some(0), "Ana", &ana.token));
        assert_eq!(again.room["seats"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn who_says_nothing_for_ten_seconds_is_closed() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut late = Raw::open(server.address, &code).await;
    let mut slow = Raw::open(server.address, &code).await;
    // A round trip through the server, so that both are waited for when time passes.
    drop(server.join(&code, "Ana").await);
    tokio::time::pause();
    tokio::time::advance(Duration::from_millis(9_000)).await;
    tokio::time::resume();
    slow = slow.says(json!({"type": "join", "name": "Bea"}).to_string()).await;
    assert_eq!(slow.hear().await.unwrap()["type"], "welcome", "nine seconds are not ten");
    tokio::time::pause();
    tokio::time::advance(Duration::from_millis(1_001)).await;
    tokio::time::resume();
    assert_eq!(late.hear().await, Err(End::Closed(4000)));
}

/// The 4 KiB of one message, filled up with a line of talk.
fn chat_of(bytes: usize) -> String {
    let empty = r#"{"type":"chat","text":""}"#;
    // Marks on one letter are many bytes and one character.
    let text = format!("{:a<1$}", "e", 1 + (bytes - empty.len() - 1) % 2)
        + &"\u{301}".repeat((bytes - empty.len() - 1) / 2);
    let message = format!(r#"{{"type":"chat","text":"{text}"}}"#);
    assert_eq!(message.len(), bytes);
    message
}

#[tokio::test]
async fn four_kibibytes_are_a_message_and_one_byte_more_is_not() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    ana.ws.send(Message::text(chat_of(4096))).await.unwrap();
    ana.until_heard("chat").await;
    ana.ws.send(Message::text(chat_of(4097))).await.unwrap();
    assert_eq!(ana.until_end().await, End::Closed(1009));
    for size in [5_000, 60_000, 70_000, 1_000_000] {
        let mut ana = Client::resume(server.address, &code, ana.token.as_deref().unwrap()).await.unwrap();
        // A server that has heard enough may not read the rest.
        let _ = ana.ws.send(Message::text("x".repeat(size))).await;
        assert_eq!(ana.until_end().await, End::Closed(1009), "{size} bytes");
    }
    // As a first message, and as one that is not text, too.
    for long in [Message::text("x".repeat(5_000)), Message::binary(vec![0; 5_000])] {
        let (heard, end) = Raw::open(server.address, &code).await.says(long).await.until_end().await;
        assert_eq!((heard, end), (vec![], End::Closed(1009)));
    }
}

#[tokio::test]
async fn what_is_not_text_closes_the_connection() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let raw = Raw::open(server.address, &code).await.says(Message::binary(vec![1, 2, 3])).await;
    assert_eq!(raw.until_end().await, (vec![], End::Closed(1003)));
    let mut ana = server.join(&code, "Ana").await;
    ana.ws.send(Message::binary(r#"{"type":"ping","t":1}"#)).await.unwrap();
    assert_eq!(ana.until_end().await, End::Closed(1003));
}

fn frame(text: &str, opcode: Data, last: bool) -> Message {
    Message::Frame(Frame::message(Bytes::copy_from_slice(text.as_bytes()), OpCode::Data(opcode), last))
}

#[tokio::test]
async fn a_message_may_come_in_pieces() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    for (piece, opcode, last) in [
        (r#"{"type":"ch"#, Data::Text, false),
        (r#"at","text":"Gr"#, Data::Continue, false),
        (r#"üße"}"#, Data::Continue, true),
    ] {
        ana.ws.send(frame(piece, opcode, last)).await.unwrap();
        // A ping between the pieces is allowed and answered.
        ana.ws.send(Message::Ping(Bytes::from_static(b"?"))).await.unwrap();
    }
    assert_eq!(ana.until_heard("chat").await.json["text"], "Grüße");
    // Many small pieces of too much are too much.
    for piece in 0..80 {
        let opcode = if piece == 0 { Data::Text } else { Data::Continue };
        if ana.ws.send(frame(&"x".repeat(1000), opcode, piece == 79)).await.is_err() {
            break;
        }
    }
    assert_eq!(ana.until_end().await, End::Closed(1009));
}

#[tokio::test]
async fn a_goodbye_is_answered() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut bea = server.join(&code, "Bea").await;
    let mut ana = server.join(&code, "Ana").await;
    ana.ws.close(None).await.unwrap();
    loop {
        match timeout(PATIENCE, ana.ws.next()).await.expect("an answer") {
            Some(Ok(Message::Close(_))) => break,
            Some(Ok(_)) => {}
            other => panic!("the line broke instead: {other:?}"),
        }
    }
    bea.until("Ana is away", |bea| bea.room["seats"][1]["connected"] == false).await;
}

#[tokio::test]
async fn nine_bad_messages_are_answered_and_the_tenth_closes() {
    let server = TestServer::start().await;
    let (_, mut players) = server.game("prevented", 2).await;
    let bad = [
        "hello".to_owned(),
        "{}".to_owned(),
        r#"{"type":"fly"}"#.to_owned(),
        r#"{"type":"start","now":true}"#.to_owned(),
        r#"{"type":"join","name":"Ana"}"#.to_owned(),
        json!({"type": "act", "n": 0, "action": {"type": "fly"}}).to_string(),
        json!({"type": "act", "n": 0, "action": "pass"}).to_string(),
        json!({"type": "act", "n": -1, "action": {}}).to_string(),
        r#"{"type":"remove","seat":300}"#.to_owned(),
    ];
    let ana = &mut players[0];
    for message in bad {
        ana.ws.send(Message::text(message.clone())).await.unwrap();
        let answer = ana.until_heard("error").await.json;
        assert_eq!(answer["code"], "bad_message", "{message}");
        assert_eq!(answer.as_object().unwrap().len(), 3);
    }
    // What is merely refused does not count.
    for _ in 0..3 {
        ana.say(json!({"type": "start"})).await;
        assert_eq!(ana.until_heard("error").await.json["code"], "not_in_lobby");
        ana.say(json!({"type": "act", "n": 77, "action": {"type": "pass"}})).await;
        assert_eq!(ana.until_heard("rejected").await.json["code"], "out_of_step");
    }
    ana.say(json!({"type": "act", "n": 0, "action": {"type": "fly"}})).await;
    assert_eq!(ana.until_heard("error").await.json["code"], "bad_message", "the last one is answered too");
    assert_eq!(ana.until_end().await, End::Closed(4009));

    let bea = &mut players[1];
    assert!(bea.version == 1, "nobody else noticed");
    bea.until("Ana is away", |bea| bea.room["seats"][0]["connected"] == false).await;
}

#[tokio::test]
async fn a_take_of_however_many_cards_is_rejected_and_no_bad_message() {
    let server = TestServer::start().await;
    let (_, mut players) = server.game("prevented", 2).await;
    let builder = players[0].asked[0] as usize;
    let builder = &mut players[builder];
    builder.act(&json!({"type": "bid", "count": 5})).await;
    builder.until("the bid counts", |builder| builder.next == 1).await;
    for cards in [6, 8, 9, 100] {
        let cards = vec![json!({"tower": "sand", "value": 7}); cards];
        builder.act(&json!({"type": "take", "cards": cards})).await;
        let answer = builder.hear().await.unwrap().json;
        assert_eq!((&answer["type"], &answer["code"]), (&json!("rejected"), &json!("wrong_number_of_cards")));
    }
}

/// An example of every message a client may send, as the contract gives it.
fn examples() -> Vec<Value> {
    let contract = include_str!("../../../../docs/protocol.md");
    let section = contract.split("## Client → server").nth(1).and_then(|rest| rest.split("## ").next());
    let quoted = section.expect("the section").split('`').skip(1).step_by(2);
    let examples = quoted.map(|text| text.replace("{…}", "{}"));
    examples
        .filter(|text| ClientMessage::read(text).is_ok())
        .map(|text| serde_json::from_str(&text).expect("JSON"))
        .collect()
}

#[tokio::test]
async fn whatever_anybody_says_the_room_goes_on() {
    use ts_rs::TS;
    let examples = examples();
    let types: BTreeSet<&str> = examples.iter().map(|example| example["type"].as_str().unwrap()).collect();
    let all = ClientMessage::decl(&ts_rs::Config::new()).matches(r#""type":"#).count();
    assert_eq!(types.len(), all, "the contract has an example of each message: {types:?}");

    let server = TestServer::start().await;
    for example in examples {
        for begun in [false, true] {
            let code = server.open("prevented").await;
            let (mut ana, mut bea) = (server.join(&code, "Ana").await, server.join(&code, "Bea").await);
            let mut wil = Client::watch(server.address, &code, "Wil").await;
            if begun {
                ana.say(json!({"type": "start"})).await;
                bea.until("the game begins", |bea| bea.version > 0).await;
            }
            // By somebody who watches, and by somebody who may do most.
            wil.say(example.clone()).await;
            ana.say(example.clone()).await;
            bea.say(json!({"type": "chat", "text": "Is somebody there?"})).await;
            bea.until("the room answers", |bea| bea.chat.iter().any(|line| line["name"] == "Bea")).await;
        }
    }
}

#[tokio::test]
async fn a_ping_comes_back_as_it_went() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    for t in ["0", "123", "-7", "1.5", "-0.25", "18446744073709551615", "-9223372036854775808", "1e300"] {
        ana.ws.send(Message::text(format!(r#"{{"type":"ping","t":{t}}}"#))).await.unwrap();
        let pong = ana.until_heard("pong").await.json;
        let sent: Value = serde_json::from_str(t).unwrap();
        assert_eq!(pong, json!({"type": "pong", "t": sent}));
    }
    for t in [r#""1""#, "null", "1e999", "NaN", "[1]"] {
        ana.ws.send(Message::text(format!(r#"{{"type":"ping","t":{t}}}"#))).await.unwrap();
        assert_eq!(ana.until_heard("error").await.json["code"], "bad_message", "{t}");
    }
}

#[tokio::test]
async fn what_bots_are_asked_for_wrongly_is_refused_with_its_code() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 2).await;
    let mut watcher = Client::watch(server.address, &code, "Wil").await;
    for (message, to_player) in [
        (json!({"type": "add_bot", "level": "easy"}), "not_in_lobby"),
        (json!({"type": "substitute", "seat": 1, "level": "normal"}), "not_away"),
        (json!({"type": "substitute", "seat": 7, "level": "normal"}), "no_such_seat"),
        (json!({"type": "add_bot", "level": "godlike"}), "bad_message"),
    ] {
        players[0].say(message.clone()).await;
        assert_eq!(players[0].until_heard("error").await.json["code"], to_player, "{message}");
    }
    for message in [json!({"type": "substitute", "seat": 1, "level": "easy"}), json!({"type": "handover"})] {
        watcher.say(message.clone()).await;
        assert_eq!(watcher.until_heard("error").await.json["code"], "not_seated", "{message}");
    }
}

#[tokio::test]
async fn a_watcher_may_talk_and_leave_and_nothing_else() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 2).await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    for message in [
        json!({"type": "start"}),
        json!({"type": "stand"}),
        json!({"type": "rematch"}),
        json!({"type": "remove", "seat": 0}),
        json!({"type": "configure", "clock": 60}),
    ] {
        wil.say(message.clone()).await;
        assert_eq!(wil.until_heard("error").await.json["code"], "not_seated", "{message}");
    }
    wil.say(json!({"type": "act", "n": 0, "action": {"type": "pass"}})).await;
    let rejected = wil.until_heard("rejected").await.json;
    assert_eq!((&rejected["n"], &rejected["code"]), (&json!(0), &json!("not_seated")));
    wil.say(json!({"type": "sit"})).await;
    assert_eq!(wil.until_heard("error").await.json["code"], "not_in_lobby");
    wil.say(json!({"type": "chat", "text": "psst"})).await;
    let said = players[0].until_heard("chat").await.json;
    assert_eq!((&said["seat"], &said["name"], &said["text"]), (&Value::Null, &json!("Wil"), &json!("psst")));
    wil.say(json!({"type": "leave"})).await;
    assert_eq!(wil.until_end().await, End::Closed(1000));
    players[0].until("nobody watches", |ana| ana.room["watchers"] == 0).await;
}

#[tokio::test]
async fn a_fifth_place_closes_the_oldest() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 2).await;
    let mut bea = players.pop().unwrap();
    let token = players[0].token.clone().unwrap();
    for _ in 0..3 {
        players.push(Client::resume(server.address, &code, &token).await.unwrap());
    }
    // Four places, one seat: all are shown the game, and any of them may play.
    let turn = if players[0].actions.is_empty() { &mut bea } else { &mut players[2] };
    let action = turn.actions[0].clone();
    turn.act(&action).await;
    for place in &mut players {
        place.until("the act is shown", |place| place.version == 2).await;
    }
    let next: Vec<u32> = players.iter().map(|place| place.next).collect();
    assert!(next.iter().all(|n| *n == next[0]), "{next:?}");

    let fifth = Client::resume(server.address, &code, &token).await.unwrap();
    assert_eq!(players[0].until_end().await, End::Closed(4002));
    players.remove(0);
    players.push(fifth);
    bea.say(json!({"type": "chat", "text": "still four?"})).await;
    for place in &mut players {
        place.until_heard("chat").await;
    }
    // The seat is away only when its last connection is gone.
    players.truncate(1);
    bea.say(json!({"type": "chat", "text": "one?"})).await;
    players[0].until_heard("chat").await;
    assert_eq!(bea.room["seats"][0]["connected"], true);
    players.clear();
    bea.until("Ana is away", |bea| bea.room["seats"][0]["connected"] == false).await;
}
