//! Which names a server answers to (DNS rebinding). A page of another site can have its own name resolve to this machine, and its
//! requests then count as those of the same site. Addresses and loopback names are no names a stranger can own.

use crate::config::{Admin, Config};
use axum::http::HeaderMap;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use std::net::IpAddr;

/// Returns whether players may reach the server by the request's `Host`. Without `--public-url` any name may be the one people
/// type. A proxy that passes on no `Host` names its upstream instead, such as `rookery:8080`.
pub fn is_for_players(config: &Config, headers: &HeaderMap, from_proxy: bool) -> bool {
    let Some(public) = config.public_url.as_ref().and_then(|url| url.host()) else { return true };
    let Some(host) = host_of(headers) else { return true };
    is_local(&host) || host == normal(public) || (from_proxy && has_one_label(&host))
}

/// Returns whether the admin address may be reached by the request's `Host`. Where it listens on more than loopback, other machines
/// on a private network, such as Prometheus in a container, reach it by a name of one label.
pub fn is_for_admin(config: &Config, headers: &HeaderMap) -> bool {
    let Some(host) = host_of(headers) else { return true };
    let Admin::On { address, name } = &config.admin else { return false };
    is_local(&host)
        || name.as_deref().is_some_and(|name| host == normal(name))
        || (!address.ip().is_loopback() && has_one_label(&host))
}

/// The `Host` without its port; `None` if the request has none, as HTTP/1.0 allows.
fn host_of(headers: &HeaderMap) -> Option<String> {
    let host = headers.get(HOST)?.to_str().ok()?;
    let authority = host.parse::<Authority>().ok()?;
    Some(normal(authority.host()))
}

fn normal(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

fn is_local(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    address.parse::<IpAddr>().is_ok() || host == "localhost" || host.ends_with(".localhost")
}

/// Nobody can register a name of one label.
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

    #[test]
    fn players_come_by_the_public_name_or_an_address() {
        let named = config(&["--public-url", "https://Play.example.org/games"]);
        for host in
            ["play.example.org", "PLAY.example.org:8443", "play.example.org.", "192.0.2.1:8080", "[::1]:80"]
        {
            assert!(is_for_players(&named, &headers(host), false), "{host}");
        }
        for host in ["localhost:8080", "app.localhost"] {
            assert!(is_for_players(&named, &headers(host), false), "{host}");
        }
        for host in [
            "evil.com",
            "play.example.org.evil.com",
            "xplay.example.org",
            "127.0.0.1.evil.com",
            "rookery:8080",
        ] {
            assert!(!is_for_players(&named, &headers(host), false), "{host}");
            assert!(
                is_for_players(&config(&[]), &headers(host), false),
                "{host}: any name may be the right one"
            );
        }
        assert!(is_for_players(&named, &headers("rookery:8080"), true), "a proxy's upstream");
        assert!(!is_for_players(&named, &headers("evil.com"), true));
        assert!(is_for_players(&named, &HeaderMap::new(), false), "HTTP/1.0");
    }

    #[test]
    fn the_admin_address_has_no_name_a_stranger_could_own() {
        let loopback = config(&[]);
        let network = config(&["--admin", "0.0.0.0:9090"]);
        for host in ["localhost:9090", "127.0.0.1:9090", "[::1]:9090", "10.0.0.7"] {
            assert!(is_for_admin(&loopback, &headers(host)), "{host}");
        }
        assert!(!is_for_admin(&loopback, &headers("rookery:9090")));
        assert!(is_for_admin(&network, &headers("rookery:9090")), "Prometheus on a container's network");
        for host in ["evil.com", "evil.com:9090", "localhost.evil.com"] {
            assert!(
                !is_for_admin(&loopback, &headers(host)) && !is_for_admin(&network, &headers(host)),
                "{host}"
            );
        }
        let address = "192.0.2.1:9090".parse().unwrap();
        let admin = Admin::On { address, name: Some("metrics.example.org".to_owned()) };
        let named = Config { admin, ..config(&[]) };
        assert!(is_for_admin(&named, &headers("metrics.example.org:9090")));
        assert!(!is_for_admin(&named, &headers("evil.com")));
    }
}
