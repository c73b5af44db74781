//! Whole games over real sockets and a real database file, with spectators, players who disconnect and return, and
//! illegal actions.

use crate::client::Client;
use crate::harness::{FAST, TestServer, begin, finish, open_with};
use crate::topology::{Topology, topology};
use game::{Chance, Seed};
use journal::sqlite::Sqlite;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

/// The open table at each version, as first seen by any client.
type SeenTables = Arc<Mutex<HashMap<u64, String>>>;

pub fn chance(seed: u8) -> Chance {
    Chance::new(Seed([seed; 32]))
}

/// The state version after which players pass when they can, so that no game takes thousands of actions.
const PASS_FROM: u64 = 400;

/// Returns a random action, but rarely a foolish one: taking something back, bidding what cannot be built, entering
/// nothing. Five players who bid and retract at random would play for days.
pub fn choose(client: &Client, chance: &mut Chance) -> Value {
    let is = |action: &Value, kind: &str| action["type"] == kind;
    let foolish = |action: &Value| {
        let too_much = action["count"].as_u64() > client.mine["highest_bid"].as_u64();
        ["undo", "retract", "skip"].iter().any(|kind| is(action, kind)) || (is(action, "bid") && too_much)
    };
    let actions = client.actions();
    let sound: Vec<&Value> = actions.iter().filter(|action| !foolish(action)).collect();
    let listed = |kind: &str| actions.iter().find(|action| is(action, kind));
    let stuck = sound.is_empty().then(|| listed("retract"));
    if let Some(retract) = stuck.flatten() {
        return retract.clone();
    }
    // One step back out of a dead end often leads straight into it again, hundreds of times.
    let backing_out = client.history.last().is_some_and(|event| is(event, "undo")) && chance.below(2) == 0;
    if let Some(undo) = backing_out.then(|| listed("undo")).flatten() {
        return undo.clone();
    }
    if let Some(pass) = (client.version >= PASS_FROM).then(|| listed("pass")).flatten() {
        return pass.clone();
    }
    let any = sound.is_empty() || chance.below(12) == 0;
    let from = if any { actions.iter().collect() } else { sound };
    let mut act = from[chance.below(from.len() as u32) as usize].clone();
    if let Some(dice) = act.get_mut("dice").and_then(Value::as_array_mut) {
        // A re-roll is listed once with all dice, and legal with any of them.
        let kept = chance.below(dice.len() as u32) as usize;
        dice.retain(|die| *die == kept || chance.below(2) == 0);
    }
    act
}

/// Waits until all clients have the newest version, and returns whether the game goes on.
pub async fn catch_up(players: &mut [Client]) -> bool {
    let newest = players.iter().map(|player| player.version).max().unwrap();
    until_version(players, newest).await;
    !players.iter().any(Client::is_over)
}

/// Plays a random action of a player who must act, and returns that player.
pub async fn play_one<'a>(players: &'a mut [Client], chance: &mut Chance) -> &'a mut Client {
    let player = players.iter_mut().find(|player| player.is_asked()).expect("a player must act");
    let (action, n) = (choose(player, chance), player.next());
    player.act(&action).await;
    player.until("the action is acknowledged", |player| player.next() > n).await;
    player
}

/// Plays random actions to the end of the game.
pub async fn play_on(players: &mut [Client], seed: u8) {
    let mut chance = chance(seed);
    while catch_up(players).await {
        play_one(players, &mut chance).await;
    }
}

/// Waits until all clients have this version.
pub async fn until_version(players: &mut [Client], version: u64) {
    for player in players {
        player.until("the action is shown", |player| player.version >= version).await;
    }
}

