//! Joining and leaving, over real sockets.

use crate::client::{Client, End};
use crate::games::until_version;
use crate::harness::TestServer;
use crate::idle::look;
use serde_json::{Value, json};

pub fn names(room: &Value) -> Vec<&str> {
    room["seats"].as_array().unwrap().iter().map(|seat| seat["name"].as_str().unwrap()).collect()
}

pub async fn refused(client: &mut Client, message: Value, code: &str) {
    client.say(message.clone()).await;
    assert_eq!(client.until_heard("error").await.json["code"], code, "{message}");
}

#[tokio::test]
async fn players_join_one_by_one_and_see_each_other() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut bea = server.join(&code, "Ana").await;
    assert_eq!((bea.seat(), bea.name.as_str()), (Some(1), "Ana 2"), "the second Ana gets a number");
    assert_ne!(ana.token, bea.token);
    let wil = Client::watch(server.address, &code, "Wil").await;
    assert_eq!((wil.seat(), &wil.token), (None, &None));
    for client in [&mut ana, &mut bea] {
        client.until("Wil watches", |client| client.room["watchers"] == 1).await;
        assert_eq!(names(&client.room), ["Ana", "Ana 2"]);
        assert_eq!(client.room["host"], 0);
    }
}

#[tokio::test]
async fn room_info_shows_whose_turn_it_is_during_a_game() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut bea = server.join(&code, "Bea").await;
    assert_eq!(look(&server, &code).await.1.get("asked"), None, "there is no game yet");
    ana.say(json!({"type": "start"})).await;
    let asked = ana.until_heard("state").await.json["state"]["asked"].clone();
    assert_eq!(look(&server, &code).await.1["asked"], asked);
    bea.until_heard("state").await;
    assert_eq!(bea.room.get("asked"), None, "clients in the room get it with the state");
}

#[tokio::test]
async fn a_sixth_player_watches_until_a_seat_is_free() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut seated = Vec::new();
    for name in ["Ana", "Bea", "Cid", "Dan", "Eva"] {
        seated.push(server.join(&code, name).await);
    }
    let mut fay = server.join(&code, "Fay").await;
    assert_eq!(fay.seat(), None);
    refused(&mut fay, json!({"type": "sit"}), "table_full").await;
    seated[1].say(json!({"type": "stand"})).await;
    let you = seated[1].until_heard("you").await.json;
    assert_eq!(you, json!({"type": "you", "seat": null, "token": null, "name": "Bea"}));
    // Everyone after Bea moves up, and is notified before the room shows it.
    for (index, client) in seated.iter_mut().enumerate().skip(2) {
        let token = client.token.clone();
        client.until("the seat number is updated", |client| client.seat() == Some(index as u64 - 1)).await;
        assert_eq!(names(&client.room).len(), 5, "the room is sent after the seat");
        assert_eq!(client.token, token, "the token is unchanged");
        client.until_heard("room").await;
        assert_eq!(names(&client.room), ["Ana", "Cid", "Dan", "Eva"]);
    }
    fay.say(json!({"type": "sit"})).await;
    fay.until("Fay sits", |fay| fay.seat() == Some(4)).await;
    assert!(fay.token.is_some());
    refused(&mut fay, json!({"type": "sit"}), "already_seated").await;
    let back =
        Client::resume(server.address, &code, fay.token.as_deref().unwrap()).await.expect("the client is seated");
    assert_eq!(back.name, "Fay");
}

#[tokio::test]
async fn refuses_the_old_token_after_standing_up() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let old = ana.token.clone().unwrap();
    let mut phone = Client::resume(server.address, &code, &old).await.unwrap();
    ana.say(json!({"type": "stand"})).await;
    ana.until("Ana stands", |ana| ana.seat().is_none()).await;
    phone.until("the phone loses the seat", |phone| phone.seat().is_none()).await;
    assert_eq!(Client::resume(server.address, &code, &old).await.err(), Some(End::Closed(4001)));
    ana.say(json!({"type": "sit"})).await;
    ana.until("Ana sits again", |ana| ana.seat() == Some(0)).await;
    assert_ne!(ana.token.as_ref(), Some(&old));
    phone.until("the phone is a spectator", |phone| phone.room["watchers"] == 1).await;
    assert_eq!(phone.seat(), None, "only the requesting device takes the seat");
}

