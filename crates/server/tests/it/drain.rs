//! The process: how it starts, what it prints, and how it stops.

use crate::client::{Client, End, Raw};
use crate::harness::{FAST, PATIENCE, Process, TestServer, open, printed_address, request};
use journal::Journal;
use journal::sqlite::Sqlite;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio::time::timeout;

/// Longer than the five seconds that the server allows itself (`listen.rs`), for a busy machine.
const GONE: Duration = Duration::from_secs(9);

fn rookery() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rookery"));
    command.kill_on_drop(true).stdin(Stdio::null());
    command
}

pub async fn run(command: &mut Command) -> Output {
    timeout(PATIENCE, command.output()).await.expect("the process exits").unwrap()
}

async fn terminate(id: u32) {
    let sent = Command::new("kill").args(["-TERM", &id.to_string()]).status().await.unwrap();
    assert!(sent.success());
}

/// Checks that the error output is one sentence on one line, and returns it.
pub fn sentence(output: &Output) -> String {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("rookery: ") && !said.contains("panicked"), "{said}");
    said
}

#[tokio::test]
async fn sigterm_asks_all_clients_to_reconnect_and_exits_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::start(folder.path(), "127.0.0.1:0").await;
    let code = open(process.address, "prevented").await;
    let mut ana = Client::join(process.address, &code, "Ana").await;
    let mut wil = Client::watch(process.address, &code, "Wil").await;
    ana.say(json!({"type": "chat", "text": "before the end"})).await;
    ana.until_heard("chat").await;
    // A client that has not joined is notified, too.
    let mut silent = Raw::open(process.address, &code).await;
    let begun = Instant::now();
    terminate(process.id()).await;
    for client in [&mut ana, &mut wil] {
        assert_eq!(client.until_end().await, End::Closed(1012));
    }
    assert_eq!(silent.hear().await, Err(End::Closed(1012)));
    drop((ana, wil, silent));
    let status = process.wait().await;
    assert_eq!(status.code(), Some(0));
    assert!(begun.elapsed() < GONE, "{:?}", begun.elapsed());
    assert!(TcpStream::connect(process.address).await.is_err(), "the port is closed");

    let mut again = Process::start(folder.path(), "127.0.0.1:0").await;
    let bea = Client::join(again.address, &code, "Bea").await;
    assert_eq!(bea.chat[0]["text"], "before the end");
    terminate(again.id()).await;
    again.wait().await;
}

#[tokio::test]
async fn sigterm_does_not_wait_for_a_stalled_reader() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::start(folder.path(), "127.0.0.1:0").await;
    let code = open(process.address, "prevented").await;
    let mut ana = Client::join(process.address, &code, "Ana").await;
    let _sleeper = Client::sleeper(process.address, &code).await;
    // Enough to fill the kernel's buffers of a client that does not read, but not enough to close its connection.
    let text = "𝄞".repeat(500);
    for _ in 0..150 {
        ana.say(json!({"type": "chat", "text": text})).await;
        ana.until_heard("chat").await;
    }
    assert_eq!(ana.room["watchers"], 1);
    let begun = Instant::now();
    terminate(process.id()).await;
    assert_eq!(ana.until_end().await, End::Closed(1012));
    assert_eq!(process.wait().await.code(), Some(0));
    assert!(begun.elapsed() < GONE, "{:?}", begun.elapsed());
}

/// Returns the response to a request that begins before the shutdown and is completed after it.
async fn answer_while_draining(path: &str) -> String {
    let server = TestServer::start().await;
    let address = server.address;
    assert_eq!(request(address, "GET", path, "").await.0, 200);
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: x\r\n").as_bytes()).await.unwrap();
    assert_eq!(request(address, "GET", "/healthz", "").await.0, 200);
    let stopping = tokio::spawn(server.stop());
    let refused = async { while TcpStream::connect(address).await.is_ok() {} };
    timeout(PATIENCE, refused).await.expect("new connections are refused");
    stream.write_all(b"\r\n").await.unwrap();
    let mut answer = String::new();
    timeout(PATIENCE, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    stopping.await.unwrap();
    answer
}

#[tokio::test]
async fn a_draining_server_is_not_ready() {
    let answer = answer_while_draining("/readyz").await;
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("not_ready"), "{answer:?}");
}

#[tokio::test]
async fn a_draining_server_is_alive() {
    let answer = answer_while_draining("/healthz").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "a restart now would cut off closing connections: {answer:?}");
}

#[tokio::test]
async fn bad_flags_exit_with_status_two() {
    for flags in [&["--listen", "8080"][..], &["--nonsense"], &["--max-rooms", "-1"], &["dance"]] {
        let output = run(rookery().args(flags)).await;
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(!output.stderr.is_empty());
    }
    let output = run(rookery().env("ROOKERY_KEEP_DAYS", "soon")).await;
    assert_eq!(output.status.code(), Some(2), "environment variables are validated like flags");
}

#[tokio::test]
async fn a_port_in_use_is_reported_in_one_sentence() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for flags in [["--listen", &address, "--admin", "off"], ["--listen", "127.0.0.1:0", "--admin", &address]] {
        let output = run(rookery().args(["--data", "memory"]).args(flags)).await;
        assert_eq!(output.status.code(), Some(1));
        let said = sentence(&output);
        assert!(said.contains(&address) && said.contains("--listen"), "{said}");
    }
}

