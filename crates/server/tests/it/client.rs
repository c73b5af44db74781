//! A player that follows the contract, over a connection that can be cut at any byte.

use crate::harness::PATIENCE;
use client::{ClientError, Deployment, Message, Request, RoomConnection};
use game::Seat;
use protocol::{Received, RoomPhase, ServerMessage, State};
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

pub use client::End;

/// A TCP stream that breaks after a given number of further bytes has been written.
pub struct Cuttable {
    stream: TcpStream,
    left: usize,
}

impl AsyncRead for Cuttable {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Cuttable {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.left == 0 {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let bytes = &bytes[..bytes.len().min(self.left)];
        let written = std::task::ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        self.left -= written;
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// One message as text and as JSON.
#[derive(Debug, Clone)]
pub struct Told {
    pub text: String,
    pub json: Value,
}

impl Told {
    fn new(text: &str) -> Told {
        Told { json: serde_json::from_str(text).expect("JSON"), text: text.to_owned() }
    }

    pub fn kind(&self) -> &str {
        self.json["type"].as_str().unwrap_or_default()
    }
}

/// A connection that sends arbitrary messages.
pub struct Raw {
    pub ws: RoomConnection<Cuttable>,
}

impl Raw {
    pub async fn open(address: SocketAddr, code: &str) -> Raw {
        Raw { ws: Client::connect(address, code).await.expect("an upgrade") }
    }

    pub async fn says(mut self, message: impl Into<Message>) -> Raw {
        self.ws.send(message).await.expect("the line is open");
        self
    }

    /// Returns the next message as JSON, or how the connection ended.
    pub async fn hear(&mut self) -> Result<Value, End> {
        hear(&mut self.ws).await.map(|told| told.json)
    }

    /// Returns all remaining messages, and how the connection ended.
    pub async fn until_end(mut self) -> (Vec<Value>, End) {
        let mut heard = Vec::new();
        loop {
            match self.hear().await {
                Ok(message) => heard.push(message),
                Err(end) => return (heard, end),
            }
        }
    }
}

/// Returns the next message, or how the connection ended. Checks that the message is valid by the contract and that
/// serializing it again gives the same bytes.
async fn hear(ws: &mut RoomConnection<Cuttable>) -> Result<Told, End> {
    let text = timeout(PATIENCE, ws.hear()).await.expect("something within the time")?;
    let mut received = Received::read(&text).expect("a message of the contract");
    let message = received.message().unwrap_or_else(|| panic!("not of the contract: {text}"));
    assert_eq!(message.to_json(), text.as_str());
    Ok(Told::new(&text))
}

/// A client that maintains its state as the contract requires.
pub struct Client {
    pub ws: RoomConnection<Cuttable>,
    pub seat: Option<u64>,
    pub token: Option<String>,
    pub name: String,
    pub room: Value,
    /// Version of the state; 0 before a game.
    pub version: u64,
    pub next: u32,
    /// The seats that must act.
    pub asked: Vec<u64>,
    pub actions: Vec<Value>,
    pub mine: Value,
    /// The open table as JSON text.
    pub table: String,
    /// All events of this game.
    pub history: Vec<Value>,
    pub chat: Vec<Value>,
}

impl Client {
    /// Opens a connection without sending a message.
    pub async fn connect(address: SocketAddr, code: &str) -> Result<RoomConnection<Cuttable>, ClientError> {
        Client::connect_with(TcpSocket::new_v4().unwrap(), address, code).await
    }

    pub async fn connect_with(
        socket: TcpSocket,
        address: SocketAddr,
        code: &str,
    ) -> Result<RoomConnection<Cuttable>, ClientError> {
        Client::connect_to(socket, address, Deployment::at(address).upgrade(code)?).await
    }

    /// Opens a connection with a custom request, such as one through a proxy.
    pub async fn connect_to(
        socket: TcpSocket,
        address: SocketAddr,
        request: Request<()>,
    ) -> Result<RoomConnection<Cuttable>, ClientError> {
        let stream = socket.connect(address).await?;
        RoomConnection::open(request, Cuttable { stream, left: usize::MAX }).await
    }

    /// Joins by name.
    pub async fn join(address: SocketAddr, code: &str, name: &str) -> Client {
        Client::join_as(address, code, json!({"type": "join", "name": name})).await.expect("a welcome")
    }

    pub async fn watch(address: SocketAddr, code: &str, name: &str) -> Client {
        let join = json!({"type": "join", "name": name, "watch": true});
        Client::join_as(address, code, join).await.expect("a welcome")
    }

    /// Joins again by token.
    pub async fn resume(address: SocketAddr, code: &str, token: &str) -> Result<Client, End> {
        Client::join_as(address, code, json!({"type": "join", "token": token})).await
    }

    pub async fn join_as(address: SocketAddr, code: &str, join: Value) -> Result<Client, End> {
        let ws = Client::connect(address, code).await.map_err(|_| End::Broken)?;
        Client::introduce(ws, join).await
    }

    pub async fn introduce(ws: RoomConnection<Cuttable>, join: Value) -> Result<Client, End> {
        let mut client = Client::new(ws);
        client.try_say(join).await?;
        while client.hear().await?.kind() != "welcome" {}
        client.answer_ping().await?;
        Ok(client)
    }