#[tokio::test]
async fn the_host_removes_a_player() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut bea = server.join(&code, "Bea").await;
    let mut cid = server.join(&code, "Cid").await;
    let mut phone = Client::resume(server.address, &code, bea.token.as_deref().unwrap()).await.unwrap();
    let token = bea.token.clone().unwrap();
    refused(&mut bea, json!({"type": "remove", "seat": 2}), "not_host").await;
    refused(&mut ana, json!({"type": "remove", "seat": 3}), "no_such_seat").await;
    ana.say(json!({"type": "remove", "seat": 1, "name": "Bea"})).await;
    for place in [&mut bea, &mut phone] {
        let you = place.until_heard("you").await.json;
        assert_eq!((&you["seat"], &you["token"]), (&Value::Null, &Value::Null));
        assert_eq!(place.until_end().await, End::Closed(4003));
    }
    cid.until("Cid moves up", |cid| cid.seat() == Some(1)).await;
    // If the message is repeated over a slow connection, it does not apply to the player who moved up.
    refused(&mut ana, json!({"type": "remove", "seat": 1, "name": "Bea"}), "no_such_seat").await;
    assert_eq!(Client::resume(server.address, &code, &token).await.err(), Some(End::Closed(4001)));
}

#[tokio::test]
async fn the_next_player_becomes_host_when_the_host_leaves() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut bea = server.join(&code, "Bea").await;
    let mut cid = server.join(&code, "Cid").await;
    refused(&mut bea, json!({"type": "start"}), "not_host").await;
    refused(&mut bea, json!({"type": "configure", "clock": 60}), "not_host").await;
    ana.say(json!({"type": "leave"})).await;
    assert_eq!(ana.until_end().await, End::Closed(1000));
    bea.until("Bea moves up", |bea| bea.seat() == Some(0)).await;
    bea.until("the client is host", |bea| names(&bea.room) == ["Bea", "Cid"]).await;
    assert_eq!(bea.room["host"], 0);
    bea.say(json!({"type": "configure", "rules": {"mistakes": "allowed"}, "clock": 90})).await;
    cid.until("Cid sees the new clock", |cid| cid.room["clock"] == 90).await;
    assert_eq!(cid.room["rules"], json!({"mistakes": "allowed"}));
    refused(&mut bea, json!({"type": "configure", "clock": 5}), "bad_options").await;
    refused(&mut bea, json!({"type": "configure", "game": "chess"}), "bad_options").await;
    cid.say(json!({"type": "leave"})).await;
    cid.until_end().await;
    bea.until("Bea is alone", |bea| names(&bea.room) == ["Bea"]).await;
    refused(&mut bea, json!({"type": "start"}), "too_few_players").await;
}

#[tokio::test]
async fn chat_reaches_everyone_and_is_shown_to_later_joins() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    ana.say(json!({"type": "chat", "text": "hello"})).await;
    for client in [&mut ana, &mut wil] {
        let line = client.until_heard("chat").await.json;
        assert!(line["at"].as_u64().unwrap() > 1_600_000_000_000);
        let fields: Vec<&String> = line.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["at", "name", "seat", "text", "type"]);
    }
    refused(&mut ana, json!({"type": "chat", "text": "  "}), "bad_chat").await;
    refused(&mut ana, json!({"type": "chat", "text": "x".repeat(501)}), "bad_chat").await;
    for line in 0..60 {
        ana.say(json!({"type": "chat", "text": format!("line {line}")})).await;
        ana.until_heard("chat").await;
    }
    let late = server.join(&code, "Bea").await;
    assert_eq!(late.chat.len(), 50);
    let fields: Vec<&String> = late.chat[0].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["at", "name", "seat", "text"]);
    assert_eq!((&late.chat[0]["text"], &late.chat[49]["text"]), (&json!("line 10"), &json!("line 59")));
}

/// Plays a game in which no player ever builds, so that all win.
pub async fn play_quietly(players: &mut [Client]) {
    while !players[0].is_over() {
        let turn = players[0].asked()[0] as usize;
        let modest = json!({"type": "bid", "count": 0});
        let bids = players[turn].actions().contains(&modest);
        players[turn].act(if bids { &modest } else { &PASS }).await;
        let version = players[turn].version + 1;
        until_version(players, version).await;
    }
}

static PASS: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| json!({"type": "pass"}));

