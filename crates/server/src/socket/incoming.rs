//! What a connection receives: messages, control frames and errors, with the limits of the transport applied.
//!
//! It does not know what a message says.

use super::parse::too_fast;
use super::{GOODBYE, Socket};
use crate::frames::Unbounded;
use crate::outbox::MAX_BAD;
use crate::websocket::{Error, Message, Utf8Bytes};
use protocol::{Close, MAX_MESSAGE};
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::error::ProtocolError;

/// An event received from a client.
pub enum Heard {
    /// A message.
    Text(Utf8Bytes),
    /// An answer to a ping.
    Pong,
    /// The client closed the connection, or the connection broke.
    End,
    /// The client sent something that requires closing the connection.
    Bad(Close),
}

impl Socket {
    /// Returns the next message, with control frames and connection errors handled. Cancel-safe.
    pub async fn hear(&mut self) -> Heard {
        loop {
            let message = match self.wire.recv().await {
                None => return Heard::End,
                Some(Err(error)) => return self.breaks(&error),
                Some(Ok(message)) => message,
            };
            self.heard = Instant::now();
            match message {
                // Flood control: answering pings costs as much as answering messages.
                Message::Ping(_) | Message::Pong(_) if self.remote.is_rate_limited() && !self.rate.allows_control() => {
                    return Heard::Bad(Close::TooMany);
                }
                Message::Text(text) if text.len() > MAX_MESSAGE => return Heard::Bad(Close::TooLong),
                Message::Text(text) => return Heard::Text(text),
                Message::Binary(bytes) if bytes.len() > MAX_MESSAGE => return Heard::Bad(Close::TooLong),
                Message::Binary(_) => return Heard::Bad(Close::NotText),
                Message::Pong(_) => return Heard::Pong,
                // Backpressure: the pong is sent before anything else is read. A client that sends pings without
                // reading is not read either, so at most one pong is pending.
                Message::Ping(_) => match self.wire.flush().await {
                    Ok(()) => {}
                    Err(error) => return self.breaks(&error),
                },
                Message::Frame(_) => {}
                // Read to the end of the stream, so that the peer can finish the closing handshake before the socket is
                // closed.
                Message::Close(_) => {
                    let to_the_end = async { while let Some(Ok(_)) = self.wire.recv().await {} };
                    let _ = Box::pin(timeout(GOODBYE, to_the_end)).await;
                    return Heard::End;
                }
            }
        }
    }

    /// Returns the refusal of a message that comes too fast to be relayed, and whether the client has done so too
    /// often.
    pub fn too_fast_to_pass_on(&mut self, text: &str) -> Option<(String, bool)> {
        let refusal = too_fast(text, &mut self.rate)?;
        self.strikes += 1;
        Some((refusal, self.strikes >= MAX_BAD))
    }

    pub(super) fn breaks(&mut self, error: &Error) -> Heard {
        let meaning = broken(error);
        self.deaf = matches!(meaning, Heard::Bad(_));
        meaning
    }
}

/// Interprets a connection error: an unreadable frame is the client's fault, anything else ends the connection.
fn broken(error: &Error) -> Heard {
    match error {
        Error::Capacity(_) => Heard::Bad(Close::TooLong),
        Error::Utf8(_) => Heard::Bad(Close::NotUtf8),
        Error::Protocol(
            ProtocolError::ResetWithoutClosingHandshake
            | ProtocolError::ReceivedAfterClosing
            | ProtocolError::SendAfterClosing,
        ) => Heard::End,
        Error::Protocol(_) => Heard::Bad(Close::BadFrame),
        Error::Io(error) => match error.get_ref().and_then(|error| error.downcast_ref()) {
            Some(Unbounded::TooMany) => Heard::Bad(Close::TooMany),
            Some(Unbounded::TooLong) => Heard::Bad(Close::TooLong),
            None => Heard::End,
        },
        _ => Heard::End,
    }
}
