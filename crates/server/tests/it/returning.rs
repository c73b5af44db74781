//! Clients that come back with the events they already have: the welcome brings only those after them, or all of them
//! if they are not the first events of the game on the table.

use crate::client::{Client, End, Raw};
use crate::games::{chance, choose};
use crate::harness::{FAST, PATIENCE, Process, TestServer, begin, open_with, request};
use crate::topology::{Ground, Topology, data_of, node_flags, set_owner, topology};
use crate::update::play_to_the_end;
use game::Commitment;
use journal::Cursor;
use protocol::Have;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::time::timeout;

/// Returns events as one text.
fn text(events: &[Box<RawValue>]) -> String {
    events.iter().map(|event| event.get()).collect::<Vec<_>>().join("\n")
}

/// Returns what a join says about these events.
fn have_of(game: Commitment, events: &[Box<RawValue>]) -> Value {
    json!(Have::of(game, events.iter().map(|event| event.get())))
}

/// Plays this number of actions. Afterwards all clients have the same version.
async fn play(clients: &mut [Client], acts: usize, seed: u8) {
    let mut chance = chance(seed);
    for _ in 0..acts {
        let actor = clients.iter().position(Client::is_asked).expect("a player must act");
        let (action, version) = (choose(&clients[actor], &mut chance), clients[actor].version);
        clients[actor].act(&action).await;
        for client in clients.iter_mut() {
            client.until("all clients see the action", |client| client.version > version).await;
        }
    }
}

/// Joins as a spectator that has these events and says `have` about them.
async fn watch_with(address: SocketAddr, code: &str, have: Value, events: &[Box<RawValue>]) -> Client {
    let join = json!({"type": "join", "name": "Wil", "watch": true, "have": have});
    Client::join_knowing(address, code, join, events.to_vec()).await.expect("the server sends a welcome")
}

/// Returns the first message that a spectator with this `have` receives.
async fn welcome(address: SocketAddr, code: &str, have: Option<&Value>) -> String {
    let mut join = json!({"type": "join", "name": "Wil", "watch": true});
    if let Some(have) = have {
        join["have"] = have.clone();
    }
    let mut ws = Client::connect(address, code).await.expect("the upgrade succeeds");
    ws.send(join.to_string()).await.expect("the connection is open");
    timeout(PATIENCE, ws.hear()).await.expect("a message arrives in time").expect("a welcome").to_string()
}

fn game_of(client: &Client) -> Commitment {
    serde_json::from_value(client.room["fair"]["commitment"].clone()).expect("a commitment")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_returning_player_gets_only_the_events_since() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 3).await;
    play(&mut players, 4, 1).await;
    let cid = players.pop().expect("three players");
    let (known, token, seat) = (cid.events.clone(), cid.token.clone(), cid.seat);
    // The others see that Cid is away, and do whatever does not need Cid.
    let have = cid.have();
    drop(cid);
    for _ in 0..20 {
        if !players.iter().any(Client::is_asked) {
            break;
        }
        play(&mut players, 1, 2).await;
    }
    let newer = players[0].events.len() - known.len();
    let join = json!({"type": "join", "token": token, "have": have});
    let cid = Client::join_knowing(server.address, &code, join, known.clone()).await.expect("the seat is kept");
    assert_eq!((cid.seat, cid.since), (seat, Some(known.len() as u32)));
    assert_eq!(cid.events.len(), known.len() + newer);
    assert_eq!(text(&cid.events), text(&players[0].events));
    assert_eq!(cid.table, players[0].table, "the state is complete");
    // A client that has everything gets no event.
    let cid = cid.come_back(server.address, &code).await.expect("the seat is kept");
    assert_eq!(cid.since, Some(cid.events.len() as u32));
    assert_eq!(text(&cid.events), text(&players[0].events));
    server.stop().await;
}

