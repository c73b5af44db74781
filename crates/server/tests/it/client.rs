//! A player as the contract describes one, over a line that can be cut at any byte.

use crate::harness::PATIENCE;
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};

/// A TCP stream that breaks after so many more bytes have been written.
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

/// One message as it came, and as JSON.
#[derive(Debug, Clone)]
pub struct Heard {
    pub text: String,
    pub json: Value,
}

impl Heard {
    pub fn kind(&self) -> &str {
        self.json["type"].as_str().unwrap_or_default()
    }
}

/// Why a line ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Closed(u16),
    Broken,
}

/// A client that folds what it hears, as the contract asks.
pub struct Client {
    pub ws: WebSocketStream<Cuttable>,
    pub seat: Option<u64>,
    pub token: Option<String>,
    pub name: String,
    pub room: Value,
    /// 0 before a game.
    pub version: u64,
    pub next: u32,
    /// The seats that must act.
    pub asked: Vec<u64>,
    pub actions: Vec<Value>,
    pub mine: Value,
    /// The bytes of the open table.
    pub table: String,
    /// Every event of this game.
    pub history: Vec<Value>,
    pub chat: Vec<Value>,
}

impl Client {
    /// A connection that has said nothing yet.
    pub async fn connect(address: SocketAddr, code: &str) -> Result<WebSocketStream<Cuttable>, Error> {
        Client::connect_with(TcpSocket::new_v4().unwrap(), address, code).await
    }

    pub async fn connect_with(
        socket: TcpSocket,
        address: SocketAddr,
        code: &str,
    ) -> Result<WebSocketStream<Cuttable>, Error> {
        Client::connect_to(socket, address, format!("ws://{address}/ws/{code}")).await
    }

    /// A connection that asks for more than a path, such as one through a proxy.
    pub async fn connect_to(
        socket: TcpSocket,
        address: SocketAddr,
        request: impl IntoClientRequest + Unpin,
    ) -> Result<WebSocketStream<Cuttable>, Error> {
        let stream = socket.connect(address).await?;
        let stream = Cuttable { stream, left: usize::MAX };
        let (ws, _) = tokio_tungstenite::client_async(request, stream).await?;
        Ok(ws)
    }

    /// Somebody who comes by name.
    pub async fn join(address: SocketAddr, code: &str, name: &str) -> Client {
        Client::join_as(address, code, json!({"type": "join", "name": name})).await.expect("a welcome")
    }

    pub async fn watch(address: SocketAddr, code: &str, name: &str) -> Client {
        let join = json!({"type": "join", "name": name, "watch": true});
        Client::join_as(address, code, join).await.expect("a welcome")
    }

    /// Somebody who comes back.
    pub async fn resume(address: SocketAddr, code: &str, token: &str) -> Result<Client, End> {
        Client::join_as(address, code, json!({"type": "join", "token": token})).await
    }

    pub async fn join_as(address: SocketAddr, code: &str, join: Value) -> Result<Client, End> {
        let ws = Client::connect(address, code).await.map_err(|_| End::Broken)?;
        Client::introduce(ws, join).await
    }

    pub async fn introduce(ws: WebSocketStream<Cuttable>, join: Value) -> Result<Client, End> {
        let mut client = Client::new(ws);
        client.try_say(join).await?;
        while client.hear().await?.kind() != "welcome" {}
        client.answer_ping().await?;
        Ok(client)
    }

    /// Answers the ping that follows the welcome, as a browser does by itself: so the server knows that it arrived.
    async fn answer_ping(&mut self) -> Result<(), End> {
        let ping = timeout(PATIENCE, self.ws.next()).await.expect("a ping within the time");
        match ping {
            Some(Ok(Message::Ping(_))) => self.ws.flush().await.map_err(|_| End::Broken),
            Some(Ok(Message::Close(Some(frame)))) => Err(End::Closed(frame.code.into())),
            Some(Ok(other)) => panic!("the first ping follows the welcome, not {other:?}"),
            Some(Err(_)) | None => Err(End::Broken),
        }
    }

    /// A client on a line whose welcome somebody else has read.
    pub fn already_welcomed(ws: WebSocketStream<Cuttable>, welcome: &str) -> Client {
        let mut client = Client::new(ws);
        client
            .take_in(&Heard { json: serde_json::from_str(welcome).expect("JSON"), text: welcome.to_owned() });
        client
    }

