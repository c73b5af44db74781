//! The record of a finished game, over HTTP and through `rookery verify`.

use crate::games::{chance, choose};
use crate::harness::{TestServer, begin, open_with, request};
use serde_json::{Value, json};
use std::process::Command;

async fn record(server: &TestServer, code: &str) -> (u16, Value) {
    let (status, body) = request(server.address, "GET", &format!("/api/rooms/{code}/record"), "").await;
    (status, serde_json::from_str(&body).unwrap_or_else(|_| panic!("not JSON: {body}")))
}

/// Runs `rookery verify` on a record. Returns the output and the exit code.
pub fn verified(record: &str) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("record.json");
    std::fs::write(&file, record).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_rookery")).arg("verify").arg(&file).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    (said, output.status.code())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_game_can_be_checked_by_anyone() {
    let server = TestServer::start().await;
    for game in ["towers", "qwantum"] {
        let code = open_with(server.address, json!({"game": game})).await;
        let (status, none) = record(&server, &code).await;
        assert_eq!((status, &none["error"]["code"]), (404, &json!("no_record")));
        let mut players = begin(server.address, &code, 2).await;
        let (status, on) = record(&server, &code).await;
        assert_eq!((status, &on["error"]["code"]), (409, &json!("game_on")));
        let commitment = players[0].room["fair"]["commitment"].clone();

        let mut chance = chance(3);
        while !players.iter().any(|player| player.is_over()) {
            let newest = players.iter().map(|player| player.version).max().unwrap();
            for player in &mut players {
                player.until("all see the same", |player| player.version >= newest).await;
            }
            let player = players.iter_mut().find(|player| player.is_asked()).expect("somebody is asked");
            let (action, n) = (choose(player, &mut chance), player.next);
            player.act(&action).await;
            player.until("the act counts", |player| player.next > n).await;
        }
        let (status, told) = record(&server, &code).await;
        assert_eq!(status, 200);
        assert_eq!((&told["game"], &told["commitment"]), (&json!(game), &commitment));
        assert_eq!(told["players"], json!(["Ana", "Bea"]));
        let (said, status) = verified(&told.to_string());
        assert_eq!(status, Some(0), "{said}");
        assert!(said.contains("holds"), "{said}");

        let mut forged = told.clone();
        forged["outcome"]["scores"][0] = json!(99);
        let (said, status) = verified(&forged.to_string());
        assert_eq!(status, Some(1));
        assert!(said.contains("does not hold: its outcome was changed after it was written"), "{said}");

        let mut old = told.clone();
        old.as_object_mut().unwrap().remove("record_version").expect("records have a version of their own");
        old.as_object_mut().unwrap().remove("digest").expect("and a digest");
        let (said, status) = verified(&old.to_string());
        assert_eq!(status, Some(0), "a record of before they had one: {said}");
        let mut newer = told.clone();
        newer["record_version"] = json!(4);
        newer["something"] = json!("new");
        let (said, status) = verified(&newer.to_string());
        assert_eq!(status, Some(1));
        assert!(said.contains("does not hold: it is a record of version 4"), "{said}");

        // In the lobby the last game is still available.
        players[0].say(json!({"type": "rematch"})).await;
        players[0].until("the lobby", |player| player.room["phase"] == "lobby").await;
        assert_eq!(record(&server, &code).await, (200, told));
    }
    assert_eq!(verified("a letter").1, Some(1));
    let (status, missing) = record(&server, "222222").await;
    assert_eq!((status, &missing["error"]["code"]), (404, &json!("no_such_room")));
    server.stop().await;
}
