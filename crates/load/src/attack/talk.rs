//! Attacks over WebSockets.

use super::ground::{Ground, Readers};
use client::Join;
use protocol::ClientMessage;
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep, timeout};

/// A ping frame with the largest payload (RFC 6455), masked with zeros.
const PING: [u8; 131] = {
    let mut frame = [b'x'; 131];
    [frame[0], frame[1], frame[2], frame[3], frame[4], frame[5]] = [0x89, 0x80 | 125, 0, 0, 0, 0];
    frame
};
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
pub async fn pings(ground: &Ground) {
    let Some(code) = ground.open(0).await else { return };
    let (code, pings) = (&code, &PING.repeat(100));
    ground
        .all(ground.count(40), |number| async move {
            while ground.goes_on() {
                if let Ok(stream) = ground.connect_deaf(number).await
                    && let Some(mut line) = ground.upgrade(stream, code).await
                    && line.say(&Join { watch: true, ..Join::named("Wil") }.into()).await.is_ok()
                {
                    let stream = line.stream();
                    while ground.goes_on() {
                        // A connection that accepts no more data is kept open.
                        match timeout(Duration::from_secs(5), stream.write_all(pings)).await {
                            Ok(Ok(())) => ground.tally.count(true),
                            Ok(Err(_)) => break,
                            Err(_) => {}
                        }
                    }
                }
                ground.tally.count(false);
                sleep(AGAIN).await;
            }
        })
        .await;
}

/// Chats as fast as the burst allows, then reconnects.
pub async fn chat(ground: &Ground) {
    let Some(code) = ground.open(0).await else { return };
    let (code, chat) = (&code, &ClientMessage::Chat { text: longest() });
    ground
        .all(ground.count(40), |number| async move {
            while ground.goes_on() {
                let join = Join { watch: true, ..Join::named("Wil") };
                let Some((mut line, _)) = ground.join(number, code, join).await else {
                    sleep(AGAIN).await;
                    continue;
                };
                for _ in 0..BURST {
                    ground.tally.count(line.say(chat).await.is_ok());
                }
                // Stay just long enough for the messages to be processed.
                let _ = timeout(AGAIN, async { while line.hear().await.is_ok() {} }).await;
            }
        })
        .await;
}

/// Ten spectators chat next to a player with a slow connection. Counts whether that player stays connected.
pub async fn watchers(ground: &Ground) {
    let Some(code) = ground.open(0).await else { return };
    let (code, text) = (&code, &"x".repeat(500));
    let Ok(stream) = ground.connect_deaf(0).await else { return };
    let Some(mut player) = ground.upgrade(stream, code).await else { return };
    if player.join(Join::named("Ana")).await.is_err() {
        return;
    }
    let slow = async {
        let (stream, mut buffer) = (player.stream(), vec![0; SLOW]);
        let mut there = true;
        while there && ground.goes_on() {
            if let Ok(read) = timeout(AGAIN, stream.read(&mut buffer)).await {
                there = read.is_ok_and(|read| read > 0);
            }
            sleep(Duration::from_millis(100)).await;
        }
        ground.tally.count(there);
        there
    };
    let talk = ground.all(ground.count(10), |number| async move {
        while ground.goes_on() {
            let join = Join { watch: true, ..Join::named("Wil") };
            let Some((mut line, _)) = ground.join(number, code, join).await else {
                sleep(AGAIN).await;
                continue;
            };
            let chat = ClientMessage::Chat { text: text.clone() };
            while ground.goes_on() && line.say(&chat).await.is_ok() {
                let pause = Instant::now() + Duration::from_millis(201);
                while let Ok(Ok(_)) = timeout(pause - Instant::now(), line.hear()).await {}
            }
        }
    });
    let (there, ()) = futures_util::future::join(slow, talk).await;
    if !there {
        ground.tally.cut_player();
    }
}

/// Takes seats and leaves them.
pub async fn joins(ground: &Ground) {
    let Some(code) = ground.open(0).await else { return };
    let code = &code;
    ground
        .all(ground.count(40), |number| async move {
            while ground.goes_on() {
                match ground.join(number, code, Join::named("Ana")).await {
                    Some((mut line, _)) => {
                        let _ = line.say(&ClientMessage::Leave {}).await;
                    }
                    None => sleep(AGAIN).await,
                }
            }
        })
        .await;
}

/// Changes options back and forth. Each change is sent to everyone in the room.
pub async fn configure(ground: &Ground) {
    ground
        .all(ground.count(10), |number| async move {
            let Some(code) = ground.open(number).await else { return };
            let mut readers = Readers::default();
            for _ in 0..3 {
                let watch = Join { watch: true, ..Join::named("Wil") };
                if let Some((line, _)) = ground.join(number, &code, watch).await {
                    readers.add(line);
                }
            }
            let mut join = Join::named("Ana");
            while ground.goes_on() {
                let Some((mut line, welcome)) = ground.join(number, &code, join.clone()).await else {
                    sleep(AGAIN).await;
                    continue;
                };
                let welcome: serde_json::Value = serde_json::from_str(&welcome).unwrap_or_default();
                if let Some(token) = welcome["you"]["token"].as_str() {
                    join = Join::back(token);
                }
                for turn in 0..BURST {
                    let configure = json!({"type": "configure", "clock": 10 + turn}).to_string();
                    ground.tally.count(line.send(configure).await.is_ok());
                }
                let _ = timeout(AGAIN, async { while line.hear().await.is_ok() {} }).await;
            }
        })
        .await;
}
