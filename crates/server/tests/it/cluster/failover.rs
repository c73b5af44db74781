//! Database failover as seen by players and hosts: the losses of an asynchronous standby, and the effects of a lost
//! synchronous one. That a synchronous standby loses nothing, and that an old primary is never used, is tested in
//! `cluster::faults`.

use super::lapse::reconnect;
use super::servers::Node;
use crate::client::{Client, End};
use crate::games::{chance, choose};
use crate::harness::{PATIENCE, begin, open_with, request};
use pgtest::Disk;
use pgtest::PostgresCluster;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

/// Three servers over a primary and its standby.
struct Pair {
    primary: PostgresCluster,
    standby: PostgresCluster,
    nodes: Vec<Node>,
    logs: TempDir,
}

impl Pair {
    async fn start() -> Pair {
        let (primary, standby, address) = spawn_blocking(|| {
            let primary = PostgresCluster::start(Disk::Durable);
            let database = primary.database();
            let standby = primary.standby();
            let both = format!("@127.0.0.1:{},127.0.0.1:{}/", primary.port(), standby.port());
            let address = database.replace(&format!("@127.0.0.1:{}/", primary.port()), &both);
            (primary, standby, format!("{address}?target_session_attrs=read-write"))
        })
        .await
        .unwrap();
        let logs = tempfile::tempdir().unwrap();
        let mut nodes = Vec::new();
        for number in 0..3 {
            nodes.push(Node::start_logged(&address, &log(logs.path(), number)).await);
        }
        Pair { primary, standby, nodes, logs }
    }

    /// Number of lines in all logs that contain this text.
    fn logged(&self, words: &str) -> usize {
        let logs = (0..self.nodes.len()).map(|number| log(self.logs.path(), number));
        let logs = logs.map(|log| std::fs::read_to_string(log).unwrap_or_default());
        logs.map(|log| log.lines().filter(|line| line.contains(words)).count()).sum()
    }
}

fn log(folder: &Path, number: usize) -> std::path::PathBuf {
    folder.join(format!("server-{number}.log"))
}

/// Plays one action of the seat that must act, and waits until all clients see it.
async fn act(clients: &mut [Client], seed: u8) {
    act_unless_closed(clients, seed).await.expect("all clients see the action");
}

/// Plays one action as `act` does, or returns how a connection ended before it was seen.
async fn act_unless_closed(clients: &mut [Client], seed: u8) -> Result<(), End> {
    let actor = clients.iter().position(Client::is_asked).expect("a player must act");
    let (version, action) = (clients[actor].version, choose(&clients[actor], &mut chance(seed)));
    // A failed send shows when the connection is read.
    let message = json!({"type": "act", "n": clients[actor].next(), "action": action});
    let _ = clients[actor].try_say(message).await;
    for client in clients {
        while client.version <= version {
            client.hear().await?;
        }
    }
    Ok(())
}

async fn until(what: &str, time: Duration, mut condition: impl AsyncFnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !condition().await {
        assert!(begun.elapsed() < time, "timeout while waiting until {what}: {time:?}");
        sleep(Duration::from_millis(20)).await;
    }
    begun.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn losses_of_an_asynchronous_standby_are_logged() {
    let pair = Pair::start().await;
    let code = open_with(pair.nodes[0].address, json!({"game": "towers", "forced": "ask"})).await;
    let mut clients = begin(pair.nodes[0].address, &code, 2).await;
    for seed in 0..4 {
        act(&mut clients, seed).await;
    }
    pair.primary.wait_for_replication();
    let kept = clients[0].version;
    pair.standby.stop_receiving();
    for seed in 4..7 {
        act(&mut clients, seed).await;
    }
    let shown = clients[0].version;
    pair.primary.kill();
    pair.standby.promote();
    let promoted = Instant::now();
    for client in &mut clients {
        client.until_end().await;
    }
    let mut here = Vec::new();
    for client in &clients {
        here.push(reconnect(pair.nodes[0].address, &code, client).await);
    }
    println!("clients reconnected {:?} after the promotion", promoted.elapsed());
    assert!(promoted.elapsed() < Duration::from_secs(30), "{:?}", promoted.elapsed());
    // The page shows this as "The last moves were lost when the database failed over."
    assert!(
        here.iter().all(|client| client.version == kept && kept < shown),
        "a welcome is accepted even with an older version"
    );
    assert_eq!(pair.logged("the last moves of the room were lost when the database failed over"), 1);
    assert_eq!(pair.logged("another writer has changed the room"), 0);
    assert!(pair.logged("the database failed over") >= 3, "each server must log it");

    let mut seed = 0_u8;
    while !here[0].is_over() {
        seed = seed.wrapping_add(1);
        // A room may be closed once more while its server renews the lease on the new primary.
        if act_unless_closed(&mut here, seed).await.is_err() {
            for client in &mut here {
                *client = reconnect(pair.nodes[0].address, &code, client).await;
            }
        }
    }
    for client in &mut here {
        client.until("the final state is shown", |client| client.table()["phase"] == "finished").await;
    }
    let (status, record) = request(pair.nodes[1].address, "GET", &format!("/api/rooms/{code}/record"), "").await;
    assert_eq!(status, 200, "{record}");
    let file = pair.logs.path().join("record.json");
    std::fs::write(&file, record).unwrap();
    println!("{}", host::verify(&file).expect("the record is valid"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_synchronous_standby_is_logged_and_not_ready() {
    let pair = Pair::start().await;
    pair.primary.wait_for_standbys(&[&pair.standby]);
    let code = open_with(pair.nodes[0].address, json!({"game": "towers", "forced": "ask"})).await;
    let mut clients = begin(pair.nodes[0].address, &code, 2).await;
    act(&mut clients, 1).await;

    pair.standby.stop();
    let actor = clients.iter().position(Client::is_asked).expect("a player must act");
    let (n, action) = (clients[actor].next(), choose(&clients[actor], &mut chance(2)));
    clients[actor].act(&action).await;
    let words = "commits wait for a synchronous standby that does not confirm them";
    let said = until("the loss is logged", PATIENCE, async || pair.logged(words) >= 3).await;
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    let (before, mut slowest) = (pair.primary.sql("postgres", waiting), Duration::ZERO);
    let lost = Instant::now();
    while lost.elapsed() < Duration::from_secs(10) {
        for node in &pair.nodes {
            let asked = Instant::now();
            let (status, told) = request(node.address, "GET", "/readyz", "").await;
            slowest = slowest.max(asked.elapsed());
            assert_eq!(status, 503, "{told}");
            assert!(told.contains(words), "{told}");
        }
        sleep(Duration::from_millis(200)).await;
    }
    let after = pair.primary.sql("postgres", waiting);
    println!(
        "logged after {said:?}; /readyz took {slowest:?} at most; {before} sessions waited, {after} ten seconds later"
    );
    assert_eq!(after, before, "no more sessions wait");

    pair.standby.run();
    let run = Instant::now();
    let mut here = Vec::new();
    for client in &clients {
        here.push(reconnect(pair.nodes[1].address, &code, client).await);
    }
    println!("clients reconnected {:?} after the standby", run.elapsed());
    // The waiting action was either played or is resent with its number. It counts once in any case.
    if here[actor].next() == n {
        here[actor].act(&action).await;
        here[actor].until("the action is acknowledged", |client| client.next() > n).await;
    }
    act(&mut here, 3).await;
    let ready = async || request(pair.nodes[0].address, "GET", "/readyz", "").await.0 == 200;
    timeout(PATIENCE, until("the server is ready", PATIENCE, ready)).await.unwrap();
}
