//! A WebSocket into a room from an address of its own, with the judge listening.

use crate::judge::{Heard, Judge, Who, Witness};
use crate::proxy::connect_from;
use client::{ClientError, Deployment, End, Join, Message, Request, RoomConnection, exchange};
use protocol::ClientMessage;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

/// Whoever takes longer to answer an upgrade or a request is asked again.
const PATIENCE: Duration = Duration::from_secs(8);
/// A line that takes nothing for so long is given up.
const STUCK: Duration = Duration::from_secs(10);

/// Who goes where, and from which address.
#[derive(Clone)]
pub struct Way {
    /// Who.
    pub who: Who,
    /// Their address on this machine.
    pub from: IpAddr,
    /// A proxy or a server.
    pub to: SocketAddr,
    /// Who hears it all.
    pub judge: Arc<Judge>,
}

impl Way {
    /// Asks for something over plain HTTP.
    pub async fn request(&self, request: Request<String>) -> Result<client::Answer, ClientError> {
        let request = Deployment::at(self.to).addressed(request)?;
        let answer = async { exchange(connect_from(self.from, self.to).await?, request).await };
        timeout(PATIENCE, answer).await.unwrap_or(Err(ClientError::Late(PATIENCE)))
    }

    /// Opens a line into a room. Nothing has been said on it yet.
    pub async fn open(&self, code: &str) -> Result<Line, ClientError> {
        let request = Deployment::at(self.to).upgrade(code)?;
        let opened = async {
            let stream = connect_from(self.from, self.to).await?;
            stream.set_nodelay(true)?;
            RoomConnection::open(request, stream).await
        };
        let connection = timeout(PATIENCE, opened).await.unwrap_or(Err(ClientError::Late(PATIENCE)))?;
        let witness = self.judge.witness(code, self.who);
        Ok(Line { connection, witness, heard: Instant::now() })
    }

    /// Opens a line and joins, and answers what was heard first: a welcome, or why there is none.
    pub async fn join(&self, code: &str, join: Join) -> Result<(Line, Heard), NotIn> {
        let mut line = self.open(code).await.map_err(|_| NotIn::NoLine)?;
        line.say(&join.into()).await.map_err(NotIn::Ended)?;
        match timeout(PATIENCE, line.hear()).await {
            Ok(heard) => Ok((line, heard.map_err(NotIn::Ended)?)),
            Err(_) => Err(NotIn::Ended(End::Broken)),
        }
    }
}

/// Why somebody is not in.
#[derive(Debug)]
pub enum NotIn {
    /// There was no line.
    NoLine,
    /// It ended before there was a welcome.
    Ended(End),
}

/// A line into a room.
pub struct Line {
    connection: RoomConnection<TcpStream>,
    witness: Witness,
    heard: Instant,
}

impl Line {
    /// Says something that is no act.
    pub async fn say(&mut self, message: &ClientMessage) -> Result<(), End> {
        let text = serde_json::to_string(message).expect("messages have string keys only");
        self.witness.says(&text);
        if matches!(message, ClientMessage::Leave {} | ClientMessage::Stand {}) {
            self.witness.gives_up();
        }
        self.send(text).await
    }

    /// Acts.
    pub async fn act(&mut self, n: u32, action: &str) -> Result<(), End> {
        self.witness.acts(n, action, true);
        self.send(format!(r#"{{"type":"act","n":{n},"action":{action}}}"#)).await
    }

    /// Acts for a decision that has not come: it counts only if it arrives so late that it has.
    pub async fn act_early(&mut self, n: u32, action: &str) -> Result<(), End> {
        self.witness.acts(n, action, false);
        self.send(format!(r#"{{"type":"act","n":{n},"action":{action}}}"#)).await
    }

    /// Sends anything, of the contract or not.
    pub async fn send(&mut self, message: impl Into<Message>) -> Result<(), End> {
        let sent = timeout(STUCK, self.connection.send(message)).await.unwrap_or(Err(End::Broken));
        sent.inspect_err(|end| self.witness.ends(*end))
    }

    /// Hears the next message. May be cancelled at any time.
    pub async fn hear(&mut self) -> Result<Heard, End> {
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

    /// When something was last heard.
    pub fn heard(&self) -> Instant {
        self.heard
    }

    /// Ends the line with a goodbye.
    pub async fn close(mut self) {
        let _ = timeout(Duration::from_millis(200), self.connection.close()).await;
    }

    /// Ends the line with an RST.
    pub fn abort(mut self) {
        let _ = self.connection.stream().set_zero_linger();
    }

    /// The stream beneath, for those who do not read.
    pub fn stream(&mut self) -> &mut TcpStream {
        self.connection.stream()
    }
}
