//! Bots, the clock, and a second device, over real sockets. Bots think on their own threads, so the test clock is only
//! advanced while no bot is thinking.

use crate::client::{Client, End};
use crate::games::{chance, choose};
use crate::harness::{TestServer, open_with};
use crate::idle::{look, until_seen};
use crate::topology::{Ground, moves_on};
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

/// Plays the client's actions until a condition holds. An action that was forced or decided by the clock meanwhile is
/// reported as already played, which is accepted here.
async fn plays_until(client: &mut Client, holds: impl Fn(&Client) -> bool) {
    let mut chance = chance(8);
    while !holds(client) {
        if !client.is_asked() {
            client.hear().await.expect("the line is open");
            continue;
        }
        let (action, n) = (choose(client, &mut chance), client.next);
        client.act(&action).await;
        client.until("the seat has acted", |client| client.next > n || client.is_over()).await;
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
    ana.until("three sit", |ana| ana.room["seats"].as_array().unwrap().len() == 3).await;
    assert_eq!((&seat(&ana, 1)["kind"], &seat(&ana, 1)["bot"]), (&json!("bot"), &json!("easy")));
    ana.say(json!({"type": "start"})).await;
    plays_until(&mut ana, Client::is_over).await;
    let built = |seat: u64| {
        ana.history.iter().filter(|event| event["type"] == "build" && event["seat"] == seat).count()
    };
    assert!(built(1) > 0 && built(2) > 0, "the bots built");

    // The bots stay for the rematch.
    ana.say(json!({"type": "rematch"})).await;
    ana.until("the lobby", |ana| ana.room["phase"] == "lobby").await;
    assert_eq!(ana.room["seats"].as_array().unwrap().len(), 3);
}

/// A bot that searches until its time is over, and then plays the best action it has found.
fn searches_on(bot: &Thinking, level: Level, seed: Seed, budget: Budget<'_>) -> Option<RawAction> {
    // It always reports zero tries, so only the time limit can end the search.
    while budget.allows(0) {
        std::thread::yield_now();
    }
    bot(level, seed, Budget::tries(0))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_would_search_for_ever_answers_when_its_time_is_over() {
    let server = TestServer::minded(Ground::fresh().await, QUICK, searches_on).await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    ana.say(json!({"type": "add_bot", "level": "hard"})).await;
    ana.until("two sit", |ana| ana.room["seats"].as_array().unwrap().len() == 2).await;
    ana.say(json!({"type": "start"})).await;
    ana.until("the game begins", |ana| ana.version > 0).await;
    plays_until(&mut ana, |ana| ana.table()["round"] == 2).await;
    assert!(ana.history.iter().any(|event| event["seat"] == 1), "the bot answered");
}

/// Number of failures of bots, and how many of them were not on a thread of their own.
static FAILED: AtomicUsize = AtomicUsize::new(0);
static ELSEWHERE: AtomicUsize = AtomicUsize::new(0);

/// A bot that panics at every level.
fn fails(_: &Thinking, _: Level, _: Seed, _: Budget<'_>) -> Option<RawAction> {
    let own_thread = std::thread::current().name().is_some_and(|name| name.starts_with("thinker"));
    FAILED.fetch_add(1, Ordering::Relaxed);
    ELSEWHERE.fetch_add(usize::from(!own_thread), Ordering::Relaxed);
    // `resume_unwind` prints no backtrace. Hundreds of backtraces would take longer than the game.
    std::panic::resume_unwind(Box::new("a bot that was made to fail"));
}

#[tokio::test(flavor = "multi_thread")]
async fn bots_that_fail_at_every_level_play_on_with_anything_legal() {
    let server = TestServer::minded(Ground::fresh().await, QUICK, fails).await;
    for game in ["towers", "qwantum"] {
        let code = open_with(server.address, json!({"game": game, "forced": "ask"})).await;
        let mut ana = server.join(&code, "Ana").await;
        for level in ["easy", "hard"] {
            ana.say(json!({"type": "add_bot", "level": level})).await;
        }
        ana.until("three sit", |ana| ana.room["seats"].as_array().unwrap().len() == 3).await;
        ana.say(json!({"type": "start"})).await;
        plays_until(&mut ana, Client::is_over).await;
        assert!([1, 2].iter().all(|bot| ana.history.iter().any(|event| event["seat"] == *bot)), "{game}");
    }
    assert!(FAILED.load(Ordering::Relaxed) > 0, "the bots did fail");
    assert_eq!(ELSEWHERE.load(Ordering::Relaxed), 0, "no bot thinks where people are served");
}

#[tokio::test]
async fn a_seat_that_is_left_in_a_game_is_played_by_a_bot() {
    let server = server().await;
    let (_, players) = server.game("prevented", 3).await;
    let [mut ana, mut bea, mut cid] = <[Client; 3]>::try_from(players).ok().expect("three");
    bea.say(json!({"type": "leave"})).await;
    assert_eq!(bea.until_end().await, End::Closed(1000));
    ana.until("a bot plays for Bea", |ana| seat(ana, 1)["kind"] == "bot").await;
    ana.say(json!({"type": "remove", "seat": 2})).await;
    assert_eq!(cid.until_end().await, End::Closed(4003));
    assert_eq!(cid.seat, None, "Cid was told before");
    plays_until(&mut ana, Client::is_over).await;
    assert!(ana.history.iter().any(|event| event["type"] == "build" && event["seat"] == 1));
}

#[tokio::test]
async fn somebody_who_is_away_is_substituted_and_comes_back() {
    let server = server().await;
    let (code, players) = server.game("prevented", 2).await;
    let [mut ana, bea] = <[Client; 2]>::try_from(players).ok().expect("two");
    let token = bea.token.clone().unwrap();
    drop(bea);
    ana.until("Bea is away", |ana| seat(ana, 1)["connected"] == false).await;
    let substitute = json!({"type": "substitute", "seat": 1, "level": "normal"});
    ana.say(substitute.clone()).await;
    assert_eq!(ana.until_heard("error").await.json["code"], "not_away");
    moves_on(Duration::from_secs(30)).await;
    ana.say(substitute).await;
    ana.until("a bot plays for Bea", |ana| seat(ana, 1)["bot"] == "normal").await;
    assert_eq!(seat(&ana, 1)["kind"], "human", "the seat is still hers");
    let done = |ana: &Client| ana.history.iter().any(|event| event["seat"] == 1);
    plays_until(&mut ana, done).await;

    let bea = Client::resume(server.address, &code, &token).await.expect("her seat");
    assert_eq!(bea.seat, Some(1));
    assert_eq!(seat(&bea, 1)["bot"], json!(null), "she plays for herself the moment she is back");
}

#[tokio::test]
async fn a_clock_that_runs_out_decides_and_twice_in_a_row_substitutes() {
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
    let slow = ana.asked[0];
    let (mut slow, mut quick) = if slow == 0 { (ana, bea) } else { (bea, ana) };
    let me = slow.seat.unwrap() as usize;
    for times in 1..=2 {
        // Play until the slow player must act. Then nobody does anything.
        plays_until(&mut quick, |quick| quick.asked == [me as u64]).await;
        slow.until("the slow one is asked", |slow| slow.version >= quick.version).await;
        let version = slow.version;
        moves_on(Duration::from_secs(10)).await;
        slow.until("the clock decides", |slow| slow.version > version).await;
        let substituted = times == 2;
        slow.until("the room says", |slow| (seat(slow, me)["bot"] == "normal") == substituted).await;
        quick.until("the other sees it", |quick| quick.version >= slow.version).await;
    }
    // The bot keeps playing until the owner acts.
    let version = slow.version;
    plays_until(&mut quick, |quick| quick.version > version + 3).await;
}

#[tokio::test]
async fn another_device_comes_by_a_code_that_works_once() {
    let server = server().await;
    let (code, mut players) = server.game("prevented", 2).await;
    players[0].say(json!({"type": "handover"})).await;
    let handover = players[0].until_heard("handover").await.json;
    assert_eq!(handover["expires_ms"], 300_000);
    let key = handover["code"].as_str().unwrap();

    let phone = Client::resume(server.address, &code, key).await.expect("the code is good");
    assert_eq!((phone.seat, &phone.token), (Some(0), &players[0].token), "both come back by one token");
    let again = Client::resume(server.address, &code, key).await;
    assert_eq!(again.err(), Some(End::Closed(4001)), "used up");

    players[0].say(json!({"type": "handover"})).await;
    let late = players[0].until_heard("handover").await.json["code"].as_str().unwrap().to_owned();
    moves_on(Duration::from_secs(300)).await;
    assert_eq!(Client::resume(server.address, &code, &late).await.err(), Some(End::Closed(4001)), "too late");
    let guessed = Client::resume(server.address, &code, &"0".repeat(32)).await;
    assert_eq!(guessed.err(), Some(End::Closed(4001)));
}

#[tokio::test]
async fn a_code_dies_with_its_seat() {
    let server = server().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    ana.say(json!({"type": "handover"})).await;
    let key = ana.until_heard("handover").await.json["code"].as_str().unwrap().to_owned();
    ana.say(json!({"type": "stand"})).await;
    ana.until("Ana watches", |ana| ana.seat.is_none()).await;
    assert_eq!(Client::resume(server.address, &code, &key).await.err(), Some(End::Closed(4001)));
}

#[tokio::test]
async fn bots_wait_while_nobody_is_here() {
    // The pause ends only when the clock is advanced, so the bot still has to act when Ana leaves.
    let slow = [&QUICK[..QUICK.len() - 1], &["30000"]].concat();
    let server = TestServer::fresh(&slow).await;
    let code = open_with(server.address, json!({"game": "towers", "forced": "ask"})).await;
    let mut ana = server.join(&code, "Ana").await;
    ana.say(json!({"type": "add_bot", "level": "easy"})).await;
    ana.until("two sit", |ana| ana.room["seats"].as_array().unwrap().len() == 2).await;
    ana.say(json!({"type": "start"})).await;
    ana.until("the game begins", |ana| ana.version > 0).await;
    plays_until(&mut ana, |ana| ana.asked == [1]).await;
    let (token, version) = (ana.token.clone().unwrap(), ana.version);
    drop(ana);
    until_seen(&server, &code, "Ana is away", |room| room["seats"][0]["connected"] == false).await;
    moves_on(Duration::from_secs(300)).await;
    // After this many requests have been answered, any effect of the elapsed time has happened.
    for _ in 0..50 {
        assert_eq!(look(&server, &code).await.0, 200);
    }
    let mut back = Client::resume(server.address, &code, &token).await.expect("her seat");
    assert_eq!((back.version, &back.asked), (version, &vec![1]), "nothing was played for nobody");
    moves_on(Duration::from_secs(30)).await;
    back.until("the bot acts, now that somebody sees it", |back| back.version > version).await;
}
