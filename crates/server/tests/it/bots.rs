//! Bots, the clock, and a second device, over real sockets. Bots think on their own threads, so the test clock is only
//! advanced while no bot is thinking.

use crate::client::{Client, End};
use crate::games::{chance, choose};
use crate::harness::{TestServer, open_with};
use crate::idle::{look, until_seen};
use crate::topology::{Ground, advance_with_leases};
use game::{Budget, Level, Seed};
use protocol::RawAction;
use room::Thinking;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Flags without limits and with bots that answer at once.
const QUICK: &[&str] = &["--acts-per-second", "0", "--rooms-per-hour", "0", "--bot-delay-ms", "0"];

async fn server() -> TestServer {
    TestServer::fresh(QUICK).await
}

/// Plays the client's actions until a condition is true. An action that was forced or decided by the clock meanwhile is
/// reported as already played, which is accepted here.
async fn play_until(client: &mut Client, condition: impl Fn(&Client) -> bool) {
    let mut chance = chance(8);
    while !condition(client) {
        if !client.is_asked() {
            client.hear().await.expect("the connection is open");
            continue;
        }
        let (action, n) = (choose(client, &mut chance), client.next());
        client.act(&action).await;
        client.until("the seat has acted", |client| client.next() > n || client.is_over()).await;
    }
}

fn seat(client: &Client, seat: usize) -> &Value {
    &client.room["seats"][seat]
}

#[tokio::test(flavor = "multi_thread")]
async fn one_person_plays_a_whole_game_against_bots() {
    let server = server().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    for level in ["easy", "normal"] {
        ana.say(json!({"type": "add_bot", "level": level})).await;
    }
    ana.until("three players sit", |ana| ana.room["seats"].as_array().unwrap().len() == 3).await;
    assert_eq!((&seat(&ana, 1)["kind"], &seat(&ana, 1)["bot"]), (&json!("bot"), &json!("easy")));
    ana.say(json!({"type": "start"})).await;
    play_until(&mut ana, Client::is_over).await;
    let built =
        |seat: u64| ana.history.iter().filter(|event| event["type"] == "build" && event["seat"] == seat).count();
    assert!(built(1) > 0 && built(2) > 0, "the bots built nothing");

    // The bots stay for the rematch.
    ana.say(json!({"type": "rematch"})).await;
    ana.until("the room is in the lobby", |ana| ana.room["phase"] == "lobby").await;
    assert_eq!(ana.room["seats"].as_array().unwrap().len(), 3);
}

