//! A player that follows the contract, over a connection that can be cut at any byte.

use crate::harness::PATIENCE;
use client::scripted::{MessageSummary, ScriptedPlayer, abuse};
use client::{ClientError, Deployment, Message, Request, RoomConnection};
use protocol::{Have, Received, RoomPhase, ServerMessage, State};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

pub use client::End;

/// A TCP stream that breaks after a given number of further bytes has been written.
pub struct Cuttable {
    stream: TcpStream,
    left: usize,
}

impl Cuttable {
    /// Makes the connection break after `bytes` more bytes are sent.
    pub fn cut_after(&mut self, bytes: usize) {
        self.left = bytes;
    }
}

impl AsyncRead for Cuttable {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
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
        Told { json: serde_json::from_str(text).expect("valid JSON"), text: text.to_owned() }
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
        Raw { ws: Client::connect(address, code).await.expect("the upgrade succeeds") }
    }

    pub async fn says(mut self, message: impl Into<Message>) -> Raw {
        self.ws.send(message).await.expect("the connection is open");
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
    let text = timeout(PATIENCE, ws.hear()).await.expect("a message arrives in time")?;
    let mut received = Received::read(&text).expect("a message of the protocol");
    let message = received.message().unwrap_or_else(|| panic!("not a message of the protocol: {text}"));
    assert_eq!(message.to_json(), text.as_str());
    Ok(Told::new(&text))
}

