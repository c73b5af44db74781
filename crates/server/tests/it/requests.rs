//! The wire contract over plain HTTP: requests and their responses.

use crate::client::Client;
use crate::harness::{FAST, TestServer, error_code, request, request_with};
use client::{ClientError, Deployment, Request, upgrade};
use qrcode::QrCode;
use qrcode::render::svg;
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::net::TcpSocket;

#[tokio::test]
async fn lists_the_available_games() {
    let server = TestServer::start().await;
    let (status, body) = server.get("/api/games").await;
    assert_eq!(status, 200);
    let games: Vec<Value> = serde_json::from_str(&body).unwrap();
    assert!(games.iter().map(|game| &game["id"]).eq(room::GAMES.iter().map(|offer| offer.id)), "{body}");
    assert_eq!(
        games[..2],
        [
            json!({"id": "towers", "min": 2, "max": 5, "rules": {"mistakes": "prevented"},
                   "options": [{"name": "mistakes", "values": ["prevented", "allowed"], "default": "prevented"}]}),
            json!({"id": "qwantum", "min": 2, "max": 4, "rules": {}, "options": []}),
        ]
    );
}

#[tokio::test]
async fn opens_a_room_and_returns_its_info() {
    let server = TestServer::start().await;
    let body = r#"{"game":"towers","rules":{"mistakes":"allowed"},"clock":60,"forced":"ask"}"#;
    let (status, answer) = request(server.address, "POST", "/api/rooms", body).await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(status, 201);
    let code = answer["code"].as_str().unwrap();
    assert!(code.len() == 6 && code.chars().all(|c| "23456789ABCDEFGHJKMNPQRSTVWXYZ".contains(c)), "{code}");
    assert_eq!(answer, json!({"code": code, "path": format!("/r/{code}")}));

    let (status, room) = server.get(&format!("/api/rooms/{code}")).await;
    assert_eq!(status, 200);
    let mut room: Value = serde_json::from_str(&room).unwrap();
    let commitment = room["fair"]["commitment"].take();
    let commitment = commitment.as_str().unwrap();
    assert!(commitment.len() == 64 && commitment.chars().all(|c| c.is_ascii_hexdigit()));
    assert_eq!(
        room,
        json!({"code": code, "game": "towers", "phase": "lobby", "rules": {"mistakes": "allowed"},
               "starter": null, "clock": 60, "forced": "ask", "pace": "normal", "min": 2, "max": 5, "host": null,
               "watchers": 0, "audience": [], "seats": [], "fair": {"commitment": null}, "keep_days": 30})
    );
    let (_, lower) = server.get(&format!("/api/rooms/{}", code.to_lowercase())).await;
    assert_eq!(serde_json::from_str::<Value>(&lower).unwrap()["code"], code, "room codes are case-insensitive");
}

#[tokio::test]
async fn draws_a_seat_link_without_its_key_in_a_url() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let (path, link) = (format!("/api/rooms/{code}/qr.svg"), format!("http://{}/r/{code}", server.address));
    let picture_of = |link: &str| QrCode::new(link).unwrap().render::<svg::Color>().min_dimensions(240, 240).build();
    assert_eq!(server.get(&path).await, (200, picture_of(&link)));
    for key in ["00ff", "00fe"] {
        let asked = json!({"key": key}).to_string();
        let keyed = request(server.address, "POST", &path, &asked).await;
        assert_eq!(keyed, (200, picture_of(&format!("{link}#k={key}"))), "each key has its own link");
    }
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
async fn all_room_options_except_the_game_are_optional() {
    let server = TestServer::start().await;
    let (status, answer) = request(server.address, "POST", "/api/rooms", r#"{"game":"towers"}"#).await;
    assert_eq!(status, 201);
    let code = serde_json::from_str::<Value>(&answer).unwrap()["code"].as_str().unwrap().to_owned();
    let (_, room) = server.get(&format!("/api/rooms/{code}")).await;
    let room: Value = serde_json::from_str(&room).unwrap();
    assert_eq!((&room["clock"], &room["forced"]), (&Value::Null, &json!("auto")));
    assert_eq!(room["rules"], json!({"mistakes": "prevented"}));
}

#[tokio::test]
async fn refuses_bad_room_options_with_a_reason() {
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
        "the example in the protocol document"
    );
}

