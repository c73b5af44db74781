//! Two rooms that differ only in what a viewer may not see must send that viewer identical bytes.

use crate::client::Client;
use crate::harness::{FAST, TestServer};
use crate::topology::Ground;
use game::{Chance, Salt, Seed};
use journal::Cursor;
use room::{Entry, Name, Options, PlayerId, Room, RoomEvent, TokenHash, WallTime};
use serde_json::{Value, json};
use std::collections::HashMap;

const CODE: &str = "K7QF3M";
const SALTS: [Salt; 2] = [Salt([1; 16]), Salt([2; 16])];

fn seed(number: u32) -> Seed {
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&number.to_le_bytes());
    Seed(bytes)
}

/// Returns two server seeds from which a game of two begins alike, with the same starter and the same row, but
/// continues differently. By the birthday paradox they are found quickly.
fn seeds_that_begin_alike() -> (Seed, Seed) {
    let mut seen = HashMap::new();
    for number in 0.. {
        let mut chance = Chance::new(seed(number).salted(SALTS));
        let starter = chance.below(2);
        let mut deck: [u8; 80] = std::array::from_fn(|index| index as u8);
        chance.shuffle(&mut deck);
        let row: [u8; 5] = deck[..5].try_into().unwrap();
        if let Some(other) = seen.insert((starter, row), number) {
            return (seed(other), seed(number));
        }
    }
    unreachable!("the loop has no end")
}

/// A seated player with their secrets.
struct Sitter {
    name: &'static str,
    token: &'static str,
    salt: Salt,
}

/// Starts a server with one room whose journal is written by the test.
async fn server_with(game: &str, seed: Seed, sitters: &[Sitter], started: bool) -> TestServer {
    let options = Options::new(game, None, None, Default::default()).unwrap();
    let mut entries = vec![Room::open(CODE, options, seed, WallTime(0))];
    for (index, sitter) in sitters.iter().enumerate() {
        entries.push(Entry::new(
            WallTime(0),
            RoomEvent::Sat {
                player: PlayerId(index as u32),
                name: Name::new(sitter.name).unwrap(),
                token: TokenHash::of(sitter.token),
                salt: Some(sitter.salt),
                asked: None,
                program: false,
            },
        ));
    }
    if started {
        entries.push(Entry::new(WallTime(0), RoomEvent::Started { rules_version: 1, starter: None }));
    }
    let ground = Ground::fresh().await;
    let lines = entries.iter().map(Entry::to_json).collect();
    ground.journal.append(CODE, Cursor::START, lines, 0).await.unwrap();
    TestServer::on(ground, FAST).await
}

/// A client that keeps every message it receives.
struct Ear {
    client: Client,
    heard: Vec<String>,
}

impl Ear {
    async fn join(server: &TestServer, join: Value) -> Ear {
        let mut ws = Client::connect(server.address, CODE).await.unwrap();
        ws.send(join.to_string()).await.unwrap();
        let heard = vec![ws.hear().await.expect("the server sends a welcome").to_string()];
        let client = Client::already_welcomed(ws, &heard[0]);
        Ear { client, heard }
    }

    async fn resume(server: &TestServer, sitter: &Sitter) -> Ear {
        Ear::join(server, json!({"type": "join", "token": sitter.token})).await
    }

    async fn say(&mut self, message: Value) {
        self.client.say(message).await;
    }

    /// Receives everything that the room has sent so far: a rematch is refused during a game and in the lobby, and the
    /// refusal comes after everything before it.
    async fn catch_up(&mut self) {
        self.say(json!({"type": "rematch"})).await;
        loop {
            let heard = self.client.hear().await.expect("the connection is open");
            let refused = ["not_finished", "not_seated"].iter().any(|code| heard.json["code"] == *code);
            self.heard.push(heard.text);
            if refused {
                return;
            }
        }
    }

    /// Returns all messages with the commitment masked, which is the only public difference.
    fn bytes(&self) -> Vec<String> {
        let commitment = self.client.room["fair"]["commitment"].as_str().unwrap();
        self.heard.iter().map(|text| text.replace(commitment, "#")).collect()
    }
}

/// Returns the moments of the current game with the times masked, which differ by themselves.
async fn moments(server: &TestServer) -> String {
    let path = format!("/api/rooms/{CODE}/games/1/moments");
    let (status, body) = server.get(&path).await;
    assert_eq!(status, 200, "{body}");
    let mut parts = body.split("\"at\":");
    let first = parts.next().unwrap_or_default().to_owned();
    parts
        .fold(first, |masked, part| masked + "\"at\":#" + part.trim_start_matches(|digit: char| digit.is_ascii_digit()))
}