#[tokio::test]
async fn an_unusable_folder_is_reported_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    std::fs::write(&file, "not a folder").unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("rookery.db"), "not a database, but long enough to be taken for one".repeat(99)).unwrap();
    for path in [&file, &file.join("below"), &data] {
        let flags = ["--listen", "127.0.0.1:0", "--admin", "off", "--data"];
        let output = run(rookery().args(flags).arg(path)).await;
        assert_eq!(output.status.code(), Some(1), "{path:?}");
        sentence(&output);
    }
}

#[tokio::test]
async fn refuses_a_folder_that_another_server_uses() {
    let folder = tempfile::tempdir().unwrap();
    let first = Process::start(folder.path(), "127.0.0.1:0").await;
    let flags = ["--listen", "127.0.0.1:0", "--admin", "off", "--data"];
    let output = run(rookery().args(flags).arg(folder.path())).await;
    assert_eq!(output.status.code(), Some(1));
    sentence(&output);
    first.kill().await;
}

#[tokio::test]
async fn health_command_checks_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path(), "127.0.0.1:0").await;
    let address = process.address.to_string();
    let health = async |command: &mut Command| run(command).await;
    assert_eq!(health(rookery().args(["health", "--listen", &address])).await.status.code(), Some(0));
    // As in a container, where the server's own variables are set.
    let variables = [("ROOKERY_LISTEN", address.as_str()), ("ROOKERY_DATA", "memory"), ("ROOKERY_ADMIN", "off")];
    let output = health(rookery().arg("health").envs(variables)).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    process.kill().await;
    let output = health(rookery().args(["health", "--listen", &address])).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(sentence(&output).contains(&address));
}

/// Starts a server with all logging enabled.
async fn start_with_trace_log(folder: &Path) -> (SocketAddr, tokio::process::Child) {
    let mut child = rookery()
        .args(["--listen", "127.0.0.1:0", "--admin", "off", "--data"])
        .arg(folder)
        .args(FAST)
        .env("ROOKERY_LOG", "trace,tungstenite=trace,tungstenite::protocol=trace")
        .env_remove("NO_COLOR")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    (printed_address(&mut child).await, child)
}

#[tokio::test]
async fn a_log_outside_a_terminal_has_no_colours() {
    let folder = tempfile::tempdir().unwrap();
    let (_, child) = start_with_trace_log(folder.path()).await;
    terminate(child.id().unwrap()).await;
    let logged = timeout(PATIENCE, child.wait_with_output()).await.expect("the process exits").unwrap().stderr;
    let logged = String::from_utf8(logged).unwrap();
    assert!(logged.contains("INFO") && logged.contains("stopping"), "logging is disabled: {logged:?}");
    assert!(!logged.contains('\u{1b}'), "{logged:?}");
}

#[tokio::test]
async fn logs_contain_no_tokens_chat_seeds_or_salts() {
    let folder = tempfile::tempdir().unwrap();
    let (address, mut child) = start_with_trace_log(folder.path()).await;
    let mut stderr = child.stderr.take().unwrap();
    let logged = tokio::spawn(async move {
        let mut logged = String::new();
        stderr.read_to_string(&mut logged).await.unwrap();
        logged
    });
    let code = open(address, "prevented").await;
    let salt = "5a17".repeat(8);
    let join = json!({"type": "join", "name": "Ana", "salt": salt});
    let mut ana = Client::join_as(address, &code, join).await.unwrap();
    let mut bea = Client::join(address, &code, "Bea").await;
    ana.say(json!({"type": "chat", "text": "a very private remark"})).await;
    bea.until_heard("chat").await;
    // Refused messages are the most likely to be logged.
    let token = ana.token.clone().unwrap();
    for wrong in [
        json!({"type": "join", "token": token, "salt": salt}).to_string(),
        json!({"type": token}).to_string(),
        json!({"type": "chat", "text": ["a very private remark"]}).to_string(),
        json!({"type": "act", "n": 0, "action": {"type": "a very private remark"}}).to_string(),
    ] {
        ana.ws.send(wrong).await.unwrap();
    }
    ana.say(json!({"type": "start"})).await;
    bea.until("the game begins", |bea| bea.version > 0).await;
    drop(Client::resume(address, &code, &token).await.unwrap());
    assert!(Client::resume(address, &code, "a-made-up-token").await.is_err());
    terminate(child.id().unwrap()).await;
    assert_eq!(ana.until_end().await, End::Closed(1012));
    drop((ana, bea));
    assert!(timeout(PATIENCE, child.wait()).await.unwrap().unwrap().success());
    let logged = logged.await.unwrap();
    assert!(logged.contains(&code), "logging is disabled: {logged}");

    let journal = Sqlite::open(folder.path()).unwrap();
    let entries = journal.read(&code).await.unwrap().unwrap();
    journal.close().await;
    let opened: Value = serde_json::from_str(&entries[0]).unwrap();
    let seed = opened["what"]["seed"].as_str().expect("a seed").to_owned();
    for secret in [token.as_str(), &salt, &seed, "a very private remark", "a-made-up-token"] {
        let spelled: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        for form in [secret, &spelled] {
            let line = logged.lines().find(|line| line.to_lowercase().contains(form));
            assert_eq!(line, None, "the log contains {secret}");
        }
    }
}
