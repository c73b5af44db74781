//! Command-line flags. Each is also an environment variable.

mod node_flags;
mod node_secret;

pub use node_flags::{Membership, NodeFlags};
pub use node_secret::Secret;

use crate::data_place::DataPlace;
use axum::http::Uri;
use clap::{Args, Parser, Subcommand};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;

/// The text below the list of options.
const AFTER: &str =
    "Every option is also an environment variable: --listen is ROOKERY_LISTEN. ROOKERY_LOG=debug logs more.
Hosting, proxies, backups: docs/hosting.md.";

/// Friends play tabletop games together in the browser: open the address, open a room, send the link
#[derive(Debug, Parser)]
#[command(name = "rookery", version, about, args_conflicts_with_subcommands = true)]
#[command(disable_help_subcommand = true, after_help = AFTER)]
#[command(mut_args(|arg| arg.hide_env(true)))]
pub struct Cli {
    /// Command to run instead of the server.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of the server.
    #[command(flatten)]
    pub config: Config,
}

/// Commands besides serving.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Copy all rooms into a new file while the server is running
    Backup {
        /// The file to create; "-" for standard output
        file: PathBuf,
        /// The server's data folder
        #[arg(long, value_name = "FOLDER", env = "ROOKERY_DATA", hide_env_values = true, default_value = "./data")]
        data: DataPlace,
    },
    /// Copy all rooms into an empty target: from a folder into a PostgreSQL database, or back
    Move {
        /// The source: a folder, or postgres://user:password@host/database
        #[arg(long, value_name = "PLACE", env = "ROOKERY_MOVE_FROM", hide_env_values = true)]
        from: DataPlace,
        /// The target: an empty folder or database
        #[arg(long, value_name = "PLACE", env = "ROOKERY_MOVE_TO", hide_env_values = true)]
        to: DataPlace,
    },
    /// Check a deployment from outside, and say how to fix problems
    Doctor {
        /// The public address, beginning with http:// or https://
        #[arg(value_parser = public_url)]
        url: Uri,
    },
    /// Check the record of a finished game: the commitment, the deals, every act and the outcome
    Verify {
        /// A file with the response of GET /api/rooms/{code}/record
        file: PathBuf,
    },
    /// Check whether the server on this machine is running: exit status 0 if it is, 1 if not
    Health {
        /// The address it listens on
        #[arg(long, value_name = "ADDRESS", env = "ROOKERY_LISTEN", default_value = "127.0.0.1:8080")]
        #[arg(value_parser = listen)]
        listen: SocketAddr,
    },
}

/// Describes an invalid flag in one sentence on one line. Returns `None` if nothing is wrong, for example for `--help`.
pub fn wrong_flag(error: &clap::Error) -> Option<String> {
    if !error.use_stderr() {
        return None;
    }
    // The first paragraph names the error and a later one may contain a tip. The rest is always the same.
    let text = error.to_string();
    let mut paragraphs = text.split("\n\n");
    let wrong = paragraphs.next().unwrap_or_default().trim_start_matches("error: ");
    let tip = paragraphs.find_map(|paragraph| paragraph.trim().strip_prefix("tip: "));
    let tip = tip.map(|tip| format!("; {tip}")).unwrap_or_default();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(words(&format!("{wrong}{tip}; run `rookery --help` for all options")))
}

/// Options of the server.
#[derive(Debug, Clone, Args)]
pub struct Config {
    /// Address to listen on for players
    #[arg(long, value_name = "ADDRESS", env = "ROOKERY_LISTEN", default_value = "0.0.0.0:8080", value_parser = listen)]
    pub listen: SocketAddr,

    /// Address to serve /metrics on; "off" to disable
    #[arg(long, value_name = "ADDRESS", env = "ROOKERY_ADMIN", default_value = "127.0.0.1:9090")]
    pub admin: Admin,

    /// Storage: a folder, or postgres://…, or "memory"
    #[arg(long, value_name = "PLACE", env = "ROOKERY_DATA", hide_env_values = true, default_value = "./data")]
    pub data: DataPlace,

