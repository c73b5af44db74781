//! What all attacks share: the server's address, source addresses, and an end time.

use client::header::{CONTENT_TYPE, HOST};
use client::{Answer, Deployment, Join, Request, RequestBuilder, RoomConnection, exchange};
use protocol::RoomOpened;
use serde::Serialize;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

/// Limit on the number of connections of one attack.
pub const MOST: usize = 10_800;
/// Receive buffer size of clients that never read, as small as possible so that the kernel buffers little.
const DEAF: u32 = 4096;
/// Timeout of every request and connection of an attacker.
const PATIENCE: Duration = Duration::from_secs(5);

/// An attacker's connection into a room.
pub type Line = RoomConnection<TcpStream>;

/// Target, sources and end time of an attack.
pub struct Ground {
    /// Address of the server.
    pub address: SocketAddr,
    /// Second byte of the source addresses 127.`net`.x.y, which are all local.
    net: u8,
    sources: u16,
    /// End of the attack.
    pub end: Instant,
    /// Results of the attack.
    pub tally: Counts,
}

/// Results of the attackers, counted concurrently.
#[derive(Debug, Default)]
pub struct Counts {
    done: AtomicU64,
    refused: AtomicU64,
    players_cut: AtomicU64,
}

/// Results of the attackers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Successful connections, requests or messages.
    pub done: u64,
    /// Connections, requests or messages that were refused or cut.
    pub refused: u64,
    /// Honest players who were disconnected.
    pub players_cut: u64,
}

impl Counts {
    /// Counts a success or a refusal.
    pub fn count(&self, went: bool) {
        let counter = if went { &self.done } else { &self.refused };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an honest player who was disconnected.
    pub fn cut_player(&self) {
        self.players_cut.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the current totals.
    pub fn sum(&self) -> Tally {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Tally { done: read(&self.done), refused: read(&self.refused), players_cut: read(&self.players_cut) }
    }
}

impl Ground {
    /// Creates an attack on this server.
    pub fn new(address: SocketAddr, sources: u16, end: Instant) -> Ground {
        Ground { address, net: 1, sources: sources.max(1), end, tally: Counts::default() }
    }

    /// Creates an honest client with its own address.
    pub fn visitor(address: SocketAddr) -> Ground {
        Ground { net: 2, ..Ground::new(address, 1, Instant::now()) }
    }

    /// Returns the number of attackers for `of_one` attackers per address, limited by [`MOST`].
    pub fn count(&self, of_one: usize) -> usize {
        (of_one * usize::from(self.sources)).min(MOST.max(of_one))
    }

    /// Returns whether the attack is still running.
    pub fn goes_on(&self) -> bool {
        Instant::now() < self.end
    }

    /// Returns the source address of an attacker.
    fn source(&self, number: usize) -> Ipv4Addr {
        let [high, low] = ((number % usize::from(self.sources)) as u16 + 1).to_be_bytes();
        Ipv4Addr::new(127, self.net, high, low)
    }

    /// Connects an attacker.
    pub async fn connect(&self, number: usize) -> io::Result<TcpStream> {
        self.connect_with(number, None).await
    }

    /// Connects an attacker who will not read, with a small receive buffer.
    pub async fn connect_deaf(&self, number: usize) -> io::Result<TcpStream> {
        self.connect_with(number, Some(DEAF)).await
    }

    async fn connect_with(&self, number: usize, receive: Option<u32>) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        if let Some(bytes) = receive {
            socket.set_recv_buffer_size(bytes)?;
        }
        socket.bind((self.source(number), 0).into())?;
        let stream = timeout(PATIENCE, socket.connect(self.address)).await??;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Sends an attacker's request, and returns the response if there is one.
    pub async fn ask(&self, number: usize, request: RequestBuilder, body: String) -> Option<Answer> {
        let request = request.header(HOST, self.address.to_string()).body(body).ok()?;
        self.send(number, request).await
    }

    /// Sends an attacker's request that already has a Host header, and returns the response if there is one.
    pub async fn send(&self, number: usize, request: Request<String>) -> Option<Answer> {
        let stream = self.connect(number).await.ok()?;
        let answer = timeout(PATIENCE, exchange(stream, request)).await.ok()?.ok();
        self.tally.count(answer.as_ref().is_some_and(|answer| answer.status.as_u16() < 400));
        answer
    }

    /// Opens a room, and returns its code unless the request was refused.
    pub async fn open(&self, number: usize) -> Option<String> {
        let request = Request::post("/api/rooms").header(CONTENT_TYPE, "application/json");
        let answer = self.ask(number, request, r#"{"game":"towers"}"#.to_owned()).await?;
        let opened: RoomOpened = serde_json::from_str(&answer.body).ok()?;
        Some(opened.code)
    }

    /// Opens a WebSocket into a room over a stream.
    pub async fn upgrade(&self, stream: TcpStream, code: &str) -> Option<Line> {
        let upgrade = Deployment::at(self.address).upgrade(code).ok()?;
        let line = timeout(PATIENCE, RoomConnection::open(upgrade, stream)).await.ok()?.ok();
        self.tally.count(line.is_some());
        line
    }

    /// Connects and joins a room, and returns the connection with the welcome.
    pub async fn join(&self, number: usize, code: &str, join: Join) -> Option<(Line, String)> {
        let stream = self.connect(number).await.ok()?;
        let mut line = self.upgrade(stream, code).await?;
        let welcome = timeout(PATIENCE, line.join(join)).await.ok()?.ok()?;
        welcome.contains(r#""type":"welcome""#).then(|| (line, welcome.to_string()))
    }

    /// Runs `count` attackers concurrently, each with its number, and waits for all.
    pub async fn all<F: Future<Output = ()>>(&self, count: usize, one: impl Fn(usize) -> F) {
        futures_util::future::join_all((0..count).map(one)).await;
    }
}

/// Connections that only read.
#[derive(Default)]
pub struct Readers(JoinSet<()>);

impl Readers {
    /// Adds a connection.
    pub fn add(&mut self, mut line: Line) {
        self.0.spawn(async move { while line.hear().await.is_ok() {} });
    }
}
