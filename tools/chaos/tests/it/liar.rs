//! A proxy in front of a correct server that breaks the contract. It forwards plain requests unchanged, and reads and
//! changes WebSocket messages.

use client::Deployment;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::Message;

/// How the proxy breaks the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    /// Not at all.
    None,
    /// Acknowledges an action and drops it.
    SwallowsActs,
    /// Plays an action twice.
    DoublesActs,
    /// Sends an old state again.
    ShowsOldStates,
    /// Shows some clients another table.
    ChangesTables,
    /// Shows spectators what a player sees.
    LeaksToWatchers,
    /// Admits anyone to the last seat that was opened.
    OpensSeats,
}

/// Starts the proxy in front of this server and returns its address.
pub async fn start(lie: Lie, server: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let tokens: Tokens = Arc::default();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(lie, server, stream, tokens.clone()));
        }
    });
    address
}

/// The last token issued in each room.
type Tokens = Arc<Mutex<HashMap<String, String>>>;

async fn serve(lie: Lie, server: SocketAddr, mut stream: TcpStream, tokens: Tokens) {
    let mut beginning = [0; 14];
    while stream.peek(&mut beginning).await.is_ok_and(|length| (1..14).contains(&length)) {
        tokio::task::yield_now().await;
    }
    let beginning = String::from_utf8_lossy(&beginning).into_owned();
    let Some(code) = beginning.strip_prefix("GET /ws/") else {
        if let Ok(mut far) = TcpStream::connect(server).await {
            let _ = copy_bidirectional(&mut stream, &mut far).await;
        }
        return;
    };
    let Ok(mut near) = accept_async(stream).await else { return };
    let Ok(mut far) = Deployment::at(server).connect(code).await else { return };
    let mut line = Line { lie, code: code.to_owned(), tokens, shown: Vec::new(), acts: 0 };
    loop {
        let (up, down) = tokio::select! {
            heard = near.next() => match heard {
                Some(Ok(Message::Text(text))) => line.said(&text),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                Some(Ok(_)) | Some(Err(_)) | None => return,
            },
            heard = far.hear() => match heard {
                Ok(text) => (Vec::new(), vec![line.heard(&text)]),
                Err(end) => return close(near, end).await,
            },
        };
        for text in up {
            if far.send(text).await.is_err() {
                return;
            }
        }
        for text in down {
            if near.send(Message::text(text)).await.is_err() {
                return;
            }
        }
    }
}

async fn close(mut near: tokio_tungstenite::WebSocketStream<TcpStream>, end: client::End) {
    if let client::End::Closed(code) = end {
        let frame = tokio_tungstenite::tungstenite::protocol::CloseFrame { code: code.into(), reason: "".into() };
        let _ = near.send(Message::Close(Some(frame))).await;
        while let Some(Ok(_)) = near.next().await {}
    }
}

struct Line {
    lie: Lie,
    code: String,
    tokens: Tokens,
    /// All states sent over this connection.
    shown: Vec<Value>,
    acts: u32,
}

impl Line {
    /// Handles a client's message: returns what is sent to the server and what is answered at once.
    fn said(&mut self, text: &str) -> (Vec<String>, Vec<String>) {
        let passed = (vec![text.to_owned()], Vec::new());
        let Ok(mut message) = serde_json::from_str::<Value>(text) else { return passed };
        if message["type"] == "join" && self.lie == Lie::OpensSeats && !message["token"].is_null() {
            let tokens = self.tokens.lock().unwrap();
            if let Some(token) = tokens.get(&self.code) {
                message["token"] = json!(token);
                message["salt"] = Value::Null;
                return (vec![message.to_string()], Vec::new());
            }
        }
        if message["type"] != "act" {
            return passed;
        }
        self.acts += 1;
        match self.lie {
            Lie::SwallowsActs if self.acts.is_multiple_of(5) && !self.shown.is_empty() => {
                let mut state = self.shown.last().expect("states were shown").clone();
                for field in ["version", "next"] {
                    state["state"][field] = json!(state["state"][field].as_u64().unwrap_or(0) + 1);
                }
                state["state"]["asked"] = json!([]);
                (Vec::new(), vec![state.to_string()])
            }
            Lie::DoublesActs => {
                let n = message["n"].as_u64().unwrap_or(0) + 1;
                let again = json!({"type": "act", "n": n, "action": message["action"]});
                (vec![text.to_owned(), again.to_string()], Vec::new())
            }
            _ => passed,
        }
    }

    /// Returns a server's message as it is passed on.
    fn heard(&mut self, text: &str) -> String {
        let Ok(mut message) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
        if let Some(token) = message["you"]["token"].as_str() {
            self.tokens.lock().unwrap().insert(self.code.clone(), token.to_owned());
        }
        if message["type"] != "state" {
            return text.to_owned();
        }
        self.shown.push(message.clone());
        let watches = message["state"]["next"].is_null();
        match self.lie {
            Lie::ShowsOldStates if self.shown.len().is_multiple_of(10) => self.shown[0].to_string(),
            Lie::ChangesTables if self.shown.len().is_multiple_of(10) => {
                message["state"]["table"]["round"] = json!(99);
                message.to_string()
            }
            Lie::LeaksToWatchers if watches => {
                message["state"]["mine"] = json!({"demolished": [{"tower": "sand", "value": 6}], "highest_bid": 4});
                message.to_string()
            }
            _ => text.to_owned(),
        }
    }
}
