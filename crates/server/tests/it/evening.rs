//! A class of 25 with two tabs each, a LAN party of 8 and a family of 4 on a mobile network, all behind one address,
//! with the default limits. They load the page, chat, reload, lose their connections and play whole games while the
//! host updates the server. No request is refused.

use crate::client::{Client, End};
use crate::games::{chance, choose};
use crate::harness::{PATIENCE, TestServer, open_with, request};
use client::ClientError;
use game::Chance;
use journal::sqlite::Sqlite;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Thinking time in milliseconds. Real players are slower, but the test should be short.
const THINKS: (u32, u32) = (60, 120);
/// The tables of the class, the LAN party and the family.
const TABLES: [(usize, &str); 9] = [
    (5, "towers"),
    (5, "towers"),
    (4, "towers"),
    (4, "qwantum"),
    (4, "qwantum"),
    (3, "qwantum"),
    (4, "towers"),
    (4, "qwantum"),
    (4, "qwantum"),
];
/// The server is updated after this many actions.
const UPDATE_AFTER: u64 = 300;

/// Requests the files of the page, as a browser does on the first visit.
async fn load_the_page(address: SocketAddr) {
    let (status, html) = request(address, "GET", "/", "").await;
    assert_eq!(status, 200);
    let assets = html.split("/a/").nth(1).and_then(|rest| rest.split('/').next()).expect("a version in the path");
    for entry in
        ["main.js", "page.js", "session/session.js", "session/socket.js", "i18n/en.json"].iter().cycle().take(70)
    {
        let (status, _) = request(address, "GET", &format!("/a/{assets}/{entry}"), "").await;
        assert_eq!(status, 200, "{entry}");
    }
}

/// Everything a client needs to reach its seat at the current server.
#[derive(Clone)]
struct Seat {
    code: String,
    token: String,
    server: watch::Receiver<SocketAddr>,
}

impl Seat {
    /// Opens the seat. Waits for a server that is down or draining, and panics if a running server refuses.
    async fn open(&mut self) -> Client {
        loop {
            let address = *self.server.borrow_and_update();
            match Client::connect(address, &self.code).await {
                Ok(ws) => match Client::introduce(ws, json!({"type": "join", "token": self.token})).await {
                    Ok(client) => return client,
                    Err(End::Closed(1012) | End::Broken) => {}
                    Err(refused) => panic!("refused: {refused:?}"),
                },
                Err(ClientError::NoUpgrade(status)) if status != 503 => panic!("refused: {status}"),
                Err(_) => {}
            }
            let _ = timeout(Duration::from_millis(200), self.server.changed()).await;
        }
    }

    /// A second tab, which only receives.
    async fn keep_tab_open(mut self) {
        loop {
            let mut tab = self.open().await;
            while tab.ws.hear().await.is_ok() {}
        }
    }
}

/// Plays one game to its end, through reloads, lost connections and an update. Returns the final table.
async fn play_game(mut seat: Seat, mut me: Client, mut chance: Chance, acts: Arc<AtomicU64>) -> Value {
    // Lost connections, which are neither read nor closed.
    let mut lost = Vec::new();
    while !me.is_over() {
        if chance.below(50) == 0 {
            let again = seat.open().await;
            let before = std::mem::replace(&mut me, again);
            if chance.below(2) == 0 {
                lost.push(before);
            }
            continue;
        }
        let went_on = if me.is_asked() && !me.actions().is_empty() {
            sleep(Duration::from_millis((THINKS.0 + chance.below(THINKS.1 - THINKS.0)).into())).await;
            let (n, action) = (me.next(), choose(&me, &mut chance));
            let message = json!({"type": "act", "n": n, "action": action});
            match me.try_say(message).await {
                Ok(()) => until_next(&mut me, n, &acts).await,
                Err(end) => Err(end),
            }
        } else {
            me.hear().await.map(drop)
        };
        if let Err(end) = went_on {
            assert!(matches!(end, End::Closed(1012) | End::Broken), "unexpected close: {end:?}");
            me = seat.open().await;
        }
    }
    me.until("the final state is shown", |me| me.table().get("phase") == Some(&json!("finished"))).await;
    me.table()
}

/// Receives messages until the action is acknowledged.
async fn until_next(me: &mut Client, n: u32, acts: &AtomicU64) -> Result<(), End> {
    while me.next() == n && !me.is_over() {
        let heard = me.hear().await?;
        assert!(heard.kind() != "rejected" && heard.kind() != "error", "refused: {}", heard.json);
    }
    acts.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

fn refusals(metrics: &str) -> Vec<String> {
    let refused = |line: &&str| line.starts_with("rookery_refusals_total{") || line.starts_with("rookery_cuts_total{");
    metrics.lines().filter(refused).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_evening_behind_one_address_with_default_limits() {
    let folder = tempfile::tempdir().unwrap();
    let journal = || Arc::new(Sqlite::open(folder.path()).unwrap());
    let server = TestServer::with(journal(), &[]).await;
    let (moves, at) = watch::channel(server.address);
    let acts = Arc::new(AtomicU64::new(0));
    let (mut games, mut tabs) = (JoinSet::new(), JoinSet::new());
    for (table, (people, game)) in TABLES.into_iter().enumerate() {
        let code = open_with(server.address, json!({"game": game, "forced": "ask"})).await;
        let mut players = Vec::new();
        for number in 0..people {
            load_the_page(server.address).await;
            let mut person = server.join(&code, &format!("Person {number}")).await;
            person.say(json!({"type": "chat", "text": "hello"})).await;
            person.until_heard("chat").await;
            let token = person.token.clone().unwrap();
            let seat = Seat { code: code.clone(), token, server: at.clone() };
            tabs.spawn(seat.clone().keep_tab_open());
            players.push((seat, person));
        }
        players[0].1.say(json!({"type": "start"})).await;
        for (number, (seat, person)) in players.into_iter().enumerate() {
            let chance = chance((table * 10 + number) as u8);
            games.spawn(play_game(seat, person, chance, acts.clone()));
        }
    }
    assert_eq!(games.len(), 37);
    let update = async {
        while acts.load(Ordering::Relaxed) < UPDATE_AFTER {
            sleep(Duration::from_millis(20)).await;
        }
        let metrics = server.metrics().await;
        server.stop().await;
        let server = TestServer::with(journal(), &[]).await;
        moves.send_replace(server.address);
        (metrics, server)
    };
    let (before, server) = timeout(PATIENCE * 4, update).await.expect("the players act in time");
    let ends = timeout(PATIENCE * 6, games.join_all()).await.expect("every game ends in time");
    assert_eq!(ends.len(), 37, "every game must be finished");
    assert_eq!(refusals(&before), Vec::<String>::new());
    assert_eq!(refusals(&server.metrics().await), Vec::<String>::new());
    let acts = acts.load(Ordering::Relaxed);
    assert!(acts > 1000, "only {acts} actions");
    tabs.shutdown().await;
}