    /// Public address for links and QR codes, if a proxy changes it
    #[arg(long, value_name = "URL", env = "ROOKERY_PUBLIC_URL", value_parser = public_url)]
    pub public_url: Option<Uri>,

    /// Addresses or networks of proxies whose X-Forwarded-For is trusted
    #[arg(long, value_name = "ADDRESSES", env = "ROOKERY_TRUST_PROXY", value_delimiter = ',', value_parser = network)]
    pub trust_proxy: Vec<IpNet>,

    /// Milliseconds before a bot acts, so that players can follow
    #[arg(long, value_name = "N", env = "ROOKERY_BOT_DELAY_MS", default_value_t = 700)]
    pub bot_delay_ms: u64,

    /// Rooms one address may open per hour; 0 for no limit
    #[arg(long, value_name = "N", env = "ROOKERY_ROOMS_PER_HOUR", default_value_t = 30)]
    pub rooms_per_hour: u32,

    /// WebSockets without a seat one address may have; 0 for no limit
    #[arg(long, value_name = "N", env = "ROOKERY_SOCKETS_PER_IP", default_value_t = 200)]
    pub sockets_per_ip: u32,

    /// Other connections one address may have; 0 for no limit
    // Version 0.1.0 limited only sockets per address. A host may have turned that limit off, for example behind a proxy
    // that does not forward client addresses. Such a host must not run into a new limit after an update.
    #[arg(long, value_name = "N", env = "ROOKERY_CONNECTIONS_PER_IP", default_value_t = 500)]
    #[arg(default_value_if("sockets_per_ip", "0", "0"))]
    pub connections_per_ip: u32,

    /// Requests one address may make per second; 0 for no limit
    #[arg(long, value_name = "N", env = "ROOKERY_REQUESTS_PER_SECOND", default_value_t = 300)]
    #[arg(default_value_if("sockets_per_ip", "0", "0"))]
    pub requests_per_second: u32,

    /// Wrong room codes one address may try per minute; 0 for no limit
    #[arg(long, value_name = "N", env = "ROOKERY_MISSES_PER_MINUTE", default_value_t = 30)]
    pub misses_per_minute: u32,

    /// Messages one connection may send per second; 0 for no limit
    #[arg(long, value_name = "N", env = "ROOKERY_ACTS_PER_SECOND", default_value_t = 5)]
    pub acts_per_second: u32,

    /// Maximum number of rooms in memory; 0 for no limit
    #[arg(long, value_name = "N", env = "ROOKERY_MAX_ROOMS", default_value_t = 2000)]
    pub max_rooms: usize,

    /// Maximum number of connections; 0 for no limit
    #[arg(long, value_name = "N", env = "ROOKERY_MAX_SOCKETS", default_value_t = 10_000)]
    pub max_sockets: usize,

    /// Days to keep a room that is not opened; 0 to keep it forever
    #[arg(long, value_name = "N", env = "ROOKERY_KEEP_DAYS", default_value_t = 30)]
    pub keep_days: u32,

    /// Options for several servers that share one PostgreSQL.
    #[command(flatten)]
    pub nodes: NodeFlags,
}

/// Where metrics are served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admin {
    /// Nowhere.
    Off,
    /// On a separate address.
    On {
        /// The address to listen on.
        address: SocketAddr,
        /// The host name that was configured instead of an IP address, if any. Requests may use it as their `Host`.
        name: Option<String>,
    },
}

impl FromStr for Admin {
    type Err = String;

    fn from_str(text: &str) -> Result<Admin, String> {
        if text == "off" {
            return Ok(Admin::Off);
        }
        if let Ok(address) = text.parse() {
            return Ok(Admin::On { address, name: None });
        }
        let name = text.rsplit_once(':').map(|(name, _)| name.to_owned());
        let resolved = text.to_socket_addrs().ok().and_then(|mut found| found.next());
        match resolved {
            Some(address) => Ok(Admin::On { address, name }),
            None => Err("expected an address such as 127.0.0.1:9090, or \"off\"".to_owned()),
        }
    }
}

