//! The baseline (floor): a bare WebSocket server built on the same libraries as Rookery. Each room is a task. For every
//! message of a client, all clients of the room receive the same prepared text. Nothing is parsed, checked or stored.
//!
//! It shows the minimum that such a server costs on this machine at this time. Rookery is compared with it.

use axum::Router;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use axum::serve::ListenerExt;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// Size of a state of Five Towers with three players.
const ANSWER: usize = 1536;
/// Buffer size of each connection.
const BUFFER: usize = 4 * 1024;
/// Capacity of the queues of rooms and clients.
const QUEUE: usize = 32;

/// Channels to the rooms, by name.
type Rooms = Arc<Mutex<HashMap<String, mpsc::Sender<FloorInput>>>>;

/// Input of a room.
enum FloorInput {
    /// A client connected and is answered over this channel.
    Came(mpsc::Sender<Utf8Bytes>),
    /// A client sent a message.
    Said,
}

/// Listens on a free port, prints the address, and serves until the process ends.
pub async fn serve() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("The floor is open at http://{}", listener.local_addr()?);
    let app = Router::new().route("/ws/{room}", get(upgrade)).with_state(Rooms::default());
    // Disable Nagle's algorithm, as Rookery does.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, app).await
}

async fn upgrade(State(rooms): State<Rooms>, Path(room): Path<String>, upgrade: WebSocketUpgrade) -> Response {
    let room = {
        let mut rooms = rooms.lock().expect("not poisoned");
        rooms.entry(room).or_insert_with(open).clone()
    };
    upgrade.read_buffer_size(BUFFER).write_buffer_size(BUFFER).on_upgrade(|ws| connection(ws, room))
}

fn open() -> mpsc::Sender<FloorInput> {
    let (inbox, heard) = mpsc::channel(QUEUE);
    tokio::spawn(room(heard));
    inbox
}

async fn room(mut inbox: mpsc::Receiver<FloorInput>) {
    let answer = Utf8Bytes::from("x".repeat(ANSWER));
    let mut clients: Vec<mpsc::Sender<Utf8Bytes>> = Vec::new();
    while let Some(heard) = inbox.recv().await {
        match heard {
            FloorInput::Came(client) => clients.push(client),
            FloorInput::Said => clients.retain(|client| client.try_send(answer.clone()).is_ok()),
        }
    }
}

async fn connection(mut ws: WebSocket, room: mpsc::Sender<FloorInput>) {
    let (client, mut answers) = mpsc::channel(QUEUE);
    let mut known = room.send(FloorInput::Came(client)).await.is_ok();
    while known {
        known = tokio::select! {
            Some(answer) = answers.recv() => ws.send(Message::Text(answer)).await.is_ok(),
            heard = ws.recv() => match heard {
                Some(Ok(Message::Text(_))) => room.send(FloorInput::Said).await.is_ok(),
                Some(Ok(_)) => true,
                Some(Err(_)) | None => false,
            },
        };
    }
}
