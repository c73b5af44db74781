//! One room in a closed loop: a player acts, everybody receives the new state, and only then the next one acts.
//!
//! Received messages are parsed as little as possible, so that the load generator is cheap compared with the server.

use super::MeasureError;
use crate::choice::{chance_of, choose};
use crate::play::open_room;
use client::{Deployment, Join, RoomConnection, Utf8Bytes};
use game::{Chance, Seat};
use protocol::ClientMessage;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

/// Message to the baseline server, as long as most actions.
const ACT: &str = r#"{"type":"act","n":12,"action":{"type":"bid","count":3}}"#;

/// A connection without a layer between it and its socket.
pub type Connection = RoomConnection<TcpStream>;

/// Opens a connection into a room.
pub async fn connect(address: SocketAddr, code: &str) -> Result<Connection, MeasureError> {
    connect_over(TcpStream::connect(address).await?, address, code).await
}

/// Opens a connection into a room from the given loopback address.
pub async fn connect_from(
    from: Ipv4Addr,
    address: SocketAddr,
    code: &str,
) -> Result<Connection, MeasureError> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    connect_over(socket.connect(address).await?, address, code).await
}

async fn connect_over(
    stream: TcpStream,
    address: SocketAddr,
    code: &str,
) -> Result<Connection, MeasureError> {
    // Disable Nagle's algorithm: an action is one small message, and the delay would count as the server's time.
    stream.set_nodelay(true)?;
    Ok(RoomConnection::open(Deployment::at(address).upgrade(code)?, stream).await?)
}

/// A room of the baseline server or of Rookery.
pub enum Table {
    /// For every message, all clients receive the same text.
    Floor(FloorTable),
    /// Whole games of Five Towers, one after the other.
    Rookery(Box<RookeryTable>),
}

impl Table {
    /// Plays one action and waits until everybody at the table has received the result. Returns how long the acting
    /// player waited for it.
    pub async fn act(&mut self) -> Result<Duration, MeasureError> {
        match self {
            Table::Floor(table) => table.act().await,
            Table::Rookery(table) => table.act().await,
        }
    }
}

/// Spectators: they read what they are sent, and nobody waits for them.
#[derive(Default)]
struct Watchers(JoinSet<()>);

impl Watchers {
    fn add(&mut self, mut connection: Connection) {
        self.0.spawn(async move { while connection.hear().await.is_ok() {} });
    }
}

/// A room of the baseline server.
pub struct FloorTable {
    people: Vec<Connection>,
    turn: usize,
    watchers: Watchers,
}

impl FloorTable {
    /// Connects clients to a room with this name.
    pub async fn open(
        address: SocketAddr,
        name: &str,
        people: usize,
        watchers: usize,
    ) -> Result<FloorTable, MeasureError> {
        let watching = Watchers::default();
        let mut table = FloorTable { people: Vec::with_capacity(people), turn: 0, watchers: watching };
        for place in 0..people {
            table.people.push(connect(address, name).await?);
            // A client that has received a message is registered in the room.
            table.turn = place;
            table.act().await?;
        }
        for _ in 0..watchers {
            table.watchers.add(connect(address, name).await?);
        }
        Ok(table)
    }

    async fn act(&mut self) -> Result<Duration, MeasureError> {
        let acting = self.turn % self.people.len();
        self.turn = acting + 1;
        let sent = Instant::now();
        self.people[acting].send(ACT).await?;
        self.people[acting].hear().await?;
        let waited = sent.elapsed();
        for (_, other) in self.people.iter_mut().enumerate().filter(|(place, _)| *place != acting) {
            other.hear().await?;
        }
        Ok(waited)
    }
}

/// A room of Rookery in which players choose random legal actions.
pub struct RookeryTable {
    /// Connections in the order of their seats, which is the order of joining.
    people: Vec<Connection>,
    /// The last state that each player received.
    shown: Vec<Utf8Bytes>,
    chance: Chance,
    watchers: Watchers,
}

/// The type of a message.
#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
}

/// The part of a state that the acting player needs.
#[derive(Deserialize)]
struct Shown<'a> {
    #[serde(borrow)]
    state: Turn<'a>,
}

#[derive(Deserialize)]
struct Turn<'a> {
    next: Option<u32>,
    asked: Vec<Seat>,
    #[serde(borrow)]
    actions: &'a RawValue,
}