#[tokio::test]
async fn refuses_a_body_without_a_json_content_type() {
    let server = TestServer::start().await;
    let request = Request::post("/api/rooms").body(r#"{"game":"towers"}"#.to_owned()).unwrap();
    let answer = Deployment::at(server.address).send(request).await.expect("the server answers");
    assert_eq!(answer.status, 415, "{}", answer.body);
    error_code(&answer.body);
}

#[tokio::test]
async fn answers_missing_resources_with_404_in_json() {
    let server = TestServer::start().await;
    for code in ["K7QF3M", "K7QF3", "K7QF3MM", "O0O0O0", "%ff%ff", "%00", "k7qf3%C3%9C"] {
        for path in [format!("/api/rooms/{code}"), format!("/ws/{code}")] {
            let (status, body) = server.get(&path).await;
            assert_eq!((status, error_code(&body).as_str()), (404, "no_such_room"), "{path}");
        }
    }
    for path in ["/api", "/api/rooms/K7QF3M/more", "/metrics", "/api/rooms/", "/a/0/none.js"] {
        let (status, body) = server.get(path).await;
        assert_eq!((status, error_code(&body).as_str()), (404, "not_found"), "{path}");
    }
}

#[tokio::test]
async fn refuses_wrong_methods() {
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
    let (status, body) = server.get(&format!("/ws/{code}")).await;
    assert!((400..500).contains(&status), "a plain GET is not an upgrade: {status}");
    assert_eq!(error_code(&body), "not_websocket");
}

#[tokio::test]
async fn a_healthy_server_answers_its_probes() {
    let server = TestServer::start().await;
    assert_eq!(server.get("/healthz").await.0, 200);
    assert_eq!(server.get("/readyz").await.0, 200);
}

#[tokio::test]
async fn metrics_are_on_the_admin_address_only() {
    let server = TestServer::start().await;
    server.open("prevented").await;
    assert_eq!(server.metric("rookery_rooms_opened_total").await, Some(1.0));
    assert_eq!(server.get("/metrics").await.0, 404);
    assert_eq!(request(server.admin, "GET", "/api/games", "").await.0, 404);
}

#[tokio::test]
async fn the_page_requests_its_manifest_with_credentials() {
    let server = TestServer::start().await;
    let (_, page) = server.get("/").await;
    let link = page.lines().find(|line| line.contains("rel=\"manifest\"")).expect("a manifest");
    // Without this, browsers omit credentials, and a proxy with Basic auth refuses the request.
    assert!(link.contains("crossorigin=\"use-credentials\""), "{link}");
}

/// Returns the status of an upgrade from a page of this origin.
async fn upgrade_status(address: SocketAddr, code: &str, origin: &str) -> u16 {
    let request = upgrade(&format!("http://{address}/ws/{code}"), origin).unwrap();
    match Client::connect_to(TcpSocket::new_v4().unwrap(), address, request).await {
        Ok(_) => 101,
        Err(ClientError::NoUpgrade(status)) => status.as_u16(),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn refuses_requests_from_pages_of_other_sites() {
    let flags = [FAST, &["--public-url", "https://games.example.org"]].concat();
    let server = TestServer::in_memory(&flags).await;
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
        (&own.replace("http:", "foo:"), false),
        (own.trim_start_matches("http://"), false),
        ("games.example.org", false),
    ] {
        let body = r#"{"game":"towers"}"#;
        let (status, answer) = request_with(server.address, "POST", "/api/rooms", body, &[("origin", origin)]).await;
        assert_eq!(status, if welcome { 201 } else { 403 }, "POST from {origin:?}");
        if !welcome {
            assert_eq!(error_code(&answer), "foreign_origin");
        }
        let status = upgrade_status(server.address, &code, origin).await;
        assert_eq!(status, if welcome { 101 } else { 403 }, "upgrade from {origin:?}");
    }
}

#[tokio::test]
async fn an_encoding_with_a_weight_of_zero_is_not_used() {
    let server = TestServer::start().await;
    // The page itself is compressed for each request, its files once.
    for path in ["/", "/a/any/dom.js"] {
        for (accepted, used) in
            [("br;q=0, gzip;q=0.000", ""), ("br;q=0, gzip", "gzip"), ("gzip;q=0, br", "br"), ("identity", "")]
        {
            let request = Request::get(path).header("accept-encoding", accepted).body(String::new()).unwrap();
            let answer = Deployment::at(server.address).send(request).await.expect("the server answers");
            assert_eq!((answer.status.as_u16(), answer.header("content-encoding")), (200, used), "{path} {accepted}");
        }
    }
    server.stop().await;
}
