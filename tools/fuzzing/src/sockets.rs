//! Whole sessions over real WebSockets. Every message must be answered, connections may be closed only for a reason of
//! the contract, and the final state of the room must match the journal.

use crate::Tried;
use crate::forge::{FRIENDS, KnownState, Source, join, message};
use crate::running::{FuzzedServer, in_time, running};
use client::{Deployment, RoomConnection};
use protocol::{Close, Received, RoomView, ServerMessage};
use room::{Entry, Room};
use serde_json::{Value, json};
use tokio::net::TcpStream;

/// Number of connections into the room.
const LINES: usize = 5;
/// Maximum number of messages sent before waiting for the answers.
const AT_ONCE: usize = 4;
/// Maximum number of messages in a session.
const MOST: u64 = 400;

/// Permitted close codes for a connection that sends anything in any order and reads what it is sent.
const EXPECTED: [Close; 8] = [
    Close::Left,
    Close::BadJoin,
    Close::BadToken,
    Close::TooManyPlaces,
    Close::Removed,
    Close::TooMany,
    Close::OtherProtocol,
    Close::TooLong,
];

/// Plays the session that these bytes determine.
pub fn try_one(bytes: &[u8]) -> Tried {
    let running = running();
    running.block_on(async {
        let mut session = SocketSession::begin(running, bytes).await;
        while !session.source.is_empty() && session.tried.things < MOST {
            session.turn().await;
        }
        session.end().await
    })
}

struct SocketSession<'a> {
    running: &'a FuzzedServer,
    source: Source<'a>,
    code: String,
    lines: [Option<FuzzConnection>; LINES],
    /// All tokens issued. Each may appear only in the message that issued it.
    tokens: Vec<String>,
    tried: Tried,
    pings: u64,
}

/// One connection and what it has received.
struct FuzzConnection {
    connection: RoomConnection<TcpStream>,
    told: KnownState,
}

impl<'a> SocketSession<'a> {
    async fn begin(running: &'a FuzzedServer, bytes: &'a [u8]) -> SocketSession<'a> {
        let mut source = Source::new(bytes);
        let code = running.open(room::GAMES[source.below(room::GAMES.len())].id).await;
        let lines = Default::default();
        let mut session =
            SocketSession { running, source, code, lines, tokens: Vec::new(), tried: Tried::default(), pings: 0 };
        // Most sessions begin with seated players and a started game, because few would reach a game otherwise.
        let people = [0, 2, 3, 4][session.source.below(4)];
        for (who, name) in FRIENDS.into_iter().enumerate().take(people) {
            let join = json!({"type": "join", "name": name});
            session.lines[who] = session.comes_with(join.to_string()).await;
        }
        if let Some(mut first) = session.lines[0].take() {
            let _ = first.connection.send(r#"{"type":"start"}"#.to_owned()).await;
            session.lines[0] = session.says(first).await;
        }
        session
    }

    /// Connects, disconnects, or sends a few messages.
    async fn turn(&mut self) {
        let who = self.source.below(LINES);
        match self.lines[who].take() {
            None => self.lines[who] = self.comes().await,
            // A connection that breaks without a close frame.
            Some(_) if self.source.once_in(16) => {}
            Some(line) => self.lines[who] = self.says(line).await,
        }
    }

    async fn comes(&mut self) -> Option<FuzzConnection> {
        let told = KnownState { tokens: self.tokens.clone(), ..KnownState::default() };
        let first = match self.source.once_in(24) {
            true => message(&mut self.source, &told),
            false => join(&mut self.source, &told).to_string(),
        };
        self.comes_with(first).await
    }

    async fn comes_with(&mut self, first: String) -> Option<FuzzConnection> {
        let stream = self.running.connect().await.expect("the server accepts connections");
        let upgrade = Deployment::at(self.running.address).upgrade(&self.code).expect("the request is valid");
        let connection = in_time(RoomConnection::open(upgrade, stream)).await;
        let connection = connection.expect("the upgrade is in time").expect("the room exists");
        let mut line = FuzzConnection { connection, told: KnownState::default() };
        self.tried.things += 1;
        let _ = line.connection.send(first).await;
        self.hears(line, |kind| kind == "welcome").await
    }

