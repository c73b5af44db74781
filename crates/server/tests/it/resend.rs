//! An action is played exactly once, whenever the connection is cut.

use crate::client::{Client, End};
use crate::harness::{TestServer, begin, open_with};
use client::Join;
use client::scripted::{ActFate, MessageSummary, ScriptedPlayer};
use serde_json::{Value, json};

/// Returns how often this seat's action is in the history.
fn times_played(watcher: &Client, seat: u64, action: &Value) -> usize {
    let same =
        |event: &&Value| event["seat"] == seat && event["type"] == action["type"] && event["count"] == action["count"];
    watcher.history.iter().filter(same).count()
}

/// Does what the contract requires after a lost connection: reconnect, and resend only if `next` is still the action's
/// number.
async fn reconnect_and_resend(server: &TestServer, code: &str, mut player: ScriptedPlayer) -> Client {
    let mut ws = Client::connect(server.address, code).await.expect("the room exists");
    let back = Join::back(player.token.as_deref().expect("the player has a seat"));
    let (welcome, lost) = (ws.join(back).await.expect("the seat is kept"), player.sent.clone().unwrap());
    let fate = player.take_in(MessageSummary::read(&welcome).unwrap());
    if fate == Some(ActFate::Lost) {
        ws.act(lost.n, &lost.action).await.expect("the connection is open");
    }
    let mut client = Client::already_welcomed(ws, &welcome);
    let next = if fate == Some(ActFate::Lost) { lost.n } else { lost.n + 1 };
    assert_eq!(client.next(), next, "one action was in transit");
    client.until("the action is acknowledged", |client| client.next() > lost.n).await;
    client
}

