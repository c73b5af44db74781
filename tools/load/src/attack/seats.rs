//! Attacks on limited resources: rooms in memory, and connections of one address.

use super::ground::AttackGround;
use client::{Join, Request};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::sleep;

/// Number of rooms to open.
const ROOMS: usize = 2000;
/// Pause after a refusal.
const AGAIN: Duration = Duration::from_millis(500);
/// Number of players per address whose connections drop.
const PEOPLE: usize = 12;

/// Opens rooms that no player uses, and keeps requesting them.
pub async fn rooms(ground: &AttackGround) {
    let one = async |number| {
        let Some(code) = ground.open(number).await else { return };
        let path = format!("/api/rooms/{code}");
        while ground.goes_on() {
            ground.ask(number, Request::get(&path), String::new()).await;
            sleep(Duration::from_secs(5)).await;
        }
    };
    ground.all(ROOMS, one).await;
}

/// Players behind one address whose connections drop silently. Each reconnects with the token of their seat. A failed
/// attempt counts as refused.
pub async fn drops(ground: &AttackGround) {
    // Dropped connections are kept open as long as this program's file limit allows. The server allows four per seat.
    let kept = ground.most / ground.count(PEOPLE);
    let table = async |table| {
        let Some(code) = ground.open(table).await else { return };
        let person = async |place| {
            // Dropped connections: still open for the server, but no client reads them.
            let mut dropped = VecDeque::new();
            let mut join = Join::named(&format!("Person {}", place + 1));
            while ground.goes_on() {
                dropped.extend(ground.join(table, &code, &mut join).await);
                if dropped.len() > kept {
                    dropped.pop_front();
                }
                sleep(AGAIN).await;
            }
        };
        ground.all(4, person).await;
    };
    ground.all(ground.count(PEOPLE).div_ceil(4), table).await;
}
