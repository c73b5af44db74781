//! Startup messages about data that was damaged while the server was down, and about a clock that was never set.

use crate::client::Client;
use crate::harness::{FAST, PATIENCE, Process, open, printed_address, request};
use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// The folder of a killed server: twelve rooms, the last of them only in the write-ahead log.
async fn fill_and_kill(folder: &Path) -> Vec<String> {
    let server = Process::start_with(folder.to_str().unwrap(), "127.0.0.1:0", &[]).await;
    let mut codes = Vec::new();
    for _ in 0..12 {
        let code = open(server.address, "prevented").await;
        Client::join(server.address, &code, "Ana").await;
        codes.push(code);
    }
    server.kill().await;
    codes
}

async fn readiness(folder: &Path) -> (u16, String) {
    let server = Process::start_with(folder.to_str().unwrap(), "127.0.0.1:0", &[]).await;
    let answer = server.get("/readyz").await;
    server.kill().await;
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_a_write_ahead_log_lost_while_the_server_was_down() {
    type Mangle = fn(&Path);
    let ways: [(&str, Mangle); 3] = [
        ("deleted", |log| fs::remove_file(log).unwrap()),
        ("cut short", |log| {
            let file = OpenOptions::new().write(true).open(log).unwrap();
            let bytes = file.metadata().unwrap().len();
            file.set_len(bytes / 2).unwrap();
        }),
        ("garbled", |log| {
            let mut bytes = fs::read(log).unwrap();
            let half = bytes.len() / 2;
            bytes[half..half + 64].fill(0x5a);
            fs::write(log, bytes).unwrap();
        }),
    ];
    for (how, mangle) in ways {
        let folder = tempfile::tempdir().unwrap();
        fill_and_kill(folder.path()).await;
        mangle(&folder.path().join("rookery.db-wal"));
        let (status, body) = readiness(folder.path()).await;
        assert_eq!(status, 503, "{how}: {body}");
        assert!(body.contains("not_ready") && body.contains("the last writes are missing"), "{how}: {body}");
        let (status, body) = readiness(folder.path()).await;
        assert_eq!(status, 200, "{how}: the loss must be reported only once: {body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_a_clean_stop_and_a_restore_are_not_reported_as_loss() {
    let folder = tempfile::tempdir().unwrap();
    let codes = fill_and_kill(folder.path()).await;
    let (status, body) = readiness(folder.path()).await;
    assert_eq!(status, 200, "after a crash: {body}");

    // Make a backup, and continue to play.
    let backup = folder.path().join("backup.db");
    host::backup(folder.path(), &backup).unwrap();
    assert_eq!(fs::metadata(&backup).unwrap().permissions().mode() & 0o777, 0o600);
    let mut server = Process::start_with(folder.path().to_str().unwrap(), "127.0.0.1:0", &[]).await;
    open(server.address, "prevented").await;
    let stopped = Command::new("kill").arg(server.id().to_string()).status().await.unwrap();
    assert!(stopped.success() && server.wait().await.success());
    let (status, body) = readiness(folder.path()).await;
    assert_eq!(status, 200, "after a clean stop: {body}");

    // Restore it into an empty folder, and in place of the existing database.
    let empty = tempfile::tempdir().unwrap();
    fs::copy(&backup, empty.path().join("rookery.db")).unwrap();
    assert_eq!(readiness(empty.path()).await.0, 200, "a backup in an empty folder");
    for file in ["rookery.db-wal", "rookery.db-shm"] {
        let _ = fs::remove_file(folder.path().join(file));
    }
    fs::rename(&backup, folder.path().join("rookery.db")).unwrap();
    let server = Process::start_with(folder.path().to_str().unwrap(), "127.0.0.1:0", &[]).await;
    assert_eq!(server.get("/readyz").await.0, 200, "a backup in place of the database");
    for code in codes {
        assert_eq!(server.get(&format!("/api/rooms/{code}")).await.0, 200);
    }
    server.kill().await;
}

/// Starts the binary with captured standard error and additional environment variables.
fn start(folder: &Path, environment: &[(&str, &Path)]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(["--listen", "127.0.0.1:0", "--admin", "off", "--data"])
        .arg(folder)
        .args(FAST)
        .env("ROOKERY_LOG", "warn")
        .envs(environment.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the binary is built with the tests")
}

#[tokio::test(flavor = "multi_thread")]
async fn warns_about_a_database_that_others_can_read() {
    let folder = tempfile::tempdir().unwrap();
    fill_and_kill(folder.path()).await;
    fs::set_permissions(folder.path().join("rookery.db"), Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    let mut child = start(folder.path(), &[]);
    printed_address(&mut child).await;
    let mut said = BufReader::new(child.stderr.take().expect("the output is piped")).lines();
    for wanted in ["chmod 600", "chmod 700"] {
        let line = timeout(PATIENCE, said.next_line())
            .await
            .expect("the server logs a warning")
            .unwrap()
            .expect("the server prints a line");
        assert!(line.contains("WARN") && line.contains(wanted), "{line}");
    }
    child.kill().await.unwrap();
}

/// A library that makes the program see a time before 1970 while a file exists.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    int done = syscall(SYS_clock_gettime, clock, time);
    const char *file = getenv("CLOCK_BEFORE_1970");
    if (clock == CLOCK_REALTIME && file && access(file, F_OK) == 0) time->tv_sec = -86400;
    return done;
}
"#;

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_clock_before_1970_causes_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let [source, shim, is_early] = ["shim.c", "shim.so", "early"].map(|name| folder.path().join(name));
    fs::write(&source, SHIM).unwrap();
    let compiler = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&shim, &source]).status().await;
    assert!(compiler.expect("a C compiler is installed (SQLite needs it, too)").success());
    let environment = [("LD_PRELOAD", &*shim), ("CLOCK_BEFORE_1970", &*is_early)];
    let data = folder.path().join("data");

    fs::write(&is_early, "").unwrap();
    let mut child = start(&data, &environment);
    assert!(!timeout(PATIENCE, child.wait()).await.expect("the process exits").unwrap().success());
    let mut said = String::new();
    child.stderr.take().expect("the output is piped").read_to_string(&mut said).await.unwrap();
    assert!(said.contains("clock shows a time before 1970") && !said.contains("panicked"), "{said}");

    fs::remove_file(&is_early).unwrap();
    let mut child = start(&data, &environment);
    let address = printed_address(&mut child).await;
    fs::write(&is_early, "").unwrap();
    for _ in 0..50 {
        assert_eq!(request(address, "GET", "/healthz", "").await.0, 200);
    }
    let code = open(address, "prevented").await;
    assert_eq!(Client::join(address, &code, "Ana").await.seat(), Some(0));
    child.kill().await.unwrap();
    said.clear();
    child.stderr.take().expect("the output is piped").read_to_string(&mut said).await.unwrap();
    assert!(!said.contains("panicked"), "{said}");
}