/// A player that also keeps everything it is shown.
pub struct Client {
    pub ws: RoomConnection<Cuttable>,
    pub player: ScriptedPlayer,
    pub name: String,
    pub room: Value,
    /// Version of the state; 0 before a game.
    pub version: u64,
    pub mine: Value,
    /// The open table as JSON text.
    pub table: String,
    /// All events of this game.
    pub history: Vec<Value>,
    /// The same as JSON text.
    pub events: Vec<Box<RawValue>>,
    /// The number of events that the welcome left out, if it did.
    pub since: Option<u32>,
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
        Client::join_as(address, code, json!({"type": "join", "name": name})).await.expect("the server sends a welcome")
    }

    pub async fn watch(address: SocketAddr, code: &str, name: &str) -> Client {
        let join = json!({"type": "join", "name": name, "watch": true});
        Client::join_as(address, code, join).await.expect("the server sends a welcome")
    }

    /// Joins again by token.
    pub async fn resume(address: SocketAddr, code: &str, token: &str) -> Result<Client, End> {
        Client::join_as(address, code, json!({"type": "join", "token": token})).await
    }

    /// Returns what a join says about the events that this client has.
    pub fn have(&self) -> Value {
        let game = serde_json::from_value(self.room["fair"]["commitment"].clone()).expect("a commitment");
        json!(Have::of(game, self.events.iter().map(|event| event.get())))
    }

    /// Closes the connection and joins again, a player by token and a spectator by name, without the events that this
    /// client has.
    pub async fn come_back(self, address: SocketAddr, code: &str) -> Result<Client, End> {
        let join = match &self.token {
            Some(token) => json!({"type": "join", "token": token, "have": self.have()}),
            None => json!({"type": "join", "name": self.name, "watch": true, "have": self.have()}),
        };
        Client::join_knowing(address, code, join, self.events).await
    }

    /// Joins as a client that already has these events.
    pub async fn join_knowing(
        address: SocketAddr,
        code: &str,
        join: Value,
        events: Vec<Box<RawValue>>,
    ) -> Result<Client, End> {
        let ws = Client::connect(address, code).await.map_err(|_| End::Broken)?;
        Client { events, ..Client::new(ws) }.welcomed(join).await
    }

    /// Joins again by token, with as many attempts as necessary while the server is down or closes with these codes.
    pub async fn reconnect(address: SocketAddr, code: &str, token: &str, retry: &[u16]) -> Client {
        let coming = async {
            loop {
                match Client::resume(address, code, token).await {
                    Ok(client) => return client,
                    Err(End::Closed(code)) if !retry.contains(&code) => {
                        panic!("cannot reopen the seat: {code}")
                    }
                    Err(_) => sleep(Duration::from_millis(20)).await,
                }
            }
        };
        timeout(PATIENCE, coming).await.expect("the client reconnects in time")
    }

    pub async fn join_as(address: SocketAddr, code: &str, join: Value) -> Result<Client, End> {
        let ws = Client::connect(address, code).await.map_err(|_| End::Broken)?;
        Client::introduce(ws, join).await
    }

    /// Joins over a socket with its own address or buffers.
    pub async fn join_over(socket: TcpSocket, address: SocketAddr, code: &str, join: Value) -> Result<Client, End> {
        let ws = Client::connect_with(socket, address, code).await.expect("the upgrade succeeds");
        Client::introduce(ws, join).await
    }

    /// Joins as a spectator that never reads again.
    pub async fn sleeper(address: SocketAddr, code: &str) -> Client {
        let join = json!({"type": "join", "name": "Zoe", "watch": true});
        let socket = abuse::deaf_socket().unwrap();
        Client::join_over(socket, address, code, join).await.expect("the server sends a welcome")
    }

    pub async fn introduce(ws: RoomConnection<Cuttable>, join: Value) -> Result<Client, End> {
        Client::new(ws).welcomed(join).await
    }

    async fn welcomed(mut self, join: Value) -> Result<Client, End> {
        self.try_say(join).await?;
        while self.hear().await?.kind() != "welcome" {}
        self.answer_ping().await?;
        Ok(self)
    }

    /// Answers the ping after the welcome, as a browser does automatically. It tells the server that the welcome has
    /// arrived.
    async fn answer_ping(&mut self) -> Result<(), End> {
        match timeout(PATIENCE, self.ws.frame()).await.expect("a ping arrives in time")? {
            Message::Ping(_) => self.ws.flush().await,
            other => panic!("expected a ping after the welcome, got {other:?}"),
        }
    }

    /// Creates a client on a connection whose welcome has already been read.
    pub fn already_welcomed(ws: RoomConnection<Cuttable>, welcome: &str) -> Client {
        let mut client = Client::new(ws);
        client.process(&Told::new(welcome));
        client
    }

    fn new(ws: RoomConnection<Cuttable>) -> Client {
        Client {
            ws,
            player: ScriptedPlayer::default(),
            name: String::new(),
            room: Value::Null,
            version: 0,
            mine: Value::Null,
            table: String::new(),
            history: Vec::new(),
            events: Vec::new(),
            since: None,
            chat: Vec::new(),
        }
    }

    pub async fn try_say(&mut self, message: Value) -> Result<(), End> {
        self.ws.send(message.to_string()).await
    }

    pub async fn say(&mut self, message: Value) {
        self.try_say(message).await.expect("the connection is open");
    }

    /// Plays an action as this seat's next one.
    pub async fn act(&mut self, action: &Value) {
        self.say(json!({"type": "act", "n": self.next(), "action": action})).await;
    }

    /// Receives and processes the next message.
    pub async fn hear(&mut self) -> Result<Told, End> {
        let told = hear(&mut self.ws).await?;
        self.process(&told);
        Ok(told)
    }

    /// Receives messages until a condition is true.
    pub async fn until(&mut self, what: &str, mut condition: impl FnMut(&Client) -> bool) {
        while !condition(self) {
            if let Err(end) = self.hear().await {
                panic!("{} waited until {what}, but the connection ended: {end:?}", self.name);
            }
        }
    }

    /// Receives messages until one has this type.
    pub async fn until_heard(&mut self, kind: &str) -> Told {
        self.until_any(&[kind]).await
    }

    /// Receives messages until one has any of these types.
    pub async fn until_any(&mut self, kinds: &[&str]) -> Told {
        loop {
            match self.hear().await {
                Ok(heard) if kinds.contains(&heard.kind()) => return heard,
                Ok(_) => {}
                Err(end) => panic!("{} waited for {kinds:?}, but the connection ended: {end:?}", self.name),
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
        serde_json::from_str(&self.table).expect("a table as JSON")
    }

    pub fn seat(&self) -> Option<u64> {
        self.player.seat.map(|seat| seat.0.into())
    }

    /// Returns the number of this seat's next action, or 0 if it has none.
    pub fn next(&self) -> u32 {
        self.turn.as_ref().and_then(|turn| turn.next).unwrap_or(0)
    }

    /// Returns the seats that must act.
    pub fn asked(&self) -> Vec<u64> {
        let turn = self.turn.as_ref();
        turn.map_or(Vec::new(), |turn| turn.asked.iter().map(|seat| seat.0.into()).collect())
    }

    /// Returns the legal actions of this seat.
    pub fn actions(&self) -> Vec<Value> {
        let turn = self.turn.as_ref();
        turn.map_or(Vec::new(), |turn| serde_json::from_str(&turn.actions).expect("a JSON array"))
    }

    /// Returns whether the game waits for this seat. Where all choose simultaneously, a seat that has decided may still
    /// change its choice.
    pub fn is_asked(&self) -> bool {
        self.seat().is_some_and(|seat| self.asked().contains(&seat))
    }

    pub fn is_over(&self) -> bool {
        self.room["phase"] == "finished"
    }

    fn process(&mut self, told: &Told) {
        let (mut received, json) = (Received::read(&told.text).expect("already parsed"), &told.json);
        let message = received.message().expect("already parsed");
        self.player.take_in(MessageSummary::of(&message));
        match message {
            ServerMessage::Welcome { you, state, since, history, .. } => {
                self.name = you.name.to_owned();
                self.room = json["room"].clone();
                self.since = since;
                let known = since.unwrap_or(0) as usize;
                assert!(known <= self.events.len(), "events are left out that this client does not have");
                self.events.truncate(known);
                self.events.extend(history.iter().cloned());
                self.history = self.events.iter().map(|event| json!(event)).collect();
                self.chat = json["chat"].as_array().expect("a JSON array").clone();
                if let Some(state) = state {
                    self.take_state(&state);
                }
            }
            ServerMessage::You { name, .. } => self.name = name.to_owned(),
            ServerMessage::Room { room } => {
                self.room = json["room"].clone();
                if room.phase == RoomPhase::Lobby {
                    self.player.turn = None;
                    self.history.clear();
                    self.events.clear();
                }
            }
            ServerMessage::State { state } => {
                // A client that joined a lobby was shown no version, and there may have been games before.
                let seen = !self.table.is_empty();
                let version = state.version;
                assert!(!seen || version == self.version + 1, "versions must increase by one: {version}");
                self.history.extend(json["state"]["events"].as_array().expect("a JSON array").iter().cloned());
                let events: Vec<Box<RawValue>> = serde_json::from_str(state.events.get()).expect("a JSON array");
                self.events.extend(events);
                self.take_state(&state);
            }
            ServerMessage::Chat { .. } => self.chat.push(json.clone()),
            _ => {}
        }
    }

    fn take_state(&mut self, state: &State<'_>) {
        self.version = state.version;
        self.table = state.table.get().to_owned();
        let mine = state.mine.as_ref();
        self.mine = mine.map_or(Value::Null, |mine| serde_json::from_str(mine.get()).expect("valid JSON"));
    }
}

impl Deref for Client {
    type Target = ScriptedPlayer;

    fn deref(&self) -> &ScriptedPlayer {
        &self.player
    }
}
