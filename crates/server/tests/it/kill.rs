//! SIGKILL at any time: nothing acknowledged is lost, every seat can be reopened by its token, and the games are played
//! to their end.

use crate::client::Client;
use crate::games::{chance, choose};
use crate::harness::{PATIENCE, Process, begin, finish, open_with};
use crate::topology::{Topology, data_of, node_flags, set_owner, topology};
use game::Chance;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;
use tokio::time::timeout;

const KILLS: usize = 20;

fn wins(client: &Client) -> u64 {
    let seats = client.room["seats"].as_array().expect("a list of seats");
    seats.iter().map(|seat| seat["wins"].as_u64().expect("a number of wins")).sum()
}

/// Checks that everything seen still exists, and at most the one action in transit was added. Where all choose
/// simultaneously, the others may have chosen since, and resolving that increments the number once more.
fn check(client: &Client, before: &Client, pending: Option<u32>) {
    if client.room["phase"] == "lobby" {
        return; // The others have finished that game and asked for a rematch. A lobby shows no game and no version.
    }
    assert!(client.version >= before.version, "version {} after {}", client.version, before.version);
    if wins(client) != wins(before) {
        return; // The others have finished that game, which was only possible if nothing was lost.
    }
    assert_eq!(client.history[..before.history.len()], before.history, "history must only grow");
    let (next, seen) = (client.next(), before.next());
    let counted = u32::from(client.room["game"] == "qwantum");
    assert!((seen..=seen + u32::from(pending.is_some()) + counted).contains(&next), "{next} after {seen}");
    if let Some(n) = pending {
        assert!((n..=n + 1 + counted).contains(&next));
    }
}

/// Plays game after game until `enough` is set, through every kill. Returns how many actions were acknowledged.
async fn play(
    mut client: Client,
    address: SocketAddr,
    code: String,
    mut chance: Chance,
    enough: Arc<AtomicBool>,
    progress: watch::Sender<usize>,
) -> usize {
    let mut acknowledged = 0;
    let mut pending: Option<(u32, Value)> = None;
    loop {
        if client.is_over() && enough.load(Ordering::Relaxed) {
            return acknowledged;
        }
        if pending.as_ref().is_some_and(|(n, _)| client.next() > *n) {
            pending = None;
            acknowledged += 1;
            progress.send_modify(|count| *count += 1);
        }
        let wanted = if client.is_over() || client.room["phase"] == "lobby" {
            pending = None;
            let host = client.room["host"].as_u64() == client.seat();
            let rematch = if client.is_over() { "rematch" } else { "start" };
            host.then(|| json!({"type": rematch}))
        } else if pending.is_none() && client.is_asked() {
            pending = Some((client.next(), choose(&client, &mut chance)));
            pending.as_ref().map(|(n, action)| json!({"type": "act", "n": n, "action": action}))
        } else {
            None
        };
        let alive = match wanted {
            Some(message) => client.try_say(message).await.is_ok(),
            None => true,
        };
        if alive && client.hear().await.is_ok() {
            continue;
        }
        let token = client.token.clone().expect("the client is seated");
        let again = Client::reconnect(address, &code, &token, &[1012]).await;
        let before = std::mem::replace(&mut client, again);
        check(&client, &before, pending.as_ref().map(|(n, _)| *n));
        // Resent only if the welcome shows that it did not count.
        if let Some((n, action)) = pending.take() {
            if client.next() == n && !client.actions().is_empty() && wins(&client) == wins(&before) {
                let _ = client.try_say(json!({"type": "act", "n": n, "action": action})).await;
                pending = Some((n, action));
            } else if client.next() > n {
                acknowledged += 1;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn survives_twenty_kills_during_games() {
    let folder = tempfile::tempdir().unwrap();
    let data = data_of(folder.path());
    // With several servers the clients are connected to another one, which is not killed.
    let relayed = topology() == Topology::Relayed;
    let flags = if relayed { node_flags() } else { Vec::new() };
    let mut server = Process::start_with(&data, "127.0.0.1:0", &flags).await;
    let owner = server.address;
    let edge = if relayed { Some(Process::start_with(&data, "127.0.0.1:0", &node_flags()).await) } else { None };
    let address = edge.as_ref().map_or(owner, |edge| edge.address);
    set_owner(address, owner);
    let enough = Arc::new(AtomicBool::new(false));
    let (progress, mut progressed) = watch::channel(0);
    let mut players = Vec::new();
    let towers = |mistakes: &str| json!({"game": "towers", "rules": {"mistakes": mistakes}});
    let qwantum = || json!({"game": "qwantum"});
    let rooms = [
        (2, towers("prevented")),
        (3, towers("allowed")),
        (4, towers("prevented")),
        (5, towers("prevented")),
        (2, qwantum()),
        (3, qwantum()),
        (4, qwantum()),
    ];
    for (index, (people, options)) in rooms.into_iter().enumerate() {
        let code = open_with(address, options).await;
        for (seat, client) in begin(address, &code, people).await.into_iter().enumerate() {
            let chance = chance((100 + index * 10 + seat) as u8);
            let (code, enough, progress) = (code.clone(), enough.clone(), progress.clone());
            players.push(tokio::spawn(play(client, address, code, chance, enough, progress)));
        }
    }

    let mut moments = chance(99);
    for _ in 0..KILLS {
        // Some actions later, at a time unrelated to any of them.
        let target = *progressed.borrow() + 1 + moments.below(40) as usize;
        let moved_on = progressed.wait_for(|acts| *acts >= target);
        timeout(PATIENCE, moved_on).await.expect("the games continue").expect("the players are running");
        for _ in 0..moments.below(200) {
            tokio::task::yield_now().await;
        }
        server.kill().await;
        server = Process::start_with(&data, &owner.to_string(), &flags).await;
        assert_eq!(server.address, owner);
    }

    enough.store(true, Ordering::Relaxed);
    let acknowledged: usize = finish(players).await.into_iter().sum();
    assert!(acknowledged > KILLS, "{acknowledged} actions were acknowledged");
    server.kill().await;
    if let Some(edge) = edge {
        edge.kill().await;
    }
}
