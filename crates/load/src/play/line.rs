//! One connection, and as much of what comes over it as a player without rules must understand.

use futures_util::{SinkExt, StreamExt};
use protocol::ClientMessage;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

/// A message of the server. What a type does not have is none.
#[derive(Debug, Deserialize)]
pub struct Heard<'a> {
    /// The message's type.
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    /// In `welcome`: the place.
    pub you: Option<You>,
    /// In `welcome` and `room`.
    #[serde(borrow)]
    pub room: Option<Room<'a>>,
    /// In `welcome` and `state`.
    #[serde(borrow)]
    pub state: Option<State<'a>>,
    /// In `rejected` and `error`: why.
    #[serde(borrow)]
    pub code: Option<Cow<'a, str>>,
}

/// Where somebody sits.
#[derive(Debug, Deserialize)]
pub struct You {
    /// None for a watcher.
    pub seat: Option<usize>,
}

/// The room.
#[derive(Debug, Deserialize)]
pub struct Room<'a> {
    /// `lobby`, `playing` or `finished`.
    #[serde(borrow)]
    pub phase: Cow<'a, str>,
    /// Who sits.
    #[serde(borrow)]
    pub seats: Vec<&'a RawValue>,
}

/// The game.
#[derive(Debug, Deserialize)]
pub struct State<'a> {
    /// The number of this seat's next act.
    pub next: Option<u32>,
    /// What everyone sees.
    pub table: Table,
    /// What may be done now.
    #[serde(borrow)]
    pub actions: Vec<&'a RawValue>,
}

/// What matters of an open table, whatever the game.
#[derive(Debug, Deserialize)]
pub struct Table {
    /// Where several choose at once: who has chosen. They may change their choice and are not waited for.
    #[serde(default)]
    pub decided: Vec<bool>,
}

impl State<'_> {
    /// Whether the game waits for this seat.
    pub fn asks(&self, seat: usize) -> bool {
        !self.actions.is_empty() && !self.table.decided.get(seat).copied().unwrap_or(false)
    }
}

/// A connection.
pub struct Line {
    socket: WebSocketStream<TcpStream>,
}

impl Line {
    /// On this socket.
    pub fn new(socket: WebSocketStream<TcpStream>) -> Line {
        Line { socket }
    }

    /// Says something of the contract.
    pub async fn say(&mut self, message: &ClientMessage) -> Result<(), Error> {
        self.send(serde_json::to_string(message).expect("messages have string keys only")).await
    }

    /// Sends an act as it was listed.
    pub async fn act(&mut self, n: u32, action: &str) -> Result<(), Error> {
        self.send(format!(r#"{{"type":"act","n":{n},"action":{action}}}"#)).await
    }

    async fn send(&mut self, text: String) -> Result<(), Error> {
        self.socket.send(Message::text(text)).await
    }

    /// The next message, or how the line ended: the code it was closed with, or a word.
    pub async fn hear(&mut self) -> Result<Utf8Bytes, String> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Close(Some(frame)))) => return Err(u16::from(frame.code).to_string()),
                Some(Ok(Message::Close(None)) | Err(_)) | None => return Err("broken".to_owned()),
                Some(Ok(_)) => {}
            }
        }
    }

    /// Goes. The server hears of it or finds out; nobody waits for its answer.
    pub async fn close(mut self) {
        let _ = self.socket.close(None).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_chosen_is_not_asked_again() {
        let state = |table: &str, actions: &str| {
            let text = format!(r#"{{"version":3,"next":1,"table":{table},"actions":{actions},"events":[]}}"#);
            let state: State<'_> = serde_json::from_str(&text).unwrap();
            [state.asks(0), state.asks(1)]
        };
        assert_eq!(state(r#"{"turn":0}"#, r#"[{"type":"pass"}]"#), [true, true]);
        assert_eq!(state(r#"{"turn":0}"#, "[]"), [false, false]);
        assert_eq!(state(r#"{"decided":[true,false]}"#, r#"[{"type":"skip"}]"#), [false, true]);
    }
}
