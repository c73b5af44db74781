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
    /// Whom the game waits for.
    pub asked: Vec<usize>,
    /// What may be done now.
    #[serde(borrow)]
    pub actions: Vec<&'a RawValue>,
}

impl State<'_> {
    /// Whether the game waits for this seat. Others may have acts too, such as changing what they chose.
    pub fn asks(&self, seat: usize) -> bool {
        self.asked.contains(&seat)
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
    fn whom_the_game_waits_for_the_state_says_whatever_else_may_be_done() {
        let state = |asked: &str| {
            let text = format!(
                r#"{{"version":3,"next":1,"asked":{asked},"table":{{}},"actions":[{{"type":"skip"}}],"events":[]}}"#
            );
            let state: State<'_> = serde_json::from_str(&text).unwrap();
            [state.asks(0), state.asks(1)]
        };
        assert_eq!(state("[0,1]"), [true, true]);
        assert_eq!(state("[1]"), [false, true]);
        assert_eq!(state("[]"), [false, false]);
    }
}
