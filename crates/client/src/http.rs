//! HTTP requests and their responses, over any stream of bytes.

use crate::ClientError;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{HeaderMap, Request, StatusCode};
use hyper_util::rt::TokioIo;
use protocol::Failure;
use tokio::io::{AsyncRead, AsyncWrite};

/// Maximum size of a response body. The page and its files are far smaller.
const MOST: usize = 4 << 20;

/// An HTTP response.
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
    /// Returns a header's text, or an empty string if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Parses the body as an error response of a Rookery server.
    pub fn failure(&self) -> Option<Failure> {
        serde_json::from_str(&self.body).ok()
    }
}

/// Sends one request over a stream, which is then closed. The caller applies a timeout.
pub async fn exchange<S>(stream: S, request: Request<String>) -> Result<Answer, ClientError>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    HttpConnection::open(stream).await?.exchange(request).await
}

/// An HTTP/1.1 connection, which is closed when it is dropped.
pub(crate) struct HttpConnection {
    sender: http1::SendRequest<Full<Bytes>>,
}

impl HttpConnection {
    pub(crate) async fn open<S>(stream: S) -> Result<HttpConnection, ClientError>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // The connection ends with the sender.
        tokio::spawn(connection);
        Ok(HttpConnection { sender })
    }

    /// Sends a request and reads the whole response. After an error the connection must not be used again.
    pub(crate) async fn exchange(&mut self, request: Request<String>) -> Result<Answer, ClientError> {
        self.sender.ready().await?;
        let answer = self.sender.send_request(request.map(|body| Full::new(Bytes::from(body)))).await?;
        let (head, body) = answer.into_parts();
        let body = Limited::new(body, MOST).collect().await;
        let body = body.map_err(|error| ClientError::NotWhole(error.to_string()))?.to_bytes();
        let body = String::from_utf8_lossy(&body).into_owned();
        Ok(Answer { status: head.status, headers: head.headers, body })
    }

    /// Returns whether it is known that the connection cannot be used again.
    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }
}
