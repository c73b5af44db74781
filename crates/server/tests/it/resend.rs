//! An act is played exactly once, whatever the moment at which the line is cut.

use crate::client::{Client, End};
use crate::harness::TestServer;
use serde_json::{Value, json};

/// How often this seat's act stands in the history.
fn times_played(watcher: &Client, seat: u64, action: &Value) -> usize {
    let same = |event: &&Value| {
        event["seat"] == seat && event["type"] == action["type"] && event["count"] == action["count"]
    };
    watcher.history.iter().filter(same).count()
}

/// Does what the contract tells a client that lost its line: come back, and send again only if `next` is still
/// that act's number.
async fn come_back_and_make_sure(
    server: &TestServer,
    code: &str,
    token: &str,
    n: u32,
    action: &Value,
) -> Client {
    let mut client = Client::resume(server.address, code, token).await.expect("the seat is kept");
    assert!(client.next == n || client.next == n + 1, "one act was on its way: {} after {n}", client.next);
    if client.next == n {
        client.act(action).await;
        client.until("the act is acknowledged", |client| client.next > n).await;
    }
    client
}

/// A new game, its starter, somebody who watches, and the starter's bid of 0.
async fn table(server: &TestServer) -> (String, Vec<Client>, usize, Client, Value) {
    let (code, players) = server.game("prevented", 2).await;
    let starter = players[0].table()["starter"].as_u64().unwrap() as usize;
    let watcher = Client::watch(server.address, &code, "Wil").await;
    (code, players, starter, watcher, json!({"type": "bid", "count": 0}))
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_at_every_byte_of_the_message() {
    let server = TestServer::start().await;
    // The frame: two bytes of head, four of mask, and the message (126 bytes and more have a longer head).
    let message = json!({"type": "act", "n": 0, "action": {"type": "bid", "count": 0}}).to_string();
    let frame = 2 + 4 + message.len();
    let (mut lost, mut arrived) = (0, 0);
    for bytes in 0..=frame + 1 {
        let (code, mut players, starter, mut watcher, bid) = table(&server).await;
        let mut player = players.swap_remove(starter);
        let (seat, token) = (player.seat.unwrap(), player.token.clone().unwrap());
        player.cut_after(bytes);
        let _ = player.try_say(json!({"type": "act", "n": 0, "action": bid})).await;
        drop(player);
        let back = come_back_and_make_sure(&server, &code, &token, 0, &bid).await;
        watcher.until("the bid is shown", |watcher| watcher.version == back.version).await;
        assert_eq!(times_played(&watcher, seat, &bid), 1, "cut after {bytes} of {frame} bytes");
        // With the whole frame sent the act may or may not have been carried out when the client came back.
        if bytes < frame { lost += 1 } else { arrived += 1 }
    }
    assert_eq!((lost, arrived), (frame, 2));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_before_the_state_arrives() {
    let server = TestServer::start().await;
    for _ in 0..20 {
        let (code, mut players, starter, mut watcher, bid) = table(&server).await;
        let mut player = players.swap_remove(starter);
        let (seat, token) = (player.seat.unwrap(), player.token.clone().unwrap());
        player.act(&bid).await;
        // Everyone else sees it; the player's own line dies before the answer is read.
        watcher.until("the bid is shown", |watcher| times_played(watcher, seat, &bid) == 1).await;
        drop(player);

        let mut back = Client::resume(server.address, &code, &token).await.unwrap();
        assert_eq!(back.next, 1, "the welcome acknowledges it");
        // A client that sends it again all the same learns that it counted, and nothing changes.
        back.say(json!({"type": "act", "n": 0, "action": bid})).await;
        let refused = back.until_heard("rejected").await.json;
        assert_eq!((&refused["n"], &refused["code"]), (&json!(0), &json!("already_played")));
        assert_eq!(times_played(&back, seat, &bid), 1);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sent_twice_from_two_tabs() {
    let server = TestServer::start().await;
    for _ in 0..20 {
        let (code, mut players, starter, mut watcher, bid) = table(&server).await;
        let mut player = players.swap_remove(starter);
        let (seat, token) = (player.seat.unwrap(), player.token.clone().unwrap());
        let mut tab = Client::resume(server.address, &code, &token).await.unwrap();
        player.act(&bid).await;
        tab.act(&bid).await;
        for client in [&mut player, &mut tab, &mut watcher] {
            client.until("the bid is shown", |client| times_played(client, seat, &bid) == 1).await;
        }
        // The other is told that the act was played before. A rematch is refused in the middle of a game, after
        // everything that was asked earlier on that line.
        let mut refusals = 0;
        for client in [&mut player, &mut tab] {
            client.say(json!({"type": "rematch"})).await;
            loop {
                match client.hear().await.expect("the line is open").json {
                    heard if heard["type"] == "rejected" => {
                        assert_eq!(heard["code"], "already_played");
                        refusals += 1;
                    }
                    heard if heard["type"] == "error" => break,
                    _ => {}
                }
            }
        }
        assert_eq!(refusals, 1);
        watcher.say(json!({"type": "rematch"})).await;
        watcher.until_heard("error").await;
        assert_eq!(times_played(&watcher, seat, &bid), 1);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_was_never_given_brings_nobody_back() {
    let server = TestServer::start().await;
    let (code, _players) = server.game("prevented", 2).await;
    let stranger = Client::resume(server.address, &code, "00000000000000000000000000000000").await;
    assert_eq!(stranger.err(), Some(End::Closed(4001)));
    server.stop().await;
}
