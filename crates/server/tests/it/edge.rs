//! Attacks with connections and HTTP. Each test fails if its protection is removed.

use crate::client::{Client, End, Raw};
use crate::harness::{PATIENCE, Process, TestServer, read_all, request, request_with, until_closed};
use crate::idle::advance;
use crate::journals::TestJournal;
use client::scripted::abuse;
use client::{ClientError, Message};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Bytes;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

/// Sends one request verbatim, and returns the response.
pub async fn raw(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    read_all(stream).await
}

pub fn status(answer: &str) -> &str {
    answer.get(9..12).unwrap_or_else(|| panic!("no answer: {answer:?}"))
}

#[tokio::test]
async fn idle_connections_are_evicted_for_active_ones() {
    let server = TestServer::in_memory(&["--connections-per-ip", "20"]).await;
    let mut idle = Vec::new();
    for _ in 0..60 {
        idle.push(TcpStream::connect(server.address).await.unwrap());
        // A round trip, so that each connection is accepted before the next.
        assert_eq!(server.get("/healthz").await.0, 200);
    }
    for stream in &mut idle[..40] {
        let read = timeout(PATIENCE, stream.read(&mut [0; 1])).await.expect("the connection ends in time");
        assert!(matches!(read, Ok(0) | Err(_)), "the oldest connections are cut");
    }
    assert!(server.metric("rookery_connections").await <= Some(20.0));
    assert!(server.metric("rookery_cuts_total{bound=\"connections\"}").await >= Some(40.0));
}

#[tokio::test]
async fn cuts_a_client_that_sends_requests_and_never_reads() {
    let server = TestServer::in_memory(&[]).await;
    let mut stream = abuse::deaf_socket().unwrap().connect(server.address).await.unwrap();
    // More than the buffers can take: the server stops in the middle of the responses, and reads no more requests.
    let ask = abuse::pipelined("/a/x/main.js", 40);
    while timeout(Duration::from_millis(200), stream.write_all(ask.as_bytes())).await.is_ok() {}
    assert_eq!(server.metric("rookery_cuts_total{bound=\"stalled\"}").await, None);
    advance(Duration::from_millis(10_100)).await;
    server.until_metric("rookery_cuts_total{bound=\"stalled\"}", 1.0).await;
    assert_eq!(server.get("/healthz").await.0, 200);
}

