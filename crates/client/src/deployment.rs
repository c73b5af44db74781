//! A deployment as a browser reaches it: by name, through whatever stands in front, under a path, with or without TLS.
//!
//! It knows nothing of what is asked or what an answer means.

use crate::{Answer, ClientError, RoomConnection, exchange, upgrade};
use hyper::header::{CONTENT_TYPE, HOST, ORIGIN};
use hyper::{Request, Uri};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Whoever takes longer than this for an answer has none, unless the caller says otherwise.
const PATIENCE: Duration = Duration::from_secs(10);

/// A stream of bytes, encrypted or not.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}

/// Where a server is.
#[derive(Debug, Clone)]
pub struct Deployment {
    secure: bool,
    /// Host and port as they are typed.
    authority: String,
    host: String,
    port: u16,
    base: String,
    patience: Duration,
    /// Whose certificates are believed; those browsers believe if none are given.
    #[cfg(feature = "tls")]
    pub(crate) roots: Option<tokio_rustls::rustls::RootCertStore>,
}

impl Deployment {
    /// The one at an address with scheme and host.
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

    /// The server that listens here, with nothing in front of it.
    pub fn at(address: SocketAddr) -> Deployment {
        Deployment::new(&format!("http://{address}").parse().expect("an address is part of a URL"))
    }

    /// The same, waited for as long as this.
    pub fn patience(mut self, patience: Duration) -> Deployment {
        self.patience = patience;
        self
    }

    /// Whether it is reached over TLS.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// The path it lives under, without a slash at its end.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Scheme, host and port, as browsers send them.
    pub fn origin(&self) -> String {
        format!("http{}://{}", if self.secure { "s" } else { "" }, self.authority)
    }

    /// The whole address, without a slash at its end.
    pub fn url(&self) -> String {
        format!("{}{}", self.origin(), self.base)
    }

    /// Asks for something under the base.
    pub async fn get(&self, path: &str) -> Result<Answer, ClientError> {
        self.send(Request::get(path).body(String::new())?).await
    }

    /// Sends JSON to something under the base, as the deployment's own page would.
    pub async fn post(&self, path: &str, json: String) -> Result<Answer, ClientError> {
        let request = Request::post(path).header(CONTENT_TYPE, "application/json");
        self.send(request.header(ORIGIN, self.origin()).body(json)?).await
    }

    /// Sends any request for something under the base.
    pub async fn send(&self, request: Request<String>) -> Result<Answer, ClientError> {
        let request = self.addressed(request)?;
        self.in_time(async { exchange(self.stream().await?, request).await }).await
    }

    /// Opens a WebSocket into a room as the deployment's own page would. Nothing has been said on it yet.
    pub async fn connect(&self, code: &str) -> Result<RoomConnection, ClientError> {
        let request = self.upgrade(code)?;
        self.in_time(async { RoomConnection::open(request, self.stream().await?).await }).await
    }

    /// The request that becomes a WebSocket into a room.
    pub fn upgrade(&self, code: &str) -> Result<Request<()>, ClientError> {
        upgrade(&format!("{}/ws/{code}", self.url()), &self.origin())
    }

    /// The same request with the host it goes to, and with the base before its path.
    pub fn addressed(&self, request: Request<String>) -> Result<Request<String>, ClientError> {
        let (mut head, body) = request.into_parts();
        head.uri = format!("{}{}", self.base, head.uri).parse().map_err(hyper::http::Error::from)?;
        head.headers.insert(HOST, self.authority.parse().map_err(hyper::http::Error::from)?);
        Ok(Request::from_parts(head, body))
    }

    async fn in_time<T>(
        &self,
        answer: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T, ClientError> {
        timeout(self.patience, answer).await.unwrap_or(Err(ClientError::Late(self.patience)))
    }

    async fn stream(&self) -> Result<Box<dyn ByteStream>, ClientError> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        // Nagle's algorithm: an act is one small message, and waiting to send it together with another would be
        // measured as the server's time.
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
    fn an_address_is_taken_apart_and_put_together_again() {
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

    /// Answers one request with these bytes, and says where.
    async fn answers(bytes: Vec<u8>) -> Deployment {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(&bytes).await;
            // It stays open: whoever waits for more waits in vain.
            let _ = stream.read(&mut [0; 1]).await;
        });
        Deployment::at(address)
    }

    #[tokio::test]
    async fn an_answer_is_bounded_in_size_and_time() {
        let long = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 5 << 20).into_bytes();
        let long = [long, vec![b'x'; 5 << 20]].concat();
        let error = answers(long).await.get("/").await.expect_err("five megabytes are too many");
        assert!(matches!(error, ClientError::NotWhole(_)), "{error:?}");
        let half = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".to_vec();
        let deployment = answers(half).await.patience(Duration::from_millis(50));
        let error = deployment.get("/").await.expect_err("the rest never comes");
        assert!(matches!(error, ClientError::Late(_)), "{error:?}");
    }
}