/// Returns an action that is not listed.
fn illegal(client: &Client, chance: &mut Chance) -> Value {
    let qwantum = client.room["game"] == "qwantum";
    if !client.is_asked() {
        // It may be this seat's turn by the time the action arrives, so it must never be legal.
        return if qwantum { json!({"type": "reroll", "dice": []}) } else { json!({"type": "bid", "count": 9}) };
    }
    if qwantum {
        return illegal_in_qwantum(client, chance);
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
    unlisted(client, chance, &conceivable)
}

fn illegal_in_qwantum(client: &Client, chance: &mut Chance) -> Value {
    let rows = ["violet", "blue", "red", "yellow"];
    let conceivable = [
        json!({"type": "roll"}),
        json!({"type": "keep"}),
        json!({"type": "skip"}),
        json!({"type": "enter", "row": rows[chance.below(4) as usize]}),
        json!({"type": "reroll", "dice": []}),
        json!({"type": "reroll", "dice": [1, 1]}),
        json!({"type": "reroll", "dice": [7]}),
    ];
    unlisted(client, chance, &conceivable)
}

fn unlisted(client: &Client, chance: &mut Chance, conceivable: &[Value]) -> Value {
    loop {
        let act = &conceivable[chance.below(conceivable.len() as u32) as usize];
        if !client.actions().contains(act) {
            return act.clone();
        }
    }
}

fn compare(client: &Client, seen: &SeenTables) {
    let mut seen = seen.lock().unwrap();
    let first = seen.entry(client.version).or_insert_with(|| client.table.clone());
    assert_eq!(*first, client.table, "{} sees a different table at version {}", client.name, client.version);
}

/// Plays to the end, with disconnections and illegal actions.
async fn play(mut client: Client, address: SocketAddr, code: String, seen: SeenTables, mut chance: Chance) -> Client {
    while !client.is_over() {
        compare(&client, &seen);
        if chance.below(40) == 0 {
            // The connection drops, and the token reopens the seat. A spectator joins again by name.
            let (before, history) = (client.version, client.history.clone());
            let token = client.token.clone();
            let name = client.name.clone();
            client = if chance.below(2) == 0 {
                client.come_back(address, &code).await.expect("the seat is kept")
            } else {
                drop(client);
                match token {
                    Some(token) => Client::resume(address, &code, &token).await.expect("the seat is kept"),
                    None => Client::watch(address, &code, &name).await,
                }
            };
            assert!(client.version >= before, "the version must not decrease");
            assert_eq!(client.history[..history.len()], history, "history must only grow");
            continue;
        }
        if client.seat().is_some() && chance.below(10) == 0 {
            let n = [client.next(), client.next() + 1, client.next().saturating_sub(1)][chance.below(3) as usize];
            let action = illegal(&client, &mut chance);
            client.say(json!({"type": "act", "n": n, "action": action})).await;
            let refused = client.until_heard("rejected").await.json;
            assert_eq!(refused["n"], n);
            let code = refused["code"].as_str().unwrap();
            match n.cmp(&client.next()) {
                std::cmp::Ordering::Less => assert_eq!(code, "already_played"),
                // Nothing of this seat can have been accepted meanwhile.
                std::cmp::Ordering::Greater => assert_eq!(code, "out_of_step"),
                std::cmp::Ordering::Equal => assert!(!["already_played", "out_of_step"].contains(&code)),
            }
            continue;
        }
        if client.actions().is_empty() || (!client.is_asked() && chance.below(4) > 0) {
            client.hear().await.expect("the connection is open");
            continue;
        }
        let action = choose(&client, &mut chance);
        let (n, asked) = (client.next(), client.is_asked());
        client.act(&action).await;
        if asked {
            client.until("the action is acknowledged", |client| client.next() > n).await;
            continue;
        }
        // A changed choice may arrive too late, after the last of the others has decided. The new state then comes
        // first, and the refusal follows.
        let mut refused = false;
        while client.next() == n && !refused {
            refused = client.hear().await.expect("the connection is open").kind() == "rejected";
        }
        if !refused && client.mine["choice"] != action {
            assert_eq!(client.until_heard("rejected").await.json["code"], "already_played");
        }
    }
    let finished = |client: &Client| client.table().get("phase") == Some(&json!("finished"));
    client.until("the final state is shown", finished).await;
    compare(&client, &seen);
    client
}

/// Plays a whole game with these options and returns the final table.
async fn whole_game(players: usize, options: Value) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let server = match topology() {
        Topology::Memory => TestServer::with(Arc::new(Sqlite::open(folder.path()).unwrap()), FAST).await,
        _ => TestServer::start().await,
    };
    let code = open_with(server.address, options).await;
    let mut clients = begin(server.address, &code, players).await;
    for name in ["Wil", "Xena"] {
        clients.push(Client::watch(server.address, &code, name).await);
    }
    let seen = SeenTables::default();
    let playing = clients.into_iter().enumerate().map(|(index, client)| {
        let chance = chance((players * 10 + index) as u8);
        tokio::spawn(play(client, server.address, code.clone(), seen.clone(), chance))
    });
    let playing: Vec<_> = playing.collect();
    let ends = finish(playing).await;
    let last = ends[0].version;
    assert!(ends.iter().all(|client| client.version == last && client.history == ends[0].history));
    let missed: Vec<u64> = (1..=last).filter(|version| !seen.lock().unwrap().contains_key(version)).collect();
    assert!(missed.is_empty(), "versions that no client saw: {missed:?}");

    let table = ends[0].table();
    let scores: Vec<&Value> =
        table["players"].as_array().unwrap().iter().map(|player| &player["score"]["total"]).collect();
    assert_eq!(json!(scores), table["outcome"]["scores"]);
    server.stop().await;
    table
}

async fn five_towers(players: usize, mistakes: &str) {
    let table = whole_game(players, json!({"game": "towers", "rules": {"mistakes": mistakes}})).await;
    let cards = if players > 3 { 22 } else { 16 };
    assert!(table["round"].as_u64().unwrap() >= cards, "the deck must be used up at least once");
}

async fn qwantum(players: usize) {
    let table = whole_game(players, json!({"game": "qwantum"})).await;
    let full = |rows: &Value| rows.as_object().unwrap().values().all(|row| row.as_array().unwrap().len() == 6);
    let people = table["players"].as_array().unwrap();
    let ended = people.iter().any(|player| player["misses"] == 5 || full(&player["rows"]));
    assert!(ended, "the game ended without full rows or five misses");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_players_play_a_whole_game() {
    five_towers(2, "prevented").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_players_play_a_whole_game() {
    five_towers(3, "allowed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_players_play_a_whole_game() {
    five_towers(4, "prevented").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_players_play_a_whole_game() {
    five_towers(5, "allowed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_players_play_a_whole_game_of_qwantum() {
    qwantum(2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_players_play_a_whole_game_of_qwantum() {
    qwantum(3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_players_play_a_whole_game_of_qwantum() {
    qwantum(4).await;
}
