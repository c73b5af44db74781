//! One WebSocket connection into a room: sending, receiving, and how it ended.
//!
//! Received texts are parsed by the caller with [`protocol::Received`]. Nothing is kept here.

use crate::{ByteStream, ClientError};
use futures_util::{SinkExt, StreamExt};
use hyper::Request;
use hyper::header::ORIGIN;
use protocol::{ClientMessage, Close, Have};
use std::fmt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// RFC 6455's status for a close frame without a code.
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
    /// Returns why the server closed the connection, or `None` if it did not or used a code the protocol does not
    /// define.
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

/// Parameters of a join.
#[derive(Debug, Clone, Default)]
pub struct Join {
    /// The requested name, ignored with a token.
    pub name: Option<String>,
    /// The token of a seat to return to.
    pub token: Option<String>,
    /// Whether to join as a spectator.
    pub watch: bool,
    /// 32 hex digits for the seed. A join repeated with the same name and salt before the game counts as the same
    /// player.
    pub salt: Option<String>,
    /// Whether the client declares itself a program.
    pub bot: bool,
    /// The events that the client already has.
    pub have: Option<Have>,
}

impl Join {
    /// Joins as a new player.
    pub fn named(name: &str) -> Join {
        Join { name: Some(name.to_owned()), ..Join::default() }
    }

    /// Joins as a spectator.
    pub fn watch(name: &str) -> Join {
        Join { watch: true, ..Join::named(name) }
    }

    /// Returns to a seat.
    pub fn back(token: &str) -> Join {
        Join { token: Some(token.to_owned()), ..Join::default() }
    }
}

impl From<Join> for ClientMessage {
    fn from(Join { name, token, watch, salt, bot, have }: Join) -> ClientMessage {
        ClientMessage::Join { name, token, watch, salt, protocol: Some(protocol::PROTOCOL), bot, have }
    }
}

/// Creates the upgrade request for the address of a room's socket, from a page of this origin.
pub fn upgrade(url: &str, origin: &str) -> Result<Request<()>, ClientError> {
    // The WebSocket schemes correspond to those of HTTP: ws to http, wss to https.
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
    /// Opens a connection without joining yet.
    pub async fn open(request: Request<()>, stream: S) -> Result<RoomConnection<S>, ClientError> {
        // The default read buffer would take 128 KiB per connection.
        let config = WebSocketConfig::default().read_buffer_size(8 * 1024);
        match client_async_with_config(request, stream, Some(config)).await {
            Ok((socket, _)) => Ok(RoomConnection { socket }),
            Err(Error::Http(answer)) => Err(ClientError::NoUpgrade(answer.status())),
            Err(error) => Err(bad_upgrade(error)),
        }
    }

    /// Sends the join and returns the first message received: a welcome, or an error.
    pub async fn join(&mut self, join: Join) -> Result<Utf8Bytes, End> {
        self.say(&join.into()).await?;
        self.hear().await
    }

    /// Sends a message of the protocol.
    pub async fn say(&mut self, message: &ClientMessage) -> Result<(), End> {
        self.send(serde_json::to_string(message).expect("messages have string keys only")).await
    }

    /// Sends an action as it was listed. It is JSON that the client need not understand.
    pub async fn act(&mut self, n: u32, action: &str) -> Result<(), End> {
        self.send(format!(r#"{{"type":"act","n":{n},"action":{action}}}"#)).await
    }

    /// Sends any frame, whether it matches the protocol or not.
    pub async fn send(&mut self, message: impl Into<Message>) -> Result<(), End> {
        self.socket.send(message.into()).await.map_err(|_| End::Broken)
    }

    /// Returns the next text message, skipping control frames.
    pub async fn hear(&mut self) -> Result<Utf8Bytes, End> {
        loop {
            if let Message::Text(text) = self.frame().await? {
                return Ok(text);
            }
        }
    }

    /// Returns the next frame, including pings. The pong is sent with the next send or receive.
    pub async fn frame(&mut self) -> Result<Message, End> {
        match self.socket.next().await {
            Some(Ok(Message::Close(frame))) => Err(End::Closed(frame.map_or(NO_STATUS, |frame| frame.code.into()))),
            Some(Ok(message)) => Ok(message),
            Some(Err(_)) | None => Err(End::Broken),
        }
    }

    /// Flushes pending frames, such as a pong.
    pub async fn flush(&mut self) -> Result<(), End> {
        self.socket.flush().await.map_err(|_| End::Broken)
    }

    /// Sends a close frame without waiting for the server's.
    pub async fn close(&mut self) {
        let _ = self.socket.close(None).await;
    }

    /// Returns the underlying stream.
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
    fn maps_close_codes_to_reasons() {
        assert_eq!((End::Closed(1012).close(), End::Closed(1012).to_string()), (Some(Close::Restart), "1012".into()));
        assert_eq!((End::Closed(1006).close(), End::Broken.close()), (None, None));
        assert_eq!(End::Broken.to_string(), "broken");
    }

    #[test]
    fn upgrade_requests_carry_the_origin_of_a_page() {
        let request = |url: &str| upgrade(url, "https://example.org").unwrap();
        assert_eq!(request("https://example.org/games/ws/K7QF3M").uri(), "wss://example.org/games/ws/K7QF3M");
        assert_eq!(request("http://http.example:80/ws/K7QF3M").uri(), "ws://http.example:80/ws/K7QF3M");
        assert_eq!(request("http://example.org/ws/K7QF3M").headers()["origin"], "https://example.org");
    }
}