impl RookeryTable {
    /// Opens a room on one server, seats players in it, possibly through another server, and starts a game. The same
    /// `number` leads to the same choices every time.
    pub async fn open(
        opens: SocketAddr,
        address: SocketAddr,
        number: usize,
        people: usize,
        watchers: usize,
    ) -> Result<RookeryTable, MeasureError> {
        let code = open_room(&Deployment::at(opens), "towers", None).await?;
        let mut seated = Vec::with_capacity(people);
        for place in 0..people {
            let mut connection = connect(address, &code).await?;
            let salt = format!("{number:016x}{:016x}", place + 1);
            let join = Join { salt: Some(salt), ..Join::named(&format!("Person {}", place + 1)) };
            let welcome = connection.join(join).await?;
            if kind(&welcome)? != "welcome" {
                return Err(MeasureError::Refused(welcome.to_string()));
            }
            seated.push(connection);
        }
        seated[0].say(&ClientMessage::Start {}).await?;
        let chance = chance_of([number, people, 0]);
        let watching = Watchers::default();
        let mut table = RookeryTable { people: seated, shown: Vec::new(), chance, watchers: watching };
        for _ in 0..watchers {
            let mut connection = connect(address, &code).await?;
            connection.join(Join { watch: true, ..Join::named("Watcher") }).await?;
            table.watchers.add(connection);
        }
        table.look().await?;
        Ok(table)
    }

    async fn act(&mut self) -> Result<Duration, MeasureError> {
        let (acting, n, action) = loop {
            if let Some(choice) = self.choose()? {
                break choice;
            }
            self.begin_again().await?;
        };
        let sent = Instant::now();
        self.people[acting].act(n, &action).await?;
        self.shown[acting] = state(&mut self.people[acting]).await?;
        let waited = sent.elapsed();
        for (place, other) in self.people.iter_mut().enumerate().filter(|(place, _)| *place != acting) {
            self.shown[place] = state(other).await?;
        }
        Ok(waited)
    }

    /// Returns the seat that must act, the number of its action, and the action. Returns `None` at the end of a game.
    fn choose(&mut self) -> Result<Option<(usize, u32, String)>, MeasureError> {
        // `asked` is the same in every player's state.
        let Some(asked) = turn(&self.shown[0])?.asked.first().map(|seat| seat.index()) else {
            return Ok(None);
        };
        let turn = turn(&self.shown[asked])?;
        let next = turn.next.ok_or_else(|| MeasureError::Refused("a seat without a number".to_owned()))?;
        Ok(Some((asked, next, choose(turn.actions, &mut self.chance))))
    }

    /// Starts another game. The room processes one client's messages in order, so there is no need to wait for the
    /// lobby.
    async fn begin_again(&mut self) -> Result<(), MeasureError> {
        self.people[0].say(&ClientMessage::Rematch {}).await?;
        self.people[0].say(&ClientMessage::Start {}).await?;
        self.look().await
    }

    /// Waits until everybody has received a state.
    async fn look(&mut self) -> Result<(), MeasureError> {
        self.shown.clear();
        for person in &mut self.people {
            self.shown.push(state(person).await?);
        }
        Ok(())
    }
}

fn kind(text: &str) -> Result<Cow<'_, str>, MeasureError> {
    let message: Result<Kind<'_>, _> = serde_json::from_str(text);
    message.map(|message| message.kind).map_err(|_| MeasureError::Refused(text.to_owned()))
}

fn turn(text: &str) -> Result<Turn<'_>, MeasureError> {
    let shown: Result<Shown<'_>, _> = serde_json::from_str(text);
    shown.map(|shown| shown.state).map_err(|_| MeasureError::Refused(text.to_owned()))
}

/// Returns the next state, or an error if a refusal arrives first.
async fn state(connection: &mut Connection) -> Result<Utf8Bytes, MeasureError> {
    loop {
        let text = connection.hear().await?;
        // Most messages are states, and most of those need not be parsed.
        if text.starts_with(r#"{"type":"state","#) {
            return Ok(text);
        }
        match &*kind(&text)? {
            "state" => return Ok(text),
            "rejected" | "error" => return Err(MeasureError::Refused(text.to_string())),
            _ => {}
        }
    }
}