#[tokio::test]
async fn closes_a_connection_that_idles_between_requests() {
    let server = TestServer::in_memory(&[]).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(abuse::pipelined("/healthz", 1).as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(server.get("/healthz").await.0, 200);
    advance(Duration::from_millis(5_100)).await;
    until_closed(stream).await;
}

#[tokio::test]
async fn refuses_oversized_headers() {
    let server = TestServer::in_memory(&[]).await;
    let long = format!("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: {}\r\n\r\n", "x".repeat(17_000));
    assert_eq!(status(&raw(server.address, &long).await), "431");
    let many = format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{}\r\n", "X-Many: x\r\n".repeat(64));
    assert_eq!(status(&raw(server.address, &many).await), "431");
    server.until_metric("rookery_cuts_total{bound=\"head\"}", 2.0).await;
    let browser = format!(
        "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{}Cookie: {}\r\n\r\n",
        "X-Header: value\r\n".repeat(40),
        "x".repeat(8_000)
    );
    assert_eq!(status(&raw(server.address, &browser).await), "200");
}

#[tokio::test]
async fn limits_requests_per_second() {
    let server = TestServer::in_memory(&["--requests-per-second", "1"]).await;
    for _ in 0..10 {
        assert_eq!(server.get("/healthz").await.0, 200, "ten seconds' worth at once");
    }
    let refused = raw(server.address, &abuse::pipelined("/healthz", 3)).await;
    assert_eq!(status(&refused), "429");
    assert!(refused.contains("too_many_requests") && refused.contains("connection: close"), "{refused}");
    assert_eq!(refused.matches("HTTP/1.1").count(), 1, "the connection is closed after the refusal");
    assert!(server.metric("rookery_refusals_total{code=\"too_many_requests\"}").await >= Some(1.0));
}

#[tokio::test]
async fn requests_through_a_proxy_count_for_the_forwarded_address() {
    let flags = ["--requests-per-second", "1", "--trust-proxy", "127.0.0.0/8"];
    let server = TestServer::in_memory(&flags).await;
    let ask = async |client: &str| {
        request_with(server.address, "GET", "/healthz", "", &[("x-forwarded-for", client)]).await.0
    };
    for _ in 0..10 {
        assert_eq!(ask("192.0.2.1").await, 200);
    }
    assert_eq!(ask("192.0.2.1").await, 429);
    assert_eq!(ask("192.0.2.2").await, 200);
}

#[tokio::test]
async fn refuses_a_missing_repeated_or_invalid_host() {
    let server = TestServer::in_memory(&[]).await;
    let long = format!("Host: {}\r\n", "a".repeat(300));
    for (head, expected) in [
        ("GET /healthz HTTP/1.1\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nHost: a b\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nHost: <script>\r\n", "400"),
        (&format!("GET /healthz HTTP/1.1\r\n{long}"), "400"),
        ("GET /healthz HTTP/1.0\r\n", "200"),
        ("GET /healthz HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n", "200"),
    ] {
        let answer = raw(server.address, &format!("{head}\r\n")).await;
        assert_eq!(status(&answer), expected, "{head}");
        assert!(expected == "200" || answer.contains("bad_host"), "{answer}");
    }
}

#[tokio::test]
async fn an_upgrade_needs_a_valid_key() {
    let server = TestServer::in_memory(&[]).await;
    let code = server.open("prevented").await;
    let upgrade = async |key: &str| {
        let request = format!(
            "GET /ws/{code} HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\n{key}\r\n"
        );
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = vec![0; 1000];
        let length = timeout(PATIENCE, stream.read(&mut answer)).await.expect("the server answers").unwrap();
        String::from_utf8_lossy(&answer[..length]).into_owned()
    };
    for key in [
        "",
        "Sec-WebSocket-Key: x\r\n",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ\r\n",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
    ] {
        let answer = upgrade(key).await;
        assert_eq!(status(&answer), "400", "{key}");
        assert!(answer.contains("not_websocket"), "{answer}");
    }
    let answer = upgrade("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n").await;
    assert_eq!(status(&answer), "101");
    assert!(answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "the example of RFC 6455: {answer}");
}

#[tokio::test]
async fn closes_a_ping_flood_and_allows_regular_pings() {
    let server = TestServer::in_memory(&[]).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    // A client that pings with every message for a while is allowed.
    for t in 0..20 {
        ana.ws.send(Message::Ping(Bytes::from_static(b"?"))).await.unwrap();
        ana.say(json!({"type": "ping", "t": t})).await;
        ana.until_heard("pong").await;
    }
    let _ = ana.ws.stream().write_all(&abuse::pings(100)).await;
    assert_eq!(ana.until_end().await, End::Closed(4009));
    // The limit also applies before the join.
    let mut silent = Raw::open(server.address, &code).await;
    for _ in 0..100 {
        if silent.ws.send(Message::Pong(Bytes::new())).await.is_err() {
            break;
        }
    }
    assert_eq!(silent.hear().await, Err(End::Closed(4009)));
}

#[tokio::test]
async fn invalid_frames_are_answered_with_a_close_frame() {
    let server = TestServer::in_memory(&[]).await;
    let code = server.open("prevented").await;
    let reserved = {
        let mut frame = Frame::message(Bytes::from_static(b"{}"), OpCode::Data(Data::Text), true);
        frame.header_mut().rsv1 = true;
        frame
    };
    let unexpected = Frame::message(Bytes::from_static(b"{}"), OpCode::Data(Data::Continue), true);
    let unknown = Frame::message(Bytes::from_static(b"{}"), OpCode::Data(Data::Reserved(5)), true);
    for frame in [reserved, unexpected, unknown] {
        let mut ana = server.join(&code, "Ana").await;
        ana.ws.send(Message::Frame(frame.clone())).await.unwrap();
        assert_eq!(ana.until_end().await, End::Closed(1002), "{frame:?}");
    }
}

/// Returns a frame of a message.
fn piece(text: &'static str, opcode: Data, last: bool) -> Message {
    Message::Frame(Frame::message(Bytes::from_static(text.as_bytes()), OpCode::Data(opcode), last))
}

#[tokio::test]
async fn closes_a_message_of_too_many_frames() {
    let server = TestServer::in_memory(&["--acts-per-second", "0"]).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    // A message in 64 frames is accepted, with a ping between them.
    ana.ws.send(piece(r#"{"type":"#, Data::Text, false)).await.unwrap();
    ana.ws.send(Message::Ping(Bytes::new())).await.unwrap();
    for _ in 0..62 {
        ana.ws.send(piece("", Data::Continue, false)).await.unwrap();
    }
    ana.ws.send(piece(r#""ping","t":7}"#, Data::Continue, true)).await.unwrap();
    assert_eq!(ana.until_heard("pong").await.json["t"], 7);
    ana.ws.send(piece("{", Data::Text, false)).await.unwrap();
    for _ in 0..100 {
        if ana.ws.send(piece("", Data::Continue, false)).await.is_err() {
            break;
        }
    }
    assert_eq!(ana.until_end().await, End::Closed(4009));
    server.until_metric("rookery_cuts_total{bound=\"messages\"}", 1.0).await;
}

#[tokio::test]
async fn closes_a_fragmented_message_once_it_is_too_long() {
    let server = TestServer::in_memory(&[]).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let kibibyte: &'static str = "x".repeat(1024).leak();
    ana.ws.send(piece(kibibyte, Data::Text, false)).await.unwrap();
    for _ in 0..4 {
        ana.ws.send(piece(kibibyte, Data::Continue, false)).await.unwrap();
    }
    assert_eq!(ana.until_end().await, End::Closed(1009));
}

#[tokio::test]
async fn a_reconnect_does_not_refill_the_message_burst() {
    let server = TestServer::in_memory(&["--acts-per-second", "1"]).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    for t in 0..4 {
        ana.say(json!({"type": "ping", "t": t})).await;
        ana.until_heard("pong").await;
    }
    let token = ana.token.clone().unwrap();
    drop(ana);
    server.until_metric("rookery_sockets", 0.0).await;
    let mut ana = Client::resume(server.address, &code, &token).await.unwrap();
    let mut answered = 0;
    for t in 0..4 {
        ana.say(json!({"type": "ping", "t": t})).await;
        let heard = ana.hear().await.unwrap();
        answered += usize::from(heard.kind() == "pong");
    }
    assert!(answered < 4, "the reconnect has a full burst again");
}

#[tokio::test]
async fn a_reconnect_does_not_refill_the_ping_burst() {
    let server = TestServer::in_memory(&["--acts-per-second", "1000"]).await;
    let code = server.open("prevented").await;
    // The burst is 50, and a few more become available during the test.
    for _ in 0..6 {
        let mut zoe = Client::watch(server.address, &code, "Zoe").await;
        for t in 0..20 {
            zoe.ws.send(Message::Ping(Bytes::from_static(b"?"))).await.unwrap();
            zoe.say(json!({"type": "ping", "t": t})).await;
            let answered = loop {
                match zoe.hear().await {
                    Ok(heard) if heard.kind() == "pong" => break Ok(()),
                    Ok(_) => {}
                    Err(end) => break Err(end),
                }
            };
            if let Err(end) = answered {
                assert_eq!(end, End::Closed(4009));
                return;
            }
        }
        drop(zoe);
        server.until_metric("rookery_sockets", 0.0).await;
    }
    panic!("each connection had its own burst");
}

/// Joins by name as a spectator. Returns the status or close code if that is refused.
async fn watch_or_refusal(address: SocketAddr, code: &str, name: &str) -> Result<Client, u16> {
    let ws = match Client::connect(address, code).await {
        Ok(ws) => ws,
        Err(ClientError::NoUpgrade(status)) => return Err(status.as_u16()),
        Err(other) => panic!("{other}"),
    };
    let join = json!({"type": "join", "name": name, "watch": true});
    match Client::introduce(ws, join).await {
        Ok(client) => Ok(client),
        Err(End::Closed(code)) => Err(code),
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn spectators_at_the_limit_of_an_address_block_no_seat() {
    let server = TestServer::in_memory(&["--sockets-per-ip", "4"]).await;
    let code = server.open("prevented").await;
    let ana = server.join(&code, "Ana").await;
    let token = ana.token.clone().unwrap();
    drop(ana);
    let mut spectators = Vec::new();
    for number in 0..4 {
        spectators.push(watch_or_refusal(server.address, &code, &format!("Zoe {number}")).await.unwrap());
    }
    assert_eq!(
        watch_or_refusal(server.address, &code, "Zoe").await.err(),
        Some(1013),
        "the extra slots are for tokens only"
    );
    let _silent = Client::connect(server.address, &code).await.unwrap();
    assert_eq!(watch_or_refusal(server.address, &code, "Zoe").await.err(), Some(429), "all extra slots are taken");
    drop(_silent);
    server.until_metric("rookery_sockets", 4.0).await;
    let ana = Client::resume(server.address, &code, &token).await.expect("a seat takes precedence");
    assert_eq!(ana.seat(), Some(0));
    assert_eq!(Client::resume(server.address, &code, "wrong").await.err(), Some(End::Closed(4001)));
    for spectator in &mut spectators {
        spectator.say(json!({"type": "ping", "t": 1})).await;
        spectator.until_heard("pong").await;
    }
    assert!(server.metric("rookery_cuts_total{bound=\"sockets\"}").await >= Some(1.0));
}

#[tokio::test]
async fn a_full_server_evicts_a_spectator_for_a_seat() {
    let server = TestServer::in_memory(&["--max-sockets", "3"]).await;
    let code = server.open("prevented").await;
    let ana = server.join(&code, "Ana").await;
    let token = ana.token.clone().unwrap();
    drop(ana);
    server.until_metric("rookery_sockets", 0.0).await;
    let mut spectators = Vec::new();
    for number in 0..3 {
        spectators.push(watch_or_refusal(server.address, &code, &format!("Zoe {number}")).await.unwrap());
    }
    let ana = Client::resume(server.address, &code, &token).await.expect("a seat takes precedence");
    assert_eq!(ana.seat(), Some(0));
    assert_eq!(spectators[0].until_end().await, End::Closed(1013), "the longest-connected spectator");
    spectators[1].say(json!({"type": "ping", "t": 1})).await;
    spectators[1].until_heard("pong").await;
}

#[tokio::test]
async fn silently_dropped_connections_lock_out_no_player() {
    // This allows twelve connections in all, seats included, so every dropped connection is one too many.
    let server = TestServer::in_memory(&["--sockets-per-ip", "2", "--acts-per-second", "0"]).await;
    let mut seated = Vec::new();
    for _ in 0..3 {
        let code = server.open("prevented").await;
        for name in ["Ana", "Bea", "Cid", "Dan"] {
            seated.push((code.clone(), server.join(&code, name).await));
        }
    }
    // Connections that are neither read nor closed.
    let mut dropped = Vec::new();
    for round in 0..6 {
        let mut back = Vec::new();
        for (code, person) in seated {
            let token = person.token.clone().unwrap();
            dropped.push(person);
            let person = Client::resume(server.address, &code, &token).await;
            let person = person.unwrap_or_else(|end| panic!("locked out in round {round}: {end:?}"));
            back.push((code, person));
        }
        seated = back;
    }
    assert_eq!(seated.len(), 12);
}

#[tokio::test]
async fn detects_a_dead_connection_when_its_seat_reconnects() {
    let server = TestServer::in_memory(&[]).await;
    let code = server.open("prevented").await;
    let mut bea = server.join(&code, "Bea").await;
    let dead = server.join(&code, "Ana").await;
    let ana = Client::resume(server.address, &code, dead.token.as_deref().unwrap()).await.unwrap();
    // A round trip, so that the old connection is pinged before time passes.
    bea.say(json!({"type": "ping", "t": 1})).await;
    bea.until_heard("pong").await;
    advance(Duration::from_millis(10_100)).await;
    server.until_metric("rookery_slow_readers_total", 1.0).await;
    server.until_metric("rookery_sockets", 2.0).await;
    drop((ana, dead));
}

#[tokio::test]
async fn a_low_open_file_limit_is_reported_and_tolerated() {
    let folder = tempfile::tempdir().unwrap();
    let server = Process::start_with_files(folder.path(), 300).await;
    assert!(server.said.contains("300 open files"), "{}", server.said);
    let mut idle = Vec::new();
    for _ in 0..600 {
        if let Ok(Ok(stream)) = timeout(PATIENCE, TcpStream::connect(server.address)).await {
            idle.push(stream);
        }
    }
    let code = crate::harness::open(server.address, "prevented").await;
    let mut ana = Client::join(server.address, &code, "Ana").await;
    ana.say(json!({"type": "chat", "text": "still here"})).await;
    ana.until_heard("chat").await;
    drop(idle);
    server.kill().await;
}

#[tokio::test]
async fn a_hundred_requests_for_a_record_create_it_once() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), &[]).await;
    let code = server.open("prevented").await;
    let _ana = server.join(&code, "Ana").await;
    let before = journal.reads(&code);
    let (address, path) = (server.address, format!("/api/rooms/{code}/record"));
    let mut asked = JoinSet::new();
    for _ in 0..100 {
        let path = path.clone();
        asked.spawn(async move { request(address, "GET", &path, "").await.0 });
    }
    let answers = asked.join_all().await;
    assert!(answers.iter().all(|status| *status == 404), "equal requests wait as one: {answers:?}");
    assert_eq!(request(address, "GET", &path, "").await.0, 404);
    assert_eq!(journal.reads(&code) - before, 1);
}

#[tokio::test]
async fn limits_costly_requests_per_second() {
    let server = TestServer::in_memory(&[]).await;
    let code = server.open("prevented").await;
    // All over one connection and at once, so that little of the rate limit is refilled meanwhile.
    let ask = |path: &str, last: &str| format!("GET /api/rooms/{code}{path} HTTP/1.1\r\nHost: x\r\n{last}\r\n");
    let asked = (ask("", "") + &ask("/qr.svg", "")).repeat(500) + &ask("", "Connection: close\r\n");
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let (mut reading, mut writing) = stream.split();
    let mut answers = Vec::new();
    let (written, read) = tokio::join!(writing.write_all(asked.as_bytes()), reading.read_to_end(&mut answers));
    written.and(read.map(drop)).unwrap();
    let answers = String::from_utf8_lossy(&answers);
    let [answered, refused] = ["200", "429"].map(|status| answers.matches(&format!("HTTP/1.1 {status}")).count());
    assert!(answered >= 400 && refused > 0 && answered + refused == 1001, "{answered} answered, {refused} refused");
    assert_eq!(server.get("/api/games").await.0, 200, "cheap requests are still answered");
}

#[tokio::test]
async fn answers_paths_that_are_not_utf8_with_404() {
    let server = TestServer::in_memory(&[]).await;
    let (status, page) = server.get("/r/%ff").await;
    assert!(status == 200 && page.starts_with("<!doctype html>"), "{status} {page}");
    for path in ["/a/x/%ff", "/a/%ff/main.js", "/a/x/index.html", "/api/rooms/%ff", "/%ff"] {
        let (status, body) = server.get(path).await;
        assert_eq!(status, 404, "{path}");
        assert!(body.starts_with(r#"{"error":"#), "{path}: {body}");
    }
}
