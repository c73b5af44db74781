//! Spectators: everyone sees who they are, and the host may mute and remove them.

use crate::client::{Client, End};
use crate::harness::TestServer;
use crate::idle::{MINUTE, advance};
use crate::lobby::refused;
use serde_json::{Value, json};

fn names(client: &Client) -> Vec<&str> {
    let audience = client.room["audience"].as_array().expect("a JSON array");
    audience.iter().map(|watcher| watcher["name"].as_str().unwrap()).collect()
}

/// Returns the id by which the host refers to a spectator.
async fn id_of(host: &mut Client, name: &str) -> Value {
    host.until("the spectator is shown", |host| names(host).contains(&name)).await;
    let audience = host.room["audience"].as_array().unwrap();
    audience.iter().find(|watcher| watcher["name"] == *name).unwrap()["id"].clone()
}

#[tokio::test]
async fn everyone_sees_the_spectators() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    assert_eq!(ana.room["audience"], json!([]));
    let wil = Client::watch(server.address, &code, "Wil").await;
    assert_eq!((names(&wil), &wil.room["watchers"]), (vec!["Wil"], &json!(1)));
    let mut bea = server.join(&code, "Bea").await;
    bea.say(json!({"type": "stand"})).await;
    ana.until("two spectators are shown", |ana| names(ana) == ["Wil", "Bea"]).await;
    bea.say(json!({"type": "sit"})).await;
    drop(wil);
    ana.until("no spectator is left", |ana| names(ana).is_empty() && ana.room["watchers"] == 0).await;
}

#[tokio::test]
async fn a_muted_spectator_stays_muted_after_rejoining() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    let mut zoe = Client::watch(server.address, &code, "Zoe").await;
    let id = id_of(&mut ana, "Zoe").await;
    ana.say(json!({"type": "mute", "watcher": id, "muted": true})).await;
    zoe.until("the spectator is shown as muted", |zoe| zoe.room["audience"][1]["muted"] == true).await;
    refused(&mut zoe, json!({"type": "chat", "text": "hear me"}), "muted").await;
    wil.say(json!({"type": "chat", "text": "so quiet here"})).await;
    zoe.until_heard("chat").await;

    drop(zoe);
    ana.until("Zoe is gone", |ana| names(ana) == ["Wil"]).await;
    let mut zoe = Client::watch(server.address, &code, "Zoe").await;
    refused(&mut zoe, json!({"type": "chat", "text": "hear me"}), "muted").await;
    let id = id_of(&mut ana, "Zoe").await;
    ana.say(json!({"type": "mute", "watcher": id, "muted": false})).await;
    zoe.until("Zoe is unmuted", |zoe| zoe.room["audience"][1]["muted"] == false).await;
    zoe.say(json!({"type": "chat", "text": "thank you"})).await;
    let heard = ana.until_heard("chat").await;
    assert!(heard.json["text"] == "so quiet here" || heard.json["text"] == "thank you");
    // A spectator who takes a seat is a player and may chat.
    ana.say(json!({"type": "mute", "watcher": id, "muted": true})).await;
    zoe.until("Zoe is muted again", |zoe| zoe.room["audience"][1]["muted"] == true).await;
    zoe.say(json!({"type": "sit"})).await;
    zoe.until("the player sits", |zoe| zoe.seat() == Some(1)).await;
    zoe.say(json!({"type": "chat", "text": "a player speaks"})).await;
    zoe.until_heard("chat").await;
}

#[tokio::test]
async fn a_removed_spectator_cannot_rejoin_at_once() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut zoe = Client::watch(server.address, &code, "Zoe").await;
    let id = id_of(&mut ana, "Zoe").await;
    ana.say(json!({"type": "remove_watcher", "watcher": id})).await;
    assert_eq!(zoe.until_end().await, End::Closed(4003));
    ana.until("Zoe is gone", |ana| names(ana).is_empty()).await;
    let join = |watch: bool| json!({"type": "join", "name": "Zoe", "watch": watch});
    for watch in [true, false] {
        let back = Client::join_as(server.address, &code, join(watch)).await;
        assert_eq!(back.err(), Some(End::Closed(4003)));
    }
    // Under another name she may watch but not chat. Others at the same address are not removed with her.
    let mut zora = Client::watch(server.address, &code, "Zora").await;
    refused(&mut zora, json!({"type": "chat", "text": "it is not me"}), "muted").await;
    assert_eq!(server.join(&code, "Bea").await.seat(), Some(1));
    advance(MINUTE * 10).await;
    ana.say(json!({"type": "ping", "t": 1})).await;
    Client::watch(server.address, &code, "Zoe").await;
}

#[tokio::test]
async fn only_the_host_can_mute_or_remove_spectators() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut bea = server.join(&code, "Bea").await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    let id = id_of(&mut ana, "Wil").await;
    let mute = |id: &Value| json!({"type": "mute", "watcher": id, "muted": true});
    let remove = |id: &Value| json!({"type": "remove_watcher", "watcher": id});
    for message in [mute(&id), remove(&id)] {
        refused(&mut bea, message.clone(), "not_host").await;
        refused(&mut wil, message, "not_seated").await;
    }
    for message in [mute(&json!(0)), remove(&json!(u64::MAX))] {
        refused(&mut ana, message, "no_such_watcher").await;
    }
    wil.say(json!({"type": "sit"})).await;
    wil.until("Wil sits", |wil| wil.seat() == Some(2)).await;
    refused(&mut ana, remove(&id), "no_such_watcher").await;
}
