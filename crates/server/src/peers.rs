//! Requests to the other servers: about their rooms, and whether they are alive. One connection to each is kept open
//! and reused. Relays have connections of their own.
//!
//! It knows nothing about rooms; the journal records which server owns which.

use crate::RoomCode;
use crate::client_addr::ClientAddr;
use crate::config::Secret;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Builder;
use axum::http::{HeaderValue, StatusCode, Uri};
use client::{Answer, ClientError, Deployment, KeepAlive, Request, RoomConnection};
use dashmap::DashMap;
use journal::ownership::History;
use serde::{Deserialize, Serialize};
use socket2::SockRef;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Version of the relay protocol, raised with every change that an older server would not understand.
pub const RELAY: u32 = 1;
/// Request header with the version of the relay protocol.
pub const SPOKEN: &str = "x-rookery-relay";
/// Request header with the address of the client for which a server asks.
pub const FOR: &str = "x-rookery-for";
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

/// What a server tells another about itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hello {
    pub me: u64,
    pub version: String,
    /// Its wall clock, in milliseconds since 1970.
    pub at: u64,
    /// The history of the database it uses. Earlier versions do not send it.
    #[serde(default)]
    pub history: Option<HistoryId>,
}

/// A history of the database, as servers send it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct HistoryId {
    pub system: u64,
    pub timeline: u32,
    pub branch: u64,
}

impl From<History> for HistoryId {
    fn from(History { system, timeline, branch }: History) -> HistoryId {
        HistoryId { system, timeline, branch }
    }
}

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
    #[error("{0} has a different secret; give all servers the same ROOKERY_NODE_SECRET")]
    OtherSecret(String),
    /// It uses another version of the relay protocol.
    #[error("{0} runs an incompatible version; update all servers")]
    OtherVersion(String),
    /// It refuses for its own reason: it is full, or cannot read the room.
    #[error("{0} refused the request ({1})")]
    Refused(String, StatusCode),
}

/// The other servers: those that are being watched, and the connections for requests, each by address. Clones share
/// them.
#[derive(Default, Clone)]
pub struct Peers {
    watched: Arc<DashMap<String, Weak<Watch>>>,
    connections: Arc<DashMap<String, Arc<KeepAlive>>>,
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
        let (peers, secret, address) = (self.clone(), secret.clone(), address.to_owned());
        tokio::spawn(async move {
            tokio::select! {
                () = over.cancelled() => {}
                () = peers.until_silent(&secret, &address) => {
                    tracing::warn!(%address, "a server has stopped responding");
                    gone.cancel();
                }
            }
        });
        watch
    }

    async fn until_silent(&self, secret: &Secret, address: &str) {
        let mut missed = 0;
        while missed < BEATS {
            sleep(BEAT).await;
            match timeout(BEAT_ANSWER, self.greet(secret, address)).await {
                Ok(Ok(_)) => missed = 0,
                _ => missed += 1,
            }
        }
    }

    /// Asks a server who it is.
    pub async fn greet(&self, secret: &Secret, address: &str) -> Result<Hello, NoPeer> {
        let answer = self.ask(secret, address, "/node", None).await?;
        serde_json::from_str(&answer.body)
            .map_err(|_| NoPeer::Unreachable(address.to_owned(), "another program answers there".to_owned()))
    }

    /// Sends a server a GET request, for a client if it is about a room.
    pub async fn ask(
        &self,
        secret: &Secret,
        address: &str,
        path: &str,
        client: Option<ClientAddr>,
    ) -> Result<Answer, NoPeer> {
        let unreachable = |error: ClientError| NoPeer::Unreachable(address.to_owned(), error.to_string());
        let request = client
            .into_iter()
            .fold(spoken(Request::get(path), secret), |request, client| request.header(FOR, client.to_string()));
        let request = request.body(String::new()).map_err(ClientError::from);
        let request = request.map_err(unreachable)?;
        let answer = self.connection(address)?.send(request).await.map_err(unreachable)?;
        match answer.status {
            StatusCode::OK | StatusCode::NOT_FOUND | StatusCode::CONFLICT => Ok(answer),
            status => Err(refused(address, status)),
        }
    }

    fn connection(&self, address: &str) -> Result<Arc<KeepAlive>, NoPeer> {
        if let Some(connection) = self.connections.get(address) {
            return Ok(connection.clone());
        }
        let connection = Arc::new(KeepAlive::new(Deployment::new(&uri(address)?).patience(ANSWER)));
        Ok(self.connections.entry(address.to_owned()).or_insert(connection).clone())
    }

    /// Forgets servers that are no longer watched, and closes connections that are no longer used.
    pub fn tidy(&self) {
        self.watched.retain(|_, watch| watch.strong_count() > 0);
        self.connections.retain(|_, connection| {
            let is_in_use = Arc::strong_count(connection) > 1;
            is_in_use || !connection.close_if_unused()
        });
    }
}

