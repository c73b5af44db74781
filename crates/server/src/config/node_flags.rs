//! Flags for several servers: where they reach this one, and the secret they share.

use super::listen;
use super::node_secret::Secret;
use axum::http::Uri;
use clap::Args;
use std::convert::Infallible;
use std::fmt;
use std::fs;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

/// The flags of a server among several.
#[derive(Debug, Clone, Default, Args)]
pub struct NodeFlags {
    /// Address at which other servers with the same PostgreSQL reach this one
    #[arg(long, value_name = "URL", env = "ROOKERY_NODE", value_parser = node)]
    pub node: Option<Uri>,

    /// Address to listen on for other servers, if not all addresses
    #[arg(long, value_name = "ADDRESS", env = "ROOKERY_NODE_LISTEN", value_parser = listen)]
    pub node_listen: Option<SocketAddr>,

    /// File with the secret that all servers share
    #[arg(long, value_name = "FILE", env = "ROOKERY_NODE_SECRET_FILE")]
    pub node_secret_file: Option<PathBuf>,

    /// The secret itself; visible in process lists, so prefer ROOKERY_NODE_SECRET
    #[arg(long, value_name = "SECRET", env = "ROOKERY_NODE_SECRET", hide_env_values = true)]
    pub node_secret: Option<SecretFlag>,
}

/// A secret as it was given. Parsing never fails, because the error message would show the value.
#[derive(Clone)]
pub struct SecretFlag(String);

impl FromStr for SecretFlag {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<SecretFlag, Infallible> {
        Ok(SecretFlag(text.to_owned()))
    }
}

impl fmt::Debug for SecretFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretFlag(…)")
    }
}

/// Membership of this server in a group of servers.
#[derive(Debug, Clone)]
pub struct Membership {
    /// The URL at which the others reach it, without a trailing slash.
    pub address: String,
    /// The address on which it listens for the others.
    pub listen: SocketAddr,
    pub secret: Secret,
}

impl NodeFlags {
    /// Returns the membership in a group of servers, or `None` if this server runs alone.
    ///
    /// # Errors
    /// Describes what is wrong with the flags, in one sentence.
    pub fn membership(&self) -> Result<Option<Membership>, String> {
        let Some(node) = &self.node else {
            let odd = [
                ("--node-listen", self.node_listen.is_some()),
                ("--node-secret-file", self.node_secret_file.is_some()),
            ];
            return match odd.iter().find(|(_, given)| *given) {
                Some((flag, _)) => Err(format!("{flag} requires --node")),
                None => Ok(None),
            };
        };
        let secret = self
            .secret()?
            .ok_or("--node needs the secret that all servers share; set ROOKERY_NODE_SECRET or --node-secret-file")?;
        let port = node.port_u16().expect("the parser requires a port");
        let everywhere = SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), port);
        let address = node.to_string().trim_end_matches('/').to_owned();
        Ok(Some(Membership { address, listen: self.node_listen.unwrap_or(everywhere), secret }))
    }

    fn secret(&self) -> Result<Option<Secret>, String> {
        let text = match (&self.node_secret_file, &self.node_secret) {
            (Some(file), _) => fs::read_to_string(file)
                .map_err(|error| format!("cannot read the secret in {}: {error}", file.display()))?,
            (None, Some(SecretFlag(secret))) => secret.clone(),
            (None, None) => return Ok(None),
        };
        Secret::new(text.trim()).map(Some)
    }
}

/// Parses a plain HTTP URL with a host and a port. Traffic between servers stays on a private network.
fn node(text: &str) -> Result<Uri, String> {
    let wanted = || "expected an address with a port such as http://10.0.0.2:7070".to_owned();
    let url: Uri = text.parse().map_err(|_| wanted())?;
    let fits = url.scheme_str() == Some("http")
        && url.port_u16().is_some_and(|port| port > 0)
        && url.host().is_some_and(|host| !host.is_empty())
        && url.path() == "/"
        && url.query().is_none()
        && !url.authority().is_some_and(|authority| authority.as_str().contains('@'));
    if fits { Ok(url) } else { Err(wanted()) }
}

#[cfg(test)]
mod tests {
    use super::Secret;
    use crate::Cli;
    use clap::Parser;
    use std::fs;

    fn membership(flags: &[&str]) -> Result<Option<super::Membership>, String> {
        Cli::try_parse_from([&["rookery"], flags].concat()).unwrap().config.nodes.membership()
    }

    #[test]
    fn a_server_runs_alone_unless_node_is_set() {
        assert!(membership(&[]).unwrap().is_none());
        let secret = ["--node-secret", "sixteen letters!"];
        let several = membership(&[&["--node", "http://10.0.0.2:7070/"][..], &secret].concat());
        let several = several.unwrap().unwrap();
        assert_eq!(
            (several.address.as_str(), several.listen.to_string().as_str()),
            ("http://10.0.0.2:7070", "[::]:7070")
        );
        let flags = [&["--node", "http://a:7070", "--node-listen", "127.0.0.1:1"][..], &secret].concat();
        assert_eq!(membership(&flags).unwrap().unwrap().listen.to_string(), "127.0.0.1:1");
    }

    #[test]
    fn reads_the_secret_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        fs::write(&file, "of sixteen letters\n").unwrap();
        let flags = ["--node", "http://a:7070", "--node-secret-file", file.to_str().unwrap()];
        let several = membership(&flags).unwrap().unwrap();
        let same = Secret::new("of sixteen letters").unwrap();
        assert!(several.secret.is_known_to(same.token().as_bytes()), "the line break at the end is ignored");
    }

    #[test]
    fn describes_invalid_flags_without_showing_the_secret() {
        for (flags, said) in [
            (&["--node", "http://a:7070"][..], "--node needs the secret"),
            (&["--node", "http://a:7070", "--node-secret", "short"], "at least 16 characters"),
            (&["--node", "http://a:7070", "--node-secret-file", "/nowhere"], "cannot read the secret in /nowhere"),
            (&["--node-listen", "127.0.0.1:7070"], "--node-listen requires --node"),
        ] {
            let sentence = membership(flags).unwrap_err();
            assert!(sentence.contains(said), "{sentence}");
            assert!(!sentence.contains("short") && !sentence.contains('\n'), "{sentence}");
        }
        for address in
            ["10.0.0.2:7070", "https://a:7070", "http://a", "http://a:7070/x", "http://a@b:7070", "http://:1"]
        {
            assert!(Cli::try_parse_from(["rookery", "--node", address]).is_err(), "{address}");
        }
    }
}