/// A bot that searches until its time is over, and then plays the best action it has found.
fn search_until_deadline(bot: &Thinking, level: Level, seed: Seed, budget: Budget<'_>) -> Option<RawAction> {
    // It always reports zero tries, so only the time limit can end the search.
    while budget.allows(0) {
        std::thread::yield_now();
    }
    bot(level, seed, Budget::tries(0))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_never_stops_searching_answers_at_its_deadline() {
    let server = TestServer::with_bots(Ground::fresh().await, QUICK, search_until_deadline).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    ana.say(json!({"type": "add_bot", "level": "hard"})).await;
    ana.until("two players sit", |ana| ana.room["seats"].as_array().unwrap().len() == 2).await;
    ana.say(json!({"type": "start"})).await;
    ana.until("the game begins", |ana| ana.version > 0).await;
    play_until(&mut ana, |ana| ana.table()["round"] == 2).await;
    assert!(ana.history.iter().any(|event| event["seat"] == 1), "the bot never acted");
}

/// Number of panics of bots, and number of those outside the bots' threads.
static FAILED: AtomicUsize = AtomicUsize::new(0);
static ELSEWHERE: AtomicUsize = AtomicUsize::new(0);

/// A bot that panics at every level.
fn always_panics(_: &Thinking, _: Level, _: Seed, _: Budget<'_>) -> Option<RawAction> {
    let own_thread = std::thread::current().name().is_some_and(|name| name.starts_with("thinker"));
    FAILED.fetch_add(1, Ordering::Relaxed);
    ELSEWHERE.fetch_add(usize::from(!own_thread), Ordering::Relaxed);
    // `resume_unwind` prints no backtrace. Hundreds of backtraces would take longer than the game.
    std::panic::resume_unwind(Box::new("a bot that always panics"));
}

#[tokio::test(flavor = "multi_thread")]
async fn bots_that_panic_at_every_level_still_play_legal_actions() {
    let server = TestServer::with_bots(Ground::fresh().await, QUICK, always_panics).await;
    for game in ["towers", "qwantum"] {
        let code = open_with(server.address, json!({"game": game, "forced": "ask"})).await;
        let mut ana = server.join(&code, "Ana").await;
        for level in ["easy", "hard"] {
            ana.say(json!({"type": "add_bot", "level": level})).await;
        }
        ana.until("three players sit", |ana| ana.room["seats"].as_array().unwrap().len() == 3).await;
        ana.say(json!({"type": "start"})).await;
        play_until(&mut ana, Client::is_over).await;
        assert!([1, 2].iter().all(|bot| ana.history.iter().any(|event| event["seat"] == *bot)), "{game}");
    }
    assert!(FAILED.load(Ordering::Relaxed) > 0, "no bot has panicked");
    assert_eq!(ELSEWHERE.load(Ordering::Relaxed), 0, "bots must run on their own threads");
}

#[tokio::test]
async fn a_bot_plays_for_a_seat_whose_player_left_the_game() {
    let server = server().await;
    let (_, players) = server.game("prevented", 3).await;
    let [mut ana, mut bea, mut cid] = <[Client; 3]>::try_from(players).ok().expect("three clients");
    bea.say(json!({"type": "leave"})).await;
    assert_eq!(bea.until_end().await, End::Closed(1000));
    ana.until("a bot plays for Bea", |ana| seat(ana, 1)["kind"] == "bot").await;
    ana.say(json!({"type": "remove", "seat": 2})).await;
    assert_eq!(cid.until_end().await, End::Closed(4003));
    assert_eq!(cid.seat(), None, "Cid loses the seat before the close");
    play_until(&mut ana, Client::is_over).await;
    assert!(ana.history.iter().any(|event| event["type"] == "build" && event["seat"] == 1));
}

#[tokio::test]
async fn a_bot_substitutes_for_an_absent_player_until_they_reconnect() {
    let server = server().await;
    let (code, players) = server.game("prevented", 2).await;
    let [mut ana, bea] = <[Client; 2]>::try_from(players).ok().expect("two clients");
    let token = bea.token.clone().unwrap();
    drop(bea);
    ana.until("Bea is disconnected", |ana| seat(ana, 1)["connected"] == false).await;
    let substitute = json!({"type": "substitute", "seat": 1, "level": "normal"});
    ana.say(substitute.clone()).await;
    assert_eq!(ana.until_heard("error").await.json["code"], "not_away");
    advance_with_leases(Duration::from_secs(30)).await;
    ana.say(substitute).await;
    ana.until("a bot plays for Bea", |ana| seat(ana, 1)["bot"] == "normal").await;
    assert_eq!(seat(&ana, 1)["kind"], "human", "the seat still belongs to Bea");
    let done = |ana: &Client| ana.history.iter().any(|event| event["seat"] == 1);
    play_until(&mut ana, done).await;

    let bea = Client::resume(server.address, &code, &token).await.expect("the seat is kept");
    assert_eq!(bea.seat(), Some(1));
    assert_eq!(seat(&bea, 1)["bot"], json!(null), "the bot is removed when Bea reconnects");
}

#[tokio::test]
async fn two_timeouts_in_a_row_substitute_a_bot() {
    let server = server().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut bea = server.join(&code, "Bea").await;
    ana.say(json!({"type": "configure", "clock": 10, "forced": "ask"})).await;
    ana.until("the clock is set", |ana| ana.room["clock"] == 10).await;
    ana.say(json!({"type": "start"})).await;
    for client in [&mut ana, &mut bea] {
        client.until("the game begins", |client| client.version > 0).await;
    }
    let slow = ana.asked()[0];
    let (mut slow, mut quick) = if slow == 0 { (ana, bea) } else { (bea, ana) };
    let me = slow.seat().unwrap() as usize;
    for times in 1..=2 {
        // Play until the slow player must act. Then no client sends anything.
        play_until(&mut quick, |quick| quick.asked() == [me as u64]).await;
        slow.until("the slow client has the same version", |slow| slow.version >= quick.version).await;
        let version = slow.version;
        advance_with_leases(Duration::from_secs(10)).await;
        slow.until("the clock decides", |slow| slow.version > version).await;
        let substituted = times == 2;
        slow.until("the room shows whether a bot plays", |slow| (seat(slow, me)["bot"] == "normal") == substituted)
            .await;
        quick.until("the other player sees it", |quick| quick.version >= slow.version).await;
    }
    // The bot keeps playing until the owner acts.
    let version = slow.version;
    play_until(&mut quick, |quick| quick.version > version + 3).await;
}

#[tokio::test]
async fn a_handover_code_admits_a_second_device_once() {
    let server = server().await;
    let (code, mut players) = server.game("prevented", 2).await;
    players[0].say(json!({"type": "handover"})).await;
    let handover = players[0].until_heard("handover").await.json;
    assert_eq!(handover["expires_ms"], 300_000);
    let key = handover["code"].as_str().unwrap();

    let phone = Client::resume(server.address, &code, key).await.expect("the handover code is valid");
    assert_eq!((phone.seat(), &phone.token), (Some(0), &players[0].token), "both devices have the same token");
    let again = Client::resume(server.address, &code, key).await;
    assert_eq!(again.err(), Some(End::Closed(4001)), "the code works once");

    players[0].say(json!({"type": "handover"})).await;
    let late = players[0].until_heard("handover").await.json["code"].as_str().unwrap().to_owned();
    advance_with_leases(Duration::from_secs(300)).await;
    assert_eq!(
        Client::resume(server.address, &code, &late).await.err(),
        Some(End::Closed(4001)),
        "the code has expired"
    );
    let guessed = Client::resume(server.address, &code, &"0".repeat(32)).await;
    assert_eq!(guessed.err(), Some(End::Closed(4001)));
}

#[tokio::test]
async fn a_handover_code_expires_with_its_seat() {
    let server = server().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    ana.say(json!({"type": "handover"})).await;
    let key = ana.until_heard("handover").await.json["code"].as_str().unwrap().to_owned();
    ana.say(json!({"type": "stand"})).await;
    ana.until("Ana has no seat", |ana| ana.seat().is_none()).await;
    assert_eq!(Client::resume(server.address, &code, &key).await.err(), Some(End::Closed(4001)));
}

#[tokio::test]
async fn bots_wait_while_no_client_is_connected() {
    // The pause ends only when the clock is advanced, so the bot still has to act when Ana leaves.
    let slow = [&QUICK[..QUICK.len() - 1], &["30000"]].concat();
    let server = TestServer::fresh(&slow).await;
    let code = open_with(server.address, json!({"game": "towers", "forced": "ask"})).await;
    let mut ana = server.join(&code, "Ana").await;
    ana.say(json!({"type": "add_bot", "level": "easy"})).await;
    ana.until("two players sit", |ana| ana.room["seats"].as_array().unwrap().len() == 2).await;
    ana.say(json!({"type": "start"})).await;
    ana.until("the game begins", |ana| ana.version > 0).await;
    play_until(&mut ana, |ana| ana.asked() == [1]).await;
    let (token, version) = (ana.token.clone().unwrap(), ana.version);
    drop(ana);
    until_seen(&server, &code, "Ana is disconnected", |room| room["seats"][0]["connected"] == false).await;
    advance_with_leases(Duration::from_secs(300)).await;
    // After this many requests have been answered, any effect of the elapsed time has happened.
    for _ in 0..50 {
        let (status, room) = look(&server, &code).await;
        assert_eq!(status, 200, "{room}");
    }
    let mut back = Client::resume(server.address, &code, &token).await.expect("the seat is kept");
    assert_eq!((back.version, &back.asked()), (version, &vec![1]), "the bot acted while no client was connected");
    advance_with_leases(Duration::from_secs(30)).await;
    back.until("the bot acts while a client is connected", |back| back.version > version).await;
}
