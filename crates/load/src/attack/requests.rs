//! Attacks with plain HTTP.

use super::ground::{Ground, Readers};
use client::header::HOST;
use client::{Join, Request};
use protocol::ClientMessage;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Number of requests pipelined on one connection.
const PIPELINED: usize = 40;
/// Size of the endless headers.
const HEADERS: usize = 400 * 1024;
/// A stuck connection is replaced after this time.
const RENEW: Duration = Duration::from_secs(10);
/// Interval between bytes of a slow request.
const BYTE: Duration = Duration::from_millis(500);
/// How long the room's chat is filled before its record is requested.
const TALK: Duration = Duration::from_secs(8);

/// Pipelines requests and reads no responses.
pub async fn pipelining(ground: &Ground) {
    let requests = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(PIPELINED);
    let requests = requests.as_bytes();
    ground
        .all(ground.count(1080), |number| async move {
            while ground.goes_on() {
                let Ok(mut stream) = ground.connect_deaf(number).await else {
                    ground.tally.count(false);
                    sleep(BYTE).await;
                    continue;
                };
                let until = ground.end.min(Instant::now() + RENEW);
                let sent = timeout(RENEW, stream.write_all(requests)).await;
                ground.tally.count(sent.is_ok_and(|sent| sent.is_ok()));
                sleep_until(until).await;
            }
        })
        .await;
}

/// Sends headers without an end, as long as the server accepts them.
pub async fn headers(ground: &Ground) {
    let line = format!("X-Header: {}\r\n", "x".repeat(4000));
    let headers = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}", line.repeat(HEADERS / line.len()));
    let headers = headers.as_bytes();
    ground
        .all(ground.count(1000), |number| async move {
            while ground.goes_on() {
                let until = ground.end.min(Instant::now() + RENEW);
                if let Ok(mut stream) = ground.connect(number).await {
                    let sent = timeout(RENEW, stream.write_all(headers)).await;
                    ground.tally.count(sent.is_ok_and(|sent| sent.is_ok()));
                    // Reconnect at once if the server has closed the connection, else keep it.
                    let _ = timeout(until - Instant::now(), stream.readable()).await;
                } else {
                    ground.tally.count(false);
                    sleep(BYTE).await;
                }
            }
        })
        .await;
}

/// Slow loris: sends a request one byte at a time.
pub async fn loris(ground: &Ground) {
    ground
        .all(ground.count(1000), |number| async move {
            while ground.goes_on() {
                let Ok(mut stream) = ground.connect(number).await else {
                    ground.tally.count(false);
                    sleep(BYTE).await;
                    continue;
                };
                ground.tally.count(true);
                if stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").await.is_ok() {
                    while ground.goes_on() && stream.write_all(b"x").await.is_ok() {
                        sleep(BYTE).await;
                    }
                }
                sleep(BYTE).await;
            }
        })
        .await;
}

/// Requests the record of a room with as much chat as possible, a hundred times concurrently.
pub async fn records(ground: &Ground) {
    let Some(code) = ground.open(0).await else { return };
    let code = &code;
    let text = "talk ".repeat(99);
    let (text, talked) = (&text, Instant::now() + TALK);
    ground
        .all(4, |number| async move {
            let Some((mut line, _)) = ground.join(number, code, Join::named("Ana")).await else { return };
            while Instant::now() < talked.min(ground.end) {
                let chat = ClientMessage::Chat { text: text.clone() };
                if line.say(&chat).await.is_err() {
                    return;
                }
                sleep(Duration::from_millis(210)).await;
            }
            let mut reading = Readers::default();
            reading.add(line);
        })
        .await;
    let path = &format!("/api/rooms/{code}/record");
    ground
        .all(ground.count(100), |number| async move {
            while ground.goes_on() {
                if ground.ask(number, Request::get(path), String::new()).await.is_none() {
                    ground.tally.count(false);
                    sleep(BYTE).await;
                }
            }
        })
        .await;
}

/// Requests QR codes of links to a host with a very long name.
pub async fn qr(ground: &Ground) {
    let Some(code) = ground.open(0).await else { return };
    let (path, host) = (&format!("/api/rooms/{code}/qr.svg"), &"h".repeat(1500));
    ground
        .all(ground.count(4), |number| async move {
            while ground.goes_on() {
                let request = Request::get(path).header(HOST, host).body(String::new());
                if ground.send(number, request.expect("a request")).await.is_none() {
                    sleep(BYTE).await;
                }
            }
        })
        .await;
}