    async fn says(&mut self, mut line: FuzzConnection) -> Option<FuzzConnection> {
        line.told.tokens.clone_from(&self.tokens);
        for _ in 0..=self.source.below(AT_ONCE) {
            let text = message(&mut self.source, &line.told);
            self.tried.things += 1;
            // If the connection was closed, the reason is read below.
            if line.connection.send(text).await.is_err() {
                break;
            }
        }
        self.pings += 1;
        let ping = json!({"type": "ping", "t": self.pings}).to_string();
        let _ = line.connection.send(ping).await;
        let pong = self.pings.to_string();
        self.hears(line, |kind| kind == pong).await
    }

    /// Reads messages until the expected one arrives. Returns `None` if the connection was closed, which must have a
    /// valid reason.
    async fn hears(&mut self, mut line: FuzzConnection, is_it: impl Fn(&str) -> bool) -> Option<FuzzConnection> {
        loop {
            let heard = in_time(line.connection.hear()).await;
            let text = match heard.expect("a message or a close in time") {
                Ok(text) => text,
                Err(end) => {
                    assert!(end.close().is_some_and(|close| EXPECTED.contains(&close)), "closed with {end}");
                    return None;
                }
            };
            let kind = self.takes_in(&mut line, &text);
            if is_it(&kind) {
                return Some(line);
            }
        }
    }

    /// Processes a message, and returns its type. For a pong, returns the value that it answers.
    fn takes_in(&mut self, line: &mut FuzzConnection, text: &str) -> String {
        let mut received = Received::read(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let message = received.message().unwrap_or_else(|| panic!("not a message of the protocol: {text}"));
        let (kind, state, token) = match message {
            ServerMessage::Welcome { you, state, .. } => {
                self.tried.taken += 1;
                ("welcome".to_owned(), state, you.token)
            }
            ServerMessage::You { token, .. } => ("you".to_owned(), None, token),
            ServerMessage::State { state } => {
                self.tried.taken += 1;
                ("state".to_owned(), Some(state), None)
            }
            ServerMessage::Handover { code, .. } => ("handover".to_owned(), None, Some(code)),
            ServerMessage::Pong { t } => (t.to_string(), None, None),
            _ => (String::new(), None, None),
        };
        if let Some(state) = state {
            line.told.next = state.next.unwrap_or(0);
            line.told.acts = serde_json::from_str(state.actions.get()).expect("acts are a list");
        }
        if !["welcome", "you", "handover"].contains(&kind.as_str()) {
            let shown = self.tokens.iter().find(|token| text.contains(token.as_str()));
            assert!(shown.is_none(), "a token was sent in {text}");
        }
        if let Some(token) = token.filter(|token| !self.tokens.iter().any(|known| known == token)) {
            self.tokens.push(token.to_owned());
        }
        kind
    }

    /// Compares the room as shown with the room as written to the journal.
    async fn end(mut self) -> Tried {
        for line in self.lines.iter_mut().filter_map(Option::take) {
            drop(line);
        }
        // The request is queued behind everything sent before it.
        let shown = self.running.get(&format!("/api/rooms/{}", self.code)).await;
        let mut shown: Value = serde_json::from_str(&shown).expect("valid JSON");
        let lines = self.running.journal.read(&self.code).await.expect("the journal can be read");
        let lines = lines.expect("the room exists");
        let entries = Entry::read_all(0, &lines).expect("the entries can be parsed");
        let room = Room::rebuild(entries, 0).expect("the journal can be replayed");
        let mut written = json!(RoomView { asked: room.asked(), ..room.view(Vec::new(), 30, 0) });
        timeless(&mut shown);
        timeless(&mut written);
        assert_eq!(shown, written, "the room shown differs from the journal");
        self.tried
    }
}

/// Removes presence and rematch wishes, which are not written to the journal.
fn timeless(view: &mut Value) {
    (view["watchers"], view["audience"]) = (Value::Null, Value::Null);
    for seat in view["seats"].as_array_mut().expect("the seats are a list") {
        (seat["connected"], seat["away_ms"], seat["ready"]) = (Value::Null, Value::Null, Value::Null);
    }
}
