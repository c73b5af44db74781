//! What a stranger with a room's link may try, and what comes of it. Each test is named after the attack, and fails when
//! its protection is taken out; `docs/security.md` lists them.

use crate::client::Client;
use crate::harness::{FAST, Process, TestServer, open};
use journal::Journal;
use journal::memory::Memory;
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn talking_without_end_does_not_grow_the_journal() {
    let journal = Arc::new(Memory::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let before = journal.read(&code).await.unwrap().expect("the room");
    for line in 0..2000 {
        ana.say(json!({"type": "chat", "text": format!("line {line} {}", "x".repeat(400))})).await;
        ana.until_heard("chat").await;
    }
    assert_eq!(journal.read(&code).await.unwrap(), Some(before), "no entry was written");
    let notes = journal.open(&code, 0).await.unwrap().expect("the room").notes;
    assert_eq!(notes.len(), 50);
    let bytes: usize = notes.iter().map(String::len).sum();
    assert!(bytes < 50 * 600, "{bytes} bytes are kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_heard_survives_a_kill_and_a_second_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut said = 0;
    let mut token: Option<String> = None;
    let mut code: Option<String> = None;
    for _ in 0..3 {
        let server = Process::start(folder.path(), "127.0.0.1:0").await;
        let code = match &code {
            Some(code) => code,
            None => code.insert(open(server.address, "prevented").await),
        };
        let mut ana = match &token {
            Some(token) => Client::resume(server.address, code, token).await.expect("the seat"),
            None => Client::join(server.address, code, "Ana").await,
        };
        token.clone_from(&ana.token);
        let kept: Vec<String> =
            ana.chat.iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect();
        let last = said - kept.len();
        assert_eq!(kept, (last..said).map(|line| format!("line {line}")).collect::<Vec<_>>());
        assert_eq!(kept.len(), said.min(50));
        for _ in 0..40 {
            ana.say(json!({"type": "chat", "text": format!("line {said}")})).await;
            ana.until_heard("chat").await;
            said += 1;
        }
        server.kill().await;
    }
}
