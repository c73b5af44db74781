//! Limits on WebSocket frames (RFC 6455), enforced on the byte stream below the library. The library collects the
//! frames of a message and returns only the whole, so it would keep reading a message that never ends.
//!
//! It does not know what a message means.

use crate::limits::Bucket;
use crate::limits::table::{CONTINUATION_FRAMES, FRAMES_OF_A_MESSAGE};
use protocol::MAX_MESSAGE;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

/// Why a connection's frames are read no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unbounded {
    /// Too many frames in a message, or too many within some time.
    #[error("too many frames")]
    TooMany,
    /// The frames of a message are too long in total.
    #[error("a fragmented message is too long")]
    TooLong,
}

/// A stream whose frames are counted as they are read.
pub struct Metered<S> {
    stream: S,
    // Boxed, because the stream is moved by value several times on its way to the connection's task.
    meter: Box<Meter>,
}

impl<S> Metered<S> {
    pub fn new(stream: S) -> Metered<S> {
        Metered { stream, meter: Box::default() }
    }
}

/// The position within the current frame, and the totals of the current message.
#[derive(Debug, Default)]
struct Meter {
    head: [u8; 14],
    have: usize,
    /// Bytes of the payload that have not arrived yet.
    payload: u64,
    frames: u32,
    bytes: u64,
    continuations: Bucket,
    /// Time of the first continuation frame.
    since: Option<Instant>,
}

impl Meter {
    /// Follows the frames in these bytes, and checks the limits.
    fn read(&mut self, mut bytes: &[u8]) -> Result<(), Unbounded> {
        while !bytes.is_empty() {
            let skipped = bytes.len().min(usize::try_from(self.payload).unwrap_or(usize::MAX));
            self.payload -= skipped as u64;
            bytes = &bytes[skipped..];
            let Some((byte, rest)) = bytes.split_first() else { break };
            self.head[self.have] = *byte;
            self.have += 1;
            bytes = rest;
            if self.have >= 2 && self.have == head_length(self.head[1]) {
                self.have = 0;
                self.begin_frame()?;
            }
        }
        Ok(())
    }

    /// Handles a complete frame header.
    fn begin_frame(&mut self) -> Result<(), Unbounded> {
        let short = self.head[1] & 0x7f;
        self.payload = match short {
            126 => u64::from(u16::from_be_bytes([self.head[2], self.head[3]])),
            127 => u64::from_be_bytes(self.head[2..10].try_into().expect("eight bytes")),
            short => u64::from(short),
        };
        let (opcode, last) = (self.head[0] & 0x0f, self.head[0] & 0x80 != 0);
        if opcode >= 8 {
            // A control frame may come between the frames of a message. The socket counts it.
            return Ok(());
        }
        if opcode == 0 {
            self.take_continuation()?;
        } else {
            (self.frames, self.bytes) = (0, 0);
        }
        self.frames += 1;
        self.bytes = self.bytes.saturating_add(self.payload);
        if self.frames > FRAMES_OF_A_MESSAGE {
            return Err(Unbounded::TooMany);
        }
        // A single frame that is too long is read to its end, as far as the library allows, and then refused.
        if self.frames > 1 && self.bytes > MAX_MESSAGE as u64 {
            return Err(Unbounded::TooLong);
        }
        if last {
            (self.frames, self.bytes) = (0, 0);
        }
        Ok(())
    }

    fn take_continuation(&mut self) -> Result<(), Unbounded> {
        let since = *self.since.get_or_insert_with(Instant::now);
        let allowed = self.continuations.take(CONTINUATION_FRAMES, 1, since.elapsed());
        if allowed { Ok(()) } else { Err(Unbounded::TooMany) }
    }
}

/// Returns the length of a frame header, given its second byte.
fn head_length(second: u8) -> usize {
    let length = match second & 0x7f {
        126 => 4,
        127 => 10,
        _ => 2,
    };
    if second & 0x80 != 0 { length + 4 } else { length }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        if let Err(unbounded) = self.meter.read(&buf.filled()[before..]) {
            buf.set_filled(before);
            return Poll::Ready(Err(io::Error::other(unbounded)));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(opcode: u8, last: bool, length: usize) -> Vec<u8> {
        let mut frame = vec![opcode | if last { 0x80 } else { 0 }];
        match length {
            0..126 => frame.push(0x80 | length as u8),
            126..65_536 => {
                frame.push(0x80 | 126);
                frame.extend((length as u16).to_be_bytes());
            }
            _ => {
                frame.push(0x80 | 127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(vec![0; length]);
        frame
    }

    /// Returns a message with this many frames of this length.
    fn message(frames: usize, length: usize) -> Vec<u8> {
        (0..frames).flat_map(|n| frame(u8::from(n == 0), n + 1 == frames, length)).collect()
    }

    #[tokio::test]
    async fn limits_frames_per_message_however_bytes_arrive() {
        for piece in [1, 3, 1000] {
            let read = |bytes: &[u8]| {
                let mut meter = Meter::default();
                bytes.chunks(piece).try_for_each(|bytes| meter.read(bytes))
            };
            assert_eq!(read(&message(64, 10)), Ok(()));
            assert_eq!(read(&message(65, 10)), Err(Unbounded::TooMany));
            assert_eq!(read(&message(1, 70_000)), Ok(()), "the library limits the length of a single frame");
            assert_eq!(read(&message(4, 1024)), Ok(()));
            assert_eq!(read(&[frame(1, false, 4096), frame(0, false, 1)].concat()), Err(Unbounded::TooLong));
            let pinged = [frame(1, false, 9), frame(9, true, 125), frame(0, true, 9), message(2, 9)].concat();
            assert_eq!(read(&pinged), Ok(()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn limits_the_rate_of_continuation_frames() {
        let mut meter = Meter::default();
        let read = |meter: &mut Meter| (0..1000).take_while(|_| meter.read(&message(5, 1)).is_ok()).count();
        assert_eq!(read(&mut meter), CONTINUATION_FRAMES.burst as usize / 4);
        let mut meter = Meter::default();
        read(&mut meter);
        meter = Meter { frames: 0, bytes: 0, have: 0, payload: 0, ..meter };
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        assert_eq!(read(&mut meter), 8, "about thirty continuation frames per second");
    }
}
