//! Signals without chat: readiness for another game, reactions, and hurrying bots.

use crate::client::{Client, Raw};
use crate::harness::{TestServer, begin, open_with, request};
use crate::lobby::{play_quietly, refused};
use crate::topology::advance_with_leases;
use crate::update::play_to_the_end;
use serde_json::{Value, json};
use std::time::Duration;

/// Budgets apply, and messages are accepted as fast as a test sends them.
const COUNTED: &[&str] = &["--acts-per-second", "1000000", "--rooms-per-hour", "0", "--bot-delay-ms", "3600000"];

/// Names of the players who want another game.
fn ready_players(room: &Value) -> Vec<&str> {
    let seats = room["seats"].as_array().unwrap().iter().filter(|seat| seat["ready"] == true);
    seats.map(|seat| seat["name"].as_str().unwrap()).collect()
}

fn ready(ready: bool) -> Value {
    json!({"type": "ready", "ready": ready})
}

fn react(reaction: &str) -> Value {
    json!({"type": "react", "reaction": reaction})
}

#[tokio::test]
async fn ready_players_are_shown_until_the_game_begins() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 3).await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    refused(&mut players[1], ready(true), "game_on").await;
    play_quietly(&mut players).await;
    refused(&mut wil, ready(true), "not_seated").await;
    // Either of Bea's devices may send it, and both show it.
    let mut phone = Client::resume(server.address, &code, players[1].token.as_deref().unwrap()).await.unwrap();
    phone.say(ready(true)).await;
    for client in players.iter_mut().chain([&mut wil, &mut phone]) {
        client.until("Bea is shown as ready", |client| ready_players(&client.room) == ["Bea"]).await;
        assert!(client.is_over(), "clients keep seeing the result");
        assert!(client.room["seats"][0].get("ready").is_none(), "the field is omitted for others");
    }
    // In the lobby the signals stay. A player who stands up loses theirs, and seats are renumbered.
    players[2].say(ready(true)).await;
    players[0].until("Cid is ready, too", |ana| ready_players(&ana.room) == ["Bea", "Cid"]).await;
    players[0].say(json!({"type": "rematch"})).await;
    wil.until("the room is in the lobby", |wil| wil.room["phase"] == "lobby").await;
    assert_eq!(ready_players(&wil.room), ["Bea", "Cid"]);
    players[1].say(json!({"type": "stand"})).await;
    wil.until("Bea stands", |wil| ready_players(&wil.room) == ["Cid"]).await;
    refused(&mut players[1], ready(true), "not_seated").await;
    let welcomed = server.join(&code, "Dan").await;
    assert_eq!(ready_players(&welcomed.room), ["Cid"], "a later join sees the signals");
    players[0].say(json!({"type": "start"})).await;
    wil.until("the game begins", |wil| wil.room["phase"] == "playing").await;
    assert!(ready_players(&wil.room).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_game_starts_by_itself_when_everyone_is_ready() {
    let server = TestServer::start().await;
    let (code, players) = server.game("prevented", 2).await;
    let mut players = play_to_the_end(players).await;
    let finished = players[0].room["fair"]["commitment"].clone();
    for player in &mut players {
        player.say(ready(true)).await;
    }
    for player in &mut players {
        player.until("the countdown begins", |player| player.room["starts_in_ms"].as_u64() > Some(2000)).await;
    }
    players[1].say(ready(false)).await;
    for player in &mut players {
        player.until("the countdown is stopped", |player| player.room.get("starts_in_ms").is_none()).await;
        assert_eq!(player.room["phase"], "finished");
    }
    players[1].say(ready(true)).await;
    for player in &mut players {
        player.until("the next game begins", |player| player.room["phase"] == "playing").await;
        assert_ne!(player.room["fair"]["commitment"], finished, "the next game has another seed");
    }
    let (_, room) = request(server.address, "GET", &format!("/api/rooms/{code}"), "").await;
    assert!(!room.contains("starts_in_ms") && !room.contains("\"ready\""), "{room}");
    server.stop().await;
}

#[tokio::test]
async fn rate_limits_ready_toggles() {
    let server = TestServer::fresh(COUNTED).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut shown = 0;
    let refusal = loop {
        ana.say(ready(shown % 2 == 0)).await;
        match ana.until_any(&["room", "error"]).await {
            told if told.kind() == "error" => break told.json["code"].clone(),
            _ => shown += 1,
        }
        assert!(shown < 5000, "the rate limit does not apply");
    };
    assert_eq!(refusal, "room_busy");
    // A message that changes nothing counts as well.
    refused(&mut ana, ready(shown % 2 != 0), "room_busy").await;
}

#[tokio::test]
async fn a_reaction_reaches_everyone_and_is_not_stored() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut players = begin(server.address, &code, 2).await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    for reaction in ["clap", "laugh", "wow", "think", "ouch", "heart"] {
        players[1].say(react(reaction)).await;
        for client in players.iter_mut().chain([&mut wil]) {
            let told = client.until_heard("reacted").await.json;
            assert_eq!(told, json!({"type": "reacted", "seat": 1, "reaction": reaction}));
        }
    }
    refused(&mut wil, react("clap"), "not_seated").await;
    let late = Client::watch(server.address, &code, "Zoe").await;
    assert!(late.chat.is_empty() && late.history.len() == players[0].history.len());
    // Reactions are also possible in the lobby and after the end.
    play_quietly(&mut players).await;
    players[0].say(react("wow")).await;
    assert_eq!(players[1].until_heard("reacted").await.json["seat"], 0);
    players[0].say(json!({"type": "rematch"})).await;
    players[0].until("the room is in the lobby", |ana| ana.room["phase"] == "lobby").await;
    players[1].say(react("heart")).await;
    assert_eq!(players[0].until_heard("reacted").await.json["reaction"], "heart");
}

