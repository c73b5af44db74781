//! The control run: with the fence taken out the story of the server that stood still must end badly, or the tests of the fence
//! prove nothing. `cluster::lapse` has the same story with the fence.
//!
//! With people at many tables: `rookery-chaos --servers 3 --server target/debug/examples/unfenced --faults stop,cut`.

use super::lapse::{back, game_at};
use crate::client::Client;
use crate::games::{chance, choose};
use crate::harness::PATIENCE;
use serde_json::Value;
use std::path::PathBuf;
use tokio::time::timeout;

/// The server without a fence, which `cargo test` builds with the tests.
fn unfenced() -> PathBuf {
    let rookery = PathBuf::from(env!("CARGO_BIN_EXE_rookery"));
    let program = rookery.with_file_name("examples").join("unfenced");
    assert!(program.is_file(), "`cargo build -p server --example unfenced` makes it");
    program
}

/// Two acts of which one is not the other.
fn two_acts(client: &Client) -> (Value, Value) {
    let one = choose(client, &mut chance(3));
    let other = (4..).map(|seed| choose(client, &mut chance(seed))).find(|other| *other != one);
    (one, other.expect("there is a choice"))
}

/// What both servers played for one decision; none if the one that stood still let its people go when it woke up, as it does when it had
/// asked the database something and was not there for the answer.
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