/// Plays a whole game, and comes back with the first events of every possible number.
async fn every_number_of_events(options: Value, players: usize) {
    let server = TestServer::start().await;
    let code = open_with(server.address, options).await;
    let ends = play_to_the_end(begin(server.address, &code, players).await).await;
    let (game, all) = (game_of(&ends[0]), &ends[0].events);
    assert!(all.len() > 40, "{} events", all.len());
    for count in 0..=all.len() {
        let have = have_of(game, &all[..count]);
        let back = watch_with(server.address, &code, have, &all[..count]).await;
        assert_eq!(back.since, Some(count as u32));
        assert_eq!(text(&back.events), text(all), "with {count} events");
    }
    let have = have_of(game, all);
    let whole = welcome(server.address, &code, None).await;
    let short = welcome(server.address, &code, Some(&have)).await;
    println!(
        "{}: {} events; the welcome at the end of a game has {} bytes, and {} for a client that comes back",
        ends[0].room["game"],
        all.len(),
        whole.len(),
        short.len()
    );
    let history = |welcome: &str| {
        let welcome: Value = serde_json::from_str(welcome).expect("valid JSON");
        welcome["history"].as_array().expect("a list of events").len()
    };
    assert_eq!((history(&whole), history(&short)), (all.len(), 0));
    // Nothing else differs.
    let rest = |welcome: &str| {
        let mut welcome: Value = serde_json::from_str(welcome).expect("valid JSON");
        let room = welcome["room"].as_object_mut().expect("a room");
        // Earlier spectators may still be counted, and players have been away for longer.
        room.retain(|field, _| !["watchers", "audience", "seats", "host"].contains(&field.as_str()));
        let fields = welcome.as_object_mut().expect("an object");
        fields.retain(|field, _| !["since", "history"].contains(&field.as_str()));
        welcome
    };
    assert_eq!(rest(&short), rest(&whole));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn any_first_events_of_five_towers_complete_the_history() {
    every_number_of_events(json!({"game": "towers", "rules": {"mistakes": "allowed"}}), 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn any_first_events_of_qwantum_complete_the_history() {
    every_number_of_events(json!({"game": "qwantum"}), 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn anything_but_the_first_events_of_this_game_brings_all() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 2).await;
    play(&mut players, 6, 3).await;
    let ana = &players[0];
    let right = ana.have();
    let count = ana.events.len();
    let changed = |field: &str, to: Value| {
        let mut have = right.clone();
        have[field] = to;
        have
    };
    let checksum = right["checksum"].as_u64().expect("a number");
    let mut swapped = ana.events.clone();
    swapped.swap(count - 1, count - 2);
    for (what, have) in [
        ("another game", changed("game", json!("07".repeat(32)))),
        ("one event more", changed("events", json!(count + 1))),
        ("one event less", changed("events", json!(count - 1))),
        ("no events", changed("events", json!(0))),
        ("the most events there can be", changed("events", json!(u32::MAX))),
        ("another checksum", changed("checksum", json!(checksum ^ 1))),
        ("no checksum", changed("checksum", json!(0))),
        ("other events", have_of(game_of(ana), &swapped)),
    ] {
        let back = watch_with(server.address, &code, have, &[]).await;
        assert_eq!(back.since, None, "{what}");
        assert_eq!(text(&back.events), text(&ana.events), "{what}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_a_join_whose_events_are_not_described_as_agreed() {
    let server = TestServer::start().await;
    let (code, players) = server.game("prevented", 2).await;
    let game = players[0].room["fair"]["commitment"].clone();
    for have in [
        json!(57),
        json!("57"),
        json!([]),
        json!({}),
        json!({"game": game, "events": 1}),
        json!({"game": game, "events": -1, "checksum": 0}),
        json!({"game": game, "events": 1.5, "checksum": 0}),
        json!({"game": game, "events": 1, "checksum": 4_294_967_296_u64}),
        json!({"game": "0707", "events": 1, "checksum": 0}),
        json!({"game": game, "events": 1, "checksum": 0, "version": 57}),
    ] {
        let join = json!({"type": "join", "name": "Wil", "watch": true, "have": have});
        let (heard, end) = Raw::open(server.address, &code).await.says(join.to_string()).await.until_end().await;
        assert_eq!((&heard[0]["code"], end), (&json!("bad_message"), End::Closed(4000)), "{have}");
    }
    // Null means nothing, as for every optional field of a join.
    let back = watch_with(server.address, &code, Value::Null, &[]).await;
    assert_eq!((back.since, text(&back.events)), (None, text(&players[0].events)));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_the_game_before_bring_all_after_a_rematch() {
    let server = TestServer::start().await;
    for again in ["rematch", "same_deal"] {
        let (code, players) = server.game("prevented", 2).await;
        let mut players = play_to_the_end(players).await;
        let (before, have) = (players[0].events.clone(), players[0].have());
        players[0].say(json!({"type": again})).await;
        for player in &mut players {
            player.until("the lobby opens", |player| player.room["phase"] == "lobby").await;
        }
        let back = watch_with(server.address, &code, have.clone(), &before).await;
        assert_eq!((back.since, back.events.len()), (None, 0), "{again}: a lobby has no events");
        players[0].say(json!({"type": "start"})).await;
        for player in &mut players {
            player.until("the game begins", |player| player.room["phase"] == "playing").await;
            player.until("the game is shown", |player| !player.events.is_empty()).await;
        }
        for count in [1, before.len()] {
            let old: Commitment = serde_json::from_value(have["game"].clone()).expect("a commitment");
            let have = have_of(old, &before[..count]);
            let back = watch_with(server.address, &code, have, &before[..count]).await;
            assert_eq!((back.since, text(&back.events)), (None, text(&players[0].events)), "{again}");
        }
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_that_were_lost_and_played_differently_bring_all() {
    // A database loses the last moves, and the same game continues differently, up to the same number of events.
    let ground = Ground::fresh().await;
    let journal = ground.journal.clone();
    let server = TestServer::on(ground, FAST).await;
    let (code, mut players) = server.game("prevented", 2).await;
    let entries = journal.read(&code).await.expect("the journal is readable").expect("a room").len();
    bid(&mut players, 1).await;
    let lost = players.swap_remove(0);
    let lines = journal.read(&code).await.expect("the journal is readable").expect("a room");
    server.stop().await;

    let ground = Ground::fresh().await;
    let kept = lines.into_iter().take(entries).collect();
    ground.journal.append(&code, Cursor::START, kept, 0).await.expect("an empty journal");
    let server = TestServer::on(ground, FAST).await;
    let mut players = Vec::from([
        Client::resume(server.address, &code, lost.token.as_ref().expect("a seat")).await.unwrap(),
        Client::resume(server.address, &code, players[0].token.as_ref().expect("a seat")).await.unwrap(),
    ]);
    let (version, events) = (lost.version, lost.events.clone());
    let lost = lost.come_back(server.address, &code).await.expect("the seat is kept");
    assert_eq!((lost.since, lost.version), (None, version - 1), "the last move was lost");
    bid(&mut players, 2).await;
    assert_eq!((players[0].version, players[0].events.len()), (version, events.len()));
    let have = have_of(game_of(&players[0]), &events);
    let back = watch_with(server.address, &code, have, &events).await;
    assert_eq!((back.since, text(&back.events)), (None, text(&players[0].events)));
    server.stop().await;
}

/// Plays the first bid.
async fn bid(players: &mut [Client], count: u32) {
    let starter = players.iter().position(Client::is_asked).expect("a player must act");
    players[starter].act(&json!({"type": "bid", "count": count})).await;
    for player in players.iter_mut() {
        let version = player.version;
        player.until("the bid is shown", |player| player.version > version).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_seen_by_a_spectator_count_for_a_seat_and_the_reverse() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 2).await;
    let wil = Client::watch(server.address, &code, "Wil").await;
    players.push(wil);
    play(&mut players, 6, 4).await;
    // Everyone was sent the same bytes.
    let [ana, bea, wil] = &players[..] else { panic!("three clients") };
    for client in [bea, wil] {
        assert_eq!(text(&client.events), text(&ana.events));
        assert_eq!(client.have(), ana.have());
    }
    for (token, seat) in [(&ana.token, ana.seat), (&bea.token, bea.seat)] {
        let join = json!({"type": "join", "token": token, "have": wil.have()});
        let back = Client::join_knowing(server.address, &code, join, wil.events.clone()).await;
        let back = back.expect("the seat is kept");
        assert_eq!((back.seat, back.since), (seat, Some(wil.events.len() as u32)));
        assert_eq!(text(&back.events), text(&ana.events));
        assert!(back.mine.is_object(), "the state is complete");
    }
    let back = watch_with(server.address, &code, ana.have(), &ana.events).await;
    assert_eq!((back.since, back.mine), (Some(ana.events.len() as u32), Value::Null));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_brings_only_the_events_since() {
    let folder = tempfile::tempdir().unwrap();
    let data = data_of(folder.path());
    let relayed = topology() == Topology::Relayed;
    let flags = if relayed { node_flags() } else { Vec::new() };
    let server = Process::start_with(&data, "127.0.0.1:0", &flags).await;
    let owner = server.address;
    let edge = if relayed { Some(Process::start_with(&data, "127.0.0.1:0", &node_flags()).await) } else { None };
    let address = edge.as_ref().map_or(owner, |edge| edge.address);
    set_owner(address, owner);
    let mut rooms = Vec::new();
    for (options, seed) in [(json!({"game": "towers"}), 5), (json!({"game": "qwantum"}), 6)] {
        let code = open_with(address, options).await;
        let mut players = begin(address, &code, 2).await;
        play(&mut players, 12, seed).await;
        rooms.push((code, players));
    }
    server.kill().await;
    let server = Process::start_with(&data, &owner.to_string(), &flags).await;
    for (code, mut players) in rooms {
        let bea = players.pop().expect("two players");
        let ana = players.pop().expect("two players");
        let (before, known) = (ana.version, ana.events.clone());
        let mut back = Vec::new();
        for player in [ana, bea] {
            back.push(come_back_in_time(address, &code, player).await);
        }
        for player in &back {
            assert_eq!((player.version, player.since), (before, Some(known.len() as u32)));
            assert_eq!(text(&player.events), text(&known));
        }
        play(&mut back, 3, 7).await;
        let whole = Client::watch(address, &code, "Wil").await;
        assert_eq!(text(&whole.events), text(&back[0].events), "the game continues");
    }
    server.kill().await;
    if let Some(edge) = edge {
        edge.kill().await;
    }
}

/// Comes back with as many attempts as a server needs that has just started.
async fn come_back_in_time(address: SocketAddr, code: &str, client: Client) -> Client {
    let (token, have, events) = (client.token.clone(), client.have(), client.events.clone());
    drop(client);
    let join = json!({"type": "join", "token": token, "have": have});
    let back = async {
        loop {
            match Client::join_knowing(address, code, join.clone(), events.clone()).await {
                Ok(client) => return client,
                Err(End::Closed(1012) | End::Broken) => tokio::task::yield_now().await,
                Err(end) => panic!("cannot reopen the seat: {end:?}"),
            }
        }
    };
    timeout(PATIENCE, back).await.expect("the server restarts in time")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_welcome_names_the_version_of_the_page() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let (status, page) = request(server.address, "GET", &format!("/r/{code}"), "").await;
    assert_eq!(status, 200);
    let welcome: Value = serde_json::from_str(&welcome(server.address, &code, None).await).unwrap();
    let version = welcome["page"].as_str().expect("a version");
    assert_eq!((version.len(), version.bytes().all(|digit| digit.is_ascii_hexdigit())), (16, true), "{version}");
    assert!(page.contains(&format!("src=\"/a/{version}/main.chunk.js\"")), "{page}");
    server.stop().await;
}
