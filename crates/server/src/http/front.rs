//! Middleware in front of all routes: checks what every request must have, and the rate limit of its address.

use super::hosts;
use super::origin::{foreign, is_cross_site};
use super::request::source;
use crate::base::Base;
use crate::client_addr::is_proxy;
use crate::limits::connection_slots::ConnectionSlot;
use crate::refused::Refused;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{CONNECTION, HOST};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use protocol::Code;
use std::net::SocketAddr;
use std::sync::Arc;

/// Maximum length of `Host`: a DNS name has at most 253 characters, plus the port.
const LONGEST_HOST: usize = 260;

/// Passes a request on or refuses it, and counts refusals.
pub async fn let_in(
    State(base): State<Arc<Base>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let answer = match check(&base, peer, &request) {
        Ok(()) => next.run(request).await,
        Err(refused) => {
            let mut answer = refused.into_response();
            // A client that is refused must not keep the connection for more requests.
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            answer
        }
    };
    if answer.status() == StatusCode::REQUEST_TIMEOUT {
        base.metrics.cut("body");
    }
    if let Some(code) = answer.extensions().get::<Code>() {
        base.metrics.refused(code.as_str());
    }
    answer
}

fn check(base: &Base, peer: SocketAddr, request: &Request) -> Result<(), Refused> {
    let source = source(base, peer, request.headers());
    let from_proxy = is_proxy(peer.ip(), &base.config.trust_proxy);
    if from_proxy && let Some(slot) = request.extensions().get::<Arc<ConnectionSlot>>() {
        slot.claim(source);
    }
    // Checked before the rate limit: pages of other sites must not use up the limits of their visitors' address.
    if is_ours(request.uri().path()) && is_cross_site(request.headers()) {
        return Err(foreign());
    }
    if !base.limits.may_request(source) {
        let detail = "too many requests from this address, try again in a moment";
        return Err(Refused::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyRequests, detail));
    }
    if !has_host(request.version(), request.headers()) {
        return Err(bad_host());
    }
    let path = request.uri().path();
    if !is_probe(path) && !hosts::is_for_players(&base.config, request.headers(), from_proxy) {
        return Err(misdirected("use the host name in --public-url or an IP address to reach this server"));
    }
    Ok(())
}

/// Returns whether the path is for load balancers and health checks, which may use any host name. It reveals nothing
/// about rooms.
fn is_probe(path: &str) -> bool {
    path == "/healthz" || path == "/readyz"
}

/// Returns the refusal of a request whose `Host` is missing, repeated or malformed.
fn bad_host() -> Refused {
    Refused::new(StatusCode::BAD_REQUEST, Code::BadHost, "a request must have exactly one Host header")
}

/// Returns the refusal of a request for a host name that is not this server's (DNS rebinding).
fn misdirected(detail: &str) -> Refused {
    Refused::new(StatusCode::MISDIRECTED_REQUEST, Code::BadHost, detail)
}

/// Passes a request to the admin address on or refuses it, and counts refusals.
pub async fn let_in_at_admin(State(base): State<Arc<Base>>, request: Request, next: Next) -> Response {
    let refused = if is_cross_site(request.headers()) {
        foreign()
    } else if !has_host(request.version(), request.headers()) {
        bad_host()
    } else if !hosts::is_for_admin(&base.config, request.headers()) {
        misdirected("use an IP address, a loopback name or the name in --admin to reach the admin address")
    } else {
        return next.run(request).await;
    };
    base.metrics.refused(refused.code.as_str());
    refused.into_response()
}

/// Returns whether only this site's own pages, and clients that are not browsers, may request the path.
fn is_ours(path: &str) -> bool {
    path.starts_with("/api/") || path.starts_with("/ws/")
}

/// Returns whether the request has exactly one valid `Host` (RFC 9112, 3.2). HTTP/1.0 clients, such as simple health
/// checks, may omit it. Links and QR codes are built from it.
fn has_host(version: Version, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => version < Version::HTTP_11,
        (Some(host), None) => host.to_str().is_ok_and(is_host),
        (Some(_), Some(_)) => false,
    }
}

/// Returns whether this is a name or an address with an optional port, without characters that are special in URLs.
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
    fn a_host_is_a_name_or_an_address_with_an_optional_port() {
        for host in ["localhost", "play.example.org", "192.0.2.1:8080", "[::1]:8080", "a_b:1", "xn--bcher-kva.example"]
        {
            assert!(is_host(host), "{host}");
        }
        let long = "a".repeat(LONGEST_HOST + 1);
        for host in
            ["", ":80", "a b", "a{b.evil.com", "a/b", "user@host", "a?b", "a#b", "bücher.example", "[::1", &long]
        {
            assert!(!is_host(host), "{host}");
        }
    }
}
