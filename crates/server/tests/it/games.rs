//! Whole games over real sockets and a real database file, with watchers, people who drop out and come back,
//! and acts that are not legal.

use crate::client::Client;
use crate::harness::{FAST, PATIENCE, TestServer};
use game::{Chance, Seed};
use journal::Sqlite;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::time::timeout;

/// The open table at each version, as the first to see it saw it.
type Seen = Arc<Mutex<HashMap<u64, String>>>;

pub fn chance(seed: u8) -> Chance {
    Chance::new(Seed([seed; 32]))
}

/// Any of the acts, but rarely one that is foolish: taking something back, or bidding what cannot be built.
/// Five fools who bid and retract at random would play for days.
pub fn choose(client: &Client, chance: &mut Chance) -> Value {
    let is = |action: &Value, kind: &str| action["type"] == kind;
    let foolish = |action: &Value| {
        let too_much = action["count"].as_u64() > client.mine["highest_bid"].as_u64();
        is(action, "undo") || is(action, "retract") || (is(action, "bid") && too_much)
    };
    let sound: Vec<&Value> = client.actions.iter().filter(|action| !foolish(action)).collect();
    let stuck = sound.is_empty().then(|| client.actions.iter().find(|action| is(action, "retract")));
    if let Some(retract) = stuck.flatten() {
        return retract.clone();
    }
    let any = sound.is_empty() || chance.below(12) == 0;
    let from = if any { client.actions.iter().collect() } else { sound };
    from[chance.below(from.len() as u32) as usize].clone()
}

/// An act that is not among those listed.
fn illegal(client: &Client, chance: &mut Chance) -> Value {
    if client.actions.is_empty() {
        // It may be this seat's turn by the time the act arrives, so it must never be legal.
        return json!({"type": "bid", "count": 9});
    }
    let conceivable = [
        json!({"type": "bid", "count": chance.below(9)}),
        json!({"type": "pass"}),
        json!({"type": "take", "cards": []}),
        json!({"type": "take", "cards": [{"tower": "sand", "value": chance.below(16)}]}),
        json!({"type": "demolish", "tower": "candy"}),
        json!({"type": "build", "card": {"tower": "tree", "value": chance.below(16)}}),
        json!({"type": "undo"}),
        json!({"type": "retract"}),
        json!({"type": "finish"}),
    ];
    loop {
        let act = &conceivable[chance.below(conceivable.len() as u32) as usize];
        if !client.actions.contains(act) {
            return act.clone();
        }
    }
}

fn compare(client: &Client, seen: &Seen) {
    let mut seen = seen.lock().unwrap();
    let first = seen.entry(client.version).or_insert_with(|| client.table.clone());
    assert_eq!(*first, client.table, "{} sees another table at version {}", client.name, client.version);
}

/// Plays to the end, with mischief.
async fn play(
    mut client: Client,
    address: SocketAddr,
    code: String,
    seen: Seen,
    mut chance: Chance,
) -> Client {
    while !client.is_over() {
        compare(&client, &seen);
        if chance.below(40) == 0 {
            // The line drops, and the seat is there again by its token. A watcher just comes again.
            let (before, history) = (client.version, client.history.clone());
            let token = client.token.clone();
            let name = client.name.clone();
            drop(client);
            client = match token {
                Some(token) => Client::resume(address, &code, &token).await.expect("the seat is kept"),
                None => Client::watch(address, &code, &name).await,
            };
            assert!(client.version >= before, "what was seen is still there");
            assert_eq!(client.history[..history.len()], history, "history only grows");
            continue;
        }
        if client.seat.is_some() && chance.below(10) == 0 {
            let n = [client.next, client.next + 1, client.next.saturating_sub(1)][chance.below(3) as usize];
            let action = illegal(&client, &mut chance);
            client.say(json!({"type": "act", "n": n, "action": action})).await;
            let refused = client.until_heard("rejected").await.json;
            assert_eq!(refused["n"], n);
            let code = refused["code"].as_str().unwrap();
            match n.cmp(&client.next) {
                std::cmp::Ordering::Less => assert_eq!(code, "already_played"),
                // Meanwhile nothing of this seat's own can have been accepted.
                std::cmp::Ordering::Greater => assert_eq!(code, "out_of_step"),
                std::cmp::Ordering::Equal => assert!(!["already_played", "out_of_step"].contains(&code)),
            }
            continue;
        }
        if client.actions.is_empty() {
            client.hear().await.expect("the line is open");
            continue;
        }
        let action = choose(&client, &mut chance);
        let n = client.next;
        client.act(&action).await;
        client.until("the act is acknowledged", |client| client.next > n).await;
    }
    let finished = |client: &Client| client.table().get("phase") == Some(&json!("finished"));
    client.until("the last state", finished).await;
    compare(&client, &seen);
    client
}

async fn whole_game(players: usize, mistakes: &str) {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::with(Arc::new(Sqlite::open(folder.path()).unwrap()), FAST).await;
    let (code, mut clients) = server.game(mistakes, players).await;
    for name in ["Wil", "Xena"] {
        clients.push(Client::watch(server.address, &code, name).await);
    }
    let seen = Seen::default();
    let playing = clients.into_iter().enumerate().map(|(index, client)| {
        let chance = chance((players * 10 + index) as u8);
        tokio::spawn(play(client, server.address, code.clone(), seen.clone(), chance))
    });
    let playing: Vec<_> = playing.collect();
    let mut ends = Vec::new();
    for player in playing {
        ends.push(timeout(PATIENCE * 4, player).await.expect("the game ends").expect("nobody failed"));
    }
    let last = ends[0].version;
    assert!(ends.iter().all(|client| client.version == last && client.history == ends[0].history));
    let missed: Vec<u64> = (1..=last).filter(|version| !seen.lock().unwrap().contains_key(version)).collect();
    assert!(missed.is_empty(), "versions nobody saw: {missed:?}");

    let table = ends[0].table();
    let scores: Vec<&Value> =
        table["players"].as_array().unwrap().iter().map(|player| &player["score"]["total"]).collect();
    assert_eq!(json!(scores), table["outcome"]["scores"]);
    let cards = if players > 3 { 22 } else { 16 };
    assert!(table["round"].as_u64().unwrap() >= cards, "the cards went through once at least");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_play_a_whole_game() {
    whole_game(2, "prevented").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_play_a_whole_game() {
    whole_game(3, "allowed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_play_a_whole_game() {
    whole_game(4, "prevented").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_play_a_whole_game() {
    whole_game(5, "allowed").await;
}
