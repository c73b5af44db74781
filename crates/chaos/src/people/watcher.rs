//! A simulated spectator.

use super::table::Table;
use crate::dice::{Dice, For};
use crate::judge::Who;
use client::Join;
use protocol::ClientMessage;
use std::sync::Arc;
use tokio::time::{Instant, sleep, sleep_until};

/// Watches until the table is over, reconnects now and then, and sometimes chats.
pub async fn look_on(table: Arc<Table>, place: usize) {
    let number = (table.plan.number * 10 + place) as u32;
    let mut dice = Dice::new(table.all.seed, For::Person, table.plan.number as u64, 100 + place as u64);
    let way = table.way(Who::Watcher(number), 100 + place);
    let mut said = 0;
    while !table.over.is_cancelled() {
        let join = Join { watch: true, ..Join::named(&format!("Watcher {place}")) };
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
                    let text = format!("{} sees it for the {said}. time", way.who);
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