#[tokio::test]
async fn refuses_an_unknown_reaction() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let ana = Raw::open(server.address, &code).await.says(json!({"type": "join", "name": "Ana"}).to_string()).await;
    let mut ana = ana.says(react("dance").to_string()).await;
    let code = loop {
        let told = ana.hear().await.expect("the connection stays open");
        if told["type"] == "error" {
            break told["code"].clone();
        }
    };
    assert_eq!(code, "bad_message");
}

#[tokio::test]
async fn reactions_are_rate_limited_per_seat() {
    let server = TestServer::fresh(COUNTED).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut bea = server.join(&code, "Bea").await;
    let mut phone = Client::resume(server.address, &code, ana.token.as_deref().unwrap()).await.unwrap();
    let mut heard = 0;
    let refusal = loop {
        // Two devices of one seat share one limit.
        let device = if heard % 2 == 0 { &mut ana } else { &mut phone };
        device.say(react("clap")).await;
        match device.until_any(&["reacted", "error"]).await {
            told if told.kind() == "error" => break told.json["code"].clone(),
            _ => heard += 1,
        }
        let other = if heard % 2 == 0 { &mut ana } else { &mut phone };
        other.until_heard("reacted").await;
        assert!(heard < 100, "the rate limit does not apply");
    };
    assert_eq!(refusal, "too_fast");
    bea.say(react("wow")).await;
    loop {
        if bea.until_heard("reacted").await.json["seat"] == 1 {
            break;
        }
    }
    // It does not count as a violation: a seat may retry and stays connected.
    for _ in 0..20 {
        ana.say(react("clap")).await;
        ana.until_any(&["reacted", "error"]).await;
    }
    ana.say(json!({"type": "chat", "text": "still here"})).await;
    bea.until_heard("chat").await;
}

#[tokio::test]
async fn a_reaction_counts_towards_the_chat_limit_of_its_address() {
    let server = TestServer::fresh(COUNTED).await;
    let code = server.open("prevented").await;
    let mut friends = Vec::new();
    for name in ["Ana", "Bea", "Cid", "Dan", "Eva"] {
        friends.push(server.join(&code, name).await);
    }
    // Zoe uses up the limit of the address, in rooms that allow a hundred chat messages at once each.
    let (mut zoe, mut said) = (server.join(&server.open("prevented").await, "Zoe").await, 0);
    let mut refused = 0;
    for friend in &mut friends {
        loop {
            if said % 90 == 89 {
                zoe = server.join(&server.open("prevented").await, "Zoe").await;
            }
            zoe.say(json!({"type": "chat", "text": "and another thing"})).await;
            said += 1;
            if zoe.until_any(&["chat", "error"]).await.kind() == "error" {
                break;
            }
            assert!(said < 2000, "the rate limit does not apply");
        }
        friend.say(react("clap")).await;
        refused += loop {
            let told = friend.until_any(&["reacted", "error"]).await;
            if told.kind() == "error" {
                assert_eq!(told.json["code"], "too_fast");
                break 1;
            }
            if told.json["seat"] == json!(friend.seat()) {
                break 0;
            }
        };
    }
    // The limit refills every twentieth of a second, so on a busy machine some may be accepted, but not all.
    assert!(refused > 0, "all five reactions were accepted beyond the limit");
}

#[tokio::test]
async fn seated_players_can_hurry_bots_and_spectators_cannot() {
    // Pauses end only when the clock is advanced.
    let slow = ["--acts-per-second", "0", "--rooms-per-hour", "0", "--bot-delay-ms", "100000"];
    let server = TestServer::fresh(&slow).await;
    let code = open_with(server.address, json!({"game": "towers", "forced": "ask", "pace": "brisk"})).await;
    let mut ana = server.join(&code, "Ana").await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    let hurry = json!({"type": "hurry"});
    refused(&mut ana, hurry.clone(), "no_game").await;
    assert_eq!(ana.room["pace"], "brisk");
    ana.say(json!({"type": "configure", "pace": "normal"})).await;
    ana.say(json!({"type": "add_bot", "level": "easy"})).await;
    ana.until("two players sit", |ana| ana.room["seats"].as_array().unwrap().len() == 2).await;
    ana.say(json!({"type": "start"})).await;
    ana.until("the game begins", |ana| ana.version > 0).await;
    if ana.is_asked() {
        ana.act(&json!({"type": "bid", "count": 0})).await;
    }
    ana.until("the bot must act", |ana| ana.asked() == [1]).await;
    let version = ana.version;
    refused(&mut wil, hurry.clone(), "not_seated").await;
    advance_with_leases(Duration::from_secs(10)).await;
    assert_eq!(ana.version, version, "the bot acted before it was hurried");
    for _ in 0..3 {
        ana.say(hurry.clone()).await;
    }
    ana.until("the bot acts", |ana| ana.version > version).await;
    // The host changes the pace during the game.
    ana.say(json!({"type": "configure", "pace": "calm"})).await;
    ana.until("the pace is calm", |ana| ana.room["pace"] == "calm").await;
}
