//! Which `Host` headers the server accepts (protection against DNS rebinding).

use crate::harness::{FAST, PATIENCE, TestServer};
use journal::memory::Memory;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

async fn server(flags: &[&str]) -> TestServer {
    TestServer::with(Arc::new(Memory::default()), &[FAST, flags].concat()).await
}

/// Sends one request with these headers, and returns the whole response.
async fn raw(address: SocketAddr, line: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let request =
        format!("{line} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("an answer").unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// Opens a room as a page of this host would, and returns the response.
async fn open(address: SocketAddr, host: &str) -> String {
    let headers = format!("Host: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/json\r\n");
    raw(address, "POST /api/rooms", &headers, r#"{"game":"towers"}"#).await
}

fn status(answer: &str) -> &str {
    answer.get(9..12).unwrap_or_else(|| panic!("no answer: {answer:?}"))
}

#[tokio::test]
async fn a_name_that_is_not_the_public_one_opens_nothing() {
    let server = server(&["--public-url", "https://games.example.org"]).await;
    let port = server.address.port();
    for host in ["games.example.org", "127.0.0.1", &format!("127.0.0.1:{port}"), "localhost", "[::1]:8080"] {
        assert_eq!(status(&open(server.address, host).await), "201", "{host}");
    }
    for host in ["evil.com", "evil.com:8080", "games.example.org.evil.com", "rookery:8080"] {
        let answer = open(server.address, host).await;
        assert_eq!(status(&answer), "421", "{host}");
        assert!(answer.contains("\"bad_host\"") && answer.contains("--public-url"), "{answer}");
    }
    let host = "Host: evil.com\r\n";
    let upgrade = "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    assert_eq!(status(&raw(server.address, "GET /ws/222222", &format!("{host}{upgrade}"), "").await), "421");
    assert_eq!(status(&raw(server.address, "GET /", host, "").await), "421");
    for probe in ["GET /healthz", "GET /readyz"] {
        assert_eq!(status(&raw(server.address, probe, host, "").await), "200", "{probe}");
    }
    assert_eq!(server.metric("rookery_refusals_total{code=\"bad_host\"}").await, Some(6.0));
}

#[tokio::test]
async fn a_proxy_that_passes_on_no_host_still_works() {
    let flags = ["--public-url", "https://games.example.org", "--trust-proxy", "127.0.0.1"];
    let server = server(&flags).await;
    // The header that nginx sends by default for `proxy_pass http://rookery:8080`.
    let headers =
        "Host: rookery:8080\r\nOrigin: https://games.example.org\r\nContent-Type: application/json\r\n";
    let answer = raw(server.address, "POST /api/rooms", headers, r#"{"game":"towers"}"#).await;
    assert_eq!(status(&answer), "201", "{answer}");
    assert_eq!(status(&raw(server.address, "GET /", "Host: evil.com\r\n", "").await), "421");
}

#[tokio::test]
async fn without_a_public_name_any_may_be_the_one_people_type() {
    let server = server(&[]).await;
    assert_eq!(status(&open(server.address, "friends.example.org:8080").await), "201");
}

#[tokio::test]
async fn the_admin_address_answers_to_no_strangers_name() {
    let server = server(&[]).await;
    for line in ["GET /metrics", "GET /api/nodes"] {
        for host in ["127.0.0.1:9090", "localhost:9090", "[::1]:9090"] {
            let answer = raw(server.admin, line, &format!("Host: {host}\r\n"), "").await;
            assert_eq!(status(&answer), "200", "{line} {host}");
            for header in [
                "x-content-type-options: nosniff",
                "referrer-policy: no-referrer",
                "cache-control: no-store",
                "content-security-policy: default-src 'none'",
            ] {
                assert!(answer.contains(header), "{header}: {answer}");
            }
        }
        let answer = raw(server.admin, line, "Host: evil.com\r\n", "").await;
        assert_eq!(status(&answer), "421", "{line}");
        assert!(answer.contains("\"bad_host\""), "{answer}");
        let answer = raw(server.admin, line, "Host: a{b.evil.com\r\n", "").await;
        assert_eq!(status(&answer), "400", "{line}");
        assert!(answer.contains("\"bad_host\""), "{answer}");
        let foreign = "Host: 127.0.0.1\r\nSec-Fetch-Site: cross-site\r\n";
        assert_eq!(status(&raw(server.admin, line, foreign, "").await), "403", "{line}");
    }
}
