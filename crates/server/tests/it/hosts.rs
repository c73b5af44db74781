//! Accepted `Host` headers (protection against DNS rebinding).

use crate::edge::{self, status};
use crate::harness::{FAST, TestServer};
use std::net::SocketAddr;

/// Sends one request with these headers, and returns the whole response.
async fn raw(address: SocketAddr, line: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    edge::raw(
        address,
        &format!("{line} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"),
    )
    .await
}

/// Opens a room as a page of this host would, and returns the response.
async fn open(address: SocketAddr, host: &str) -> String {
    let headers = format!("Host: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/json\r\n");
    raw(address, "POST /api/rooms", &headers, r#"{"game":"towers"}"#).await
}

#[tokio::test]
async fn refuses_hosts_other_than_the_public_one() {
    let server = TestServer::in_memory(&[FAST, &["--public-url", "https://games.example.org"]].concat()).await;
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
async fn a_proxy_that_does_not_forward_the_host_works() {
    let flags = ["--public-url", "https://games.example.org", "--trust-proxy", "127.0.0.1"];
    let server = TestServer::in_memory(&[FAST, &flags].concat()).await;
    // The header that nginx sends by default for `proxy_pass http://rookery:8080`.
    let headers = "Host: rookery:8080\r\nOrigin: https://games.example.org\r\nContent-Type: application/json\r\n";
    let answer = raw(server.address, "POST /api/rooms", headers, r#"{"game":"towers"}"#).await;
    assert_eq!(status(&answer), "201", "{answer}");
    assert_eq!(status(&raw(server.address, "GET /", "Host: evil.com\r\n", "").await), "421");
}

#[tokio::test]
async fn accepts_any_host_without_a_public_url() {
    let server = TestServer::in_memory(&[FAST, &[]].concat()).await;
    assert_eq!(status(&open(server.address, "friends.example.org:8080").await), "201");
}

#[tokio::test]
async fn the_admin_address_refuses_foreign_hosts() {
    let server = TestServer::in_memory(&[FAST, &[]].concat()).await;
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