    /// Answers the ping after the welcome, as a browser does automatically. It tells the server that the welcome has
    /// arrived.
    async fn answer_ping(&mut self) -> Result<(), End> {
        match timeout(PATIENCE, self.ws.frame()).await.expect("a ping within the time")? {
            Message::Ping(_) => self.ws.flush().await,
            other => panic!("the first ping follows the welcome, not {other:?}"),
        }
    }

    /// Creates a client on a connection whose welcome has already been read.
    pub fn already_welcomed(ws: RoomConnection<Cuttable>, welcome: &str) -> Client {
        let mut client = Client::new(ws);
        client.take_in(&Told::new(welcome));
        client
    }

    fn new(ws: RoomConnection<Cuttable>) -> Client {
        Client {
            ws,
            seat: None,
            token: None,
            name: String::new(),
            room: Value::Null,
            version: 0,
            next: 0,
            asked: Vec::new(),
            actions: Vec::new(),
            mine: Value::Null,
            table: String::new(),
            history: Vec::new(),
            chat: Vec::new(),
        }
    }

    pub async fn try_say(&mut self, message: Value) -> Result<(), End> {
        self.ws.send(message.to_string()).await
    }

    pub async fn say(&mut self, message: Value) {
        self.try_say(message).await.expect("the line is open");
    }

    /// Plays an action as this seat's next one.
    pub async fn act(&mut self, action: &Value) {
        self.say(json!({"type": "act", "n": self.next, "action": action})).await;
    }

    /// Makes the connection break after `bytes` more bytes are sent.
    pub fn cut_after(&mut self, bytes: usize) {
        self.ws.stream().left = bytes;
    }

    /// Receives and processes the next message.
    pub async fn hear(&mut self) -> Result<Told, End> {
        let told = hear(&mut self.ws).await?;
        self.take_in(&told);
        Ok(told)
    }

    /// Receives messages until a condition holds.
    pub async fn until(&mut self, what: &str, mut holds: impl FnMut(&Client) -> bool) {
        while !holds(self) {
            if let Err(end) = self.hear().await {
                panic!("{} waited until {what}, but the line ended: {end:?}", self.name);
            }
        }
    }

    /// Receives messages until one has this type.
    pub async fn until_heard(&mut self, kind: &str) -> Told {
        loop {
            match self.hear().await {
                Ok(heard) if heard.kind() == kind => return heard,
                Ok(_) => {}
                Err(end) => panic!("{} waited for {kind}, but the line ended: {end:?}", self.name),
            }
        }
    }

    /// Receives messages until one has any of these types.
    pub async fn until_any(&mut self, kinds: &[&str]) -> Told {
        loop {
            match self.hear().await {
                Ok(heard) if kinds.contains(&heard.kind()) => return heard,
                Ok(_) => {}
                Err(end) => panic!("{} waited for {kinds:?}, but the line ended: {end:?}", self.name),
            }
        }
    }

    /// Receives messages until the connection ends.
    pub async fn until_end(&mut self) -> End {
        loop {
            if let Err(end) = self.hear().await {
                return end;
            }
        }
    }

    pub fn table(&self) -> Value {
        serde_json::from_str(&self.table).expect("a table")
    }

    /// Returns whether the game waits for this seat. Where all choose simultaneously, a seat that has decided may still
    /// change its choice.
    pub fn is_asked(&self) -> bool {
        self.seat.is_some_and(|seat| self.asked.contains(&seat))
    }

    pub fn is_over(&self) -> bool {
        self.room["phase"] == "finished"
    }

    fn take_in(&mut self, told: &Told) {
        let (mut received, json) = (Received::read(&told.text).expect("just read"), &told.json);
        match received.message().expect("just read") {
            ServerMessage::Welcome { you, state, .. } => {
                self.place(you.seat, you.token, you.name);
                self.room = json["room"].clone();
                self.history = json["history"].as_array().expect("a list").clone();
                self.chat = json["chat"].as_array().expect("a list").clone();
                if let Some(state) = state {
                    self.take_state(state);
                }
            }
            ServerMessage::You { seat, token, name } => self.place(seat, token, name),
            ServerMessage::Room { room } => {
                self.room = json["room"].clone();
                if room.phase == RoomPhase::Lobby {
                    self.asked.clear();
                    self.actions.clear();
                    self.history.clear();
                    self.next = 0;
                }
            }
            ServerMessage::State { state } => {
                // A client that joined a lobby was shown no version, and there may have been games before.
                let seen = !self.table.is_empty();
                let version = state.version;
                assert!(!seen || version == self.version + 1, "versions rise by one: {version}");
                self.history.extend(json["state"]["events"].as_array().expect("a list").iter().cloned());
                self.take_state(state);
            }
            ServerMessage::Chat { .. } => self.chat.push(json.clone()),
            _ => {}
        }
    }

    fn place(&mut self, seat: Option<Seat>, token: Option<&str>, name: &str) {
        self.seat = seat.map(|seat| seat.0.into());
        self.token = token.map(str::to_owned);
        self.name = name.to_owned();
    }

    fn take_state(&mut self, state: State<'_>) {
        self.version = state.version;
        self.next = state.next.unwrap_or(0);
        self.table = state.table.get().to_owned();
        self.asked = state.asked.iter().map(|seat| seat.0.into()).collect();
        self.actions = serde_json::from_str(state.actions.get()).expect("a list");
        self.mine = state.mine.map_or(Value::Null, |mine| serde_json::from_str(mine.get()).expect("JSON"));
    }
}
