//! The front door of HTTP: what every request must have, and how many one address may make. Whatever is behind it is
//! reached only by those who are let in.

use super::{Refused, source};
use crate::address::is_proxy;
use crate::limits::places::Place;
use crate::shared::Shared;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{CONNECTION, HOST};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use protocol::Code;
use std::net::SocketAddr;
use std::sync::Arc;

/// The longest `Host`: a name of 253 characters as DNS has them, or an address, and a port.
const LONGEST_HOST: usize = 260;

/// Lets a request in, or answers why not, and counts what was refused.
pub async fn let_in(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let answer = match may_come_in(&shared, peer, &request) {
        Ok(()) => next.run(request).await,
        Err(refused) => {
            let mut answer = refused.into_response();
            // Who asks too much is not to go on asking on the same line.
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            answer
        }
    };
    if answer.status() == StatusCode::REQUEST_TIMEOUT {
        shared.metrics.cut("body");
    }
    if let Some(code) = answer.extensions().get::<Code>() {
        shared.metrics.refused(code.as_str());
    }
    answer
}

fn may_come_in(shared: &Shared, peer: SocketAddr, request: &Request) -> Result<(), Refused> {
    let source = source(shared, peer, request.headers());
    if is_proxy(peer.ip(), &shared.config.trust_proxy)
        && let Some(place) = request.extensions().get::<Arc<Place>>()
    {
        place.claim(source);
    }
    if !shared.limits.may_ask(source) {
        let detail = "too many requests from this address, try in a moment";
        return Err(Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyRequests, detail));
    }
    if !has_host(request.version(), request.headers()) {
        let detail = "a request names its host, once";
        return Err(Refused::new(StatusCode::BAD_REQUEST, Code::BadHost, detail));
    }
    Ok(())
}

/// Whether the request says once, and in the form of a host, where it goes (RFC 9112, 3.2). Programs that speak HTTP/1.0, such
/// as simple health checks, need not. Links and QR codes are made of it.
fn has_host(version: Version, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => version < Version::HTTP_11,
        (Some(host), None) => host.to_str().is_ok_and(is_host),
        (Some(_), Some(_)) => false,
    }
}

/// A name or an address, perhaps with a port, and nothing that means something elsewhere in a link.
fn is_host(host: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._[]:".contains(&byte);
    !host.is_empty()
        && host.len() <= LONGEST_HOST
        && host.bytes().all(plain)
        && host.parse::<Authority>().is_ok_and(|authority| !authority.host().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_or_an_address_with_a_port_perhaps() {
        for host in [
            "localhost",
            "play.example.org",
            "192.0.2.1:8080",
            "[::1]:8080",
            "a_b:1",
            "xn--bcher-kva.example",
        ] {
            assert!(is_host(host), "{host}");
        }
        let long = "a".repeat(LONGEST_HOST + 1);
        for host in ["", ":80", "a b", "a/b", "user@host", "a?b", "a#b", "bücher.example", "[::1", &long] {
            assert!(!is_host(host), "{host}");
        }
    }
}
