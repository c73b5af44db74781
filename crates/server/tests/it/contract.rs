//! The wire contract in a room: what a welcome contains, and which messages are refused.

use crate::client::{Client, End, Raw};
use crate::harness::TestServer;
use crate::idle::look;
use protocol::ClientMessage;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[tokio::test]
async fn a_welcome_matches_the_contract() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let salt = "0f".repeat(16);
    let join = json!({"type": "join", "name": "Ana", "token": null, "watch": false, "salt": salt, "protocol": 1});
    let mut ana = Raw::open(server.address, &code).await.says(join.to_string()).await;
    let mut welcome = ana.hear().await.unwrap();
    let token = welcome["you"]["token"].take();
    assert!(token.as_str().unwrap().len() >= 32, "the token is too short");
    assert_eq!(welcome["room"]["fair"]["commitment"].take().as_str().unwrap().len(), 64);
    assert_eq!(welcome["page"].take().as_str().unwrap().len(), 16, "the version of the page");
    assert_eq!(
        welcome,
        json!({"type": "welcome", "protocol": 1, "page": null, "you": {"seat": 0, "token": null, "name": "Ana"},
               "room": {"code": code, "game": "towers", "phase": "lobby", "rules": {"mistakes": "prevented"},
                        "clock": null, "forced": "auto", "pace": "normal", "starter": null,
                        "min": 2, "max": 5, "host": 0, "watchers": 0, "audience": [],
                        "seats": [{"seat": 0, "name": "Ana", "kind": "human", "connected": true, "away_ms": 0,
                                   "wins": 0, "bot": null}],
                        "fair": {"commitment": null}, "keep_days": 30},
               "state": null, "history": [], "chat": []})
    );

    // The welcome of a spectator during a game.
    let mut bea = server.join(&code, "Bea").await;
    let mut ana = ana.says(json!({"type": "start"}).to_string()).await;
    bea.until("the game begins", |bea| bea.version > 0).await;
    let join = json!({"type": "join", "name": "Wil"});
    let mut wil = Raw::open(server.address, &code).await.says(join.to_string()).await;
    let welcome = wil.hear().await.unwrap();
    assert_eq!(welcome["you"], json!({"seat": null, "token": null, "name": "Wil"}));
    let salts = &welcome["room"]["fair"]["salts"];
    assert_eq!(salts[0], "0f".repeat(16), "salts are public during a game");
    assert_eq!(salts[1].as_str().map(str::len), Some(32), "a player without a salt is given one");
    let state = welcome["state"].as_object().unwrap();
    let fields: Vec<&String> = state.keys().collect();
    assert_eq!(fields, ["actions", "asked", "deadline_ms", "events", "mine", "next", "table", "version"]);
    assert_eq!((&state["version"], &state["next"]), (&json!(1), &Value::Null));
    assert_eq!((&state["mine"], &state["actions"]), (&Value::Null, &json!([])));
    assert_eq!(state["deadline_ms"], Value::Null);
    assert_eq!(state["asked"], json!([state["table"]["turn"]]), "spectators see who must act");
    assert_eq!(&welcome["history"], &state["events"]);
    assert_eq!(welcome["history"][0]["type"], "round");

    // The messages of a player in the same game.
    let room = ana.hear().await.unwrap();
    assert_eq!((&room["type"], &room["room"]["seats"][1]["name"]), (&json!("room"), &json!("Bea")));
    assert_eq!(room.as_object().unwrap().len(), 2);
    let room = ana.hear().await.unwrap();
    assert_eq!((&room["type"], &room["room"]["phase"]), (&json!("room"), &json!("playing")));
    let mut message = ana.hear().await.unwrap();
    assert_eq!(message["type"], "state");
    let table = message["state"]["table"].take();
    let fields: Vec<&String> = table.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        [
            "calls",
            "deal",
            "demolished_now",
            "discard",
            "draw",
            "hand",
            "outcome",
            "phase",
            "players",
            "round",
            "row",
            "standing",
            "starter",
            "turn"
        ]
    );
    assert_eq!(
        table["players"][0],
        json!({"seat": 0, "towers": {"candy": [], "spooky": [], "tree": [], "scrap": [], "sand": []},
               "demolished": 0, "score": {"towers": 0, "tallest": 0, "demolition": 0, "total": 0}})
    );
    let mine = &message["state"]["mine"];
    assert_eq!((&mine["demolished"], &mine["highest_bid"]), (&json!([]), &json!(5)));
    assert_eq!(mine["means"]["fits"], json!([0, 1, 2, 3, 4]));
    assert_eq!(mine["means"]["bids"].as_array().map(Vec::len), Some(5));
    assert_eq!(message["state"]["next"], 0);
}