fn sitters(tokens: [&'static str; 2], salts: [Salt; 2]) -> [Sitter; 2] {
    let [a, b] = tokens;
    [Sitter { name: "Ana", token: a, salt: salts[0] }, Sitter { name: "Bea", token: b, salt: salts[1] }]
}

/// Joins as Ana, Bea and a spectator, one after the other, so that everyone receives the same in the same order. Ana
/// and Bea stay connected a second time, because otherwise the rooms would differ in how long they were away.
async fn everyone(server: &TestServer, sitters: &[Sitter; 2]) -> ([Ear; 3], [Ear; 2]) {
    let there = [Ear::resume(server, &sitters[0]).await, Ear::resume(server, &sitters[1]).await];
    let ana = Ear::resume(server, &sitters[0]).await;
    let bea = Ear::resume(server, &sitters[1]).await;
    let wil = Ear::join(server, json!({"type": "join", "name": "Wil", "watch": true})).await;
    ([ana, bea, wil], there)
}

/// Messages of the first round: legal and illegal actions of both seats. Chat is omitted because it has times.
async fn first_round(ears: &mut [Ear; 3]) {
    let starter = ears[0].client.table()["starter"].as_u64().unwrap() as usize;
    let other = 1 - starter;
    let bids = json!({"type": "bid", "count": 1});
    for (who, n, action) in [
        (other, 0, bids.clone()),
        (starter, 0, json!({"type": "pass"})),
        (starter, 0, json!({"type": "bid", "count": 6})),
        (starter, 0, bids.clone()),
        (other, 0, bids),
        (other, 1, json!({"type": "pass"})),
        (other, 0, json!({"type": "pass"})),
        (starter, 1, json!({"type": "take", "cards": []})),
        (starter, 1, json!({"type": "fly"})),
    ] {
        play(ears, who, n, &action).await;
    }
    let take = ears[starter].client.actions()[0].clone();
    let build = json!({"type": "build", "card": take["cards"][0]});
    for action in [&take, &build] {
        let n = ears[starter].client.next();
        play(ears, starter, n, action).await;
    }
}

/// Plays one action and waits until everyone has received everything. The acting client comes first, because only its
/// answer shows that the action is done.
async fn play(ears: &mut [Ear; 3], who: usize, n: u32, action: &Value) {
    ears[who].say(json!({"type": "act", "n": n, "action": action})).await;
    ears[who].catch_up().await;
    for ear in ears.iter_mut() {
        ear.catch_up().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_draw_pile_order_is_not_revealed() {
    let (one, two) = seeds_that_begin_alike();
    let mut rooms = Vec::new();
    for seed in [one, two] {
        let sitters = sitters(["a-token", "b-token"], SALTS);
        let server = server_with("towers", seed, &sitters, true).await;
        let (mut ears, there) = everyone(&server, &sitters).await;
        first_round(&mut ears).await;
        // Join once more, with a whole history.
        let late = Ear::join(&server, json!({"type": "join", "name": "Xena", "watch": true})).await;
        for ear in &mut ears {
            ear.catch_up().await;
        }
        drop(there);
        let past = moments(&server).await;
        rooms.push((server, ears, late, past));
    }
    let [(first_server, first, late, past), (second_server, second, late_too, past_too)] =
        <[_; 2]>::try_from(rooms).ok().expect("two rooms");
    assert_eq!(past, past_too, "the moments differ between the rooms");
    assert!(past.lines().count() > 4, "the moments lack the round");
    for (a, b) in first.iter().zip(&second) {
        for (a_heard, b_heard) in a.bytes().iter().zip(b.bytes()) {
            assert_eq!(*a_heard, b_heard, "{} can tell the rooms apart", a.client.name);
        }
        assert_eq!(a.heard.len(), b.heard.len());
        assert!(a.heard.len() > 5, "{} did not receive the round", a.client.name);
    }
    assert_eq!(late.bytes(), late_too.bytes());
    let kinds = |ear: &Ear, kind: &str| ear.heard.iter().filter(|text| text.contains(kind)).count();
    assert!(first[..2].iter().all(|ear| kinds(ear, r#""type":"rejected""#) == 3), "rejections are compared, too");
    assert!(first.iter().any(|ear| kinds(ear, r#""type":"error""#) > 0), "errors are compared, too");

    // The rooms do differ, which the next row shows.
    let mut rows = Vec::new();
    for mut ears in [first, second] {
        let starter = ears[0].client.table()["standing"]["seat"].as_u64().unwrap() as usize;
        ears[starter].client.act(&json!({"type": "finish"})).await;
        ears[starter].client.until("the next round begins", |client| client.table()["round"] == 2).await;
        rows.push(ears[starter].client.table()["row"].clone());
    }
    assert_ne!(rows[0], rows[1]);
    first_server.stop().await;
    second_server.stop().await;
}

/// Plays step C of Qwantum's first turn: `chooser` chooses an action after having chosen another one. Returns what Ana,
/// Bea, a spectator, a late spectator and a request for the moments receive, and the events once all have decided.
async fn step_c(chooser: usize, choice: usize) -> ([Vec<String>; 5], Vec<Value>) {
    let sitters = sitters(["a-token", "b-token"], SALTS);
    let server = server_with("qwantum", seed(1), &sitters, true).await;
    let (mut ears, there) = everyone(&server, &sitters).await;
    let active = ears[0].client.table()["turn"].as_u64().unwrap() as usize;
    for (n, kind) in ["roll", "keep", "skip"].into_iter().enumerate() {
        play(&mut ears, active, n as u32, &json!({"type": kind})).await;
    }
    assert_eq!(ears[2].client.table()["phase"], "share");

    let choices = ears[chooser].client.actions();
    assert_eq!(choices.len(), 5, "four rows, or none");
    for choice in [&choices[(choice + 1) % choices.len()], &choices[choice]] {
        let n = ears[chooser].client.next();
        play(&mut ears, chooser, n, choice).await;
    }
    assert_eq!(ears[chooser].client.mine["choice"], choices[choice]);
    let other = 1 - chooser;
    // Refusals reveal nothing to the other player either.
    for action in [json!({"type": "roll"}), json!({"type": "reroll", "dice": [0]}), json!({"type": "fly"})] {
        let n = ears[other].client.next();
        play(&mut ears, other, n, &action).await;
    }
    let late = Ear::join(&server, json!({"type": "join", "name": "Xena", "watch": true})).await;
    for ear in &mut ears {
        ear.catch_up().await;
    }
    let past = moments(&server).await.lines().map(str::to_owned).collect();
    let heard = [ears[0].heard.clone(), ears[1].heard.clone(), ears[2].heard.clone(), late.heard, past];

    let before = ears[2].client.history.len();
    let n = ears[other].client.next();
    play(&mut ears, other, n, &json!({"type": "skip"})).await;
    let shown = ears[2].client.history[before..].to_vec();
    drop(there);
    server.stop().await;
    (heard, shown)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_choice_in_step_c_is_not_revealed_to_others() {
    for chooser in [0, 1] {
        let (first, first_shown) = step_c(chooser, 0).await;
        for choice in 1..5 {
            let (heard, shown) = step_c(chooser, choice).await;
            for (who, name) in ["Ana", "Bea", "Wil", "Xena", "moments"].into_iter().enumerate() {
                let same = first[who] == heard[who];
                assert_eq!(same, who != chooser, "{name} and choice {choice} of seat {chooser}");
            }
            assert_ne!(shown, first_shown, "the choice is shown once all have decided");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lobby_reveals_no_tokens_or_salts_of_others() {
    let mut heard = Vec::new();
    for (token, salt) in [("b-token", Salt([2; 16])), ("quite another", Salt([9; 16]))] {
        let sitters = sitters(["a-token", token], [Salt([1; 16]), salt]);
        let server = server_with("towers", seed(1), &sitters, false).await;
        let (mut ears, there) = everyone(&server, &sitters).await;
        ears[1].say(json!({"type": "start"})).await;
        ears[1].catch_up().await;
        ears[0].say(json!({"type": "configure", "rules": {"mistakes": "allowed"}})).await;
        ears[0].catch_up().await;
        for ear in &mut ears {
            ear.catch_up().await;
        }
        heard.push([ears[0].heard.clone(), ears[2].heard.clone()]);
        drop(there);
        server.stop().await;
    }
    assert_eq!(heard[0], heard[1], "secrets of Bea are revealed to Ana or Wil");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_shown_only_to_its_owner() {
    let sitters = sitters(["a-token", "b-token"], SALTS);
    let server = server_with("towers", seed(1), &sitters, true).await;
    let (mut ears, there) = everyone(&server, &sitters).await;
    first_round(&mut ears).await;
    for (mine, ear) in ears.iter().enumerate() {
        for (whose, sitter) in sitters.iter().enumerate() {
            let told = ear.heard.iter().any(|text| text.contains(sitter.token));
            assert_eq!(told, mine == whose, "{} and the token of {}", ear.client.name, sitter.name);
        }
    }
    drop(there);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commitment_does_not_reveal_the_deal() {
    // No client sends its own salt, but the seed still depends on more than what everyone sees.
    let server = TestServer::start().await;
    let (_, players) = server.game("prevented", 2).await;
    let fair = &players[0].room["fair"];
    let mut seed = [0; 32];
    hex::decode_to_slice(fair["commitment"].as_str().unwrap(), &mut seed).unwrap();
    let salts = fair["salts"].as_array().unwrap();
    assert!(salts.iter().all(|salt| salt.as_str().is_some_and(|salt| salt.len() == 32)), "{salts:?}");
    let (guess, _) = <towers::Towers as game::Game>::new(&towers::Rules::default(), 2, Seed(seed));
    let guessed = serde_json::to_value(game::Game::table(&guess)).unwrap();
    assert_ne!(guessed["row"], players[0].table()["row"]);
}
