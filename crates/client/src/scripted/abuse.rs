//! Messages, requests and loops of attackers. Each tests a limit, and is used by more than one program.

use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::time::{Instant, sleep, timeout_at};

/// The beginning of a request that never ends.
pub const UNFINISHED: &str = "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";

/// A ping frame with the largest payload (RFC 6455), masked with zeros.
const PING: [u8; 131] = {
    let mut frame = [b'x'; 131];
    [frame[0], frame[1], frame[2], frame[3], frame[4], frame[5]] = [0x89, 0x80 | 125, 0, 0, 0, 0];
    frame
};

/// A text frame with one character that more frames must follow, masked with zeros.
pub const FIRST_FRAME: [u8; 7] = [0x01, 0x80 | 1, 0, 0, 0, 0, b'{'];

/// An empty continuation frame that more frames must follow, masked with zeros.
const EMPTY_FRAME: [u8; 6] = [0x00, 0x80, 0, 0, 0, 0];

/// The beginning of an upload of 2 MB that never ends.
pub const UNFINISHED_UPLOAD: &str = "POST /api/moments HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n{";

/// Returns empty continuation frames of a message.
pub fn empty_frames(count: usize) -> Vec<u8> {
    EMPTY_FRAME.repeat(count)
}

/// Returns ping frames of the maximum size.
pub fn pings(count: usize) -> Vec<u8> {
    PING.repeat(count)
}

/// Returns requests to be sent over one connection without waiting for the responses.
pub fn pipelined(path: &str, count: usize) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").repeat(count)
}

/// Returns a socket for a client that does not read, with a small receive buffer so that the kernel buffers little.
pub fn deaf_socket() -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(4096)?;
    Ok(socket)
}

/// Slow loris: sends a request one byte at a time until the end, or until the connection is cut.
pub async fn loris(mut stream: impl AsyncWrite + Unpin, pause: Duration, end: Instant) {
    let mut sent = stream.write_all(UNFINISHED.as_bytes()).await;
    while sent.is_ok() && Instant::now() < end {
        sent = stream.write_all(b"x").await;
        sleep(pause).await;
    }
}

/// Sends bytes repeatedly and reads nothing, until the end or until the connection is cut. Calls `sent` each time they
/// were accepted. A connection that accepts no more is kept open.
pub async fn flood(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8], end: Instant, mut sent: impl FnMut()) {
    let sending = async {
        while stream.write_all(bytes).await.is_ok() {
            sent();
        }
    };
    let _ = timeout_at(end, sending).await;
}

/// Reads up to `bytes` at a time, with a pause after each read, until the end. Returns whether the connection is still
/// open.
pub async fn read_slowly(stream: &mut (impl AsyncRead + Unpin), bytes: usize, pause: Duration, end: Instant) -> bool {
    let mut buffer = vec![0; bytes];
    while Instant::now() < end {
        match timeout_at(end, stream.read(&mut buffer)).await {
            Ok(Ok(1..)) => sleep(pause).await,
            Ok(_) => return false,
            Err(_) => {}
        }
    }
    true
}
