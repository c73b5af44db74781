//! The flags, each also an environment variable.

use axum::http::Uri;
use clap::{Args, Parser, Subcommand};
use ipnet::IpNet;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

/// Friends play tabletop games together in the browser.
#[derive(Debug, Parser)]
#[command(name = "rookery", version, about, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do instead of serving.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// How to serve.
    #[command(flatten)]
    pub config: Config,
}

/// What `rookery` does besides serving.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Ask a running server whether it is well: exit status 0 if it is, 1 if not.
    Health {
        /// Where it listens.
        #[arg(long, env = "ROOKERY_LISTEN", default_value = "127.0.0.1:8080")]
        listen: SocketAddr,
    },
}

/// How to serve.
#[derive(Debug, Clone, Args)]
pub struct Config {
    /// Where players connect
    #[arg(long, env = "ROOKERY_LISTEN", default_value = "0.0.0.0:8080")]
    pub listen: SocketAddr,

    /// Where /metrics is served; "off" for nowhere
    #[arg(long, env = "ROOKERY_ADMIN", default_value = "127.0.0.1:9090")]
    pub admin: Admin,

    /// The folder of the journal; "memory" keeps nothing
    #[arg(long, env = "ROOKERY_DATA", default_value = "./data")]
    pub data: DataPlace,

    /// The address people type, for links and as an allowed Origin, beginning with http:// or https://
    #[arg(long, env = "ROOKERY_PUBLIC_URL", value_parser = public_url)]
    pub public_url: Option<Uri>,

    /// Addresses or networks of proxies whose X-Forwarded-For counts
    #[arg(long, env = "ROOKERY_TRUST_PROXY", value_delimiter = ',', value_parser = network)]
    pub trust_proxy: Vec<IpNet>,

    /// Pause before a bot's or a forced act, so that people can follow
    #[arg(long, env = "ROOKERY_BOT_DELAY_MS", default_value_t = 700)]
    pub bot_delay_ms: u64,

    /// Rooms one address may open in an hour; 0 for no limit
    #[arg(long, env = "ROOKERY_ROOMS_PER_HOUR", default_value_t = 30)]
    pub rooms_per_hour: u32,

    /// Connections one address may have open; 0 for no limit
    #[arg(long, env = "ROOKERY_SOCKETS_PER_IP", default_value_t = 40)]
    pub sockets_per_ip: u32,

    /// Wrong room codes one address may try in a minute; 0 for no limit
    #[arg(long, env = "ROOKERY_MISSES_PER_MINUTE", default_value_t = 30)]
    pub misses_per_minute: u32,

    /// Messages one connection may send in a second, with short bursts of four times that; 0 for no limit
    #[arg(long, env = "ROOKERY_ACTS_PER_SECOND", default_value_t = 5)]
    pub acts_per_second: u32,

    /// Rooms in memory at once
    #[arg(long, env = "ROOKERY_MAX_ROOMS", default_value_t = 2000)]
    pub max_rooms: usize,

    /// Connections at once
    #[arg(long, env = "ROOKERY_MAX_SOCKETS", default_value_t = 10_000)]
    pub max_sockets: usize,

    /// Days a room is kept that nobody opens
    #[arg(long, env = "ROOKERY_KEEP_DAYS", default_value_t = 30)]
    pub keep_days: u32,
}

/// Where the metrics are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admin {
    /// Nowhere.
    Off,
    /// On an address of their own.
    On(SocketAddr),
}

impl FromStr for Admin {
    type Err = String;

    fn from_str(text: &str) -> Result<Admin, String> {
        if text == "off" {
            return Ok(Admin::Off);
        }
        text.parse().map(Admin::On).map_err(|_| "an address such as 127.0.0.1:9090, or \"off\"".to_owned())
    }
}

/// Where rooms are written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataPlace {
    /// Nowhere: all is gone with the process.
    Memory,
    /// In this folder.
    Folder(PathBuf),
}

impl FromStr for DataPlace {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<DataPlace, Infallible> {
        Ok(if text == "memory" { DataPlace::Memory } else { DataPlace::Folder(text.into()) })
    }
}

fn network(text: &str) -> Result<IpNet, String> {
    let address = text.parse::<IpAddr>().map(IpNet::from);
    address.or_else(|_| text.parse()).map_err(|_| "an address or a network such as 10.0.0.0/8".to_owned())
}

fn public_url(text: &str) -> Result<Uri, String> {
    let wanted = "an address such as https://games.example.org";
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
    fn good_values_are_read() {
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
    fn bad_values_are_refused() {
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
}
