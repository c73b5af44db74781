//! A server that has lost its lease sends nothing more: neither a message that was being written to the journal nor the
//! rest of one that was being sent.

use crate::client::{Client, End};
use crate::forward::forward;
use crate::harness::{FAST, PATIENCE, TestServer};
use journal::memory::Memory;
use journal::ownership::{Alone, Lease, Ownership, Renewals};
use journal::{AppendError, Cursor, Journal, Pending};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

/// A journal with a lease that can be lost at any time, and that writes notes only when permitted.
struct Leased {
    inner: Memory,
    alone: Alone,
    renewals: Arc<Renewals>,
    renewing: JoinHandle<()>,
    /// Number of notes requested, and number of notes permitted.
    asked: Semaphore,
    allowed: Semaphore,
}

impl Leased {
    fn new() -> Arc<Leased> {
        let renewals = Arc::new(Renewals::new());
        renewals.renewed(Instant::now());
        let renewed = renewals.clone();
        let renewing = tokio::spawn(async move {
            loop {
                renewed.renewed(Instant::now());
                sleep(Duration::from_millis(200)).await;
            }
        });
        let (asked, allowed) = (Semaphore::new(0), Semaphore::new(0));
        Arc::new(Leased { inner: Memory::default(), alone: Alone, renewals, renewing, asked, allowed })
    }

    fn lose(&self) {
        self.renewing.abort();
        self.renewals.lost();
    }
}

impl Journal for Leased {
    forward!(inner: append_lines open read exists touch forget_unopened running_ms ran probe close);

    fn note<'a>(
        &'a self,
        room: &'a str,
        at: Cursor,
        slot: u8,
        note: String,
        running_ms: u64,
    ) -> Pending<'a, Result<(), AppendError>> {
        self.asked.add_permits(1);
        Box::pin(async move {
            self.allowed.acquire().await.expect("never closed").forget();
            self.inner.note(room, at, slot, note, running_ms).await
        })
    }

    fn ownership(&self) -> &dyn Ownership {
        self
    }
}

impl Ownership for Leased {
    forward!(alone: elsewhere release release_all report nodes figures);

    fn lease(&self) -> Lease {
        self.renewals.lease()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_written_while_the_lease_is_lost_is_not_shown() {
    let journal = Leased::new();
    let server = TestServer::with(journal.clone(), FAST).await;
    let (_, mut players) = server.game("prevented", 2).await;
    players[0].say(json!({"type": "chat", "text": "too late"})).await;
    timeout(PATIENCE, journal.asked.acquire()).await.expect("the note is being written").unwrap().forget();
    journal.lose();
    journal.allowed.add_permits(1);
    for player in &mut players {
        let heard = player.hear().await.map(|told| told.text);
        assert_eq!(heard, Err(End::Closed(1012)), "the message was shown without a lease");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_cut_off_once_the_lease_is_lost() {
    let journal = Leased::new();
    journal.allowed.add_permits(1_000_000);
    let server = TestServer::with(journal.clone(), FAST).await;
    let (code, mut players) = server.game("prevented", 2).await;
    let mut sleeper = Client::sleeper(server.address, &code).await;
    let mut lines = 0;
    while server.metric("rookery_waiting_bytes").await == Some(0.0) {
        players[0].say(json!({"type": "chat", "text": "x".repeat(500)})).await;
        lines += 1;
        for player in &mut players {
            player.until("the chat message arrives", |player| player.chat.len() >= lines).await;
        }
    }
    journal.lose();
    for player in &mut players {
        assert_eq!(player.until_end().await, End::Closed(1012));
    }
    assert_eq!(sleeper.until_end().await, End::Broken, "the connection must end within the message");
}
