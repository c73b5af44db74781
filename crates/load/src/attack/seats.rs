//! Attacks on limited resources: rooms in memory, and connections of one address.

use super::ground::{Ground, MOST};
use client::{Join, Request};
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::sleep;

/// Number of rooms to open.
const ROOMS: usize = 2000;
/// Pause after a refusal.
const AGAIN: Duration = Duration::from_millis(500);
/// Number of players per address whose connections drop.
const PEOPLE: usize = 12;

/// Opens rooms that nobody uses, and keeps requesting them.
pub async fn rooms(ground: &Ground) {
    ground
        .all(ROOMS, |number| async move {
            if let Some(code) = ground.open(number).await {
                let path = format!("/api/rooms/{code}");
                while ground.goes_on() {
                    ground.ask(number, Request::get(&path), String::new()).await;
                    sleep(Duration::from_secs(5)).await;
                }
            }
        })
        .await;
}

/// Players behind one address whose connections drop silently. Each reconnects with the token of their seat. A failed
/// attempt counts as refused.
pub async fn drops(ground: &Ground) {
    // Dropped connections are kept open as long as this program's file limit allows. The server allows four per seat.
    let kept = MOST / ground.count(PEOPLE);
    ground
        .all(ground.count(PEOPLE).div_ceil(4), |table| async move {
            let Some(code) = ground.open(table).await else { return };
            let code = &code;
            ground
                .all(4, |place| async move {
                    // Dropped connections: still open for the server, but nobody reads them.
                    let mut dropped = VecDeque::new();
                    let mut join = Join::named(&format!("Person {}", place + 1));
                    while ground.goes_on() {
                        if let Some((line, welcome)) = ground.join(table, code, join.clone()).await {
                            let welcome: Value = serde_json::from_str(&welcome).unwrap_or_default();
                            if let Some(token) = welcome["you"]["token"].as_str() {
                                join = Join::back(token);
                            }
                            dropped.push_back(line);
                            if dropped.len() > kept {
                                dropped.pop_front();
                            }
                        }
                        sleep(AGAIN).await;
                    }
                })
                .await;
        })
        .await;
}
