//! The data folder of the real server is removed: the server reports it, acknowledges nothing, and continues when the
//! folder is back. The log has one line for each change, however many requests there are.
#![cfg(unix)]

use crate::client::{Client, End};
use crate::harness::{FAST, PATIENCE, begin, open, request};
use serde_json::json;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// The real server with its log.
struct Logged {
    address: SocketAddr,
    child: Child,
}

impl Logged {
    async fn start(folder: &Path) -> Logged {
        let mut child = Command::new(env!("CARGO_BIN_EXE_rookery"))
            .args(["--listen", "127.0.0.1:0", "--admin", "off", "--data"])
            .arg(folder)
            .args(FAST)
            .env("ROOKERY_LOG", "info")
            .env("NO_COLOR", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the binary is built with the tests");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let line = timeout(PATIENCE, lines.next_line()).await.expect("a greeting").unwrap();
        let line = line.expect("the server says where it is open");
        Logged { address: line.rsplit("//").next().unwrap().trim().parse().expect(&line), child }
    }

    /// Stops the server and returns its log.
    async fn log(mut self) -> Vec<String> {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().unwrap().to_string()]).status();
        assert!(asked.await.unwrap().success());
        let mut log = String::new();
        let mut stderr = self.child.stderr.take().expect("piped");
        timeout(PATIENCE, stderr.read_to_string(&mut log)).await.expect("it ends").unwrap();
        log.lines().map(str::to_owned).collect()
    }
}

/// Returns the lines that contain this text.
fn saying<'a>(log: &'a [String], what: &str) -> Vec<&'a String> {
    log.iter().filter(|line| line.contains(what)).collect()
}

async fn readiness(address: SocketAddr) -> (u16, String) {
    request(address, "GET", "/readyz", "").await
}

#[tokio::test]
async fn a_folder_taken_away_is_told_once_and_nothing_is_acknowledged_until_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let (data, aside) = (folder.path().join("data"), folder.path().join("aside"));
    let server = Logged::start(&data).await;
    let code = open(server.address, "prevented").await;
    let mut players = begin(server.address, &code, 2).await;
    assert_eq!(readiness(server.address).await.0, 200);

    fs::rename(&data, &aside).unwrap();
    let (status, body) = readiness(server.address).await;
    assert_eq!(status, 503);
    assert!(body.contains("not_ready") && body.contains("rookery.db was deleted"), "{body}");
    assert!(!body.contains(data.to_str().unwrap()), "where the folder is, is nobody's business: {body}");
    let turn = players[0].table()["turn"].as_u64().unwrap() as usize;
    let action = players[turn].actions[0].clone();
    players[turn].act(&action).await;
    assert_eq!(players[turn].until_heard("rejected").await.json["code"], "cannot_write");
    for player in &mut players {
        assert_eq!(player.until_end().await, End::Closed(1012));
    }
    for _ in 0..20 {
        // Not "no such room", after which pages would discard their tokens.
        let (status, body) = request(server.address, "GET", &format!("/api/rooms/{code}"), "").await;
        assert_eq!(status, 503);
        assert!(body.contains("room_unreadable"), "{body}");
        let (status, body) = request(server.address, "POST", "/api/rooms", r#"{"game":"towers"}"#).await;
        assert_eq!(status, 503);
        assert!(body.contains("cannot_write"), "{body}");
        assert_eq!(readiness(server.address).await.0, 503);
    }
    assert!(!data.exists(), "nothing is made in its place");

    fs::rename(&aside, &data).unwrap();
    assert_eq!(readiness(server.address).await.0, 200);
    for player in &mut players {
        let token = player.token.clone().unwrap();
        let back = Client::resume(server.address, &code, &token).await.expect("the seat");
        assert_eq!((back.version, back.next), (player.version, player.next), "nothing was lost or added");
        *player = back;
    }
    players[turn].act(&action).await;
    players[turn].until("the act counts", |player| player.version == 2).await;

    let log = server.log().await;
    for (begun, over) in [
        ("the journal cannot be written", "the journal can be written again"),
        ("the journal cannot be read", "the journal can be read again"),
    ] {
        assert_eq!(saying(&log, begun).len(), 1, "{log:#?}");
        let [over] = saying(&log, over)[..] else { panic!("{log:#?}") };
        let failed: u64 = over.split("failed=").nth(1).expect("how many").trim().parse().unwrap();
        assert!(failed >= 20, "{over}");
    }
    assert!(log.len() <= 8, "one line for each state of affairs: {log:#?}");
}

#[tokio::test]
async fn a_server_is_not_started_over_a_database_that_was_emptied() {
    let folder = tempfile::tempdir().unwrap();
    let server = Logged::start(folder.path()).await;
    open(server.address, "prevented").await;
    let _ = server.log().await;
    fs::write(folder.path().join("rookery.db"), "").unwrap();
    let started = Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(["--listen", "127.0.0.1:0", "--admin", "off", "--data"])
        .arg(folder.path())
        .kill_on_drop(true)
        .output();
    let output = timeout(PATIENCE, started).await.expect("it ends").unwrap();
    assert_eq!(output.status.code(), Some(1));
    let sentence = String::from_utf8(output.stderr).unwrap();
    assert!(sentence.contains("has lost what was in it; restore a backup"), "{sentence}");
    assert_eq!(sentence.lines().count(), 1, "{sentence}");
}

#[tokio::test]
async fn a_lock_that_was_removed_is_told_and_people_play_on() {
    let folder = tempfile::tempdir().unwrap();
    let server = Logged::start(folder.path()).await;
    let code = open(server.address, "prevented").await;
    let mut ana = Client::join(server.address, &code, "Ana").await;
    fs::remove_file(folder.path().join("rookery.lock")).unwrap();
    for _ in 0..5 {
        let (status, body) = readiness(server.address).await;
        assert_eq!(status, 503);
        assert!(body.contains("rookery.lock was deleted"), "{body}");
    }
    ana.say(json!({"type": "chat", "text": "still here"})).await;
    ana.until_heard("chat").await;
    let log = server.log().await;
    assert_eq!(saying(&log, "another server could use this folder too").len(), 1, "{log:#?}");
}
