//! A slow reader delays nobody.

use crate::client::{Client, End};
use crate::games::{chance, choose};
use crate::harness::TestServer;
use serde_json::json;
use tokio::net::TcpSocket;

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_reads_is_closed_while_the_others_play_on() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 2).await;

    // A client that joins and then never reads, with the smallest possible receive buffer.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let ws = Client::connect_with(socket, server.address, &code).await.unwrap();
    let mut sleeper =
        Client::introduce(ws, json!({"type": "join", "name": "Zoe", "watch": true})).await.unwrap();
    for player in &mut players {
        player.until("somebody watches", |player| player.room["watchers"] == 1).await;
    }

    // The others play until the client is disconnected, and then to the end.
    let mut chance = chance(6);
    let mut when_cut = None;
    while !players[0].is_over() {
        let turn = players[0].asked[0] as usize;
        let action = choose(&players[turn], &mut chance);
        // Players chat while they play, which fills the client's buffers sooner.
        players[turn].say(json!({"type": "chat", "text": "x".repeat(500)})).await;
        players[turn].act(&action).await;
        let version = players[turn].version + 1;
        for player in &mut players {
            player.until("the act is shown", |player| player.version >= version).await;
        }
        if when_cut.is_none() && players[0].room["watchers"] == 0 {
            when_cut = Some(version);
            assert_eq!(sleeper.until_end().await, End::Closed(4008));
        }
        if players[turn].table()["phase"] == "finished" {
            for player in &mut players {
                player.until("the room is told", Client::is_over).await;
            }
        }
    }
    let when_cut = when_cut.expect("the sleeper was closed before the game ended");
    assert!(players.iter().all(|player| player.version > when_cut), "they played on");

    // The disconnected client gets a complete state when it returns.
    let back = Client::watch(server.address, &code, "Zoe").await;
    assert_eq!((back.version, &back.history), (players[0].version, &players[0].history));
    server.stop().await;
}
