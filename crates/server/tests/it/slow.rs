//! A slow reader does not delay other clients.

use crate::client::{Client, End};
use crate::games::{chance, choose, until_version};
use crate::harness::TestServer;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn closes_a_client_that_never_reads_while_others_play() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 2).await;

    let mut sleeper = Client::sleeper(server.address, &code).await;
    for player in &mut players {
        player.until("the spectator is shown", |player| player.room["watchers"] == 1).await;
    }

    // The others play until the client is disconnected, and then to the end.
    let mut chance = chance(6);
    let mut when_cut = None;
    while !players[0].is_over() {
        let turn = players[0].asked()[0] as usize;
        let action = choose(&players[turn], &mut chance);
        // Players chat while they play, which fills the client's buffers sooner.
        players[turn].say(json!({"type": "chat", "text": "x".repeat(500)})).await;
        players[turn].act(&action).await;
        let version = players[turn].version + 1;
        until_version(&mut players, version).await;
        if when_cut.is_none() && players[0].room["watchers"] == 0 {
            when_cut = Some(version);
            assert_eq!(sleeper.until_end().await, End::Closed(4008));
        }
        if players[turn].table()["phase"] == "finished" {
            for player in &mut players {
                player.until("the room is finished", Client::is_over).await;
            }
        }
    }
    let when_cut = when_cut.expect("the stalled client was closed before the game ended");
    assert!(players.iter().all(|player| player.version > when_cut), "the others stopped playing");

    // The disconnected client gets a complete state when it returns.
    let back = Client::watch(server.address, &code, "Zoe").await;
    assert_eq!((back.version, &back.history), (players[0].version, &players[0].history));
    server.stop().await;
}
