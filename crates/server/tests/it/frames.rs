//! Limits for the size, rate and form of messages, and which violations close the connection.

use crate::client::{Client, End, Raw};
use crate::harness::TestServer;
use crate::idle::advance;
use client::Message;
use serde_json::{Value, json};
use std::time::Duration;
use tokio_tungstenite::tungstenite::Bytes;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

#[tokio::test]
async fn closes_a_connection_that_does_not_join_in_ten_seconds() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut late = Raw::open(server.address, &code).await;
    let mut slow = Raw::open(server.address, &code).await;
    // A round trip through the server, so that both timeouts are running before time passes.
    drop(server.join(&code, "Ana").await);
    advance(Duration::from_millis(7_000)).await;
    slow = slow.says(json!({"type": "join", "name": "Bea"}).to_string()).await;
    assert_eq!(slow.hear().await.unwrap()["type"], "welcome", "seven seconds are within the limit");
    advance(Duration::from_millis(3_001)).await;
    assert_eq!(late.hear().await, Err(End::Closed(4000)));
}

/// Returns a chat message of exactly this size.
fn chat_of(bytes: usize) -> String {
    let empty = r#"{"type":"chat","text":""}"#;
    // Combining marks on one letter are many bytes but one character.
    let text =
        format!("{:a<1$}", "e", 1 + (bytes - empty.len() - 1) % 2) + &"\u{301}".repeat((bytes - empty.len() - 1) / 2);
    let message = format!(r#"{{"type":"chat","text":"{text}"}}"#);
    assert_eq!(message.len(), bytes);
    message
}

#[tokio::test]
async fn accepts_4096_bytes_and_refuses_4097() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    ana.ws.send(chat_of(4096)).await.unwrap();
    // It is read, but too long for a chat message.
    ana.until_heard("error").await;
    ana.ws.send(chat_of(4097)).await.unwrap();
    assert_eq!(ana.until_end().await, End::Closed(1009));
    for size in [5_000, 60_000, 70_000, 1_000_000] {
        let mut ana = Client::resume(server.address, &code, ana.token.as_deref().unwrap()).await.unwrap();
        // A server that has read enough may not read the rest.
        let _ = ana.ws.send("x".repeat(size)).await;
        assert_eq!(ana.until_end().await, End::Closed(1009), "{size} bytes");
    }
    // The limit also applies to the first message and to binary ones.
    for long in [Message::text("x".repeat(5_000)), Message::binary(vec![0; 5_000])] {
        let (heard, end) = Raw::open(server.address, &code).await.says(long).await.until_end().await;
        assert_eq!((heard, end), (vec![], End::Closed(1009)));
    }
}

