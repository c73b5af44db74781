//! A client of the wire protocol: HTTP requests to a [`Deployment`], and a [`RoomConnection`] for joining, receiving
//! and acting. It is used by all our programs that are not browsers: the load driver, the host's commands and the
//! tests.
//!
//! It knows no rules, and nothing of the server but the protocol.

mod deployment;
mod http;
mod keep_alive;
mod room_connection;
#[cfg(feature = "scripted")]
pub mod scripted;
#[cfg(feature = "tls")]
mod tls;

pub use deployment::{ByteStream, Deployment};
pub use http::{Answer, exchange};
pub use hyper::http::request::Builder as RequestBuilder;
pub use hyper::{HeaderMap, Request, StatusCode, Uri, header};
pub use keep_alive::KeepAlive;
pub use room_connection::{End, Join, RoomConnection, upgrade};
pub use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use std::io;
use std::time::Duration;

/// Why a request or connection failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nothing listens there, or the connection broke.
    #[error("{0}")]
    Unreachable(#[from] io::Error),
    /// The TLS handshake failed, most often because of an untrusted certificate.
    #[error("TLS handshake failed: {0}")]
    Untrusted(#[source] io::Error),
    /// The request could not be sent, or the response is not HTTP.
    #[error("{0}")]
    NotHttp(#[from] hyper::Error),
    /// The body is incomplete or exceeds the size limit.
    #[error("incomplete or oversized response: {0}")]
    NotWhole(String),
    /// The request is invalid.
    #[error("{0}")]
    NotARequest(#[from] hyper::http::Error),
    /// The WebSocket upgrade was answered with another status.
    #[error("the WebSocket upgrade was answered with {0}")]
    NoUpgrade(StatusCode),
    /// The WebSocket upgrade failed.
    #[error("{0}")]
    BadUpgrade(Box<tokio_tungstenite::tungstenite::Error>),
    /// No response within the timeout.
    #[error("no answer within {} s", .0.as_secs())]
    Late(Duration),
    /// The address starts with `https://`, but the program was built without the feature `tls`.
    #[error("this program was built without TLS support and cannot use https://")]
    PlainOnly,
}
