//! A server that has lost its lease shows nothing more: neither what was being written nor the rest of what was being
//! sent.

use crate::client::{Client, End};
use crate::harness::{FAST, PATIENCE, TestServer};
use journal::memory::Memory;
use journal::ownership::{Claim, Figures, Lease, Load, Node, Ownership, Peer, Renewals};
use journal::{AppendError, Cursor, Journal, JournalError, Lines, Opened, Pending};
use serde_json::json;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpSocket;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

/// A journal with a lease that can be lost at any time, and that writes notes only when permitted.
struct Leased {
    inner: Memory,
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
        Arc::new(Leased { inner: Memory::default(), renewals, renewing, asked, allowed })
    }

    fn lose(&self) {
        self.renewing.abort();
        self.renewals.lost();
    }
}

impl Journal for Leased {
    fn append_lines<'a>(
        &'a self,
        room: &'a str,
        after: Cursor,
        lines: Lines,
        running_ms: u64,
    ) -> Pending<'a, Result<Cursor, AppendError>> {
        self.inner.append_lines(room, after, lines, running_ms)
    }

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

    fn open<'a>(&'a self, room: &'a str, ms: u64) -> Pending<'a, Result<Option<Opened>, JournalError>> {
        self.inner.open(room, ms)
    }

    fn read<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Vec<String>>, JournalError>> {
        self.inner.read(room)
    }

    fn exists<'a>(&'a self, room: &'a str) -> Pending<'a, Result<bool, JournalError>> {
        self.inner.exists(room)
    }

    fn touch<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<(), JournalError>> {
        self.inner.touch(room, running_ms)
    }

    fn forget_unopened<'a>(
        &'a self,
        before_ms: u64,
        keep: Vec<String>,
    ) -> Pending<'a, Result<Vec<String>, JournalError>> {
        self.inner.forget_unopened(before_ms, keep)
    }

    fn running_ms(&self) -> u64 {
        self.inner.running_ms()
    }

    fn ran(&self, running_ms: u64) -> Pending<'_, Result<(), JournalError>> {
        self.inner.ran(running_ms)
    }

    fn probe(&self) -> Pending<'_, Result<(), JournalError>> {
        self.inner.probe()
    }

    fn ownership(&self) -> &dyn Ownership {
        self
    }

    fn close(&self) -> Pending<'_, ()> {
        self.inner.close()
    }
}

impl Ownership for Leased {
    fn claim<'a>(&'a self, _: &'a str) -> Pending<'a, Result<Claim, JournalError>> {
        Box::pin(ready(Ok(Claim::Ours)))
    }

    fn elsewhere<'a>(&'a self, _: &'a str) -> Pending<'a, Result<Option<Peer>, JournalError>> {
        Box::pin(ready(Ok(None)))
    }

    fn release<'a>(&'a self, _: &'a str) -> Pending<'a, Result<(), JournalError>> {
        Box::pin(ready(Ok(())))
    }

    fn release_all(&self) -> Pending<'_, Result<u64, JournalError>> {
        Box::pin(ready(Ok(0)))
    }

    fn lease(&self) -> Lease {
        self.renewals.lease()
    }

    fn report(&self, _: Load) {}

    fn nodes(&self) -> Pending<'_, Result<Vec<Node>, JournalError>> {
        Box::pin(ready(Ok(Vec::new())))
    }

    fn figures(&self) -> Figures {
        Figures::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_of_chat_that_was_noted_when_the_lease_was_lost_is_not_shown() {
    let journal = Leased::new();
    let server = TestServer::with(journal.clone(), FAST).await;
    let (_, mut players) = server.game("prevented", 2).await;
    players[0].say(json!({"type": "chat", "text": "too late"})).await;
    timeout(PATIENCE, journal.asked.acquire()).await.expect("it is being noted").unwrap().forget();
    journal.lose();
    journal.allowed.add_permits(1);
    for player in &mut players {
        let heard = player.hear().await.map(|told| told.text);
        assert_eq!(heard, Err(End::Closed(1012)), "whoever has the room will show it");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rest_of_a_message_is_not_sent_once_the_lease_is_lost() {
    let journal = Leased::new();
    journal.allowed.add_permits(1_000_000);
    let server = TestServer::with(journal.clone(), FAST).await;
    let (code, mut players) = server.game("prevented", 2).await;
    // A client that does not read, with the smallest possible receive buffer.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let ws = Client::connect_with(socket, server.address, &code).await.unwrap();
    let watch = json!({"type": "join", "name": "Zoe", "watch": true});
    let mut sleeper = Client::introduce(ws, watch).await.unwrap();
    let mut lines = 0;
    while server.metric("rookery_waiting_bytes").await == Some(0.0) {
        players[0].say(json!({"type": "chat", "text": "x".repeat(500)})).await;
        lines += 1;
        for player in &mut players {
            player.until("the line is heard", |player| player.chat.len() >= lines).await;
        }
    }
    journal.lose();
    for player in &mut players {
        assert_eq!(player.until_end().await, End::Closed(1012));
    }
    assert_eq!(sleeper.until_end().await, End::Broken, "half a message, and not a byte more");
}
