//! One WebSocket into a room: what is said, what is heard, and how it ends.
//!
//! What was heard is read with [`Received`], by whoever holds the text; here nothing is kept of it.

use crate::{ByteStream, ClientError, SentAct};
use futures_util::{SinkExt, StreamExt};
use hyper::Request;
use hyper::header::ORIGIN;
use protocol::{ClientMessage, Close, Received, ServerMessage};
use std::fmt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// What RFC 6455 calls a close frame without a code.
const NO_STATUS: u16 = 1005;

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With this code in the close frame.
    Closed(u16),
    /// Without a close frame.
    Broken,
}

impl End {
    /// Why the server closed it; none if it did not, or not with a code of the contract.
    pub fn close(self) -> Option<Close> {
        match self {
            End::Closed(code) => Close::from_code(code),
            End::Broken => None,
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Closed(code) => write!(f, "{code}"),
            End::Broken => f.write_str("broken"),
        }
    }
}

/// As whom somebody comes.
#[derive(Debug, Clone, Default)]
pub struct Join {
    /// The name at the table; ignored with a token.
    pub name: Option<String>,
    /// Brings its owner back to a seat.
    pub token: Option<String>,
    /// Without a seat.
    pub watch: bool,
    /// 32 hex digits for the seed; who repeats name and salt before the game is the same person.
    pub salt: Option<String>,
    /// With the word that it is a program.
    pub bot: bool,
}

impl Join {
    /// Somebody new.
    pub fn named(name: &str) -> Join {
        Join { name: Some(name.to_owned()), ..Join::default() }
    }

    /// Somebody who comes back.
    pub fn back(token: &str) -> Join {
        Join { token: Some(token.to_owned()), ..Join::default() }
    }
}

impl From<Join> for ClientMessage {
    fn from(Join { name, token, watch, salt, bot }: Join) -> ClientMessage {
        ClientMessage::Join { name, token, watch, salt, protocol: Some(protocol::PROTOCOL), bot }
    }
}

/// The request that becomes a connection, for the address of a room's socket and from a page of this origin.
pub fn upgrade(url: &str, origin: &str) -> Result<Request<()>, ClientError> {
    // The schemes of WebSockets are those of HTTP by another name: ws for http, wss for https.
    let url = url.replacen("http", "ws", 1);
    let mut request = url.into_client_request().map_err(bad_upgrade)?;
    request.headers_mut().insert(ORIGIN, origin.parse().map_err(hyper::http::Error::from)?);
    Ok(request)
}

/// A connection into a room, over any stream of bytes.
#[derive(Debug)]
pub struct RoomConnection<S = Box<dyn ByteStream>> {
    socket: WebSocketStream<S>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> RoomConnection<S> {
    /// A connection on which nothing has been said yet.
    pub async fn open(request: Request<()>, stream: S) -> Result<RoomConnection<S>, ClientError> {
        // Left alone, every connection would hold 128 KiB to read into.
        let config = WebSocketConfig::default().read_buffer_size(8 * 1024);
        match client_async_with_config(request, stream, Some(config)).await {
            Ok((socket, _)) => Ok(RoomConnection { socket }),
            Err(Error::Http(answer)) => Err(ClientError::NoUpgrade(answer.status())),
            Err(error) => Err(bad_upgrade(error)),
        }
    }

    /// Says who comes, and answers with the first thing heard: a welcome, or why there is none.
    pub async fn join(&mut self, join: Join) -> Result<Utf8Bytes, End> {
        self.say(&join.into()).await?;
        self.hear().await
    }

    /// Says something of the contract.
    pub async fn say(&mut self, message: &ClientMessage) -> Result<(), End> {
        self.send(serde_json::to_string(message).expect("messages have string keys only")).await
    }

    /// Sends an act as it was listed: JSON, which need not be understood to be played.
    pub async fn act(&mut self, n: u32, action: &str) -> Result<(), End> {
        self.send(format!(r#"{{"type":"act","n":{n},"action":{action}}}"#)).await
    }

    /// Sends an act again that was lost with the connection before, if this welcome says that it has to be, and answers
    /// whether it had to.
    pub async fn resend(&mut self, welcome: &str, lost: &SentAct) -> Result<bool, End> {
        let mut received = Received::read(welcome).ok();
        let due = match received.as_mut().and_then(Received::message) {
            Some(ServerMessage::Welcome { room, state, .. }) => lost.is_due(room, state.as_ref()),
            _ => false,
        };
        if due {
            self.act(lost.n, &lost.action).await?;
        }
        Ok(due)
    }

    /// Sends anything, of the contract or not.
    pub async fn send(&mut self, message: impl Into<Message>) -> Result<(), End> {
        self.socket.send(message.into()).await.map_err(|_| End::Broken)
    }

    /// The next message of the contract, whatever control frames come before it.
    pub async fn hear(&mut self) -> Result<Utf8Bytes, End> {
        loop {
            if let Message::Text(text) = self.frame().await? {
                return Ok(text);
            }
        }
    }

    /// Whatever comes next, a ping too. The pong to it goes out with whatever is said or waited for next.
    pub async fn frame(&mut self) -> Result<Message, End> {
        match self.socket.next().await {
            Some(Ok(Message::Close(frame))) => {
                Err(End::Closed(frame.map_or(NO_STATUS, |frame| frame.code.into())))
            }
            Some(Ok(message)) => Ok(message),
            Some(Err(_)) | None => Err(End::Broken),
        }
    }

    /// Sends what is still to be sent, such as a pong.
    pub async fn flush(&mut self) -> Result<(), End> {
        self.socket.flush().await.map_err(|_| End::Broken)
    }

    /// Says goodbye. The server hears of it or finds out; nobody waits for its answer.
    pub async fn close(&mut self) {
        let _ = self.socket.close(None).await;
    }

    /// The stream beneath.
    pub fn stream(&mut self) -> &mut S {
        self.socket.get_mut()
    }
}

fn bad_upgrade(error: Error) -> ClientError {
    ClientError::BadUpgrade(Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_by_its_code() {
        assert_eq!(
            (End::Closed(1012).close(), End::Closed(1012).to_string()),
            (Some(Close::Restart), "1012".into())
        );
        assert_eq!((End::Closed(1006).close(), End::Broken.close()), (None, None));
        assert_eq!(End::Broken.to_string(), "broken");
    }

    #[test]
    fn an_upgrade_comes_from_a_page() {
        let request = |url: &str| upgrade(url, "https://example.org").unwrap();
        assert_eq!(request("https://example.org/games/ws/K7QF3M").uri(), "wss://example.org/games/ws/K7QF3M");
        assert_eq!(request("http://http.example:80/ws/K7QF3M").uri(), "ws://http.example:80/ws/K7QF3M");
        assert_eq!(request("http://example.org/ws/K7QF3M").headers()["origin"], "https://example.org");
    }
}
