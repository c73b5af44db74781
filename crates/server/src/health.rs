//! Does the server run? `rookery health` asks it through `/healthz`, for containers that are restarted if it does not.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(3);

/// Asks the server listening at `address`; the error says in one sentence what is wrong.
pub async fn ask(address: SocketAddr) -> Result<(), String> {
    // A server that listens on all addresses is reached on this machine's own.
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let address = SocketAddr::new(ip, address.port());
    let status =
        timeout(PATIENCE, status(address)).await.map_err(|_| format!("{address} does not answer"))?;
    let status = status.map_err(|error| format!("cannot reach {address}: {error}"))?;
    if status == "200" { Ok(()) } else { Err(format!("{address} answers with status {status}")) }
}

async fn status(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(4096).read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    Ok(answer.split_whitespace().nth(1).unwrap_or("none").to_owned())
}
