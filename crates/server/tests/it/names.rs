//! Players change their names, over real sockets.

use crate::client::{Client, Raw};
use crate::harness::{Process, TestServer, begin, open_with};
use crate::lobby::{names, play_quietly, refused};
use crate::record::verified;
use serde_json::{Value, json};

fn rename(name: &str) -> Value {
    json!({"type": "rename", "name": name})
}

#[tokio::test]
async fn a_lookalike_name_gets_a_number() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    server.join(&code, "Ana").await;
    // The A and a are Cyrillic letters.
    let other = server.join(&code, "Аnа").await;
    assert_eq!(other.name, "Аnа 2");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_name_is_announced_and_recorded() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut bea = server.join(&code, "Clever Fox").await;
    let mut phone = Client::resume(server.address, &code, bea.token.as_deref().unwrap()).await.unwrap();
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    // In the lobby: every device of the seat is notified, and everyone hears and sees it.
    bea.say(rename("  Bea ")).await;
    for client in [&mut bea, &mut phone, &mut wil] {
        let told = client.until_heard("renamed").await.json;
        assert_eq!(told, json!({"type": "renamed", "seat": 0, "was": "Clever Fox", "name": "Bea"}));
        client.until("the room shows the new name", |client| names(&client.room) == ["Bea"]).await;
    }
    for client in [&mut bea, &mut phone] {
        client.until("the device has the new name", |client| client.name == "Bea").await;
    }
    bea.say(json!({"type": "leave"})).await;
    bea.until_end().await;

    // During a game: the game does not change, and chat messages have the new name.
    let mut players = begin(server.address, &code, 2).await;
    players[1].say(rename("Mia")).await;
    players[0].until("the new name is shown", |ana| names(&ana.room) == ["Ana", "Mia"]).await;
    assert_eq!(players[0].version, 1);
    players[1].say(json!({"type": "chat", "text": "hello"})).await;
    assert_eq!(wil.until_heard("chat").await.json["name"], "Mia");
    play_quietly(&mut players).await;
    // After the game: the room shows the new name, and the record keeps the old one.
    players[1].say(rename("Zoe")).await;
    players[0].until("the new name is shown", |ana| names(&ana.room) == ["Ana", "Zoe"]).await;
    assert!(players[0].is_over());
    let (status, record) = server.get(&format!("/api/rooms/{code}/record")).await;
    assert_eq!(status, 200);
    assert_eq!(serde_json::from_str::<Value>(&record).unwrap()["players"], json!(["Ana", "Mia"]));
    assert_eq!(verified(&record).1, Some(0));
}

#[tokio::test]
async fn refuses_invalid_names_and_renames_without_a_seat() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut bea = server.join(&code, "Bea").await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    refused(&mut wil, rename("Zoe"), "not_seated").await;
    for bad in ["", "   ", "abcdefghijklmnopqrstu", "Ana\u{202e}", "Ana\u{0}"] {
        refused(&mut ana, rename(bad), "bad_name").await;
    }
    // A name that another player has gets a number, as when joining.
    bea.say(rename("ana")).await;
    bea.until("the name gets a number", |bea| bea.name == "ana 2").await;
    ana.until("both names are shown", |ana| names(&ana.room) == ["Ana", "ana 2"]).await;
    // A remove that names Bea does not apply to a player with another name.
    refused(&mut ana, json!({"type": "remove", "seat": 1, "name": "Bea"}), "no_such_seat").await;
    // A rename without a name is not a valid message.
    let dan = Raw::open(server.address, &code).await.says(json!({"type": "join", "name": "Dan"}).to_string()).await;
    let mut dan = dan.says(r#"{"type":"rename"}"#).await;
    loop {
        let told = dan.hear().await.expect("the connection stays open");
        if told["type"] == "error" {
            break assert_eq!(told["code"], "bad_message");
        }
    }
}

#[tokio::test]
async fn rate_limits_renames() {
    let counted = ["--acts-per-second", "1000000", "--rooms-per-hour", "0"];
    let server = TestServer::fresh(&counted).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut bea = server.join(&code, "Bea").await;
    ana.say(rename("Ana")).await;
    let mut changed = 0;
    let refusal = loop {
        ana.say(rename(&format!("Ana {changed}"))).await;
        match ana.until_any(&["renamed", "error"]).await {
            told if told.kind() == "error" => break told.json["code"].clone(),
            told => assert_eq!(told.json["name"], format!("Ana {changed}")),
        }
        changed += 1;
        assert!(changed < 1000, "the rate limit does not apply");
    };
    assert_eq!(refusal, "too_fast");
    assert_eq!(changed, 2, "a rename to the same name counts as well");
    // It does not count as a violation, and the limits of others are not affected.
    for _ in 0..20 {
        refused(&mut ana, rename("Zoe"), "too_fast").await;
    }
    bea.say(rename("Mia")).await;
    ana.until("the new name is shown", |ana| names(&ana.room) == ["Ana 1", "Mia"]).await;
}

#[tokio::test]
async fn a_name_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = Process::start(folder.path(), "127.0.0.1:0").await;
    let code = open_with(server.address, json!({"game": "towers"})).await;
    let mut players = begin(server.address, &code, 2).await;
    players[0].say(rename("Zoe")).await;
    players[0].until_heard("renamed").await;
    let token = players[0].token.clone().unwrap();
    server.kill().await;
    let server = Process::start(folder.path(), "127.0.0.1:0").await;
    let zoe = Client::resume(server.address, &code, &token).await.expect("the seat is kept");
    assert_eq!((zoe.name.as_str(), names(&zoe.room)), ("Zoe", vec!["Zoe", "Bea"]));
}
