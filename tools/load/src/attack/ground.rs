//! What all attacks share: the server's address, source addresses, and an end time.

use crate::measure::PlainConnection;
use client::header::{CONTENT_TYPE, HOST};
use client::scripted::abuse;
use client::{Answer, Join, Request, RequestBuilder, RoomConnection, exchange};
use protocol::RoomOpened;
use serde::Serialize;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, sleep, timeout};

/// Limit on the number of connections of one attack.
pub const MOST: usize = 10_800;
/// Timeout of every request and connection of an attacker.
const PATIENCE: Duration = Duration::from_secs(5);

/// Target, sources and end time of an attack.
pub struct AttackGround {
    /// Address of the server.
    pub address: SocketAddr,
    /// Second byte of the source addresses 127.`net`.x.y, which are all local.
    net: u8,
    sources: u16,
    /// Maximum number of concurrent attackers.
    pub most: usize,
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
pub struct AttackTally {
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
    pub fn sum(&self) -> AttackTally {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        AttackTally { done: read(&self.done), refused: read(&self.refused), players_cut: read(&self.players_cut) }
    }
}

impl AttackGround {
    /// Creates an attack on this server.
    pub fn new(address: SocketAddr, sources: u16, end: Instant, most: usize) -> AttackGround {
        AttackGround { address, net: 1, sources: sources.max(1), most, end, tally: Counts::default() }
    }

    /// Creates an honest client with its own address.
    pub fn visitor(address: SocketAddr) -> AttackGround {
        AttackGround { net: 2, ..AttackGround::new(address, 1, Instant::now(), 1) }
    }

    /// Returns the number of attackers for `of_one` attackers per address, limited by `most`.
    pub fn count(&self, of_one: usize) -> usize {
        (of_one * usize::from(self.sources)).min(self.most)
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
    pub async fn connect(&self, number: usize) -> Option<TcpStream> {
        self.connect_with(TcpSocket::new_v4().ok()?, number).await
    }

    /// Connects an attacker who will not read.
    pub async fn connect_deaf(&self, number: usize) -> Option<TcpStream> {
        self.connect_with(abuse::deaf_socket().ok()?, number).await
    }

    async fn connect_with(&self, socket: TcpSocket, number: usize) -> Option<TcpStream> {
        socket.bind((self.source(number), 0).into()).ok()?;
        let stream = timeout(PATIENCE, socket.connect(self.address)).await.ok()?.ok()?;
        stream.set_nodelay(true).ok()?;
        Some(stream)
    }

    /// Sends an attacker's request, and returns the response if there is one.
    pub async fn ask(&self, number: usize, request: RequestBuilder, body: String) -> Option<Answer> {
        let request = request.header(HOST, self.address.to_string()).body(body).ok()?;
        self.send(number, request).await
    }

    /// Sends an attacker's request that already has a Host header, and returns the response if there is one.
    pub async fn send(&self, number: usize, request: Request<String>) -> Option<Answer> {
        let stream = self.connect(number).await?;
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
    pub async fn upgrade(&self, stream: TcpStream, code: &str) -> Option<PlainConnection> {
        let line = timeout(PATIENCE, RoomConnection::over(stream, self.address, code)).await.ok()?.ok();
        self.tally.count(line.is_some());
        line
    }

    /// Connects and joins a room, and returns the connection. A seated attacker joins by token the next time.
    pub async fn join(&self, number: usize, code: &str, join: &mut Join) -> Option<PlainConnection> {
        let stream = self.connect(number).await?;
        let mut line = self.upgrade(stream, code).await?;
        let heard = timeout(PATIENCE, line.enter(join.clone())).await.ok()?.ok()?;
        let welcome = heard.welcome;
        if let Some((_, token)) = heard.seated() {
            *join = Join::back(&token);
        }
        welcome.then_some(line)
    }

    /// Runs `count` attackers concurrently, each with its number, and waits for all.
    pub async fn all(&self, count: usize, one: impl AsyncFn(usize)) {
        futures_util::future::join_all((0..count).map(|number| one(number))).await;
    }

    /// Runs `of_one` attackers per address until the end. Each repeats `once`, and pauses after a refusal (`None`).
    pub async fn repeat(&self, of_one: usize, pause: Duration, once: impl AsyncFn(usize) -> Option<()>) {
        self.all(self.count(of_one), async |number| {
            while self.goes_on() {
                if once(number).await.is_none() {
                    sleep(pause).await;
                }
            }
        })
        .await;
    }
}
