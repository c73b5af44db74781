//! Attacks over WebSockets.

use super::ground::AttackGround;
use crate::measure::SpectatorReaders;
use client::Join;
use client::scripted::abuse;
use protocol::ClientMessage;
use serde_json::json;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::{sleep, timeout};

/// Slightly more messages than the initial burst of a connection allows.
const BURST: usize = 18;
/// Bytes per tenth of a second at 1 Mbit/s.
const SLOW: usize = 12_500;
/// Pause after a refusal.
const AGAIN: Duration = Duration::from_millis(200);

/// Returns a chat message of the maximum size in bytes: few characters as people count them, each with many combining
/// marks.
fn longest() -> String {
    let tall = format!("a{}", "\u{301}".repeat(600));
    tall.repeat(3)
}

/// Sends pings continuously and reads no pongs.
pub async fn pings(ground: &AttackGround) {
    flood(ground, &[], &abuse::pings(100)).await;
}

/// Sends empty frames of one message continuously.
pub async fn frames(ground: &AttackGround) {
    flood(ground, &abuse::FIRST_FRAME, &abuse::empty_frames(2000)).await;
}

/// Joins as spectators who send `first` once and `then` repeatedly, and never read.
async fn flood(ground: &AttackGround, first: &[u8], then: &[u8]) {
    let Some(code) = ground.open(0).await else { return };
    let flood = async |number| {
        let stream = ground.connect_deaf(number).await?;
        let mut line = ground.upgrade(stream, &code).await?;
        line.say(&Join::watch("Wil").into()).await.ok()?;
        line.stream().write_all(first).await.ok()?;
        abuse::flood(line.stream(), then, ground.end, || ground.tally.count(true)).await;
        Some(())
    };
    let once = async |number| {
        flood(number).await;
        ground.tally.count(false);
        None
    };
    ground.repeat(40, AGAIN, once).await;
}

/// Chats as fast as the burst allows, then reconnects.
pub async fn chat(ground: &AttackGround) {
    let Some(code) = ground.open(0).await else { return };
    let chat = ClientMessage::Chat { text: longest() };
    let once = async |number| {
        let mut line = ground.join(number, &code, &mut Join::watch("Wil")).await?;
        for _ in 0..BURST {
            ground.tally.count(line.say(&chat).await.is_ok());
        }
        // Stay just long enough for the messages to be processed.
        let _ = timeout(AGAIN, line.drain()).await;
        Some(())
    };
    ground.repeat(40, AGAIN, once).await;
}

/// Ten spectators chat next to a player with a slow connection. Counts whether that player stays connected.
pub async fn watchers(ground: &AttackGround) {
    let Some(code) = ground.open(0).await else { return };
    let chat = ClientMessage::Chat { text: "x".repeat(500) };
    let Some(stream) = ground.connect_deaf(0).await else { return };
    let Some(mut player) = ground.upgrade(stream, &code).await else { return };
    if player.join(Join::named("Ana")).await.is_err() {
        return;
    }
    let slow = async {
        let pause = Duration::from_millis(100);
        let there = abuse::read_slowly(player.stream(), SLOW, pause, ground.end).await;
        ground.tally.count(there);
        there
    };
    let once = async |number| {
        let mut line = ground.join(number, &code, &mut Join::watch("Wil")).await?;
        while ground.goes_on() && line.say(&chat).await.is_ok() {
            let _ = timeout(Duration::from_millis(201), line.drain()).await;
        }
        Some(())
    };
    let talk = ground.repeat(10, AGAIN, once);
    let (there, ()) = futures_util::future::join(slow, talk).await;
    if !there {
        ground.tally.cut_player();
    }
}

/// Takes seats and leaves them.
pub async fn joins(ground: &AttackGround) {
    let Some(code) = ground.open(0).await else { return };
    let once = async |number| {
        let mut line = ground.join(number, &code, &mut Join::named("Ana")).await?;
        let _ = line.say(&ClientMessage::Leave {}).await;
        Some(())
    };
    ground.repeat(40, AGAIN, once).await;
}

/// Changes options back and forth. Each change is sent to everyone in the room.
pub async fn configure(ground: &AttackGround) {
    let one = async |number| {
        let Some(code) = ground.open(number).await else { return };
        let mut readers = SpectatorReaders::default();
        for _ in 0..3 {
            if let Some(line) = ground.join(number, &code, &mut Join::watch("Wil")).await {
                readers.add(line);
            }
        }
        let mut join = Join::named("Ana");
        while ground.goes_on() {
            let Some(mut line) = ground.join(number, &code, &mut join).await else {
                sleep(AGAIN).await;
                continue;
            };
            for turn in 0..BURST {
                let configure = json!({"type": "configure", "clock": 10 + turn}).to_string();
                ground.tally.count(line.send(configure).await.is_ok());
            }
            let _ = timeout(AGAIN, line.drain()).await;
        }
    };
    ground.all(ground.count(10), one).await;
}
