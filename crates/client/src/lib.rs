//! A client as the wire contract describes one: plain requests to a [`Deployment`], and a [`RoomConnection`] over which
//! it joins, hears and acts. It serves all of ours that is no browser: the load driver, the commands a host runs, the
//! tests.
//!
//! It knows no rules, and nothing of the server but the contract.

mod deployment;
mod http;
mod room_connection;
mod sent_act;
#[cfg(feature = "tls")]
mod tls;

pub use deployment::{ByteStream, Deployment};
pub use http::{Answer, exchange};
pub use hyper::http::request::Builder as RequestBuilder;
pub use hyper::{HeaderMap, Request, StatusCode, Uri, header};
pub use room_connection::{End, Join, RoomConnection, upgrade};
pub use sent_act::SentAct;
pub use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use std::io;
use std::time::Duration;

/// Why there is no answer, or no connection.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nothing listens there, or the connection broke.
    #[error("{0}")]
    Unreachable(#[from] io::Error),
    /// The TLS handshake failed: most often a certificate that is not trusted.
    #[error("no encrypted line: {0}")]
    Untrusted(#[source] io::Error),
    /// The bytes could not be sent, or are not HTTP.
    #[error("{0}")]
    NotHttp(#[from] hyper::Error),
    /// The body breaks off, or is over what is read at the most.
    #[error("the answer is not whole: {0}")]
    NotWhole(String),
    /// The request cannot be written down.
    #[error("{0}")]
    NotARequest(#[from] hyper::http::Error),
    /// The upgrade to a WebSocket was answered with something else.
    #[error("the upgrade is answered with {0}")]
    NoUpgrade(StatusCode),
    /// The upgrade broke off.
    #[error("{0}")]
    BadUpgrade(Box<tokio_tungstenite::tungstenite::Error>),
    /// Whoever takes longer has no answer.
    #[error("no answer within {} s", .0.as_secs())]
    Late(Duration),
    /// An address that begins with `https://`, and a program that was built without the feature `tls`.
    #[error("this program speaks plain http only")]
    PlainOnly,
}
