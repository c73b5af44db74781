//! The server side of the WebSocket protocol (RFC 6455): the upgrade, and the sizes of buffers.
//!
//! It does not know what a message means.

use crate::frames::Metered;
use crate::refused::Refused;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::Response;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use protocol::Code;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
pub use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

/// Fragmentation: longer messages are sent in frames of this size, one at a time. The library copies what it sends and
/// never releases the buffer, so a welcome of megabytes in one frame would occupy memory as long as the client stays.
pub const PIECE: usize = 16 * 1024;

/// Read buffer per socket. It is zeroed before every read, so it has the size of a usual message; longer messages are
/// read in several pieces. The default of 128 KiB would be most of the memory of an idle client.
const READ_BUFFER: usize = 1024;
/// Maximum unsent data in the library: a message or a piece of one from the room, one from the socket, and a pong.
const WRITE_BUFFER: usize = 4 * PIECE;
/// Maximum size of a frame that is read at all. It exceeds the maximum size of a message, so that a slightly too long
/// message can be read to its end and refused with a reason.
const MAX_FRAME: usize = 64 * 1024;

/// The byte stream below a client's WebSocket.
pub type ClientStream = Metered<TokioIo<Upgraded>>;
/// A client's WebSocket.
pub type WebSocket = WebSocketStream<ClientStream>;

/// An upgrade request.
pub struct Upgrade {
    on_upgrade: OnUpgrade,
    accept: HeaderValue,
}

impl<S: Send + Sync> FromRequestParts<S> for Upgrade {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Upgrade, Refused> {
        if parts.method != Method::GET {
            let detail = "method not allowed";
            return Err(Refused::new(StatusCode::METHOD_NOT_ALLOWED, Code::BadMethod, detail));
        }
        let not = |detail: &str| Refused::new(StatusCode::BAD_REQUEST, Code::NotWebsocket, detail);
        if !lists(&parts.headers, CONNECTION, "upgrade") || !lists(&parts.headers, UPGRADE, "websocket") {
            return Err(not("this path is for WebSockets"));
        }
        if only(&parts.headers, SEC_WEBSOCKET_VERSION).is_none_or(|version| version != "13") {
            return Err(not("Sec-WebSocket-Version must be 13"));
        }
        let key = only(&parts.headers, SEC_WEBSOCKET_KEY).map(HeaderValue::as_bytes);
        let key = key.filter(|key| is_key(key)).ok_or_else(|| not("Sec-WebSocket-Key must be 16 bytes in base64"))?;
        let accept = HeaderValue::try_from(derive_accept_key(key)).expect("base64 is ASCII");
        let on_upgrade = parts.extensions.remove::<OnUpgrade>().ok_or_else(|| {
            let detail = "this connection cannot be upgraded";
            Refused::new(StatusCode::UPGRADE_REQUIRED, Code::NotWebsocket, detail)
        })?;
        Ok(Upgrade { on_upgrade, accept })
    }
}

impl Upgrade {
    /// Returns the response, and the socket once the response is sent.
    pub fn accept(self) -> (Response, impl Future<Output = Option<WebSocket>>) {
        let Upgrade { on_upgrade, accept } = self;
        let mut answer = Response::new(Body::empty());
        *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = answer.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
        let socket = async move { Some(open(TokioIo::new(on_upgrade.await.ok()?)).await) };
        (answer, socket)
    }
}

/// Creates a WebSocket on a stream whose upgrade is done.
pub async fn open<S: AsyncRead + AsyncWrite + Unpin>(stream: S) -> WebSocketStream<Metered<S>> {
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        // Every message is flushed by itself. Collecting several would only use memory.
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER)
        .max_message_size(Some(MAX_FRAME))
        .max_frame_size(Some(MAX_FRAME));
    WebSocketStream::from_raw_socket(Metered::new(stream), Role::Server, Some(config)).await
}

/// Returns the value of a header that occurs exactly once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// Returns whether a comma-separated header contains this word.
fn lists(headers: &HeaderMap, name: HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|one| one.trim().eq_ignore_ascii_case(word))
}

/// Returns whether this is 16 bytes in base64, as the nonce of a handshake must be.
fn is_key(key: &[u8]) -> bool {
    let letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    // The last character encodes two bits, and its other four bits are zero.
    key.len() == 24 && key[..22].iter().all(letter) && b"AQgw".contains(&key[21]) && key.ends_with(b"==")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_sixteen_bytes_in_base64() {
        assert!(is_key(b"dGhlIHNhbXBsZSBub25jZQ=="), "the example of RFC 6455");
        for wrong in ["", "x", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBs SBub25jZQ=="] {
            assert!(!is_key(wrong.as_bytes()), "{wrong}");
        }
    }
}
