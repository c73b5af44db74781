//! One room in a closed loop: a player acts, all receive the new state, and only then the next one acts.
//!
//! Received messages are parsed as little as possible, so that the load generator is cheap compared with the server.

use super::MeasureError;
use crate::choice::chance_of;
use crate::play::open_room;
use client::scripted::{MessageSummary, PlayerTurn, choose};
use client::{ClientError, Deployment, End, Join, RoomConnection, Utf8Bytes};
use game::{Chance, Seat};
use protocol::ClientMessage;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Message to the baseline server, as long as most actions.
const ACT: &str = r#"{"type":"act","n":12,"action":{"type":"bid","count":3}}"#;

/// A connection without a layer between it and its socket.
pub type PlainConnection = RoomConnection<TcpStream>;

/// Opens a connection into a room.
pub async fn connect(address: SocketAddr, code: &str) -> Result<PlainConnection, ClientError> {
    RoomConnection::over(TcpStream::connect(address).await?, address, code).await
}

/// A room of the baseline server or of Rookery.
pub enum ClosedLoop {
    /// For every message, all clients receive the same text.
    Floor(FloorTable),
    /// Whole games of Five Towers, one after the other.
    Rookery(Box<RookeryTable>),
}

impl ClosedLoop {
    /// Plays one action and waits until all players at the table have received the result. Returns how long the acting
    /// player waited for it.
    pub async fn act(&mut self) -> Result<Duration, MeasureError> {
        match self {
            ClosedLoop::Floor(table) => table.act().await,
            ClosedLoop::Rookery(table) => table.act().await,
        }
    }
}

/// Connections that only read. No player waits for them.
#[derive(Default)]
pub struct SpectatorReaders(JoinSet<End>);

impl SpectatorReaders {
    /// Adds a connection.
    pub fn add(&mut self, mut connection: PlainConnection) {
        self.0.spawn(async move { connection.drain().await });
    }
}

/// A room of the baseline server.
pub struct FloorTable {
    people: Vec<PlainConnection>,
    turn: usize,
    watchers: SpectatorReaders,
}

impl FloorTable {
    /// Connects clients to a room with this name.
    pub async fn open(
        address: SocketAddr,
        name: &str,
        people: usize,
        watchers: usize,
    ) -> Result<FloorTable, MeasureError> {
        let mut table =
            FloorTable { people: Vec::with_capacity(people), turn: 0, watchers: SpectatorReaders::default() };
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
    people: Vec<PlainConnection>,
    /// The last state that each player received.
    shown: Vec<Utf8Bytes>,
    chance: Chance,
    watchers: SpectatorReaders,
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
            sit(&mut connection, join).await?;
            seated.push(connection);
        }
        seated[0].say(&ClientMessage::Start {}).await?;
        let chance = chance_of([number, people, 0]);
        let mut table =
            RookeryTable { people: seated, shown: Vec::new(), chance, watchers: SpectatorReaders::default() };
        for _ in 0..watchers {
            let mut connection = connect(address, &code).await?;
            connection.join(Join::watch("Watcher")).await?;
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
        self.shown[acting] = next_state(&mut self.people[acting]).await?;
        let waited = sent.elapsed();
        for (place, other) in self.people.iter_mut().enumerate().filter(|(place, _)| *place != acting) {
            self.shown[place] = next_state(other).await?;
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
        let choice = turn.next.zip(choose(&turn.actions, false, &mut self.chance));
        let (next, action) =
            choice.ok_or_else(|| MeasureError::Refused("a seat that must act has no action".to_owned()))?;
        Ok(Some((asked, next, action.to_owned())))
    }

    /// Starts another game. The room processes one client's messages in order, so there is no need to wait for the
    /// lobby.
    async fn begin_again(&mut self) -> Result<(), MeasureError> {
        self.people[0].say(&ClientMessage::Rematch {}).await?;
        self.people[0].say(&ClientMessage::Start {}).await?;
        self.look().await
    }

    /// Waits until all players have received a state.
    async fn look(&mut self) -> Result<(), MeasureError> {
        self.shown.clear();
        for person in &mut self.people {
            self.shown.push(next_state(person).await?);
        }
        Ok(())
    }
}

/// Joins, and returns the seat and its token.
pub async fn sit(connection: &mut PlainConnection, join: Join) -> Result<(Seat, String), MeasureError> {
    let welcome = connection.join(join).await?;
    let seated = MessageSummary::read(&welcome).ok().and_then(MessageSummary::seated);
    seated.ok_or_else(|| MeasureError::Refused(welcome.to_string()))
}

fn turn(text: &str) -> Result<PlayerTurn, MeasureError> {
    let heard = MessageSummary::read(text).unwrap_or_default();
    heard.turn.ok_or_else(|| MeasureError::Refused(text.to_owned()))
}

/// Returns the next state, or an error if a refusal arrives first.
pub async fn next_state(connection: &mut PlainConnection) -> Result<Utf8Bytes, MeasureError> {
    loop {
        let text = connection.hear().await?;
        // Most messages are states, and most of those need not be parsed.
        if text.starts_with(r#"{"type":"state","#) {
            return Ok(text);
        }
        match MessageSummary::read(&text).unwrap_or_default() {
            MessageSummary { turn: Some(_), .. } => return Ok(text),
            MessageSummary { refusal: Some(_), .. } => return Err(MeasureError::Refused(text.to_string())),
            _ => {}
        }
    }
}
