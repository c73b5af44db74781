//! The control experiment: without fencing, the test of a paused server must fail, else the tests of the fencing prove
//! nothing. `cluster::lapse` has the same scenario with fencing.
//!
//! With many tables: `rookery-chaos --servers 3 --server target/debug/examples/unfenced --faults stop,cut`.

use super::lapse::{game_at, reconnect};
use crate::client::Client;
use crate::games::{chance, choose};
use crate::harness::PATIENCE;
use serde_json::Value;
use std::path::PathBuf;
use tokio::time::timeout;

/// Path of the server without fencing, which `cargo test` builds with the tests.
fn unfenced() -> PathBuf {
    let rookery = PathBuf::from(env!("CARGO_BIN_EXE_rookery"));
    let program = rookery.with_file_name("examples").join("unfenced");
    assert!(program.is_file(), "run `cargo build -p server --example unfenced` first");
    program
}

/// Two different actions.
fn two_actions(client: &Client) -> (Value, Value) {
    let one = choose(client, &mut chance(3));
    let other = (4..).map(|seed| choose(client, &mut chance(seed))).find(|other| *other != one);
    (one, other.expect("there is more than one legal action"))
}

/// Returns what both servers played for one decision. Returns `None` if the paused server closed its connections when
/// it resumed, which happens if it was waiting for an answer of the database.
async fn played_by_both() -> Option<(Value, Value)> {
    let (first, second, code, mut clients) = game_at(&unfenced()).await;
    let (version, before) = (clients[0].version, clients[0].history.len());
    let actor = clients.iter().position(Client::is_asked).expect("a player must act");
    let (unread, played) = two_actions(&clients[actor]);
    first.pause();
    clients[actor].act(&unread).await;
    let mut here = reconnect(second.address, &code, &clients[actor]).await;
    assert_eq!(here.version, version);
    here.act(&played).await;
    here.until("the action is acknowledged", |client| client.version > version).await;
    first.resume();
    let old = &mut clients[actor];
    let awake = async {
        while old.version == version {
            old.hear().await.ok()?;
        }
        Some((old.history[before].clone(), here.history[before].clone()))
    };
    timeout(PATIENCE, awake).await.expect("the server resumes")
}

#[tokio::test(flavor = "multi_thread")]
async fn without_fencing_a_resumed_server_diverges() {
    let mut tries = 0;
    let (one, other) = loop {
        tries += 1;
        assert!(tries <= 5, "the paused server closed its connections in every attempt");
        if let Some(both) = played_by_both().await {
            break both;
        }
    };
    println!("without fencing, one seat was shown two actions for one decision, one of which is lost:");
    println!("{one} by the paused server, {other} by the new owner of the room");
    assert_ne!(one, other, "the two servers must diverge");
}
