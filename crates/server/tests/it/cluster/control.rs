//! The control experiment: without fencing, the test of a paused server must fail, else the tests of the fencing prove
//! nothing. `cluster::lapse` has the same scenario with fencing.
//!
//! With many tables: `rookery-chaos --servers 3 --server target/debug/examples/unfenced --faults stop,cut`.

use super::lapse::{back, game_at};
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
    assert!(program.is_file(), "`cargo build -p server --example unfenced` makes it");
    program
}

/// Two different actions.
fn two_acts(client: &Client) -> (Value, Value) {
    let one = choose(client, &mut chance(3));
    let other = (4..).map(|seed| choose(client, &mut chance(seed))).find(|other| *other != one);
    (one, other.expect("there is a choice"))
}

/// Returns what both servers played for one decision. Returns `None` if the paused server closed its connections when
/// it resumed, which happens if it was waiting for an answer of the database.
async fn played_by_both() -> Option<(Value, Value)> {
    let (first, second, code, mut clients) = game_at(&unfenced()).await;
    let (version, before) = (clients[0].version, clients[0].history.len());
    let actor = clients.iter().position(Client::is_asked).expect("somebody is asked");
    let (lies_in_the_socket, is_played) = two_acts(&clients[actor]);
    first.pause();
    clients[actor].act(&lies_in_the_socket).await;
    let mut here = back(second.address, &code, &clients[actor]).await;
    assert_eq!(here.version, version);
    here.act(&is_played).await;
    here.until("the act counts", |client| client.version > version).await;
    first.resume();
    let old = &mut clients[actor];
    let awake = async {
        while old.version == version {
            old.hear().await.ok()?;
        }
        Some((old.history[before].clone(), here.history[before].clone()))
    };
    timeout(PATIENCE, awake).await.expect("it wakes up")
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_fence_a_server_that_stood_still_plays_on_beside_its_successor() {
    let mut tries = 0;
    let (one, other) = loop {
        tries += 1;
        assert!(tries <= 5, "something tells the server that its time is over");
        if let Some(both) = played_by_both().await {
            break both;
        }
    };
    println!("without the fence one seat was shown two acts for one decision, of which one is lost:");
    println!("{one} by the server that stood still, {other} by the one that took the room");
    assert_ne!(one, other, "the two have played on apart (divergence)");
}
