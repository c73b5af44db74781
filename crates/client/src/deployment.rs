//! A deployment as a browser reaches it: by name, through any proxy in front, under a path, with or without TLS.
//!
//! It knows nothing about the content of requests and responses.

use crate::{Answer, ClientError, RoomConnection, exchange, upgrade};
use hyper::header::{CONTENT_TYPE, HOST, ORIGIN};
use hyper::{Request, Uri};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Default timeout for a response.
const PATIENCE: Duration = Duration::from_secs(10);

/// A stream of bytes, encrypted or not.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}

/// The address of a server.
#[derive(Debug, Clone)]
pub struct Deployment {
    secure: bool,
    /// Host and port as typed.
    authority: String,
    host: String,
    port: u16,
    base: String,
    patience: Duration,
    /// Trusted root certificates, or `None` for those that browsers trust.
    #[cfg(feature = "tls")]
    pub(crate) roots: Option<tokio_rustls::rustls::RootCertStore>,
}

impl Deployment {
    /// Creates a deployment from an address with scheme and host.
    pub fn new(url: &Uri) -> Deployment {
        let secure = url.scheme_str() == Some("https");
        Deployment {
            secure,
            authority: url.authority().map_or_else(String::new, ToString::to_string),
            host: url.host().unwrap_or_default().trim_matches(['[', ']']).to_owned(),
            port: url.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            base: url.path().trim_end_matches('/').to_owned(),
            patience: PATIENCE,
            #[cfg(feature = "tls")]
            roots: None,
        }
    }

    /// Creates a deployment for a server that listens at this address, without a proxy.
    pub fn at(address: SocketAddr) -> Deployment {
        Deployment::new(&format!("http://{address}").parse().expect("an address with a port is a valid URL authority"))
    }

    /// Sets the timeout for responses.
    pub fn patience(mut self, patience: Duration) -> Deployment {
        self.patience = patience;
        self
    }

    /// Returns the base path without a trailing slash.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the origin (scheme, host and port) as browsers send it.
    pub fn origin(&self) -> String {
        format!("http{}://{}", if self.secure { "s" } else { "" }, self.authority)
    }

    /// Returns the whole address without a trailing slash.
    pub fn url(&self) -> String {
        format!("{}{}", self.origin(), self.base)
    }

    /// Sends a GET request for a path under the base.
    pub async fn get(&self, path: &str) -> Result<Answer, ClientError> {
        self.send(Request::get(path).body(String::new())?).await
    }

    /// Posts JSON to a path under the base, as the deployment's own page would.
    pub async fn post(&self, path: &str, json: String) -> Result<Answer, ClientError> {
        let request = Request::post(path).header(CONTENT_TYPE, "application/json");
        self.send(request.header(ORIGIN, self.origin()).body(json)?).await
    }

    /// Sends any request for a path under the base.
    pub async fn send(&self, request: Request<String>) -> Result<Answer, ClientError> {
        let request = self.addressed(request)?;
        self.in_time(async { exchange(self.stream().await?, request).await }).await
    }

    /// Opens a WebSocket into a room as the deployment's own page would, without joining yet.
    pub async fn connect(&self, code: &str) -> Result<RoomConnection, ClientError> {
        let request = self.upgrade(code)?;
        self.in_time(async { RoomConnection::open(request, self.stream().await?).await }).await
    }

    /// Returns the upgrade request for a WebSocket into a room.
    pub fn upgrade(&self, code: &str) -> Result<Request<()>, ClientError> {
        upgrade(&format!("{}/ws/{code}", self.url()), &self.origin())
    }

    /// Adds the `Host` header to a request, and the base to its path.
    pub fn addressed(&self, request: Request<String>) -> Result<Request<String>, ClientError> {
        let (mut head, body) = request.into_parts();
        head.uri = format!("{}{}", self.base, head.uri).parse().map_err(hyper::http::Error::from)?;
        head.headers.insert(HOST, self.authority.parse().map_err(hyper::http::Error::from)?);
        Ok(Request::from_parts(head, body))
    }

    pub(crate) async fn in_time<T>(
        &self,
        answer: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T, ClientError> {
        timeout(self.patience, answer).await.unwrap_or(Err(ClientError::Late(self.patience)))
    }

    pub(crate) async fn stream(&self) -> Result<Box<dyn ByteStream>, ClientError> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        // Disables Nagle's algorithm: an action is one small message, and delaying it to combine it with another would
        // be measured as the server's time.
        stream.set_nodelay(true)?;
        if !self.secure {
            return Ok(Box::new(stream));
        }
        #[cfg(feature = "tls")]
        return Ok(Box::new(crate::tls::encrypt(stream, &self.host, self.roots.as_ref()).await?));
        #[cfg(not(feature = "tls"))]
        Err(ClientError::PlainOnly)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    #[test]
    fn parses_an_address_and_formats_it_again() {
        for (url, host, port, base) in [
            ("http://127.0.0.1:8080", "127.0.0.1", 8080, ""),
            ("http://games.example.org/", "games.example.org", 80, ""),
            ("https://example.org/games/", "example.org", 443, "/games"),
            ("http://[::1]:8080/a/b", "::1", 8080, "/a/b"),
        ] {
            let deployment = Deployment::new(&url.parse().unwrap());
            assert_eq!((&*deployment.host, deployment.port, deployment.base()), (host, port, base), "{url}");
            assert_eq!(deployment.url(), url.trim_end_matches('/'));
        }
    }

    /// Starts a server that answers one request with these bytes, and returns its address.
    async fn answers(bytes: Vec<u8>) -> Deployment {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(&bytes).await;
            // The connection stays open, so a client that expects more data waits until its timeout.
            let _ = stream.read(&mut [0; 1]).await;
        });
        Deployment::at(address)
    }

    #[tokio::test]
    async fn limits_the_size_and_time_of_a_response() {
        let long = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 5 << 20).into_bytes();
        let long = [long, vec![b'x'; 5 << 20]].concat();
        let error = answers(long).await.get("/").await.expect_err("the response exceeds the size limit");
        assert!(matches!(error, ClientError::NotWhole(_)), "{error:?}");
        let half = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".to_vec();
        let deployment = answers(half).await.patience(Duration::from_millis(50));
        let error = deployment.get("/").await.expect_err("the response is never completed");
        assert!(matches!(error, ClientError::Late(_)), "{error:?}");
    }
}
