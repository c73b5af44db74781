//! One request and its answer, over any stream of bytes.

use crate::ClientError;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{HeaderMap, Request, StatusCode};
use hyper_util::rt::TokioIo;
use protocol::Failure;
use tokio::io::{AsyncRead, AsyncWrite};

/// The largest answer that is read; the page and its files are far smaller.
const MOST: usize = 4 << 20;

/// What was answered.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as text.
    pub body: String,
}

impl Answer {
    /// A header's text; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The refusal of a Rookery; none if it is not one.
    pub fn failure(&self) -> Option<Failure> {
        serde_json::from_str(&self.body).ok()
    }
}

/// Sends one request over a stream that is then given up. How long that may take, the caller says.
pub async fn exchange<S>(stream: S, request: Request<String>) -> Result<Answer, ClientError>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // It ends with the sender, at the end of this function.
    tokio::spawn(connection);
    let answer = sender.send_request(request.map(|body| Full::new(Bytes::from(body)))).await?;
    let (head, body) = answer.into_parts();
    let body = Limited::new(body, MOST).collect().await;
    let body = body.map_err(|error| ClientError::NotWhole(error.to_string()))?.to_bytes();
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok(Answer { status: head.status, headers: head.headers, body })
}
