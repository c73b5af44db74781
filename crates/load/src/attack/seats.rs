//! Attacks on the places there are: rooms in memory, and lines of one address.

use super::ground::{Ground, MOST};
use client::{Join, Request};
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::sleep;

/// So many rooms are opened at the most.
const ROOMS: usize = 2000;
/// Whoever is refused tries again after this long.
const AGAIN: Duration = Duration::from_millis(500);
/// People of one address whose lines drop.
const PEOPLE: usize = 12;

/// Rooms that nobody needs, opened and looked at.
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

/// Friends behind one address whose lines drop without a word: each comes back by the token of their seat. Whoever does not get in is refused.
pub async fn drops(ground: &Ground) {
    // Lines are kept as long as this program's files last; a seat has four at the server.
    let kept = MOST / ground.count(PEOPLE);
    ground
        .all(ground.count(PEOPLE).div_ceil(4), |table| async move {
            let Some(code) = ground.open(table).await else { return };
            let code = &code;
            ground
                .all(4, |place| async move {
                    // Lines that dropped: open as far as the server knows, and read by nobody.
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