#[tokio::test]
async fn a_rematch_keeps_room_seats_and_wins() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 2).await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    refused(&mut players[0], json!({"type": "rematch"}), "not_finished").await;
    let commitment = players[0].room["fair"]["commitment"].clone();
    play_quietly(&mut players).await;
    let version = players[0].version;
    for client in players.iter_mut().chain([&mut wil]) {
        client.until("the game is over", Client::is_over).await;
        client.until("the final state is shown", |client| client.version == version).await;
        assert_eq!(client.table()["outcome"], json!({"winners": [0, 1], "scores": [0, 0]}));
        assert_eq!((&client.room["seats"][0]["wins"], &client.room["seats"][1]["wins"]), (&json!(1), &json!(1)));
        assert_eq!(client.room["fair"]["commitment"], commitment);
    }
    refused(&mut wil, json!({"type": "rematch"}), "not_seated").await;
    refused(&mut players[0], json!({"type": "start"}), "not_in_lobby").await;

    // Any seated player can request it, and a spectator may then take a seat.
    players[1].say(json!({"type": "rematch"})).await;
    for client in players.iter_mut().chain([&mut wil]) {
        client.until("the room is in the lobby", |client| client.room["phase"] == "lobby").await;
        assert_ne!(client.room["fair"]["commitment"], commitment);
        assert_eq!(names(&client.room), ["Ana", "Bea"]);
    }
    let in_between = Client::resume(server.address, &code, players[0].token.as_deref().unwrap()).await.unwrap();
    assert_eq!((in_between.version, in_between.history.len()), (0, 0), "there is no state in the lobby");
    wil.say(json!({"type": "sit"})).await;
    wil.until("Wil sits", |wil| wil.seat() == Some(2)).await;
    players.push(wil);
    players[0].say(json!({"type": "start"})).await;
    for player in &mut players {
        player.until("the second game begins", |player| player.version == version + 1).await;
        assert_eq!(player.next(), 0);
        assert_eq!(player.table()["players"].as_array().unwrap().len(), 3);
    }
    play_quietly(&mut players).await;
    players[2].until("the game is over", Client::is_over).await;
    let seats = players[2].room["seats"].as_array().unwrap();
    let wins: Vec<&Value> = seats.iter().map(|seat| &seat["wins"]).collect();
    assert_eq!(wins, [2, 2, 1]);
}

#[tokio::test]
async fn a_finished_room_returns_to_the_lobby_when_all_leave() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 2).await;
    let mut wil = Client::watch(server.address, &code, "Wil").await;
    play_quietly(&mut players).await;
    for player in &mut players {
        player.say(json!({"type": "leave"})).await;
        assert_eq!(player.until_end().await, End::Closed(1000));
    }
    wil.until("the room is in the lobby", |wil| wil.room["phase"] == "lobby").await;
    assert_eq!((names(&wil.room).len(), &wil.room["host"]), (0, &Value::Null));
    wil.say(json!({"type": "sit"})).await;
    wil.until("Wil sits", |wil| wil.seat() == Some(0)).await;
    wil.until("the client is host", |wil| wil.room["host"] == 0).await;
}

#[tokio::test]
async fn joining_during_a_game_makes_a_spectator() {
    let server = TestServer::start().await;
    let (code, players) = server.game("prevented", 2).await;
    let late = server.join(&code, "Cid").await;
    assert_eq!((late.seat(), &late.token, late.version), (None, &None, 1));
    assert_eq!(late.table, players[0].table);
    assert_eq!((late.actions().len(), &late.mine), (0, &Value::Null));
}

#[tokio::test]
async fn a_spectators_salt_is_used_once_they_sit() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let join = |name: &str, salt: &str, watch: bool| {
        let salt = salt.repeat(16);
        json!({"type": "join", "name": name, "salt": salt, "watch": watch})
    };
    let mut ana = Client::join_as(server.address, &code, join("Ana", "0a", false)).await.unwrap();
    let mut bea = Client::join_as(server.address, &code, join("Bea", "0b", true)).await.unwrap();
    // Bea takes a seat as a spectator. Ana stands up and takes a seat again.
    bea.say(json!({"type": "sit"})).await;
    bea.until("Bea sits", |bea| bea.seat() == Some(1)).await;
    ana.say(json!({"type": "stand"})).await;
    ana.until("Ana stands", |ana| ana.seat().is_none()).await;
    ana.say(json!({"type": "sit"})).await;
    ana.until("Ana sits", |ana| ana.seat() == Some(1)).await;
    bea.until("Bea is host", |bea| bea.room["seats"].as_array().unwrap().len() == 2 && bea.seat() == Some(0)).await;
    assert!(!bea.room.to_string().contains("0a0a"), "salts are secret before the start");
    bea.say(json!({"type": "start"})).await;
    ana.until("the game begins", |ana| ana.version > 0).await;
    assert_eq!(ana.room["fair"]["salts"], json!(["0b".repeat(16), "0a".repeat(16)]));
}

#[tokio::test]
async fn a_program_that_identifies_itself_is_shown_as_one() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    let python = json!({"type": "join", "name": "Python", "bot": true});
    let python = Client::join_as(server.address, &code, python).await.expect("the client is seated");
    let watching = json!({"type": "join", "name": "Ruby", "watch": true, "bot": true});
    let mut ruby = Client::join_as(server.address, &code, watching).await.expect("the client is admitted");
    ruby.say(json!({"type": "sit"})).await;
    ana.until("both programs sit", |ana| names(&ana.room).len() == 3).await;
    let programs = |room: &Value| -> Vec<Value> {
        room["seats"].as_array().unwrap().iter().map(|seat| seat["program"].clone()).collect()
    };
    assert_eq!(
        programs(&ana.room),
        [Value::Null, json!(true), json!(true)],
        "the flag of a spectator is applied when it sits"
    );
    let back =
        Client::resume(server.address, &code, python.token.as_deref().unwrap()).await.expect("the client is seated");
    assert_eq!(programs(&back.room)[1], json!(true), "the flag is kept after a reconnect");
}
