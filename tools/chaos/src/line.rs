//! A WebSocket connection into a room from its own address, observed by the judge.

use crate::judge::{Judge, Participant, Witness};
use crate::proxy::connect_from;
use client::scripted::MessageSummary;
use client::{ClientError, Deployment, End, Join, Message, Request, RoomConnection, exchange};
use protocol::ClientMessage;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

/// Timeout of an upgrade or a request.
const PATIENCE: Duration = Duration::from_secs(8);
/// A connection that accepts no data for this long is given up.
const STUCK: Duration = Duration::from_secs(10);

/// A participant, its address and its destination.
#[derive(Clone)]
pub struct Way {
    /// The participant.
    pub who: Participant,
    /// The loopback address to connect from.
    pub from: IpAddr,
    /// Address of a proxy or server.
    pub to: SocketAddr,
    /// The judge that hears every connection.
    pub judge: Arc<Judge>,
}

impl Way {
    /// Sends a plain HTTP request.
    pub async fn request(&self, request: Request<String>) -> Result<client::Answer, ClientError> {
        let request = Deployment::at(self.to).addressed(request)?;
        let answer = async { exchange(connect_from(self.from, self.to).await?, request).await };
        timeout(PATIENCE, answer).await.unwrap_or(Err(ClientError::Late(PATIENCE)))
    }

    /// Opens a connection into a room without sending a message.
    pub async fn open(&self, code: &str) -> Result<WitnessedConnection, ClientError> {
        let opened = async { RoomConnection::over(connect_from(self.from, self.to).await?, self.to, code).await };
        let connection = timeout(PATIENCE, opened).await.unwrap_or(Err(ClientError::Late(PATIENCE)))?;
        let witness = self.judge.witness(code, self.who);
        Ok(WitnessedConnection { connection, witness, heard: Instant::now() })
    }

    /// Opens a connection and joins, and returns it with the first message: a welcome, or the reason for a refusal.
    pub async fn join(&self, code: &str, join: Join) -> Result<(WitnessedConnection, MessageSummary), NotIn> {
        let mut line = self.open(code).await.map_err(|_| NotIn::NoLine)?;
        line.say(&join.into()).await.map_err(NotIn::Ended)?;
        match timeout(PATIENCE, line.hear()).await {
            Ok(heard) => Ok((line, heard.map_err(NotIn::Ended)?)),
            Err(_) => Err(NotIn::Ended(End::Broken)),
        }
    }
}

/// Why a join failed.
#[derive(Debug)]
pub enum NotIn {
    /// The connection could not be opened.
    NoLine,
    /// The connection ended before a welcome.
    Ended(End),
}

/// A connection into a room.
pub struct WitnessedConnection {
    connection: RoomConnection<TcpStream>,
    witness: Witness,
    heard: Instant,
}

impl WitnessedConnection {
    /// Sends a message other than an action.
    pub async fn say(&mut self, message: &ClientMessage) -> Result<(), End> {
        let text = serde_json::to_string(message).expect("all keys are strings");
        self.witness.says(&text);
        if matches!(message, ClientMessage::Leave {} | ClientMessage::Stand {}) {
            self.witness.gives_up();
        }
        self.send(text).await
    }

    /// Sends an action. One for a future decision is not `in_time`: it counts only if it arrives so late that the
    /// decision is due.
    pub async fn act(&mut self, n: u32, action: &str, in_time: bool) -> Result<(), End> {
        self.witness.acts(n, action, in_time);
        self.send(format!(r#"{{"type":"act","n":{n},"action":{action}}}"#)).await
    }

    /// Sends any message, valid or not.
    pub async fn send(&mut self, message: impl Into<Message>) -> Result<(), End> {
        let sent = timeout(STUCK, self.connection.send(message)).await.unwrap_or(Err(End::Broken));
        sent.inspect_err(|end| self.witness.ends(*end))
    }

    /// Receives the next message. Cancel safe.
    pub async fn hear(&mut self) -> Result<MessageSummary, End> {
        match self.connection.hear().await {
            Ok(text) => {
                self.heard = Instant::now();
                Ok(self.witness.hears(&text))
            }
            Err(end) => {
                self.witness.ends(end);
                Err(end)
            }
        }
    }

    /// Returns when the last message was received.
    pub fn heard(&self) -> Instant {
        self.heard
    }

    /// Closes the connection with a close frame.
    pub async fn close(mut self) {
        let _ = timeout(Duration::from_millis(200), self.connection.close()).await;
    }

    /// Closes the connection with an RST.
    pub fn abort(mut self) {
        let _ = self.connection.stream().set_zero_linger();
    }

    /// Returns the underlying stream, for clients that do not read messages.
    pub fn stream(&mut self) -> &mut TcpStream {
        self.connection.stream()
    }
}
