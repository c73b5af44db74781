//! Reviews and hints over real sockets: a finished game is reviewed once, in spare time, and stored. A single player
//! among bots gets hints.

use crate::client::Client;
use crate::harness::{FAST, Process, TestServer, open_with};
use crate::journals::{Mood, TestJournal};
use crate::past::{finished, get, moments};
use crate::topology::{Topology, topology};
use serde_json::{Value, json};
use std::sync::Arc;

/// Default limits for reviews and hints, and bots without delay.
const LIMITED: &[&str] = &["--acts-per-second", "1000", "--rooms-per-hour", "0", "--bot-delay-ms", "0"];

/// Number of reviews made, or `None` where another server than the requested one counts them.
async fn reviews(server: &TestServer) -> Option<f64> {
    if topology() == Topology::Relayed { None } else { server.metric("rookery_reviews_total").await }
}

async fn until_ready(client: &mut Client) -> Vec<Value> {
    let mut told = Vec::new();
    loop {
        let heard = client.until_any(&["review", "error"]).await;
        assert_eq!(heard.kind(), "review", "{}", heard.text);
        told.push(heard.json);
        if told.last().unwrap()["ready"] == true {
            return told;
        }
    }
}

/// Checks that every listed action exists in the moments, and that the sums are correct.
fn check_review(review: &Value, moments: &[Value]) {
    assert!(review["decisions"].as_u64().unwrap() > 20, "{review}");
    let players = review["players"].as_array().unwrap();
    assert_eq!(players.len(), 2);
    for (seat, player) in players.iter().enumerate() {
        assert_eq!(player["seat"], seat);
        let of = |name: &str| player[name].as_i64().unwrap();
        assert_eq!(of("result"), of("fair") - of("play") + of("others") + of("luck"), "{player}");
        let curve = player["curve"].as_array().unwrap();
        assert!(curve.len() > 10);
        assert!(curve.iter().all(|point| point["chance"].as_u64().unwrap() <= 1000), "{player}");
        assert!(curve.is_sorted_by_key(|point| point["moment"].as_u64().unwrap()), "{player}");
        let end = curve.last().unwrap();
        assert_eq!((&end["moment"], &end["chance"]), (&json!(moments.len() - 1), &player["result"]));
        let mistakes = player["mistakes"].as_array().unwrap();
        assert!(mistakes.len() <= 3);
        assert!(mistakes.is_sorted_by(|one, next| one["cost"].as_u64() >= next["cost"].as_u64()));
        for mistake in mistakes {
            let moment = &moments[mistake["moment"].as_u64().unwrap() as usize];
            assert_eq!((&moment["seat"], &moment["action"]), (&json!(seat), &mistake["action"]));
            assert_ne!(mistake["action"], mistake["better"]);
            assert!(mistake["cost"].as_u64().unwrap() >= 20, "{mistake}");
            assert!(mistake["chance"].as_u64() >= mistake["cost"].as_u64(), "{mistake}");
        }
    }
    // Both players choose at random, so there are mistakes to find.
    assert!(players.iter().any(|player| !player["mistakes"].as_array().unwrap().is_empty()), "{review}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_is_made_once_for_all_requests() {
    let server = TestServer::start().await;
    for game in ["qwantum", "towers"] {
        let (code, mut players, _) = finished(server.address, game).await;
        let path = format!("{code}/games/1/review");
        let (status, none) = get(server.address, &path).await;
        assert_eq!((status, &none["error"]["code"]), (404, &json!("no_review")));
        let mut watcher = Client::watch(server.address, &code, "Wil").await;
        watcher.say(json!({"type": "review"})).await;
        assert_eq!(watcher.until_heard("error").await.json["code"], "not_seated");

        let before = reviews(&server).await;
        for player in &mut players {
            player.say(json!({"type": "review"})).await;
        }
        for client in players.iter_mut().chain([&mut watcher]) {
            let told = until_ready(client).await;
            assert!(told.is_sorted_by_key(|told| told["ready"] == true), "{told:?}");
            let done: Vec<u64> =
                told.iter().filter(|told| told["ready"] == false).map(|told| told["done"].as_u64().unwrap()).collect();
            assert!(done.is_sorted(), "{told:?}");
        }
        let (status, review) = get(server.address, &path).await;
        assert_eq!(status, 200);
        check_review(&review, &moments(server.address, &code, 1).await);
        assert_eq!(reviews(&server).await, before.map(|before| before + 1.0));

        // A second request returns the existing review.
        players[1].say(json!({"type": "review"})).await;
        assert_eq!(until_ready(&mut players[1]).await.len(), 1);
        assert_eq!(reviews(&server).await, before.map(|before| before + 1.0));
        // After the rematch there is no finished game to review, and the first game keeps its review.
        players[0].say(json!({"type": "rematch"})).await;
        players[0].until("the room is in the lobby", |player| player.room["phase"] == "lobby").await;
        players[0].say(json!({"type": "review"})).await;
        assert_eq!(players[0].until_heard("error").await.json["code"], "not_finished");
        assert_eq!(get(server.address, &path).await, (200, review));
        let (status, none) = get(server.address, &format!("{code}/games/2/review")).await;
        assert_eq!((status, &none["error"]["code"]), (404, &json!("no_such_game")));
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = Process::start(folder.path(), "127.0.0.1:0").await;
    let (code, mut players, _) = finished(server.address, "qwantum").await;
    players[0].say(json!({"type": "review"})).await;
    until_ready(&mut players[0]).await;
    let path = format!("{code}/games/1/review");
    let review = get(server.address, &path).await;
    let token = players[0].token.clone().expect("the client is seated");
    server.kill().await;

    let server = Process::start(folder.path(), "127.0.0.1:0").await;
    let mut ana = Client::resume(server.address, &code, &token).await.expect("the seat is kept");
    assert!(ana.is_over());
    assert_eq!(get(server.address, &path).await, review);
    ana.say(json!({"type": "review"})).await;
    assert_eq!(until_ready(&mut ana).await.len(), 1, "the stored review is found");
    server.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loaded_room_answers_with_the_review_of_its_last_game_without_reading_its_journal() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let (code, mut players, _) = finished(server.address, "qwantum").await;
    let path = format!("{code}/games/last/review");
    let before = journal.reads(&code);
    assert_eq!(get(server.address, &path).await.1["error"]["code"], "no_review");
    assert_eq!(journal.reads(&code), before);
    players[0].say(json!({"type": "review"})).await;
    until_ready(&mut players[0]).await;
    let made = get(server.address, &format!("{code}/games/1/review")).await;
    let before = journal.reads(&code);
    assert_eq!(get(server.address, &path).await, made);
    players[0].say(json!({"type": "rematch"})).await;
    players[0].until("the room is in the lobby", |player| player.room["phase"] == "lobby").await;
    assert_eq!(get(server.address, &path).await, made, "until the next game starts");
    assert_eq!(journal.reads(&code), before);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_that_panics_is_reported_as_an_internal_error() {
    let journal = Arc::new(TestJournal::default());
    let server = TestServer::with(journal.clone(), FAST).await;
    let (code, mut players, _) = finished(server.address, "qwantum").await;
    journal.turn(&code, Mood::PanicsOnReading);
    players[0].say(json!({"type": "review"})).await;
    assert_eq!(players[0].until_heard("error").await.json["code"], "internal");
    journal.calm();
    players[0].say(json!({"type": "review"})).await;
    until_ready(&mut players[0]).await;
    server.stop().await;
}

async fn alone_with_bots(server: &TestServer, game: &str) -> Client {
    let code = open_with(server.address, json!({"game": game, "forced": "ask"})).await;
    let mut ana = server.join(&code, "Ana").await;
    ana.say(json!({"type": "add_bot", "level": "easy"})).await;
    ana.until("two players sit", |ana| ana.room["seats"].as_array().unwrap().len() == 2).await;
    ana.say(json!({"type": "hint"})).await;
    assert_eq!(ana.until_heard("error").await.json["code"], "no_game");
    ana.say(json!({"type": "start"})).await;
    ana
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_alone_among_bots_gets_legal_hints() {
    let server = TestServer::fresh(LIMITED).await;
    for game in ["towers", "qwantum"] {
        let mut ana = alone_with_bots(&server, game).await;
        let mut hinted = 0;
        while hinted < 5 {
            ana.until("Ana must act", |ana| ana.is_asked()).await;
            let n = ana.next();
            ana.say(json!({"type": "hint"})).await;
            let heard = ana.until_any(&["hint", "error"]).await;
            let act = if heard.kind() == "hint" {
                hinted += 1;
                assert_eq!(heard.json["n"], n);
                let acts = heard.json["acts"].as_array().unwrap();
                assert!((1..=3).contains(&acts.len()), "{}", heard.text);
                assert!(acts.is_sorted_by(|one, next| one["chance"].as_u64() >= next["chance"].as_u64()));
                acts[0]["action"].clone()
            } else {
                assert_eq!(heard.json["code"], "no_hint", "hints are refused only if there is one legal action");
                assert_eq!(ana.actions().len(), 1, "{:?}", ana.actions());
                ana.actions()[0].clone()
            };
            ana.act(&act).await;
            ana.until("the action is acknowledged", |ana| ana.next() > n).await;
        }
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_hints_in_a_game_of_two_people() {
    let server = TestServer::fresh(LIMITED).await;
    let (_, mut players) = server.game("prevented", 2).await;
    for player in &mut players {
        player.say(json!({"type": "hint"})).await;
        assert_eq!(player.until_heard("error").await.json["code"], "no_hint");
    }
    // A player who has left for good no longer counts: once a bot has their seat, the other gets hints.
    let (mut bea, mut ana) = (players.pop().unwrap(), players.pop().unwrap());
    bea.say(json!({"type": "leave"})).await;
    bea.until_end().await;
    ana.until("a bot plays for Bea", |ana| ana.room["seats"][1]["bot"].is_string()).await;
    ana.until("Ana must act", |ana| ana.is_asked()).await;
    ana.say(json!({"type": "hint"})).await;
    let heard = ana.until_any(&["hint", "error"]).await;
    assert_eq!(heard.kind(), "hint", "a player who left must not prevent hints: {}", heard.text);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_are_rate_limited() {
    let server = TestServer::fresh(LIMITED).await;
    let mut ana = alone_with_bots(&server, "qwantum").await;
    let mut hints = 0;
    loop {
        ana.until("Ana must act", |ana| ana.is_asked()).await;
        ana.say(json!({"type": "hint"})).await;
        let heard = ana.until_any(&["hint", "error"]).await;
        match (heard.kind(), heard.json["code"].as_str()) {
            ("hint", _) => hints += 1,
            (_, Some("no_hint")) => {
                let (n, act) = (ana.next(), ana.actions()[0].clone());
                ana.act(&act).await;
                ana.until("the action is acknowledged", |ana| ana.next() > n).await;
            }
            (_, code) => {
                assert_eq!(code, Some("room_busy"));
                break;
            }
        }
        assert!(hints < 600, "the rate limit does not apply");
    }
    assert!(hints >= 30, "{hints}");
    let (_, body) = server.get("/healthz").await;
    assert_eq!(body, "well\n");
    server.stop().await;
}
