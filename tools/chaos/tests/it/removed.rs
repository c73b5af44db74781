//! A `remove` names a seat by its number. This must follow the contract, and the suite must not count it as a loss.

use client::{Deployment, Join, Request};
use game::{Level, Seat};
use protocol::{ClientMessage, Close, RoomOpened};

use crate::lies::honest;

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_remove_hits_the_player_who_moved_up() {
    let server = honest().await;
    let deployment = Deployment::at(server.address());
    let open = Request::post("/api/rooms").header("content-type", "application/json");
    let open = open.body(r#"{"game":"towers"}"#.to_owned()).unwrap();
    let room: RoomOpened = serde_json::from_str(&deployment.send(open).await.unwrap().body).unwrap();
    let mut ana = deployment.connect(&room.code).await.unwrap();
    ana.join(Join::named("Ana")).await.unwrap();
    ana.say(&ClientMessage::AddBot { level: Level::Easy }).await.unwrap();
    while !ana.hear().await.unwrap().contains(r#""kind":"bot""#) {}
    let mut bea = deployment.connect(&room.code).await.unwrap();
    let welcome = bea.join(Join::named("Bea")).await.unwrap();
    let welcome: serde_json::Value = serde_json::from_str(&welcome).unwrap();
    assert_eq!(welcome["you"]["seat"], 2);
    let token = welcome["you"]["token"].as_str().unwrap();
    // The host repeats the request because no answer has arrived.
    for _ in 0..2 {
        ana.say(&ClientMessage::Remove { seat: Seat(1), name: None }).await.unwrap();
    }
    let end = loop {
        if let Err(end) = bea.hear().await {
            break end;
        }
    };
    assert_eq!(end.close(), Some(Close::Removed));
    let mut again = deployment.connect(&room.code).await.unwrap();
    let refused = again.join(Join::back(token)).await.expect_err("the seat is gone");
    assert_eq!(refused.close(), Some(Close::BadToken), "as the protocol says");
    server.stop().await;
}
