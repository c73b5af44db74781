//! Intruders that only disturb: they send invalid or too many messages, or do not read.

use super::Intruder;
use crate::line::WitnessedConnection;
use crate::proxy::connect_from;
use client::scripted::abuse;
use client::{Join, Message};
use protocol::ClientMessage;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, sleep, timeout};

/// Longest time that an intruder stays connected.
const STAY: Duration = Duration::from_secs(15);

impl Intruder {
    /// Sends valid messages with bytes changed, cut or doubled, and binary messages.
    pub async fn mutated(&mut self) {
        let Some(mut line) = self.watches().await else { return };
        let messages = [
            r#"{"type":"act","n":4,"action":{"type":"bid","count":3}}"#,
            r#"{"type":"join","name":"Ana","token":null,"watch":false}"#,
            r#"{"type":"configure","game":"qwantum","rules":{},"clock":null}"#,
            r#"{"type":"ping","t":123}"#,
            r#"{"type":"chat","text":"hello"}"#,
        ];
        for _ in 0..30 {
            let mut bytes = self.dice.pick(&messages).as_bytes().to_vec();
            for _ in 0..self.dice.between(1..5) {
                let at = self.dice.between(0..bytes.len() as u32) as usize;
                match self.dice.between(0..4) {
                    0 => bytes[at] = self.dice.between(0..256) as u8,
                    1 => bytes.truncate(at + 1),
                    2 => bytes.insert(at, self.dice.between(0..128) as u8),
                    _ => bytes.extend_from_within(at..),
                }
            }
            let message = match String::from_utf8(bytes) {
                Ok(text) => Message::text(text),
                Err(error) => Message::binary(error.into_bytes()),
            };
            if line.send(message).await.is_err() {
                return;
            }
        }
        self.hears_out(line).await;
    }

    /// Sends as many messages as the connection accepts.
    pub async fn floods(&mut self) {
        let Some(mut line) = self.watches().await else { return };
        for number in 0..400 {
            let message = if number % 2 == 0 {
                ClientMessage::Ping { t: number.into() }
            } else {
                ClientMessage::Chat { text: format!("{} {}", self.way.who, self.dice.hex(20)) }
            };
            if line.say(&message).await.is_err() {
                return;
            }
        }
        self.hears_out(line).await;
    }

    /// Sends pings continuously and reads no pongs.
    pub async fn pings_and_never_reads(&mut self) {
        let Some(mut line) = self.watches().await else { return };
        abuse::flood(line.stream(), &abuse::pings(100), Instant::now() + STAY, || {}).await;
    }

    /// Reads a few bytes at a time, with pauses.
    pub async fn reads_slowly(&mut self) {
        let Some(mut line) = self.watches().await else { return };
        abuse::read_slowly(line.stream(), 256, Duration::from_millis(150), Instant::now() + STAY).await;
    }

    /// Sends pipelined requests without reading the responses, and a request whose headers never end.
    pub async fn requests_without_reading(&mut self) {
        let host = self.way.to;
        let room = self.room();
        let Ok(mut stream) = connect_from(self.way.from, host).await else { return };
        let paths = ["/", &format!("/api/rooms/{room}"), "/api/games", &format!("/r/{room}")];
        let requests = paths.map(|path| abuse::pipelined(path, 8)).concat();
        let _ = timeout(Duration::from_secs(2), stream.write_all(requests.as_bytes())).await;
        let Ok(unfinished) = connect_from(self.way.from, host).await else { return };
        abuse::loris(unfinished, Duration::from_millis(100), Instant::now() + Duration::from_secs(2)).await;
        sleep(self.dice.ms(500..5000)).await;
    }

    /// Joins a room as a spectator.
    async fn watches(&mut self) -> Option<WitnessedConnection> {
        let room = self.room();
        let (line, heard) = self.way.join(&room, Join::watch("Stranger")).await.ok()?;
        heard.welcome.then_some(line)
    }

    /// Reads messages until the connection ends, or for three seconds.
    async fn hears_out(&mut self, mut line: WitnessedConnection) {
        let until = Instant::now() + Duration::from_secs(3);
        while let Ok(Ok(_)) = timeout(until - Instant::now().min(until), line.hear()).await {}
    }
}