/// Opens a connection to the server that owns a room, for a client with this address.
pub async fn call(secret: &Secret, address: &str, code: RoomCode, source: ClientAddr) -> Result<OwnerLine, NoPeer> {
    let unreachable = |error: ClientError| NoPeer::Unreachable(address.to_owned(), error.to_string());
    let there = uri(address)?;
    let mut request = Deployment::new(&there).upgrade(code.as_str()).map_err(unreachable)?;
    let token = format!("Bearer {}", secret.token());
    let headers = request.headers_mut();
    headers.insert(AUTHORIZATION, HeaderValue::try_from(token).expect("hex digits are a valid header"));
    headers.insert(SPOKEN, HeaderValue::from(RELAY));
    headers.insert(FOR, HeaderValue::try_from(source.to_string()).expect("an address is a valid header"));
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
    let wrong = |_| NoPeer::Unreachable(address.to_owned(), "invalid address".to_owned());
    address.parse().map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::extract::{ConnectInfo, State};
    use axum::routing::get;
    use axum::{Json, Router};
    use parking_lot::Mutex;
    use std::collections::HashSet;
    use std::net::SocketAddr;
    use tokio::net::TcpListener;

    /// The addresses from which a server was asked, each of which is one connection.
    type Connections = Arc<Mutex<HashSet<SocketAddr>>>;

    async fn hello(ConnectInfo(from): ConnectInfo<SocketAddr>, connections: State<Connections>) -> Json<Hello> {
        connections.lock().insert(from);
        Json(Hello { me: 7, version: "1.0.0".to_owned(), at: 0, history: None })
    }

    /// Another server that answers heartbeats.
    struct OtherServer {
        address: SocketAddr,
        connections: Connections,
        stopping: CancellationToken,
        serving: tokio::task::JoinHandle<()>,
    }

    impl OtherServer {
        async fn at(address: &str) -> OtherServer {
            let listener = TcpListener::bind(address).await.unwrap();
            let (address, connections) = (listener.local_addr().unwrap(), Connections::default());
            let app = Router::new().route("/node", get(hello)).with_state(connections.clone());
            let app = app.into_make_service_with_connect_info::<SocketAddr>();
            let stopping = CancellationToken::new();
            let stopped = stopping.clone().cancelled_owned();
            let serving = tokio::spawn(async {
                axum::serve(listener, app).with_graceful_shutdown(stopped).await.unwrap();
            });
            OtherServer { address, connections, stopping, serving }
        }

        /// Closes the listener and all connections.
        async fn stop(self) {
            self.stopping.cancel();
            self.serving.await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_hundred_heartbeats_use_one_connection_and_survive_a_restart() {
        let (peers, secret) = (Peers::default(), Secret::new("of sixteen letters").unwrap());
        let server = OtherServer::at("127.0.0.1:0").await;
        let (at, address) = (server.address.to_string(), format!("http://{}", server.address));
        for _ in 0..100 {
            assert_eq!(peers.greet(&secret, &address).await.unwrap().me, 7);
            peers.tidy();
        }
        assert_eq!(server.connections.lock().len(), 1);

        server.stop().await;
        let server = OtherServer::at(&at).await;
        for _ in 0..100 {
            assert_eq!(peers.greet(&secret, &address).await.unwrap().me, 7);
        }
        assert_eq!(server.connections.lock().len(), 1, "one new connection after the restart");
        server.stop().await;
        assert!(matches!(peers.greet(&secret, &address).await, Err(NoPeer::Unreachable(..))));
        peers.tidy();
        assert!(peers.connections.is_empty(), "nothing is kept for a server that is gone");
    }
}
