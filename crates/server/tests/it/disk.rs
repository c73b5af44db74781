//! The data folder of the real server is removed: the server reports it, acknowledges nothing, and continues when the
//! folder is back. The log has one line for each change, however many requests there are.
#![cfg(unix)]

use crate::client::{Client, End};
use crate::harness::{FAST, PATIENCE, begin, open, printed_address, request};
use serde_json::json;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use tokio::io::AsyncReadExt;
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
        Logged { address: printed_address(&mut child).await, child }
    }

    /// Stops the server and returns its log.
    async fn log(mut self) -> Vec<String> {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().unwrap().to_string()]).status();
        assert!(asked.await.unwrap().success());
        let mut log = String::new();
        let mut stderr = self.child.stderr.take().expect("the output is piped");
        timeout(PATIENCE, stderr.read_to_string(&mut log)).await.expect("the process exits").unwrap();
        log.lines().map(str::to_owned).collect()
    }
}

/// Returns the lines that contain this text.
fn lines_with<'a>(log: &'a [String], what: &str) -> Vec<&'a String> {
    log.iter().filter(|line| line.contains(what)).collect()
}

async fn readiness(address: SocketAddr) -> (u16, String) {
    request(address, "GET", "/readyz", "").await
}

#[tokio::test]
async fn a_missing_folder_is_logged_once_and_nothing_is_acknowledged() {
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
    assert!(!body.contains(data.to_str().unwrap()), "the path must not be revealed: {body}");
    let turn = players[0].table()["turn"].as_u64().unwrap() as usize;
    let action = players[turn].actions()[0].clone();
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
    assert!(!data.exists(), "the folder must not be created again");

    fs::rename(&aside, &data).unwrap();
    assert_eq!(readiness(server.address).await.0, 200);
    for player in &mut players {
        let token = player.token.clone().unwrap();
        let back = Client::resume(server.address, &code, &token).await.expect("the seat is kept");
        assert_eq!((back.version, back.next()), (player.version, player.next()), "nothing was lost or added");
        *player = back;
    }
    players[turn].act(&action).await;
    players[turn].until("the action is acknowledged", |player| player.version == 2).await;

    let log = server.log().await;
    for (begun, over) in [
        ("the journal cannot be written", "the journal can be written again"),
        ("the journal cannot be read", "the journal can be read again"),
    ] {
        assert_eq!(lines_with(&log, begun).len(), 1, "{log:#?}");
        let [over] = lines_with(&log, over)[..] else { panic!("{log:#?}") };
        let failed: u64 = over.split("failed=").nth(1).expect("a number of failures").trim().parse().unwrap();
        assert!(failed >= 20, "{over}");
    }
    assert!(log.len() <= 8, "one line for each change: {log:#?}");
}

#[tokio::test]
async fn refuses_to_start_over_an_emptied_database() {
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
    let output = timeout(PATIENCE, started).await.expect("the process exits").unwrap();
    assert_eq!(output.status.code(), Some(1));
    let sentence = String::from_utf8(output.stderr).unwrap();
    assert!(sentence.contains("has lost its contents; restore a backup"), "{sentence}");
    assert_eq!(sentence.lines().count(), 1, "{sentence}");
}

#[tokio::test]
async fn a_removed_lock_file_is_logged_and_play_continues() {
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
    assert_eq!(lines_with(&log, "another server could use this folder too").len(), 1, "{log:#?}");
}
