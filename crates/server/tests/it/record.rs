//! The record of a finished game, over HTTP and through `rookery verify`.

use crate::games::play_on;
use crate::harness::{TestServer, begin, open_with};
use serde_json::{Value, json};
use std::process::Command;

async fn record(server: &TestServer, code: &str) -> (u16, Value) {
    let (status, body) = server.get(&format!("/api/rooms/{code}/record")).await;
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
async fn anyone_can_verify_a_finished_game() {
    let server = TestServer::start().await;
    for game in ["towers", "qwantum"] {
        let code = open_with(server.address, json!({"game": game})).await;
        let (status, none) = record(&server, &code).await;
        assert_eq!((status, &none["error"]["code"]), (404, &json!("no_record")));
        let mut players = begin(server.address, &code, 2).await;
        let (status, on) = record(&server, &code).await;
        assert_eq!((status, &on["error"]["code"]), (409, &json!("game_on")));
        let commitment = players[0].room["fair"]["commitment"].clone();

        play_on(&mut players, 3).await;
        let (status, told) = record(&server, &code).await;
        assert_eq!(status, 200);
        assert_eq!((&told["game"], &told["commitment"]), (&json!(game), &commitment));
        assert_eq!(told["players"], json!(["Ana", "Bea"]));
        let (said, status) = verified(&told.to_string());
        assert_eq!(status, Some(0), "{said}");
        assert!(said.contains("is valid"), "{said}");

        let mut forged = told.clone();
        forged["outcome"]["scores"][0] = json!(99);
        let (said, status) = verified(&forged.to_string());
        assert_eq!(status, Some(1));
        assert!(said.contains("is not valid: its outcome was changed after it was written"), "{said}");

        let mut old = told.clone();
        old.as_object_mut().unwrap().remove("record_version").expect("a record has a version");
        old.as_object_mut().unwrap().remove("digest").expect("a record has a digest");
        let (said, status) = verified(&old.to_string());
        assert_eq!(status, Some(0), "a record from before versions existed: {said}");
        let mut newer = told.clone();
        newer["record_version"] = json!(4);
        newer["something"] = json!("new");
        let (said, status) = verified(&newer.to_string());
        assert_eq!(status, Some(1));
        assert!(said.contains("is not valid: it is a record of version 4"), "{said}");

        // In the lobby the last game is still available.
        players[0].say(json!({"type": "rematch"})).await;
        players[0].until("the room is in the lobby", |player| player.room["phase"] == "lobby").await;
        assert_eq!(record(&server, &code).await, (200, told));
    }
    assert_eq!(verified("a letter").1, Some(1));
    let (status, missing) = record(&server, "222222").await;
    assert_eq!((status, &missing["error"]["code"]), (404, &json!("no_such_room")));
    server.stop().await;
}