    fn new(ws: WebSocketStream<Cuttable>) -> Client {
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
        self.ws.send(Message::text(message.to_string())).await.map_err(|_| End::Broken)
    }

    pub async fn say(&mut self, message: Value) {
        self.try_say(message).await.expect("the line is open");
    }

    /// Plays an act as this seat's next one.
    pub async fn act(&mut self, action: &Value) {
        self.say(json!({"type": "act", "n": self.next, "action": action})).await;
    }

    /// The line breaks after `bytes` more bytes are sent.
    pub fn cut_after(&mut self, bytes: usize) {
        self.ws.get_mut().left = bytes;
    }

    /// The next message, taken in.
    pub async fn hear(&mut self) -> Result<Heard, End> {
        loop {
            let message = timeout(PATIENCE, self.ws.next()).await.expect("something within the time");
            match message {
                Some(Ok(Message::Text(text))) => {
                    let heard =
                        Heard { json: serde_json::from_str(&text).expect("JSON"), text: text.to_string() };
                    self.take_in(&heard);
                    return Ok(heard);
                }
                Some(Ok(Message::Close(frame))) => {
                    return Err(frame.map_or(End::Broken, |frame| End::Closed(frame.code.into())));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(End::Broken),
            }
        }
    }

    /// Hears on until something holds, and answers the message with which it did.
    pub async fn until(&mut self, what: &str, mut holds: impl FnMut(&Client) -> bool) {
        while !holds(self) {
            if let Err(end) = self.hear().await {
                panic!("{} waited until {what}, but the line ended: {end:?}", self.name);
            }
        }
    }

    /// Hears on until a message of this type comes.
    pub async fn until_heard(&mut self, kind: &str) -> Heard {
        loop {
            match self.hear().await {
                Ok(heard) if heard.kind() == kind => return heard,
                Ok(_) => {}
                Err(end) => panic!("{} waited for {kind}, but the line ended: {end:?}", self.name),
            }
        }
    }

    /// Hears on to the end of the line.
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

    /// Whether the game waits for this seat. Where all choose at once, whoever has decided may still change their mind.
    pub fn is_asked(&self) -> bool {
        self.seat.is_some_and(|seat| self.asked.contains(&seat))
    }

    pub fn is_over(&self) -> bool {
        self.room["phase"] == "finished"
    }

    fn take_in(&mut self, heard: &Heard) {
        let json = &heard.json;
        match heard.kind() {
            "welcome" => {
                self.place(&json["you"]);
                self.room = json["room"].clone();
                self.history = json["history"].as_array().expect("a list").clone();
                self.chat = json["chat"].as_array().expect("a list").clone();
                if !json["state"].is_null() {
                    self.take_state(&heard.text);
                }
            }
            "you" => self.place(json),
            "room" => {
                self.room = json["room"].clone();
                if self.room["phase"] == "lobby" {
                    self.asked.clear();
                    self.actions.clear();
                    self.history.clear();
                    self.next = 0;
                }
            }
            "state" => {
                let version = json["state"]["version"].as_u64().expect("a version");
                // Who came to a lobby was shown no version, and there may have been games before.
                let seen = !self.table.is_empty();
                assert!(!seen || version == self.version + 1, "versions rise by one: {version}");
                self.take_state(&heard.text);
                self.history.extend(json["state"]["events"].as_array().expect("a list").iter().cloned());
            }
            "chat" => self.chat.push(json.clone()),
            _ => {}
        }
    }

    fn place(&mut self, you: &Value) {
        self.seat = you["seat"].as_u64();
        self.token = you["token"].as_str().map(str::to_owned);
        self.name = you["name"].as_str().expect("a name").to_owned();
    }

    fn take_state(&mut self, text: &str) {
        #[derive(Deserialize)]
        struct WithState<'a> {
            #[serde(borrow)]
            state: State<'a>,
        }
        #[derive(Deserialize)]
        struct State<'a> {
            version: u64,
            next: Option<u32>,
            asked: Vec<u64>,
            #[serde(borrow)]
            table: &'a RawValue,
            actions: Vec<Value>,
            mine: Value,
        }
        let WithState { state } = serde_json::from_str(text).expect("a state");
        self.version = state.version;
        self.next = state.next.unwrap_or(0);
        self.table = state.table.get().to_owned();
        self.asked = state.asked;
        self.actions = state.actions;
        self.mine = state.mine;
    }
}
