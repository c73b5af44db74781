//! The host names that the server accepts, to prevent DNS rebinding: a page of another site can make its own name
//! resolve to this machine, and its requests then count as same-site. IP addresses and loopback names are always
//! accepted, because an attacker cannot register them.

use crate::config::{Admin, Config};
use axum::http::header::{ACCEPT_LANGUAGE, COOKIE, HOST, ORIGIN, REFERER, USER_AGENT};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName};
use std::net::IpAddr;

/// Returns whether players may reach the server by the request's `Host`. Without `--public-url` any name is accepted. A
/// proxy that does not forward `Host` names its upstream instead, such as `rookery:8080`.
pub fn is_for_players(config: &Config, headers: &HeaderMap, from_proxy: bool) -> bool {
    let Some(public) = config.public_url.as_ref().and_then(|url| url.host()) else { return true };
    let Ok(host) = host_of(headers) else { return false };
    let Some(host) = host else { return true };
    is_local(&host) || host == normal(public) || (from_proxy && has_one_label(&host))
}

/// Returns whether the admin address may be reached by the request's `Host`. If it listens on more than loopback,
/// machines on a private network may use names the server does not know, such as Prometheus with
/// `node1.example.internal`. DNS rebinding needs a browser, so other clients may use any name.
pub fn is_for_admin(config: &Config, headers: &HeaderMap) -> bool {
    let Ok(host) = host_of(headers) else { return false };
    let Some(host) = host else { return true };
    let Admin::On { address, name } = &config.admin else { return false };
    is_local(&host)
        || name.as_deref().is_some_and(|name| host == normal(name))
        || (!address.ip().is_loopback() && (has_one_label(&host) || !is_from_browser(headers)))
}

/// Returns whether a browser may have sent the request. `Origin` and `Sec-Fetch-*` are not enough: over plain http,
/// browsers send neither with a same-origin GET. They always send `Accept-Language` and `User-Agent`, which a page
/// cannot remove.
fn is_from_browser(headers: &HeaderMap) -> bool {
    let is_telling = |name: &HeaderName| {
        [ORIGIN, REFERER, COOKIE, ACCEPT_LANGUAGE].contains(name) || name.as_str().starts_with("sec-")
    };
    headers.keys().any(is_telling)
        || headers.get_all(USER_AGENT).iter().any(|agent| agent.as_bytes().starts_with(b"Mozilla/"))
}

/// A `Host` header that cannot be parsed.
struct Unreadable;

/// Returns the `Host` without its port, or `None` if there is no such header, as HTTP/1.0 allows.
fn host_of(headers: &HeaderMap) -> Result<Option<String>, Unreadable> {
    let Some(host) = headers.get(HOST) else { return Ok(None) };
    let authority: Authority = host.to_str().ok().and_then(|host| host.parse().ok()).ok_or(Unreadable)?;
    Ok(Some(normal(authority.host())))
}

fn normal(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

fn is_local(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    address.parse::<IpAddr>().is_ok() || host == "localhost" || host.ends_with(".localhost")
}

/// Returns whether the name has a single label. Such a name cannot be registered.
fn has_one_label(host: &str) -> bool {
    !host.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use clap::Parser;

    fn config(flags: &[&str]) -> Config {
        Cli::parse_from([&["rookery"], flags].concat()).config
    }

    fn headers(host: &str) -> HeaderMap {
        HeaderMap::from_iter([(HOST, host.parse().unwrap())])
    }

    /// Returns the headers that a browser sends over plain http with a same-origin GET.
    fn by_browser(host: &str) -> HeaderMap {
        let mut headers = headers(host);
        headers.insert(ACCEPT_LANGUAGE, "en".parse().unwrap());
        headers
    }

    #[test]
    fn serves_players_at_the_public_name_or_an_address() {
        let named = config(&["--public-url", "https://Play.example.org/games"]);
        for host in ["play.example.org", "PLAY.example.org:8443", "play.example.org.", "192.0.2.1:8080", "[::1]:80"] {
            assert!(is_for_players(&named, &headers(host), false), "{host}");
        }
        for host in ["localhost:8080", "app.localhost"] {
            assert!(is_for_players(&named, &headers(host), false), "{host}");
        }
        for host in ["evil.com", "play.example.org.evil.com", "xplay.example.org", "127.0.0.1.evil.com", "rookery:8080"]
        {
            assert!(!is_for_players(&named, &headers(host), false), "{host}");
            assert!(
                is_for_players(&config(&[]), &headers(host), false),
                "{host}: without --public-url any name is accepted"
            );
        }
        assert!(is_for_players(&named, &headers("rookery:8080"), true), "a proxy's upstream");
        assert!(!is_for_players(&named, &headers("evil.com"), true));
        assert!(is_for_players(&named, &HeaderMap::new(), false), "HTTP/1.0");
    }

    #[test]
    fn refuses_foreign_host_names_on_the_admin_address() {
        let loopback = config(&[]);
        let network = config(&["--admin", "0.0.0.0:9090"]);
        for host in ["localhost:9090", "127.0.0.1:9090", "[::1]:9090", "10.0.0.7"] {
            assert!(is_for_admin(&loopback, &headers(host)), "{host}");
        }
        assert!(!is_for_admin(&loopback, &headers("rookery:9090")));
        assert!(is_for_admin(&network, &headers("rookery:9090")), "Prometheus on a container's network");
        for host in ["evil.com", "evil.com:9090", "localhost.evil.com"] {
            assert!(!is_for_admin(&loopback, &headers(host)) && !is_for_admin(&network, &by_browser(host)), "{host}");
        }
        for config in [&loopback, &network] {
            assert!(!is_for_admin(config, &headers("a{b.evil.com")), "an invalid host name");
        }
        let address = "192.0.2.1:9090".parse().unwrap();
        let admin = Admin::On { address, name: Some("metrics.example.org".to_owned()) };
        let named = Config { admin, ..config(&[]) };
        assert!(is_for_admin(&named, &headers("metrics.example.org:9090")));
        assert!(!is_for_admin(&named, &by_browser("evil.com")));
    }

    #[test]
    fn programs_may_use_any_name_for_a_networked_admin_address() {
        let host = "node1.example.internal:9090";
        let network = config(&["--admin", "0.0.0.0:9090"]);
        let mut prometheus = headers(host);
        prometheus.insert(USER_AGENT, "Prometheus/2.53.0".parse().unwrap());
        assert!(is_for_admin(&network, &prometheus));
        assert!(!is_for_admin(&config(&[]), &prometheus), "not on loopback");
        for (name, value) in [
            ("origin", "http://node1.example.internal:9090"),
            ("sec-fetch-site", "same-origin"),
            ("accept-language", "en"),
            ("user-agent", "Mozilla/5.0"),
        ] {
            let mut browser = headers(host);
            browser.insert(HeaderName::from_static(name), value.parse().unwrap());
            assert!(!is_for_admin(&network, &browser), "{name}");
        }
    }
}