/// A new game, its starter, a spectator, and the starter's bid of 0.
async fn table(server: &TestServer) -> (String, Vec<Client>, usize, Client, Value) {
    let (code, players) = server.game("prevented", 2).await;
    let starter = players[0].table()["starter"].as_u64().unwrap() as usize;
    let watcher = Client::watch(server.address, &code, "Wil").await;
    (code, players, starter, watcher, json!({"type": "bid", "count": 0}))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_at_any_byte_plays_the_action_once() {
    let server = TestServer::start().await;
    // The frame: two bytes of header, four of mask, and the message. From 126 bytes on the header would be longer.
    let bid = json!({"type": "bid", "count": 0});
    let message = json!({"type": "act", "n": 0, "action": bid}).to_string();
    let frame = 2 + 4 + message.len();
    let (mut lost, mut arrived) = (0, 0);
    for bytes in 0..=frame + 1 {
        let (code, mut players, starter, mut watcher, bid) = table(&server).await;
        let Client { mut ws, mut player, .. } = players.swap_remove(starter);
        let seat = player.seat.expect("the starter is seated").0.into();
        let sent = player.act(|_| Some(bid.to_string())).expect("the starter must act").clone();
        ws.stream().cut_after(bytes);
        let _ = ws.act(sent.n, &sent.action).await;
        drop(ws);
        let back = reconnect_and_resend(&server, &code, player).await;
        watcher.until("the bid is shown", |watcher| watcher.version == back.version).await;
        assert_eq!(times_played(&watcher, seat, &bid), 1, "cut after {bytes} of {frame} bytes");
        // If the whole frame was sent, the action may or may not have been played when the client reconnects.
        if bytes < frame { lost += 1 } else { arrived += 1 }
    }
    assert_eq!((lost, arrived), (frame, 2));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_before_the_state_arrives_plays_the_action_once() {
    let server = TestServer::start().await;
    for _ in 0..20 {
        let (code, mut players, starter, mut watcher, bid) = table(&server).await;
        let mut player = players.swap_remove(starter);
        let (seat, token) = (player.seat().unwrap(), player.token.clone().unwrap());
        player.act(&bid).await;
        // Everyone else sees it, but the player's connection breaks before the answer is read.
        watcher.until("the bid is shown", |watcher| times_played(watcher, seat, &bid) == 1).await;
        drop(player);

        let mut back = Client::resume(server.address, &code, &token).await.unwrap();
        assert_eq!(back.next(), 1, "the welcome acknowledges it");
        // If the client resends it anyway, it is refused as already played, and nothing changes.
        back.say(json!({"type": "act", "n": 0, "action": bid})).await;
        let refused = back.until_heard("rejected").await.json;
        assert_eq!((&refused["n"], &refused["code"]), (&json!(0), &json!("already_played")));
        assert_eq!(times_played(&back, seat, &bid), 1);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_action_from_two_tabs_is_played_once() {
    let server = TestServer::start().await;
    for _ in 0..20 {
        let (code, mut players, starter, mut watcher, bid) = table(&server).await;
        let mut player = players.swap_remove(starter);
        let (seat, token) = (player.seat().unwrap(), player.token.clone().unwrap());
        let mut tab = Client::resume(server.address, &code, &token).await.unwrap();
        player.act(&bid).await;
        tab.act(&bid).await;
        for client in [&mut player, &mut tab, &mut watcher] {
            client.until("the bid is shown", |client| times_played(client, seat, &bid) == 1).await;
        }
        // The other tab's action is refused as already played. A rematch is refused during a game, after everything
        // sent earlier on that connection.
        let mut refusals = 0;
        for client in [&mut player, &mut tab] {
            client.say(json!({"type": "rematch"})).await;
            loop {
                match client.hear().await.expect("the connection is open").json {
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

/// Plays the next action of a seat, and waits until all clients see it.
async fn play_and_wait(players: &mut [&mut Client], seat: u64, action: &Value) {
    let mut all = players.iter_mut();
    all.find(|player| player.seat() == Some(seat)).expect("a player").act(action).await;
    let version = players[0].version + 1;
    for player in players {
        player.until("the action is shown", |player| player.version == version).await;
    }
}

/// Plays the first two steps of the active player's turn in Qwantum. After that all choose simultaneously.
async fn roll(players: &mut [&mut Client], active: u64) {
    for kind in ["roll", "keep", "skip"] {
        play_and_wait(players, active, &json!({"type": kind})).await;
    }
    assert_eq!(players[0].table()["phase"], "share");
}

/// Three players and a spectator in Qwantum. The player who is not active in the first two turns decides, as the last
/// one or not, and then changes the choice, but that message never leaves the device.
async fn lose_a_changed_choice(decides_last: bool) {
    let server = TestServer::start().await;
    let code = open_with(server.address, json!({"game": "qwantum", "forced": "ask"})).await;
    let mut players = begin(server.address, &code, 3).await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    let active = wil.table()["turn"].as_u64().unwrap();
    let (next, third) = ((active + 1) % 3, (active + 2) % 3);
    let (skip, enter) = (json!({"type": "skip"}), json!({"type": "enter", "row": "red"}));
    {
        let mut all: Vec<&mut Client> = players.iter_mut().chain([&mut wil]).collect();
        roll(&mut all, active).await;
        if decides_last {
            play_and_wait(&mut all, active, &skip).await;
            play_and_wait(&mut all, next, &skip).await;
        }
    }
    let mut player = players.remove(third as usize);
    let (token, decided) = (player.token.clone().unwrap(), player.next());
    player.act(&skip).await;
    // The page sends the changed choice at once, or keeps it until it reconnects. Either way it has the next number.
    let lost = json!({"type": "act", "n": decided + 1, "action": enter});
    wil.until("the choice is shown", |wil| wil.table()["decided"][third as usize] == true || decides_last).await;
    player.ws.stream().cut_after(0);
    assert_eq!(player.try_say(lost.clone()).await, Err(End::Broken));
    drop(player);

    // The others finish this turn, and the next one up to its step C.
    let version = wil.version;
    for client in players.iter_mut() {
        client.until("the client has the same version", |client| client.version >= version).await;
    }
    let mut all: Vec<&mut Client> = players.iter_mut().chain([&mut wil]).collect();
    if !decides_last {
        play_and_wait(&mut all, active, &skip).await;
        play_and_wait(&mut all, next, &skip).await;
    }
    for client in &mut all {
        client.until("the next turn begins", |client| client.table()["turn"] == next).await;
    }
    roll(&mut all, next).await;

    let mut back = Client::resume(server.address, &code, &token).await.expect("the seat is kept");
    assert!(
        back.next() > decided + 1,
        "a client following the protocol would not resend: {} after {decided}",
        back.next()
    );
    back.say(lost).await;
    let refused = back.until_heard("rejected").await.json;
    assert_eq!((&refused["n"], &refused["code"]), (&json!(decided + 1), &json!("already_played")));
    assert_eq!((back.is_asked(), &back.mine["choice"]), (true, &Value::Null), "the choice of this turn is still open");

    // The player chooses for this turn, having seen the dice, and that choice counts.
    all.push(&mut back);
    for seat in [active, next, third] {
        play_and_wait(&mut all, seat, &skip).await;
    }
    let chosen =
        |kind: &str| wil.history.iter().filter(|event| event["seat"] == third && event["type"] == kind).count();
    assert_eq!((chosen("skip"), chosen("enter")), (2, 0), "one choice per turn");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_changed_choice_is_not_played_in_a_later_turn() {
    lose_a_changed_choice(false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_change_of_the_last_choice_is_not_played_later() {
    lose_a_changed_choice(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_a_made_up_token() {
    let server = TestServer::start().await;
    let (code, _players) = server.game("prevented", 2).await;
    let stranger = Client::resume(server.address, &code, "00000000000000000000000000000000").await;
    assert_eq!(stranger.err(), Some(End::Closed(4001)));
    server.stop().await;
}
