//! A simulated spectator.

use super::table::PlayedTable;
use crate::dice::{For, SeededRandom};
use crate::judge::Participant;
use client::Join;
use protocol::ClientMessage;
use std::sync::Arc;
use tokio::time::{Instant, sleep, sleep_until};

/// Watches until the table is over, reconnects now and then, and sometimes chats.
pub async fn look_on(table: Arc<PlayedTable>, place: usize) {
    let number = (table.plan.number * 10 + place) as u32;
    let mut dice = SeededRandom::new(table.all.seed, For::Person, table.plan.number as u64, 100 + place as u64);
    let way = table.way(Participant::Watcher(number), 100 + place);
    let mut said = 0;
    while !table.over.is_cancelled() {
        let join = Join::watch(&format!("Watcher {place}"));
        let Ok((mut line, _)) = way.join(&table.code, join).await else {
            sleep(dice.ms(100..800)).await;
            continue;
        };
        let until = Instant::now() + dice.ms(2000..20_000);
        let mut speaks = Instant::now() + dice.ms(500..4000);
        loop {
            tokio::select! {
                () = table.over.cancelled() => break,
                () = sleep_until(until) => break,
                () = sleep_until(speaks) => {
                    said += 1;
                    let text = format!("{}: message {said}", way.who);
                    if line.say(&ClientMessage::Chat { text }).await.is_err() {
                        break;
                    }
                    table.all.judge.did("chat");
                    speaks = Instant::now() + dice.ms(1000..8000);
                }
                heard = line.hear() => if heard.is_err() { break },
            }
        }
        line.close().await;
    }
}
