//! A backup taken during play and restored into another folder has the same rooms, seats and tables.

use crate::client::Client;
use crate::games::{self, chance, choose};
use crate::harness::{PATIENCE, Process, begin, finish, open};
use game::Chance;
use serde_json::json;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::{Arc, Mutex};
use tokio::process::Command;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

/// The table at each version, and the newest version that everyone has seen.
#[derive(Default)]
struct Seen {
    tables: HashMap<u64, String>,
    newest: u64,
}

/// A room that is played while backups are made.
struct PlayedRoom {
    code: String,
    tokens: Vec<String>,
    seen: Arc<Mutex<Seen>>,
}

async fn backup(words: &[&str], stdout: Stdio) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rookery"));
    command.arg("backup").args(words).stdout(stdout).stderr(Stdio::piped()).kill_on_drop(true);
    let output = command.spawn().unwrap().wait_with_output();
    timeout(PATIENCE, output).await.expect("the process exits").unwrap()
}

/// Plays until the server is gone, one action per permit, and records every table on the way.
async fn play(
    mut client: Client,
    seen: Arc<Mutex<Seen>>,
    mut chance: Chance,
    permits: Arc<Semaphore>,
    acts: watch::Sender<usize>,
) {
    let mut sent = None;
    loop {
        note(&client, &seen);
        // One action for the current version. The next one follows its result.
        let asked = !client.actions().is_empty() && sent != Some(client.version);
        let heard = tokio::select! {
            permit = permits.acquire(), if asked => {
                permit.expect("never closed").forget();
                sent = Some(client.version);
                let action = choose(&client, &mut chance);
                acts.send_modify(|acts| *acts += 1);
                client.try_say(json!({"type": "act", "n": client.next(), "action": action})).await
            }
            heard = client.hear() => heard.map(|_| ()),
        };
        if heard.is_err() {
            return;
        }
    }
}

fn note(client: &Client, seen: &Mutex<Seen>) {
    if client.version > 0 {
        let mut seen = seen.lock().unwrap();
        seen.newest = seen.newest.max(client.version);
        seen.tables.insert(client.version, client.table.clone());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_during_play_restores_the_same_rooms_and_seats() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let data = folder.path().join("data");
    let process = Process::start(&data, "127.0.0.1:0").await;
    let lobby = open(process.address, "allowed").await;
    let mut host = Client::join(process.address, &lobby, "Ana").await;
    host.say(json!({"type": "chat", "text": "who else comes?"})).await;
    host.until_heard("chat").await;

    // Only as many actions as permitted, so that no game ends before it is copied.
    let permits = Arc::new(Semaphore::new(0));
    let (acts, mut acted) = watch::channel(0);
    let (mut rooms, mut players) = (Vec::new(), Vec::new());
    for people in [3, 4, 5] {
        let code = open(process.address, "prevented").await;
        let clients = begin(process.address, &code, people).await;
        let tokens = clients.iter().map(|client| client.token.clone().unwrap()).collect();
        let seen = Arc::new(Mutex::new(Seen::default()));
        for (seat, client) in clients.into_iter().enumerate() {
            let chance = chance((people * 10 + seat) as u8);
            players.push(tokio::spawn(play(client, seen.clone(), chance, permits.clone(), acts.clone())));
        }
        rooms.push(PlayedRoom { code, tokens, seen });
    }

    // Three copies with actions before, between and after them.
    let mut copies = Vec::new();
    for n in 0..3 {
        permits.add_permits(60);
        let target = 60 * n + 30;
        timeout(PATIENCE, acted.wait_for(|acts| *acts >= target)).await.expect("the players act in time").unwrap();
        // Actions continue while the copy is made.
        let acknowledged: Vec<u64> = rooms.iter().map(|room| room.seen.lock().unwrap().newest).collect();
        let file = folder.path().join(format!("copy-{n}.db"));
        let words = [file.to_str().unwrap(), "--data", data.to_str().unwrap()];
        let output = backup(&words, Stdio::piped()).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stderr).contains("copied 4 rooms"));
        copies.push((file, acknowledged));
    }
    permits.add_permits(20);
    timeout(PATIENCE, acted.wait_for(|acts| *acts >= 200)).await.expect("the players act in time").unwrap();
    process.kill().await;
    finish(players).await;

    let (copy, acknowledged) = copies.remove(1);
    let restored = restore(&copy, other.path()).await;
    for (room, acknowledged) in rooms.iter().zip(acknowledged) {
        let mut versions = Vec::new();
        for (seat, token) in room.tokens.iter().enumerate() {
            let client = Client::resume(restored.address, &room.code, token).await.expect("the seat is kept");
            assert_eq!(client.seat(), Some(seat as u64));
            let seen = room.seen.lock().unwrap();
            assert!(client.version >= acknowledged, "{} after {acknowledged}", client.version);
            assert_eq!(client.table, seen.tables[&client.version], "unexpected table at version {}", client.version);
            versions.push(client.version);
        }
        assert!(versions.iter().all(|version| *version == versions[0]));
    }
    let host = Client::resume(restored.address, &lobby, host.token.as_deref().unwrap())
        .await
        .expect("the host's seat is kept");
    assert_eq!((host.seat(), &host.room["phase"]), (Some(0), &json!("lobby")));
    assert_eq!(host.chat[0]["text"], "who else comes?");
    play_on(&restored, &rooms[0]).await;
    restored.kill().await;
}

async fn restore(copy: &Path, folder: &Path) -> Process {
    fs::create_dir_all(folder).unwrap();
    fs::copy(copy, folder.join("rookery.db")).unwrap();
    Process::start(folder, "127.0.0.1:0").await
}

/// Plays the restored game to its end.
async fn play_on(process: &Process, room: &PlayedRoom) {
    let mut clients = Vec::new();
    for token in &room.tokens {
        clients.push(Client::resume(process.address, &room.code, token).await.unwrap());
    }
    games::play_on(&mut clients, 7).await;
    clients[0].until("the final state is shown", |client| client.table()["phase"] == "finished").await;
}

#[tokio::test]
async fn a_backup_can_be_written_to_standard_output() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let process = Process::start(folder.path(), "127.0.0.1:0").await;
    let code = open(process.address, "prevented").await;
    let ana = Client::join(process.address, &code, "Ana").await;
    let output = backup(&["-", "--data", folder.path().to_str().unwrap()], Stdio::piped()).await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let left = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().contains("backup")).collect();
    assert!(left.is_empty(), "{left:?} is left behind");

    let copy = other.path().join("sent.db");
    fs::write(&copy, &output.stdout).unwrap();
    let restored = restore(&copy, &other.path().join("data")).await;
    let again = Client::resume(restored.address, &code, ana.token.as_deref().unwrap()).await.expect("the seat is kept");
    assert_eq!((again.seat(), again.name.as_str()), (Some(0), "Ana"));
    process.kill().await;
    restored.kill().await;
}

#[tokio::test]
async fn reports_a_failed_backup_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("there");
    fs::write(&there, "a letter").unwrap();
    let (folder, there) = (folder.path().to_str().unwrap(), there.to_str().unwrap());
    for (words, sentence) in [
        (["new", "--data", folder], "there is no journal"),
        ([there, "--data", "memory"], "in memory cannot be backed up"),
    ] {
        let output = backup(&words, Stdio::piped()).await;
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(sentence) && said.lines().count() == 1, "{said}");
    }
    assert_eq!(fs::read_to_string(there).unwrap(), "a letter");
}
