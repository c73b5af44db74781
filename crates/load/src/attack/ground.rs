//! What every attack stands on: the server's address, addresses to come from, and an end.

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

/// The most connections of one attack.
pub const MOST: usize = 10_800;
/// The receive buffer of a client that never reads: as little help by the kernel as can be had.
const DEAF: u32 = 4096;
/// An attacker waits no longer than this for anything.
const PATIENCE: Duration = Duration::from_secs(5);

/// A connection of an attacker into a room.
pub type Line = RoomConnection<TcpStream>;

/// Where the attack goes, from where, and how long.
pub struct Ground {
    /// The server.
    pub address: SocketAddr,
    /// 127.`net`.x.y, which are all this machine.
    net: u8,
    sources: u16,
    /// When it is over.
    pub end: Instant,
    /// What became of it.
    pub tally: Counts,
}

/// What the attackers met, counted by all of them at once.
#[derive(Debug, Default)]
pub struct Counts {
    done: AtomicU64,
    refused: AtomicU64,
    players_cut: AtomicU64,
}

/// What the attackers met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Connections, requests or messages that went through.
    pub done: u64,
    /// Those that were refused or cut.
    pub refused: u64,
    /// Players who were cut though they did nothing wrong.
    pub players_cut: u64,
}

impl Counts {
    /// One more, that went through or did not.
    pub fn count(&self, went: bool) {
        let counter = if went { &self.done } else { &self.refused };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// A player was cut who did nothing wrong.
    pub fn cut_player(&self) {
        self.players_cut.fetch_add(1, Ordering::Relaxed);
    }

    /// All of them.
    pub fn sum(&self) -> Tally {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Tally { done: read(&self.done), refused: read(&self.refused), players_cut: read(&self.players_cut) }
    }
}

impl Ground {
    /// An attack on this server.
    pub fn new(address: SocketAddr, sources: u16, end: Instant) -> Ground {
        Ground { address, net: 1, sources: sources.max(1), end, tally: Counts::default() }
    }

    /// Somebody who does nothing wrong, from an address of their own.
    pub fn visitor(address: SocketAddr) -> Ground {
        Ground { net: 2, ..Ground::new(address, 1, Instant::now()) }
    }

    /// So many attackers of one address are so many of each, as far as that stays within bounds.
    pub fn count(&self, of_one: usize) -> usize {
        (of_one * usize::from(self.sources)).min(MOST.max(of_one))
    }

    /// Whether the attack goes on.
    pub fn goes_on(&self) -> bool {
        Instant::now() < self.end
    }

    /// The address of the attacker of this number.
    fn source(&self, number: usize) -> Ipv4Addr {
        let [high, low] = ((number % usize::from(self.sources)) as u16 + 1).to_be_bytes();
        Ipv4Addr::new(127, self.net, high, low)
    }

    /// A connection of the attacker of this number.
    pub async fn connect(&self, number: usize) -> io::Result<TcpStream> {
        self.connect_with(number, None).await
    }

    /// The same for one who will not read.
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

    /// A request of the attacker of this number; none if it is not answered.
    pub async fn ask(&self, number: usize, request: RequestBuilder, body: String) -> Option<Answer> {
        let request = request.header(HOST, self.address.to_string()).body(body).ok()?;
        self.send(number, request).await
    }

    /// The same for a request that says itself where it goes.
    pub async fn send(&self, number: usize, request: Request<String>) -> Option<Answer> {
        let stream = self.connect(number).await.ok()?;
        let answer = timeout(PATIENCE, exchange(stream, request)).await.ok()?.ok();
        self.tally.count(answer.as_ref().is_some_and(|answer| answer.status.as_u16() < 400));
        answer
    }

    /// A room of the attacker of this number; none if it is refused.
    pub async fn open(&self, number: usize) -> Option<String> {
        let request = Request::post("/api/rooms").header(CONTENT_TYPE, "application/json");
        let answer = self.ask(number, request, r#"{"game":"towers"}"#.to_owned()).await?;
        let opened: RoomOpened = serde_json::from_str(&answer.body).ok()?;
        Some(opened.code)
    }

    /// A WebSocket into a room, over a stream.
    pub async fn upgrade(&self, stream: TcpStream, code: &str) -> Option<Line> {
        let upgrade = Deployment::at(self.address).upgrade(code).ok()?;
        let line = timeout(PATIENCE, RoomConnection::open(upgrade, stream)).await.ok()?.ok();
        self.tally.count(line.is_some());
        line
    }

    /// A line into a room on which somebody has joined, and what they were told.
    pub async fn join(&self, number: usize, code: &str, join: Join) -> Option<(Line, String)> {
        let stream = self.connect(number).await.ok()?;
        let mut line = self.upgrade(stream, code).await?;
        let welcome = timeout(PATIENCE, line.join(join)).await.ok()?.ok()?;
        welcome.contains(r#""type":"welcome""#).then(|| (line, welcome.to_string()))
    }

    /// Lets so many attackers do the same, each with its number, and waits for them.
    pub async fn all<F: Future<Output = ()>>(&self, count: usize, one: impl Fn(usize) -> F) {
        futures_util::future::join_all((0..count).map(one)).await;
    }
}

/// Those who only read what they are sent.
#[derive(Default)]
pub struct Readers(JoinSet<()>);

impl Readers {
    /// One more.
    pub fn add(&mut self, mut line: Line) {
        self.0.spawn(async move { while line.hear().await.is_ok() {} });
    }
}
