//! Attacks with plain HTTP.

use super::ground::AttackGround;
use client::header::HOST;
use client::scripted::abuse;
use client::{Join, Request};
use protocol::ClientMessage;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};

/// Number of requests pipelined on one connection.
const PIPELINED: usize = 40;
/// Size of the endless headers.
const HEADERS: usize = 400 * 1024;
/// A stuck connection is replaced after this time.
const RENEW: Duration = Duration::from_secs(10);
/// Interval between bytes of a slow request.
const BYTE: Duration = Duration::from_millis(500);
/// Interval between guesses of one client.
const GUESS: Duration = Duration::from_millis(100);
/// How long the room's chat is filled before its record is requested.
const TALK: Duration = Duration::from_secs(8);

/// Pipelines requests and reads no responses.
pub async fn pipelining(ground: &AttackGround) {
    let requests = abuse::pipelined("/", PIPELINED);
    let once = async |number| {
        let stream = ground.connect_deaf(number).await;
        let until = ground.end.min(Instant::now() + RENEW);
        send(ground, stream, &requests).await?;
        sleep_until(until).await;
        Some(())
    };
    ground.repeat(1080, BYTE, once).await;
}

/// Sends headers without an end, as long as the server accepts them.
pub async fn headers(ground: &AttackGround) {
    let line = format!("X-Header: {}\r\n", "x".repeat(4000));
    let headers = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}", line.repeat(HEADERS / line.len()));
    let once = async |number| {
        let until = ground.end.min(Instant::now() + RENEW);
        let stream = send(ground, ground.connect(number).await, &headers).await?;
        // Reconnect at once if the server has closed the connection, else keep it.
        let _ = timeout_at(until, stream.readable()).await;
        Some(())
    };
    ground.repeat(1000, BYTE, once).await;
}

/// Sends bytes over a new connection, and counts whether they were accepted. Returns the connection if there is one.
async fn send(ground: &AttackGround, stream: Option<TcpStream>, bytes: &str) -> Option<TcpStream> {
    let Some(mut stream) = stream else {
        ground.tally.count(false);
        return None;
    };
    let sent = timeout(RENEW, stream.write_all(bytes.as_bytes())).await;
    ground.tally.count(sent.is_ok_and(|sent| sent.is_ok()));
    Some(stream)
}

/// Slow loris: sends a request one byte at a time.
pub async fn loris(ground: &AttackGround) {
    let once = async |number| {
        let stream = ground.connect(number).await;
        ground.tally.count(stream.is_some());
        abuse::loris(stream?, BYTE, ground.end).await;
        None
    };
    ground.repeat(1000, BYTE, once).await;
}

/// Requests the record of a room with as much chat as possible, a hundred times concurrently.
pub async fn records(ground: &AttackGround) {
    let Some(code) = ground.open(0).await else { return };
    let (chat, talked) = (ClientMessage::Chat { text: "talk ".repeat(99) }, Instant::now() + TALK);
    let talk = async |number| {
        let Some(mut line) = ground.join(number, &code, &mut Join::named("Ana")).await else { return };
        while Instant::now() < talked.min(ground.end) && line.say(&chat).await.is_ok() {
            sleep(Duration::from_millis(210)).await;
        }
    };
    ground.all(4, talk).await;
    let path = format!("/api/rooms/{code}/record");
    let once = async |number| {
        let answer = ground.ask(number, Request::get(&path), String::new()).await;
        if answer.is_none() {
            ground.tally.count(false);
        }
        answer.map(drop)
    };
    ground.repeat(100, BYTE, once).await;
}

/// Requests QR codes of links to a host with a very long name.
pub async fn qr(ground: &AttackGround) {
    let Some(code) = ground.open(0).await else { return };
    let (path, host) = (format!("/api/rooms/{code}/qr.svg"), "h".repeat(1500));
    let once = async |number| {
        let request = Request::get(&path).header(HOST, &host).body(String::new());
        ground.send(number, request.expect("the request is valid")).await.map(drop)
    };
    ground.repeat(4, BYTE, once).await;
}

/// Requests QR codes of rooms that do not exist, which counts as guessing their codes.
pub async fn guesses(ground: &AttackGround) {
    let once = async |number| {
        let answer = ground.ask(number, Request::get("/api/rooms/ZZZZZZ/qr.svg"), String::new()).await;
        sleep(GUESS).await;
        answer.map(drop)
    };
    ground.repeat(4, BYTE, once).await;
}

/// Begins uploads that never end, and renews those that are cut.
pub async fn uploads(ground: &AttackGround) {
    let once = async |number| {
        let stream = send(ground, ground.connect(number).await, abuse::UNFINISHED_UPLOAD).await?;
        let _ = timeout_at(ground.end, stream.readable()).await;
        None
    };
    ground.repeat(8, BYTE, once).await;
}
