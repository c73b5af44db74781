//! Requests to the other servers: about their rooms, and whether they are alive.
//!
//! It knows nothing about rooms; the journal records which server owns which.

use super::secret::Secret;
use super::{FOR, Hello, RELAY, SPOKEN};
use crate::RoomCode;
use crate::address::Source;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Builder;
use axum::http::{HeaderValue, StatusCode, Uri};
use client::{Answer, ClientError, Deployment, Request, RoomConnection};
use dashmap::DashMap;
use socket2::SockRef;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Timeout for opening a relay connection. A server that hangs is treated as unreachable.
const CONNECT: Duration = Duration::from_secs(1);
/// Timeout for a request about a room. A record is read from the journal.
const ANSWER: Duration = Duration::from_secs(4);
/// Heartbeat: how often a server is asked whether it is alive while connections are relayed to it, and how long it may
/// take.
const BEAT: Duration = Duration::from_secs(1);
const BEAT_ANSWER: Duration = Duration::from_millis(1500);
/// Heartbeat: number of failures in a row that mean the server is gone. With the times above, a server that hangs is
/// noticed before its lease expires.
const BEATS: u32 = 2;
/// Receive buffer (SO_RCVBUF): what the kernel buffers of a relay for a client that does not read.
const RECEIVE_BUFFER: usize = 64 * 1024;

/// A connection to the server that owns a room.
pub type OwnerLine = RoomConnection<TcpStream>;

/// Why another server did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum NoPeer {
    /// It does not answer in time, or not at all.
    #[error("{0} cannot be reached: {1}")]
    Unreachable(String, String),
    /// It no longer owns the room.
    #[error("{0} does not have the room")]
    NotOwner(String),
    /// It uses another secret.
    #[error("{0} was given another secret; give all servers the same ROOKERY_NODE_SECRET")]
    OtherSecret(String),
    /// It uses another version of the relay protocol.
    #[error("{0} is of a version that cannot work with this one; update all servers")]
    OtherVersion(String),
    /// It refuses for its own reason: it is full, or cannot read the room.
    #[error("{0} refuses ({1})")]
    Refused(String, StatusCode),
}

/// The servers that are being watched.
#[derive(Default)]
pub struct Peers {
    watched: DashMap<String, Weak<Watch>>,
}

/// A server that is asked every second whether it is alive, as long as this exists.
pub struct Watch {
    gone: CancellationToken,
    /// Stops the heartbeat when the last owner is dropped.
    _asking: tokio_util::sync::DropGuard,
}

impl Watch {
    /// Waits until the server is gone.
    pub async fn until_gone(&self) {
        self.gone.cancelled().await;
    }
}

impl Peers {
    /// Watches a server. All callers share one watch per server.
    pub fn watch(&self, secret: &Secret, address: &str) -> Arc<Watch> {
        let mut watched = self.watched.entry(address.to_owned()).or_default();
        if let Some(watch) = watched.upgrade().filter(|watch| !watch.gone.is_cancelled()) {
            return watch;
        }
        let (gone, over) = (CancellationToken::new(), CancellationToken::new());
        let watch = Arc::new(Watch { gone: gone.clone(), _asking: over.clone().drop_guard() });
        *watched = Arc::downgrade(&watch);
        let (secret, address) = (secret.clone(), address.to_owned());
        tokio::spawn(async move {
            tokio::select! {
                () = over.cancelled() => {}
                () = until_silent(&secret, &address) => {
                    tracing::warn!(%address, "a server does not answer any more");
                    gone.cancel();
                }
            }
        });
        watch
    }

    /// Forgets servers that nobody watches any more.
    pub fn tidy(&self) {
        self.watched.retain(|_, watch| watch.strong_count() > 0);
    }
}

async fn until_silent(secret: &Secret, address: &str) {
    let mut missed = 0;
    while missed < BEATS {
        sleep(BEAT).await;
        match timeout(BEAT_ANSWER, greet(secret, address)).await {
            Ok(Ok(_)) => missed = 0,
            _ => missed += 1,
        }
    }
}

/// Asks a server who it is.
pub async fn greet(secret: &Secret, address: &str) -> Result<Hello, NoPeer> {
    let answer = ask(secret, address, "/node").await?;
    serde_json::from_str(&answer.body).map_err(|_| {
        NoPeer::Unreachable(address.to_owned(), "something else than a Rookery answers there".to_owned())
    })
}

/// Sends a server a GET request.
pub async fn ask(secret: &Secret, address: &str, path: &str) -> Result<Answer, NoPeer> {
    let unreachable = |error: ClientError| NoPeer::Unreachable(address.to_owned(), error.to_string());
    let request = spoken(Request::get(path), secret).body(String::new()).map_err(ClientError::from);
    let request = request.map_err(unreachable)?;
    let answer = Deployment::new(&uri(address)?).patience(ANSWER).send(request).await.map_err(unreachable)?;
    match answer.status {
        StatusCode::OK | StatusCode::NOT_FOUND | StatusCode::CONFLICT => Ok(answer),
        status => Err(refused(address, status)),
    }
}

/// Opens a connection to the server that owns a room, for a client with this address.
pub async fn call(
    secret: &Secret,
    address: &str,
    code: RoomCode,
    source: Source,
) -> Result<OwnerLine, NoPeer> {
    let unreachable = |error: ClientError| NoPeer::Unreachable(address.to_owned(), error.to_string());
    let there = uri(address)?;
    let mut request = Deployment::new(&there).upgrade(code.as_str()).map_err(unreachable)?;
    let token = format!("Bearer {}", secret.token());
    let headers = request.headers_mut();
    headers.insert(AUTHORIZATION, HeaderValue::try_from(token).expect("hex digits"));
    headers.insert(SPOKEN, HeaderValue::from(RELAY));
    headers.insert(FOR, HeaderValue::try_from(source.to_string()).expect("an address"));
    let line = async {
        let host = there.host().unwrap_or_default().trim_matches(['[', ']']);
        let stream = TcpStream::connect((host, there.port_u16().unwrap_or(80))).await?;
        let _ = stream.set_nodelay(true);
        let _ = SockRef::from(&stream).set_recv_buffer_size(RECEIVE_BUFFER);
        RoomConnection::open(request, stream).await
    };
    match timeout(CONNECT, line).await.unwrap_or(Err(ClientError::Late(CONNECT))) {
        Ok(line) => Ok(line),
        Err(ClientError::NoUpgrade(status)) => Err(refused(address, status)),
        Err(error) => Err(unreachable(error)),
    }
}

fn spoken(request: Builder, secret: &Secret) -> Builder {
    request.header(AUTHORIZATION, format!("Bearer {}", secret.token())).header(SPOKEN, RELAY)
}

fn refused(address: &str, status: StatusCode) -> NoPeer {
    let address = address.to_owned();
    match status {
        StatusCode::FORBIDDEN => NoPeer::OtherSecret(address),
        StatusCode::UPGRADE_REQUIRED => NoPeer::OtherVersion(address),
        StatusCode::MISDIRECTED_REQUEST => NoPeer::NotOwner(address),
        status => NoPeer::Refused(address, status),
    }
}

fn uri(address: &str) -> Result<Uri, NoPeer> {
    let wrong = |_| NoPeer::Unreachable(address.to_owned(), "it is not an address".to_owned());
    address.parse().map_err(wrong)
}