#[tokio::test]
async fn an_invalid_first_message_closes_the_connection() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let salted = |salt: &str| json!({"type": "join", "name": "Ana", "salt": salt}).to_string();
    let named = |name: &str| json!({"type": "join", "name": name}).to_string();
    for (first, said, closed) in [
        ("hello".to_owned(), Some("bad_message"), 4000),
        ("".to_owned(), Some("bad_message"), 4000),
        ("null".to_owned(), Some("bad_message"), 4000),
        (r#"["join"]"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"fly"}"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"start"}"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"ping","t":1}"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"join","name":"Ana","colour":"red"}"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"join","name":7}"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"join","name":"Ana","watch":"yes"}"#.to_owned(), Some("bad_message"), 4000),
        (r#"{"type":"join"}"#.to_owned(), Some("bad_name"), 4000),
        (named(""), Some("bad_name"), 4000),
        (named("   "), Some("bad_name"), 4000),
        (named(&"x".repeat(21)), Some("bad_name"), 4000),
        (named("Ana\u{202e}"), Some("bad_name"), 4000),
        (named("Ana\u{0}"), Some("bad_name"), 4000),
        (salted("1234"), Some("bad_message"), 4000),
        (salted(&"0g".repeat(16)), Some("bad_message"), 4000),
        (salted(&"00".repeat(17)), Some("bad_message"), 4000),
        (salted(&format!("80{}", "00".repeat(15))), Some("bad_message"), 4000),
        (r#"{"type":"join","token":"nonsense"}"#.to_owned(), None, 4001),
        (r#"{"type":"join","name":"Ana","token":""}"#.to_owned(), None, 4001),
        (r#"{"type":"join","name":"Ana","protocol":2}"#.to_owned(), None, 4011),
        (r#"{"type":"join","name":"Ana","protocol":0}"#.to_owned(), None, 4011),
        // A field that a later protocol adds to `join` is unknown here.
        (r#"{"type":"join","name":"Ana","protocol":2,"colour":"red"}"#.to_owned(), None, 4011),
    ] {
        let raw = Raw::open(server.address, &code).await.says(first.clone()).await;
        let (heard, end) = raw.until_end().await;
        let codes: Vec<&str> = heard.iter().map(|message| message["code"].as_str().unwrap()).collect();
        assert_eq!((codes, end), (Vec::from_iter(said), End::Closed(closed)), "{first}");
        assert!(heard.iter().all(|message| message["type"] == "error"));
    }
    let (_, room) = look(&server, &code).await;
    assert_eq!((&room["seats"], &room["watchers"]), (&json!([]), &json!(0)), "no client was admitted");
}

#[tokio::test]
async fn a_token_is_valid_in_one_room_only() {
    let server = TestServer::start().await;
    let (here, there) = (server.open("prevented").await, server.open("prevented").await);
    let ana = server.join(&here, "Ana").await;
    let _bea = server.join(&there, "Bea").await;
    let other = Client::resume(server.address, &there, ana.token.as_deref().unwrap()).await;
    assert_eq!(other.err(), Some(End::Closed(4001)));
}

#[tokio::test]
async fn a_token_reopens_its_seat_whatever_the_name() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let ana = server.join(&code, "Ana").await;
    for name in [json!("Zoe"), json!(""), Value::Null] {
        let join = json!({"type": "join", "name": name, "token": ana.token, "watch": true});
        let again = Client::join_as(server.address, &code, join).await.expect("the seat is kept");
        assert_eq!((again.seat(), again.name.as_str(), &again.token), (Some(0), "Ana", &ana.token));
        assert_eq!(again.room["seats"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn taking_too_many_cards_is_rejected_as_illegal() {
    let server = TestServer::start().await;
    let (_, mut players) = server.game("prevented", 2).await;
    let builder = players[0].asked()[0] as usize;
    let builder = &mut players[builder];
    builder.act(&json!({"type": "bid", "count": 5})).await;
    builder.until("the bid is acknowledged", |builder| builder.next() == 1).await;
    for cards in [6, 8, 9, 100] {
        let cards = vec![json!({"tower": "sand", "value": 7}); cards];
        builder.act(&json!({"type": "take", "cards": cards})).await;
        let answer = builder.hear().await.unwrap().json;
        assert_eq!((&answer["type"], &answer["code"]), (&json!("rejected"), &json!("wrong_number_of_cards")));
    }
}

/// Returns an example of every client message, taken from the contract.
fn examples() -> Vec<Value> {
    let contract = include_str!("../../../../docs/protocol.md");
    let section = contract.split("## Client → server").nth(1).and_then(|rest| rest.split("## ").next());
    let quoted = section.expect("the section exists").split('`').skip(1).step_by(2);
    let examples = quoted.map(|text| text.replace("{…}", "{}"));
    examples
        .filter(|text| ClientMessage::read(text).is_ok())
        .map(|text| serde_json::from_str(&text).expect("valid JSON"))
        .collect()
}

#[tokio::test]
async fn no_message_stops_a_room() {
    use ts_rs::TS;
    let examples = examples();
    let types: BTreeSet<&str> = examples.iter().map(|example| example["type"].as_str().unwrap()).collect();
    let all = ClientMessage::decl(&ts_rs::Config::new()).matches(r#""type":"#).count();
    assert_eq!(types.len(), all, "the contract lacks an example of a message: {types:?}");

    let server = TestServer::start().await;
    for example in examples {
        for begun in [false, true] {
            let code = server.open("prevented").await;
            let (mut ana, mut bea) = (server.join(&code, "Ana").await, server.join(&code, "Bea").await);
            let mut wil = Client::watch(server.address, &code, "Wil").await;
            if begun {
                ana.say(json!({"type": "start"})).await;
                bea.until("the game begins", |bea| bea.version > 0).await;
            }
            // Sent by a spectator, and by the host, who may do most.
            wil.say(example.clone()).await;
            ana.say(example.clone()).await;
            bea.say(json!({"type": "chat", "text": "Is somebody there?"})).await;
            bea.until("the room answers", |bea| bea.chat.iter().any(|line| line["name"] == "Bea")).await;
        }
    }
}

#[tokio::test]
async fn refuses_wrong_bot_requests_with_their_codes() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 2).await;
    let mut watcher = Client::watch(server.address, &code, "Wil").await;
    for (message, to_player) in [
        (json!({"type": "add_bot", "level": "easy"}), "not_in_lobby"),
        (json!({"type": "substitute", "seat": 1, "level": "normal"}), "not_away"),
        (json!({"type": "substitute", "seat": 7, "level": "normal"}), "no_such_seat"),
        (json!({"type": "add_bot", "level": "godlike"}), "bad_message"),
    ] {
        players[0].say(message.clone()).await;
        assert_eq!(players[0].until_heard("error").await.json["code"], to_player, "{message}");
    }
    for message in [json!({"type": "substitute", "seat": 1, "level": "easy"}), json!({"type": "handover"})] {
        watcher.say(message.clone()).await;
        assert_eq!(watcher.until_heard("error").await.json["code"], "not_seated", "{message}");
    }
}

#[tokio::test]
async fn a_spectator_may_only_chat_and_leave() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 2).await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    for message in [
        json!({"type": "start"}),
        json!({"type": "stand"}),
        json!({"type": "rematch"}),
        json!({"type": "remove", "seat": 0}),
        json!({"type": "configure", "clock": 60}),
    ] {
        wil.say(message.clone()).await;
        assert_eq!(wil.until_heard("error").await.json["code"], "not_seated", "{message}");
    }
    wil.say(json!({"type": "act", "n": 0, "action": {"type": "pass"}})).await;
    let rejected = wil.until_heard("rejected").await.json;
    assert_eq!((&rejected["n"], &rejected["code"]), (&json!(0), &json!("not_seated")));
    wil.say(json!({"type": "sit"})).await;
    assert_eq!(wil.until_heard("error").await.json["code"], "not_in_lobby");
    wil.say(json!({"type": "chat", "text": "psst"})).await;
    let said = players[0].until_heard("chat").await.json;
    assert_eq!((&said["seat"], &said["name"], &said["text"]), (&Value::Null, &json!("Wil"), &json!("psst")));
    wil.say(json!({"type": "leave"})).await;
    assert_eq!(wil.until_end().await, End::Closed(1000));
    players[0].until("no spectator is left", |ana| ana.room["watchers"] == 0).await;
}
