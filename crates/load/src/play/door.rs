//! The way to the server: one plain request opens a room, an upgrade makes a line into it.

use super::line::Line;
use protocol::{Forced, OpenRoom, RoomOpened};
use serde_json::Value;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async_with_config;
use tokio_tungstenite::tungstenite::http::Uri;
use tokio_tungstenite::tungstenite::{self, protocol::WebSocketConfig};

/// Why nothing could be played.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The address is none of ours.
    #[error("{0} is not an address such as http://127.0.0.1:8080")]
    Address(String),
    /// Nothing answers, or not in HTTP.
    #[error("cannot talk to {0}: {1}")]
    Silent(String, #[source] io::Error),
    /// A room cannot be opened.
    #[error("the server opens no room (status {0}): {1}")]
    NoRoom(u16, String),
    /// No line into a room.
    #[error("the server lets nobody in: {0}")]
    NoLine(#[from] tungstenite::Error),
    /// The table cannot be set up.
    #[error("the server refused while the table was set up: {0}")]
    Refused(String),
    /// The table is not set up in time.
    #[error("the server takes too long to set a table up")]
    Slow,
}

/// Where a server is.
#[derive(Debug, Clone)]
pub struct Door {
    authority: String,
}

impl Door {
    /// The server at this address.
    pub fn at(url: &str) -> Result<Door, Trouble> {
        let uri: Option<Uri> = url.parse().ok();
        let plain = uri.filter(|uri| uri.scheme_str() == Some("http") && uri.path() == "/");
        let authority = plain.as_ref().and_then(Uri::authority);
        let authority = authority.ok_or_else(|| Trouble::Address(url.to_owned()))?;
        let port = if authority.port().is_some() { "" } else { ":80" };
        Ok(Door { authority: format!("{authority}{port}") })
    }

    /// Opens a room and answers its code. Nobody's only act is played for them, so that every act can be timed.
    pub async fn open_room(&self, game: &str, rules: Option<&Value>) -> Result<String, Trouble> {
        let open =
            OpenRoom { game: game.to_owned(), rules: rules.cloned(), clock: None, forced: Forced::Ask };
        let body = serde_json::to_string(&open).expect("a request has string keys only");
        let (status, answer) = self.post("/api/rooms", &body).await.map_err(|error| self.silent(error))?;
        let opened: Result<RoomOpened, _> = serde_json::from_str(&answer);
        opened.map(|room| room.code).map_err(|_| Trouble::NoRoom(status, answer))
    }

    /// A line into a room, on which nothing has been said yet.
    pub async fn connect(&self, code: &str) -> Result<Line, Trouble> {
        let stream = self.stream().await.map_err(|error| self.silent(error))?;
        let url = format!("ws://{}/ws/{code}", self.authority);
        // Left alone, every line would hold 128 KiB to read into.
        let config = WebSocketConfig::default().read_buffer_size(8 * 1024);
        let (socket, _) = client_async_with_config(url, stream, Some(config)).await?;
        Ok(Line::new(socket))
    }

    async fn stream(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect(&self.authority).await?;
        // An act is one small message; waiting to send it together with another would be timed as the server's.
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    async fn post(&self, path: &str, body: &str) -> io::Result<(u16, String)> {
        let mut stream = self.stream().await?;
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.authority,
            body.len()
        );
        stream.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        let not_http = || io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(not_http)?;
        let (_, body) = answer.split_once("\r\n\r\n").ok_or_else(not_http)?;
        Ok((status, body.to_owned()))
    }

    fn silent(&self, error: io::Error) -> Trouble {
        Trouble::Silent(self.authority.clone(), error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_plain_http() {
        let authority = |url: &str| Door::at(url).map(|door| door.authority).ok();
        assert_eq!(authority("http://127.0.0.1:8080").as_deref(), Some("127.0.0.1:8080"));
        assert_eq!(authority("http://games.example.org/").as_deref(), Some("games.example.org:80"));
        for bad in ["127.0.0.1:8080", "https://games.example.org", "http://games.example.org/r/K7QF3M", ""] {
            assert_eq!(authority(bad), None, "{bad}");
        }
    }
}
