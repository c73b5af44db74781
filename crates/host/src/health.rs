//! `rookery health`: checks through `/healthz` whether the server is running, for containers that are restarted if it
//! is not.

use client::{ClientError, Deployment, StatusCode};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(3);

/// Checks the server listening at `address`.
///
/// # Errors
/// One sentence that says what is wrong.
pub async fn ask_health(address: SocketAddr) -> Result<(), String> {
    // A server that listens on all addresses is reached through the loopback address.
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let address = SocketAddr::new(ip, address.port());
    match Deployment::at(address).patience(PATIENCE).get("/healthz").await {
        Ok(answer) if answer.status == StatusCode::OK => Ok(()),
        Ok(answer) => Err(format!("{address} responded with status {}", answer.status.as_u16())),
        Err(ClientError::Late(_)) => Err(format!("{address} did not respond in time")),
        Err(error) => Err(format!("cannot reach {address}: {error}")),
    }
}