#[tokio::test]
async fn a_binary_message_closes_the_connection() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let raw = Raw::open(server.address, &code).await.says(Message::binary(vec![1, 2, 3])).await;
    assert_eq!(raw.until_end().await, (vec![], End::Closed(1003)));
    let mut ana = server.join(&code, "Ana").await;
    ana.ws.send(Message::binary(r#"{"type":"ping","t":1}"#)).await.unwrap();
    assert_eq!(ana.until_end().await, End::Closed(1003));
}

fn frame(text: &str, opcode: Data, last: bool) -> Message {
    Message::Frame(Frame::message(Bytes::copy_from_slice(text.as_bytes()), OpCode::Data(opcode), last))
}

#[tokio::test]
async fn accepts_a_fragmented_message() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    for (piece, opcode, last) in [
        (r#"{"type":"ch"#, Data::Text, false),
        (r#"at","text":"Gr"#, Data::Continue, false),
        (r#"üße"}"#, Data::Continue, true),
    ] {
        ana.ws.send(frame(piece, opcode, last)).await.unwrap();
        // A ping between the pieces is allowed and answered.
        ana.ws.send(Message::Ping(Bytes::from_static(b"?"))).await.unwrap();
    }
    assert_eq!(ana.until_heard("chat").await.json["text"], "Grüße");
    // The size limit applies to the sum of all pieces.
    for piece in 0..80 {
        let opcode = if piece == 0 { Data::Text } else { Data::Continue };
        if ana.ws.send(frame(&"x".repeat(1000), opcode, piece == 79)).await.is_err() {
            break;
        }
    }
    assert_eq!(ana.until_end().await, End::Closed(1009));
}

#[tokio::test]
async fn answers_a_close_frame() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut bea = server.join(&code, "Bea").await;
    let mut ana = server.join(&code, "Ana").await;
    ana.ws.close().await;
    assert!(matches!(ana.until_end().await, End::Closed(_)), "the connection broke instead");
    bea.until("Ana is disconnected", |bea| bea.room["seats"][1]["connected"] == false).await;
}

#[tokio::test]
async fn answers_nine_bad_messages_and_closes_after_the_tenth() {
    let server = TestServer::start().await;
    let (_, mut players) = server.game("prevented", 2).await;
    let bad = [
        "hello".to_owned(),
        "{}".to_owned(),
        r#"{"type":"fly"}"#.to_owned(),
        r#"{"type":"start","now":true}"#.to_owned(),
        r#"{"type":"join","name":"Ana"}"#.to_owned(),
        json!({"type": "act", "n": 0, "action": {"type": "fly"}}).to_string(),
        json!({"type": "act", "n": 0, "action": "pass"}).to_string(),
        json!({"type": "act", "n": -1, "action": {}}).to_string(),
        r#"{"type":"remove","seat":300}"#.to_owned(),
    ];
    let ana = &mut players[0];
    for message in bad {
        ana.ws.send(message.clone()).await.unwrap();
        let answer = ana.until_heard("error").await.json;
        assert_eq!(answer["code"], "bad_message", "{message}");
        assert_eq!(answer.as_object().unwrap().len(), 3);
    }
    // Valid messages that are refused do not count.
    for _ in 0..3 {
        ana.say(json!({"type": "start"})).await;
        assert_eq!(ana.until_heard("error").await.json["code"], "not_in_lobby");
        ana.say(json!({"type": "act", "n": 77, "action": {"type": "pass"}})).await;
        assert_eq!(ana.until_heard("rejected").await.json["code"], "out_of_step");
    }
    ana.say(json!({"type": "act", "n": 0, "action": {"type": "fly"}})).await;
    assert_eq!(ana.until_heard("error").await.json["code"], "bad_message", "the last one is answered, too");
    assert_eq!(ana.until_end().await, End::Closed(4009));

    let bea = &mut players[1];
    assert!(bea.version == 1, "the other player is not affected");
    bea.until("Ana is disconnected", |bea| bea.room["seats"][0]["connected"] == false).await;
}

#[tokio::test]
async fn a_pong_echoes_the_value_of_its_ping() {
    let server = TestServer::start().await;
    let code = server.open("prevented").await;
    let mut ana = server.join(&code, "Ana").await;
    for t in ["0", "123", "-7", "1.5", "-0.25", "18446744073709551615", "-9223372036854775808", "1e300"] {
        ana.ws.send(format!(r#"{{"type":"ping","t":{t}}}"#)).await.unwrap();
        let pong = ana.until_heard("pong").await.json;
        let sent: Value = serde_json::from_str(t).unwrap();
        assert_eq!(pong, json!({"type": "pong", "t": sent}));
    }
    for t in [r#""1""#, "null", "1e999", "NaN", "[1]"] {
        ana.ws.send(format!(r#"{{"type":"ping","t":{t}}}"#)).await.unwrap();
        assert_eq!(ana.until_heard("error").await.json["code"], "bad_message", "{t}");
    }
}

#[tokio::test]
async fn a_fifth_connection_of_a_seat_closes_the_oldest() {
    let server = TestServer::start().await;
    let (code, mut players) = server.game("prevented", 2).await;
    let mut bea = players.pop().unwrap();
    let token = players[0].token.clone().unwrap();
    for _ in 0..3 {
        players.push(Client::resume(server.address, &code, &token).await.unwrap());
    }
    // Four connections in one seat: all receive the game, and any of them may act.
    let turn = if players[0].actions().is_empty() { &mut bea } else { &mut players[2] };
    let action = turn.actions()[0].clone();
    turn.act(&action).await;
    for place in &mut players {
        place.until("the action is shown", |place| place.version == 2).await;
    }
    let next: Vec<u32> = players.iter().map(|place| place.next()).collect();
    assert!(next.iter().all(|n| *n == next[0]), "{next:?}");

    let fifth = Client::resume(server.address, &code, &token).await.unwrap();
    assert_eq!(players[0].until_end().await, End::Closed(4002));
    players.remove(0);
    players.push(fifth);
    bea.say(json!({"type": "chat", "text": "still four?"})).await;
    for place in &mut players {
        place.until_heard("chat").await;
    }
    // The seat counts as away only when its last connection is gone.
    players.truncate(1);
    bea.say(json!({"type": "chat", "text": "one?"})).await;
    players[0].until_heard("chat").await;
    assert_eq!(bea.room["seats"][0]["connected"], true);
    players.clear();
    bea.until("Ana is disconnected", |bea| bea.room["seats"][0]["connected"] == false).await;
}
