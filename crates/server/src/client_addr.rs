//! The client address by which limits are counted: the peer address, or the address given by a trusted proxy in
//! `X-Forwarded-For`.

use axum::http::HeaderMap;
use ipnet::IpNet;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// The client address as a key for limits: an IPv4 address, or the /64 of an IPv6 address, since a household has a
/// whole /64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientAddr(IpAddr);

impl ClientAddr {
    /// Returns the client address of a request from `peer`.
    pub fn of(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> ClientAddr {
        let trusts = |address: &IpAddr| is_proxy(*address, trusted);
        let mut address = peer.to_canonical();
        if trusts(&address) {
            // Each proxy appends the address it received the request from. The last one that is not a trusted proxy is
            // the client.
            let forwarded = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
            let hops: Vec<&str> = forwarded.flat_map(|value| value.split(',')).map(str::trim).collect();
            for hop in hops.iter().rev() {
                // Our proxies write valid addresses, so an invalid entry ends the trusted part of the list.
                let Ok(hop) = hop.parse::<IpAddr>() else { break };
                address = hop.to_canonical();
                if !trusts(&address) {
                    break;
                }
            }
        }
        ClientAddr(match address {
            IpAddr::V4(_) => address,
            IpAddr::V6(address) => IpAddr::V6(first_bits(address, 64)),
        })
    }

    /// Returns the /48 of an IPv6 address, or `None` for IPv4. A customer with a /48 has 65,536 households to send
    /// requests from.
    pub fn network(self) -> Option<Network> {
        match self.0 {
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => Some(Network(first_bits(address, 48))),
        }
    }
}

/// A wider key for limits: the /48 of an IPv6 address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network(Ipv6Addr);

/// Returns whether the peer is a trusted proxy, which gives the client address in each request.
pub fn is_proxy(peer: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|network| network.contains(&peer.to_canonical()))
}

fn first_bits(address: Ipv6Addr, bits: u32) -> Ipv6Addr {
    Ipv6Addr::from_bits(address.to_bits() & !(u128::MAX >> bits))
}

impl fmt::Display for ClientAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Creates a client address for tests.
#[cfg(test)]
pub fn client(address: &str) -> ClientAddr {
    ClientAddr::of(address.parse().unwrap(), &HeaderMap::new(), &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(peer: &str, forwarded: &[&str], trusted: &[&str]) -> IpAddr {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        let trusted: Vec<IpNet> = trusted.iter().map(|network| network.parse().unwrap()).collect();
        ClientAddr::of(peer.parse().unwrap(), &headers, &trusted).0
    }

    #[test]
    fn ignores_forwarded_addresses_from_untrusted_peers() {
        assert_eq!(source("9.9.9.9", &["1.2.3.4"], &["127.0.0.1/32"]).to_string(), "9.9.9.9");
    }

    #[test]
    fn uses_the_forwarded_address_of_a_trusted_proxy() {
        let proxy = &["127.0.0.1/32", "10.0.0.0/8"];
        assert_eq!(source("127.0.0.1", &["1.2.3.4"], proxy).to_string(), "1.2.3.4");
        assert_eq!(source("::ffff:127.0.0.1", &["1.2.3.4"], proxy).to_string(), "1.2.3.4");
        assert_eq!(source("127.0.0.1", &["6.6.6.6, 1.2.3.4, 10.0.0.7"], proxy).to_string(), "1.2.3.4");
        assert_eq!(source("127.0.0.1", &["6.6.6.6", "1.2.3.4"], proxy).to_string(), "1.2.3.4");
        assert_eq!(source("127.0.0.1", &["1.2.3.4, nonsense"], proxy).to_string(), "127.0.0.1");
        assert_eq!(source("127.0.0.1", &[], proxy).to_string(), "127.0.0.1");
    }

    #[test]
    fn groups_ipv6_households_into_wider_networks() {
        let network =
            |peer: &str| ClientAddr::of(peer.parse().unwrap(), &HeaderMap::new(), &[]).network().map(|net| net.0);
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:ffff::1"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:2:2::1"));
        assert_eq!(network("192.0.2.1"), None);
    }

    #[test]
    fn counts_an_ipv6_household_as_one_address() {
        assert_eq!(source("2001:db8:1:2:3:4:5:6", &[], &[]), source("2001:db8:1:2:ffff::1", &[], &[]));
        assert_ne!(source("2001:db8:1:2::1", &[], &[]), source("2001:db8:1:3::1", &[], &[]));
    }
}
