//! Fairness behind a shared address: what one client does, on purpose or through a foreign page, must not lock out the
//! others.

use crate::client::{Client, End, Raw};
use crate::harness::{FAST, PATIENCE, TestServer, error_code, read_all, request, request_with};
use crate::idle::advance;
use crate::past::finished;
use client::scripted::{abuse, socket_at};
use client::{ClientError, Deployment};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Requests rooms that do not exist until the address is barred, and continues until aborted.
async fn guesser(address: SocketAddr) -> JoinHandle<()> {
    let barred = async { while request(address, "GET", "/api/rooms/222222", "").await.0 != 429 {} };
    timeout(PATIENCE, barred).await.expect("the address is barred");
    tokio::spawn(async move {
        loop {
            request(address, "GET", "/api/rooms/222222/qr.svg", "").await;
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_owner_reconnects_while_a_neighbour_guesses_codes() {
    let server = TestServer::fresh(&["--requests-per-second", "0", "--misses-per-minute", "1"]).await;
    let code = server.open("prevented").await;
    let ana = server.join(&code, "Ana").await;
    let token = ana.token.clone().expect("the client is seated");
    drop(ana);
    let guesses = guesser(server.address).await;
    let mut back = 0;
    for _ in 0..20 {
        back += usize::from(Client::resume(server.address, &code, &token).await.is_ok());
    }
    guesses.abort();
    assert_eq!(back, 20, "number of successful reconnects");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_not_barred_from_a_room_it_is_connected_to() {
    let server = TestServer::fresh(&["--requests-per-second", "0", "--misses-per-minute", "1"]).await;
    let (code, other) = (server.open("prevented").await, server.open("prevented").await);
    let ana = server.join(&code, "Ana").await;
    let guesses = guesser(server.address).await;
    for path in ["", "/qr.svg", "/games", "/book"] {
        let (status, body) = server.get(&format!("/api/rooms/{code}{path}")).await;
        assert_eq!(status, 200, "{path}: {body}");
    }
    let (status, body) = server.get(&format!("/api/rooms/{other}")).await;
    assert_eq!(
        (status, error_code(&body).as_str()),
        (429, "too_many_misses"),
        "no client of the address is in that room"
    );
    let bea = Client::join_as(server.address, &code, json!({"type": "join", "name": "Bea"})).await;
    assert_eq!(bea.expect("a client at the same address joins").seat(), Some(1));
    guesses.abort();
    drop(ana);
}

/// Returns what a join from a barred address receives, and how long the refusal took.
async fn refusal(address: SocketAddr, code: &str, join: &Value) -> ((Vec<Value>, End), Duration) {
    let begun = Instant::now();
    let line = Raw::open(address, code).await.says(join.to_string()).await;
    let heard = timeout(PATIENCE, line.until_end()).await.expect("the connection ends in time");
    (heard, begun.elapsed())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_barred_address_cannot_probe_for_rooms_with_wrong_tokens() {
    let server = TestServer::fresh(&["--requests-per-second", "0", "--misses-per-minute", "1"]).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    ana.say(json!({"type": "handover"})).await;
    let handover = ana.until_heard("handover").await.json["code"].clone();
    let token = ana.token.clone().expect("the client is seated");
    // An address with a connection in the room is not barred from it.
    drop(ana);
    assert_eq!(server.get("/api/rooms/222222").await.0, 404, "the only allowed guess");
    let barred = || async { while server.get(&format!("/api/rooms/{code}")).await.0 != 429 {} };
    timeout(PATIENCE, barred()).await.expect("the room notices the disconnect");
    for join in [
        json!({"type": "join", "token": "00000000000000000000000000000000"}),
        json!({"type": "join", "name": "Bea"}),
        json!({"type": "join", "name": "Bea", "watch": true}),
    ] {
        let (there, after) = refusal(server.address, &code, &join).await;
        let (missing, _) = refusal(server.address, "333333", &join).await;
        let (no_code, _) = refusal(server.address, "none", &join).await;
        assert_eq!(there, missing, "{join}");
        assert_eq!(there, no_code, "{join}");
        assert_eq!(there.1, End::Closed(1013));
        assert_eq!(there.0[0]["code"], "too_many_misses");
        let guesses_a_token = join["token"].is_string();
        assert!(
            !guesses_a_token || after >= Duration::from_secs(1),
            "{after:?}: the response time reveals whether the room exists"
        );
    }
    assert_eq!(server.metric("rookery_refusals_total{code=\"too_many_misses\"}").await.map(|n| n >= 9.0), Some(true));
    let second_device = json!({"type": "join", "token": handover});
    let back = Client::join_as(server.address, &code, second_device).await.expect("the handover code is valid");
    assert_eq!(back.token.as_deref(), Some(&*token));
    drop(back);
    // Another address is not barred.
    let (socket, join) = (socket_at([127, 0, 0, 2]).unwrap(), json!({"type": "join", "name": "Cid"}));
    assert!(Client::join_over(socket, server.address, &code, join).await.is_ok());
}

/// Connects from this loopback address.
async fn from(last: u8, to: SocketAddr) -> TcpStream {
    socket_at([127, 0, 0, last]).unwrap().connect(to).await.unwrap()
}

/// Sends one request from this loopback address, and returns the whole response.
async fn ask_from(last: u8, to: SocketAddr, path: &str, body: &str) -> String {
    let mut stream = from(last, to).await;
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    read_all(stream).await
}

#[tokio::test(flavor = "multi_thread")]
async fn unfinished_bodies_do_not_block_other_readers() {
    let server = TestServer::in_memory(FAST).await;
    let (code, _clients, _) = finished(server.address, "towers").await;
    let path = format!("/api/rooms/{code}/games/1/record");
    let (status, record) = server.get(&path).await;
    assert_eq!(status, 200, "{record}");
    let mut bodies = Vec::new();
    for path in ["/api/moments", "/api/rooms/from"] {
        for last in 11..=14 {
            for _ in 0..8 {
                let mut stream = from(last, server.address).await;
                let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n{{");
                stream.write_all(head.as_bytes()).await.unwrap();
                bodies.push(stream);
            }
        }
    }
    // A round trip for each address, so that all headers have been read.
    for last in 11..=14 {
        assert!(ask_from(last, server.address, "/healthz", "").await.contains("405"));
    }
    for _ in 0..10 {
        let answer = ask_from(2, server.address, "/api/moments", &record).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{}", answer.lines().next().unwrap_or_default());
        let from = format!(r#"{{"record":{record},"moment":0}}"#);
        let answer = ask_from(2, server.address, "/api/rooms/from", &from).await;
        assert!(answer.starts_with("HTTP/1.1 201"), "{}", answer.lines().next().unwrap_or_default());
    }
    drop(bodies);
}

#[tokio::test]
async fn cuts_a_body_that_arrives_too_slowly() {
    let server = TestServer::in_memory(&[]).await;
    let mut stream = from(2, server.address).await;
    stream.write_all(abuse::UNFINISHED_UPLOAD.as_bytes()).await.unwrap();
    assert_eq!(server.get("/healthz").await.0, 200);
    advance(Duration::from_millis(3_100)).await;
    let mut answer = [0; 12];
    timeout(PATIENCE, stream.read_exact(&mut answer)).await.expect("the server answers").unwrap();
    assert_eq!(&answer[9..], b"408");
    assert_eq!(server.metric("rookery_cuts_total{bound=\"body\"}").await, Some(1.0));
}

#[tokio::test]
async fn cross_site_requests_are_refused_before_they_count() {
    let server = TestServer::fresh(&["--misses-per-minute", "1", "--requests-per-second", "1"]).await;
    let code = server.open("prevented").await;
    let from =
        async |site: &str, path: &str| request_with(server.address, "GET", path, "", &[("sec-fetch-site", site)]).await;
    for path in [
        "/api/rooms/222222/qr.svg".to_owned(),
        format!("/api/rooms/{code}/qr.svg"),
        "/api/games".to_owned(),
        "/ws/222222".to_owned(),
    ] {
        for _ in 0..20 {
            let (status, body) = from("cross-site", &path).await;
            assert_eq!((status, error_code(&body).as_str()), (403, "foreign_origin"), "{path}");
        }
    }
    let mut upgrade = Deployment::at(server.address).upgrade(&code).unwrap();
    upgrade.headers_mut().insert("sec-fetch-site", "cross-site".parse().unwrap());
    let refused = Client::connect_to(TcpSocket::new_v4().unwrap(), server.address, upgrade).await.err();
    assert!(matches!(refused, Some(ClientError::NoUpgrade(status)) if status == 403), "{refused:?}");
    assert_eq!(server.metric("rookery_refusals_total{code=\"foreign_origin\"}").await, Some(81.0));
    // None of it was counted: one wrong code and ten requests are allowed here.
    let (status, _) = server.get("/api/rooms/222222").await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn links_from_other_sites_open_the_page() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    for path in ["/", &format!("/r/{code}"), "/healthz", "/readyz"] {
        let headers = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
        assert_eq!(request_with(server.address, "GET", path, "", &headers).await.0, 200, "{path}");
    }
    for site in ["same-origin", "same-site", "none"] {
        let path = format!("/api/rooms/{code}/qr.svg");
        let headers = [("sec-fetch-site", site)];
        assert_eq!(request_with(server.address, "GET", &path, "", &headers).await.0, 200, "{site}");
    }
}
