//! Limits per address and per connection.

use crate::client::{Client, End, Raw};
use crate::harness::{PATIENCE, TestServer, error_code, request, request_with, until_closed};
use crate::idle::advance;
use client::ClientError;
use client::scripted::abuse;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

const ROOM: &str = r#"{"game":"towers"}"#;

/// Returns the status with which an upgrade was refused.
async fn refused(address: SocketAddr, code: &str) -> u16 {
    match Client::connect(address, code).await.err() {
        Some(ClientError::NoUpgrade(status)) => status.as_u16(),
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn limits_rooms_per_hour() {
    let server = TestServer::in_memory(&["--rooms-per-hour", "3"]).await;
    for _ in 0..3 {
        assert_eq!(request(server.address, "POST", "/api/rooms", ROOM).await.0, 201);
    }
    let (status, body) = request(server.address, "POST", "/api/rooms", ROOM).await;
    assert_eq!((status, error_code(&body).as_str()), (429, "too_many_rooms"));
    // Requests that are refused for another reason do not count, and each limit is separate.
    assert_eq!(request(server.address, "POST", "/api/rooms", "{}").await.0, 400);
    assert_eq!(server.get("/api/games").await.0, 200);
}

#[tokio::test]
async fn bars_an_address_that_guesses_codes() {
    let server = TestServer::in_memory(&["--misses-per-minute", "3"]).await;
    let code = server.open("prevented").await;
    let look = async |code: &str| server.get(&format!("/api/rooms/{code}")).await;
    for _ in 0..100 {
        assert_eq!(look(&code).await.0, 200, "a correct code is not a guess");
    }
    for wrong in ["222222", "ZZZZZZ", "not a code"] {
        assert_eq!(look(&wrong.replace(' ', "%20")).await.0, 404);
    }
    let (there, not_there) = (look(&code).await, look("444444").await);
    assert_eq!(there, not_there, "existing and missing rooms must look the same");
    assert_eq!((there.0, error_code(&there.1).as_str()), (429, "too_many_misses"));
    // A WebSocket opens for any code, and without a token it gets the same answer for both.
    for code in [&code, "444444"] {
        assert_eq!(barred(server.address, code).await, (json!("too_many_misses"), End::Closed(1013)));
    }
}

/// Joins by name from a barred address. Returns the error code, and how the connection ended.
async fn barred(address: SocketAddr, code: &str) -> (Value, End) {
    let join = json!({"type": "join", "name": "Zoe"}).to_string();
    let (told, end) = Raw::open(address, code).await.says(join).await.until_end().await;
    (told[0]["code"].clone(), end)
}

#[tokio::test]
async fn answers_exactly_the_allowed_number_of_guesses() {
    for allowed in [1, 2, 5] {
        let server = TestServer::in_memory(&["--misses-per-minute", &allowed.to_string()]).await;
        let mut answered = 0;
        while server.get("/api/rooms/222222").await.0 == 404 {
            answered += 1;
        }
        assert_eq!(answered, allowed);
    }
}

#[tokio::test]
async fn concurrent_guesses_share_one_limit() {
    let server = TestServer::in_memory(&["--misses-per-minute", "3"]).await;
    let address = server.address;
    let mut guesses = JoinSet::new();
    for _ in 0..40 {
        guesses.spawn(async move { request(address, "GET", "/api/rooms/222222", "").await.0 });
    }
    let answers = guesses.join_all().await;
    assert_eq!(answers.iter().filter(|status| **status == 404).count(), 3, "{answers:?}");
    assert_eq!(answers.iter().filter(|status| **status == 429).count(), 37, "{answers:?}");
}

#[tokio::test]
async fn wrong_codes_over_websockets_count_as_guesses() {
    let server = TestServer::in_memory(&["--misses-per-minute", "2"]).await;
    let code = server.open("prevented").await;
    for _ in 0..2 {
        assert_eq!(refused(server.address, "222222").await, 404);
    }
    assert_eq!(barred(server.address, &code).await, (json!("too_many_misses"), End::Closed(1013)));
}

#[tokio::test]
async fn limits_connections_per_address() {
    let server = TestServer::in_memory(&["--sockets-per-ip", "2"]).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    // Connections that have not joined count as well. One more is accepted so that it can show a seat's token.
    let silent =
        [Client::connect(server.address, &code).await.unwrap(), Client::connect(server.address, &code).await.unwrap()];
    let without_a_seat = Client::connect(server.address, &code).await.unwrap();
    assert_eq!(refused(server.address, &code).await, 429);
    let join = json!({"type": "join", "name": "Bea"});
    assert_eq!(Client::introduce(without_a_seat, join).await.err(), Some(End::Closed(1013)));
    drop(silent);
    let bea = join_when_free(&server, &code).await;
    drop(bea);
    ana.until("Bea is disconnected", |ana| ana.room["seats"][1]["connected"] == false).await;
    let _again = join_when_free(&server, &code).await;
}

/// Joins as soon as a slot is free again, of which there is no notification.
async fn join_when_free(server: &TestServer, code: &str) -> Client {
    let tries = async {
        loop {
            match Client::connect(server.address, code).await {
                Ok(ws) => match Client::introduce(ws, json!({"type": "join", "name": "Bea"})).await {
                    Ok(client) => break client,
                    Err(end) => assert_eq!(end, End::Closed(1013)),
                },
                Err(ClientError::NoUpgrade(status)) => assert_eq!(status, 429),
                Err(other) => panic!("{other}"),
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, tries).await.expect("a slot becomes free")
}

#[tokio::test]
async fn limits_connections_in_total() {
    let server = TestServer::in_memory(&["--sockets-per-ip", "0", "--max-sockets", "1"]).await;
    let code = server.open("prevented").await;
    let ana = server.join(&code, "Ana").await;
    let one_too_many = Client::connect(server.address, &code).await.unwrap();
    assert_eq!(refused(server.address, &code).await, 429);
    let join = json!({"type": "join", "name": "Bea"});
    assert_eq!(Client::introduce(one_too_many, join).await.err(), Some(End::Closed(1013)));
    drop(ana);
    let _bea = join_when_free(&server, &code).await;
}

#[tokio::test]
async fn limits_rooms_in_memory() {
    let server = TestServer::in_memory(&["--max-rooms", "2"]).await;
    let codes = [server.open("prevented").await, server.open("prevented").await, server.open("prevented").await];
    let _ana = server.join(&codes[0], "Ana").await;
    let _bea = server.join(&codes[1], "Bea").await;
    for path in [format!("/api/rooms/{}", codes[2]), "/api/rooms/222222".to_owned()] {
        let (status, body) = server.get(&path).await;
        assert_eq!((status, error_code(&body).as_str()), (503, "server_full"), "{path}");
    }
    let (status, body) = request(server.address, "POST", "/api/rooms", ROOM).await;
    assert_eq!((status, error_code(&body).as_str()), (503, "server_full"));
    let _cid = server.join(&codes[0], "Cid").await;
}

#[tokio::test]
async fn a_server_full_of_empty_rooms_accepts_new_ones() {
    let server = TestServer::in_memory(&["--max-rooms", "1", "--rooms-per-hour", "0"]).await;
    for _ in 0..5 {
        // The previous client is disconnecting, of which there is no notification.
        let opens = async {
            loop {
                match request(server.address, "POST", "/api/rooms", ROOM).await {
                    (201, body) => break serde_json::from_str::<Value>(&body).unwrap(),
                    (status, body) => assert_eq!((status, error_code(&body).as_str()), (503, "server_full")),
                }
            }
        };
        let opened = timeout(PATIENCE, opens).await.expect("empty rooms are unloaded");
        assert_eq!(server.join(opened["code"].as_str().unwrap(), "Ana").await.seat(), Some(0));
    }
}

#[tokio::test]
async fn zero_disables_a_limit() {
    let none = ["--rooms-per-hour", "0", "--sockets-per-ip", "0", "--misses-per-minute", "0"];
    let server = TestServer::in_memory(&[&none[..], &["--max-rooms", "0", "--max-sockets", "0"]].concat()).await;
    let mut there = Vec::new();
    for _ in 0..3 {
        let code = server.open("prevented").await;
        there.push(server.join(&code, "Ana").await);
        there.push(server.join(&code, "Bea").await);
        assert_eq!(server.get("/api/rooms/222222").await.0, 404);
    }
    assert!(there.iter().all(|person| person.seat().is_some()));
}

#[tokio::test]
async fn rejects_messages_sent_too_fast_and_then_closes() {
    let server = TestServer::in_memory(&["--acts-per-second", "1"]).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    for t in 0..4 {
        ana.say(json!({"type": "ping", "t": t})).await;
        ana.until_heard("pong").await;
    }
    // An action that is sent too fast is rejected with its number, so that the client knows to resend it.
    let mut rejected = 0;
    for n in 0..20 {
        if ana.try_say(json!({"type": "act", "n": n, "action": {"type": "pass"}})).await.is_err() {
            break;
        }
    }
    let end = loop {
        match ana.hear().await {
            Ok(heard) if heard.json["code"] == "too_fast" => {
                assert_eq!(heard.kind(), "rejected");
                assert!(heard.json["n"].is_u64());
                rejected += 1;
            }
            // One more may have been allowed meanwhile. There is no game, so it is refused.
            Ok(heard) => assert!(heard.kind() != "rejected" || heard.json["code"] == "no_game"),
            Err(end) => break end,
        }
    };
    assert_eq!((rejected, end), (10, End::Closed(4009)));
}

#[tokio::test]
async fn default_limits_allow_fast_taps() {
    let server = TestServer::in_memory(&[]).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    for t in 0..20 {
        ana.say(json!({"type": "ping", "t": t})).await;
    }
    for t in 0..20 {
        assert_eq!(ana.until_heard("pong").await.json["t"], t);
    }
}

#[tokio::test]
async fn only_a_trusted_proxy_can_set_the_client_address() {
    let open = async |server: &TestServer, client: &str| {
        let header = [("x-forwarded-for", client)];
        request_with(server.address, "POST", "/api/rooms", ROOM, &header).await.0
    };
    let behind = TestServer::in_memory(&["--rooms-per-hour", "1", "--trust-proxy", "127.0.0.0/8"]).await;
    assert_eq!(open(&behind, "1.2.3.4").await, 201);
    assert_eq!(open(&behind, "1.2.3.4").await, 429);
    assert_eq!(open(&behind, "9.9.9.9, 1.2.3.4").await, 429, "only the last address counts");
    assert_eq!(open(&behind, "1.2.3.5").await, 201);
    assert_eq!(open(&behind, "2001:db8::1").await, 201);
    assert_eq!(open(&behind, "2001:db8::2").await, 429, "one limit per IPv6 network");
    let alone = TestServer::in_memory(&["--rooms-per-hour", "1"]).await;
    assert_eq!(open(&alone, "1.2.3.4").await, 201);
    assert_eq!(open(&alone, "1.2.3.5").await, 429, "an untrusted header is ignored");
}

#[tokio::test]
async fn closes_an_unfinished_request_after_five_seconds() {
    let server = TestServer::in_memory(&[]).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(abuse::UNFINISHED.as_bytes()).await.unwrap();
    // A round trip, so that the beginning of the request has been read before time passes.
    assert_eq!(server.get("/healthz").await.0, 200);
    advance(Duration::from_millis(3_000)).await;
    assert_eq!(server.get("/healthz").await.0, 200);
    assert!(stream.try_read(&mut [0; 1]).is_err(), "still open");
    advance(Duration::from_millis(2_100)).await;
    until_closed(stream).await;
}

#[tokio::test]
async fn times_out_a_body_that_never_arrives() {
    let server = TestServer::in_memory(&[]).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = "POST /api/rooms HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    assert_eq!(server.get("/healthz").await.0, 200);
    advance(Duration::from_millis(10_100)).await;
    let mut answer = [0; 12];
    timeout(PATIENCE, stream.read_exact(&mut answer)).await.expect("the server answers").unwrap();
    assert_eq!(&answer[9..], b"408");
    assert_eq!(server.metric("rookery_cuts_total{bound=\"body\"}").await, Some(1.0));
}