pub fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "expected an address with a port such as 0.0.0.0:8080".to_owned())
}

fn network(text: &str) -> Result<IpNet, String> {
    let address = text.parse::<IpAddr>().map(IpNet::from);
    let network = address.or_else(|_| text.parse());
    network.map_err(|_| "expected an address or a network such as 10.0.0.0/8".to_owned())
}

fn public_url(text: &str) -> Result<Uri, String> {
    let wanted = "expected an address such as https://games.example.org";
    let url: Uri = text.trim_end_matches('/').parse().map_err(|_| wanted.to_owned())?;
    let web = matches!(url.scheme_str(), Some("http" | "https")) && url.authority().is_some();
    if web { Ok(url) } else { Err(wanted.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn the_admin_address_may_have_a_name() {
        let name = match "localhost:9090".parse() {
            Ok(Admin::On { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        assert_eq!(name.as_deref(), Some("localhost"));
    }

    #[test]
    fn accepts_valid_values() {
        let cli = Cli::try_parse_from([
            "rookery",
            "--admin",
            "off",
            "--data",
            "memory",
            "--trust-proxy",
            "127.0.0.1,10.0.0.0/8",
            "--public-url",
            "https://games.example.org/rookery/",
        ])
        .unwrap();
        assert_eq!(cli.config.admin, Admin::Off);
        assert_eq!(cli.config.data, DataPlace::Memory);
        assert_eq!(cli.config.trust_proxy.len(), 2);
        assert_eq!(cli.config.public_url.unwrap().to_string(), "https://games.example.org/rookery");
    }

    #[test]
    fn lifting_the_socket_limit_lifts_later_address_limits_too() {
        let limits = |flags: &[&str]| {
            let config = Cli::try_parse_from([&["rookery"], flags].concat()).unwrap().config;
            (config.connections_per_ip, config.requests_per_second)
        };
        assert_eq!(limits(&[]), (500, 300));
        assert_eq!(limits(&["--sockets-per-ip", "40"]), (500, 300));
        assert_eq!(limits(&["--sockets-per-ip", "0"]), (0, 0));
        assert_eq!(limits(&["--sockets-per-ip", "0", "--requests-per-second", "9"]), (0, 9));
    }

    #[test]
    fn refuses_invalid_values() {
        for (flag, value) in [
            ("--listen", "8080"),
            ("--admin", "yes"),
            ("--trust-proxy", "proxy"),
            ("--public-url", "games.example.org"),
            ("--public-url", "ftp://games.example.org"),
            ("--keep-days", "-1"),
        ] {
            let error = Cli::try_parse_from(["rookery", flag, value]).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{flag} {value}");
        }
    }

    #[test]
    fn describes_an_invalid_flag_in_one_sentence() {
        let said = |words: &[&str]| {
            let error = Cli::try_parse_from([&["rookery"], words].concat()).unwrap_err();
            wrong_flag(&error).unwrap()
        };
        let end = "; run `rookery --help` for all options";
        for (words, sentence) in [
            (
                &["--listen", "8080"][..],
                "invalid value '8080' for '--listen <ADDRESS>': expected an address with a port such as 0.0.0.0:8080",
            ),
            (&["--lisen", "8080"], "unexpected argument '--lisen' found; a similar argument exists: '--listen'"),
            (&["dance"], "unrecognized subcommand 'dance'"),
            (&["backup"], "the following required arguments were not provided: <FILE>"),
            (
                &["doctor", "example.org"],
                "invalid value 'example.org' for '<URL>': expected an address such as https://games.example.org",
            ),
        ] {
            assert_eq!(said(words), format!("{sentence}{end}"));
        }
        let help = Cli::try_parse_from(["rookery", "--help"]).unwrap_err();
        assert_eq!(wrong_flag(&help), None, "asking for help is not an error");
    }
}
