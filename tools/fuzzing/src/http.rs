//! Requests as bytes over a real socket. Each must be answered with HTTP or closed in time, and the next one must be
//! served.

use crate::Tried;
use crate::running::{in_time, running};
use std::cell::Cell;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Placeholder in an input for the code of an existing room.
const CODE: &[u8] = b"ROOMCD";
/// After this many inputs a valid request is sent as well.
const HONEST_EVERY: u32 = 100;

/// Sends the input, closes the sending side, and reads the response.
pub fn try_one(bytes: &[u8]) -> Tried {
    thread_local!(static COUNT: Cell<u32> = const { Cell::new(0) });
    let running = running();
    let case = with_code(bytes, running.code.as_bytes());
    let answer = running.block_on(async {
        let mut stream = running.connect().await.expect("the server accepts connections");
        // The server may refuse a request without reading all of it.
        let _ = stream.write_all(&case).await;
        let _ = stream.shutdown().await;
        let mut answer = Vec::new();
        let read =
            async { while stream.read_buf(&mut answer).await.is_ok_and(|read| read > 0) && !says_goodbye(&answer) {} };
        let ended = in_time(read).await;
        assert!(ended.is_some(), "neither answered nor closed; so far: {}", answer.escape_ascii());
        answer
    });
    let count = COUNT.get();
    COUNT.set(count.wrapping_add(1));
    if count.is_multiple_of(HONEST_EVERY) {
        running.block_on(running.is_well());
    }
    Tried { things: 1, taken: u64::from(status(&answer).is_some_and(|status| status < 400)) }
}

/// Returns the status of the first response, or `None` if the connection was closed without one. Checks that the
/// response is HTTP and not an internal error.
fn status(answer: &[u8]) -> Option<u16> {
    if answer.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(answer);
    let line = text.lines().next().unwrap_or_default();
    let status = line.strip_prefix("HTTP/1.1 ").or_else(|| line.strip_prefix("HTTP/1.0 "));
    let status = status.and_then(|rest| rest.get(..3)?.parse::<u16>().ok());
    let status = status.unwrap_or_else(|| panic!("not HTTP: {line:?}"));
    assert!(status != 500 || text.contains("link_too_long"), "{text}");
    Some(status)
}

/// Returns whether the last frame of an upgraded connection is a close frame. The server keeps the connection open for
/// a while after that, but sends nothing more.
fn says_goodbye(answer: &[u8]) -> bool {
    let end = b"\r\n\r\n";
    let Some(head) = answer.windows(4).position(|four| four == end) else { return false };
    if !answer.starts_with(b"HTTP/1.1 101") {
        return false;
    }
    let mut frames = &answer[head + end.len()..];
    while let [first, length, rest @ ..] = frames {
        if first & 0x0f == 8 {
            return true;
        }
        let (length, rest) = match (length, rest) {
            (126, [high, low, rest @ ..]) => (usize::from(u16::from_be_bytes([*high, *low])), rest),
            (127, rest) => match rest.split_first_chunk::<8>() {
                Some((length, rest)) => (u64::from_be_bytes(*length) as usize, rest),
                None => return false,
            },
            (length, rest) => (usize::from(*length), rest),
        };
        frames = rest.get(length..).unwrap_or_default();
    }
    false
}

fn with_code(bytes: &[u8], code: &[u8]) -> Vec<u8> {
    let mut case = bytes.to_vec();
    let mut at = 0;
    while at + CODE.len() <= case.len() {
        if case[at..].starts_with(CODE) {
            case[at..at + CODE.len()].copy_from_slice(code);
        }
        at += 1;
    }
    case
}
