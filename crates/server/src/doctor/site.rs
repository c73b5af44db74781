//! A deployment as a browser reaches it: by name, through whatever stands in front, with or without TLS.
//!
//! It knows nothing of what is asked or what an answer means.

use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, Request, StatusCode, Uri};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error as Broken, http};
use tokio_tungstenite::{WebSocketStream, client_async};

/// Whoever takes longer than this for an answer has none.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest answer that is read; the page and its files are far smaller.
const MOST: usize = 4 << 20;

/// A stream of bytes, encrypted or not.
pub trait Line: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Line for T {}

/// Where the deployment is.
pub struct Site {
    secure: bool,
    /// Host and port as they are typed.
    authority: String,
    host: String,
    port: u16,
    /// The path it lives under, without a slash at its end.
    pub base: String,
    /// Whose certificates are believed.
    roots: RootCertStore,
}

/// What was answered.
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    /// A header's text; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// What our own server calls its refusal; empty if it is not one of ours.
    pub fn refusal(&self) -> (String, String) {
        let error = serde_json::from_str::<serde_json::Value>(&self.body).unwrap_or_default()["error"].take();
        let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        (text("code"), text("detail"))
    }
}

impl Site {
    /// The site at an address with scheme and host.
    pub fn new(url: &Uri) -> Site {
        let secure = url.scheme_str() == Some("https");
        let host = url.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let authority = url.authority().map_or_else(String::new, ToString::to_string);
        let port = url.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let base = url.path().trim_end_matches('/').to_owned();
        let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        Site { secure, authority, host, port, base, roots }
    }

    /// Scheme, host and port, as browsers send them.
    pub fn origin(&self) -> String {
        format!("http{}://{}", if self.secure { "s" } else { "" }, self.authority)
    }

    /// The whole address, without a slash at its end.
    pub fn url(&self) -> String {
        format!("{}{}", self.origin(), self.base)
    }

    /// Asks for something under the base; the error says in words what went wrong.
    pub async fn get(&self, path: &str) -> Result<Answer, String> {
        self.ask(Request::get(format!("{}{path}", self.base)).body(Body::empty())).await
    }

    /// Sends JSON to something under the base, as the site's own page would.
    pub async fn post(&self, path: &str, json: String) -> Result<Answer, String> {
        let request = Request::post(format!("{}{path}", self.base));
        let request = request.header(CONTENT_TYPE, "application/json").header(ORIGIN, self.origin());
        self.ask(request.body(Body::from(json))).await
    }

    async fn ask(&self, request: Result<Request<Body>, http::Error>) -> Result<Answer, String> {
        let mut request = request.map_err(|error| error.to_string())?;
        let host = self.authority.parse().map_err(|_| "the name of the host is not fit".to_owned())?;
        request.headers_mut().insert(HOST, host);
        let asked = async {
            let stream = self.connect().await?;
            let (mut sender, connection) =
                http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
            tokio::spawn(connection);
            let answer = sender.send_request(request).await.map_err(|error| error.to_string())?;
            let (head, body) = answer.into_parts();
            let body = to_bytes(Body::new(body), MOST).await.map_err(|error| error.to_string())?;
            let body = String::from_utf8_lossy(&body).into_owned();
            Ok(Answer { status: head.status, headers: head.headers, body })
        };
        timeout(PATIENCE, asked).await.unwrap_or_else(|_| Err(late()))
    }

    /// Opens a WebSocket as the site's own page would. A refusal comes back with its status.
    pub async fn socket(&self, path: &str) -> Result<WebSocketStream<Box<dyn Line>>, Refused> {
        let scheme = if self.secure { "wss" } else { "ws" };
        let url = format!("{scheme}://{}{}{path}", self.authority, self.base);
        let opened = async {
            let mut request =
                url.into_client_request().map_err(|error| Refused::Broken(error.to_string()))?;
            let origin = self.origin().parse().expect("made of what was an address");
            request.headers_mut().insert(ORIGIN, origin);
            let stream = self.connect().await.map_err(Refused::Broken)?;
            match client_async(request, stream).await {
                Ok((socket, _)) => Ok(socket),
                Err(Broken::Http(answer)) => Err(Refused::Status(answer.status())),
                Err(error) => Err(Refused::Broken(error.to_string())),
            }
        };
        timeout(PATIENCE, opened).await.unwrap_or_else(|_| Err(Refused::Broken(late())))
    }

    async fn connect(&self) -> Result<Box<dyn Line>, String> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await;
        let stream = stream.map_err(|error| error.to_string())?;
        if !self.secure {
            return Ok(Box::new(stream));
        }
        let roots = self.roots.clone();
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let name = ServerName::try_from(self.host.clone()).map_err(|error| error.to_string())?;
        let encrypted = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
        Ok(Box::new(encrypted.map_err(|error| format!("no encrypted line: {error}"))?))
    }
}

/// Why there is no WebSocket.
pub enum Refused {
    /// The upgrade was answered with something else.
    Status(StatusCode),
    /// The line broke.
    Broken(String),
}

fn late() -> String {
    format!("no answer within {} s", PATIENCE.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

    /// Made for these tests alone, by nobody anybody trusts.
    const CERTIFICATE: &[u8] = include_bytes!("../../tests/data/tls/cert.pem");
    const KEY: &[u8] = include_bytes!("../../tests/data/tls/key.pem");

    /// Answers every request over TLS with what it was asked, and says where it listens.
    async fn echo() -> u16 {
        let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
        let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
        let config = ServerConfig::builder().with_no_client_auth();
        let config = config.with_single_cert(vec![certificate], key).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = TlsAcceptor::from(Arc::new(config.clone())).accept(stream).await else {
                    continue;
                };
                let mut asked = vec![0; 4096];
                let length = stream.read(&mut asked).await.unwrap();
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
                stream.write_all(head.as_bytes()).await.unwrap();
                stream.write_all(&asked[..length]).await.unwrap();
                stream.flush().await.unwrap();
            }
        });
        port
    }

    #[tokio::test]
    async fn a_secure_site_is_asked_over_tls_and_by_its_name() {
        let url = format!("https://localhost:{}/games/", echo().await);
        let mut site = Site::new(&url.parse().unwrap());
        let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
        site.roots = RootCertStore::empty();
        site.roots.add(certificate).unwrap();
        let answer = site.get("/healthz").await.unwrap();
        assert_eq!(answer.status, StatusCode::OK);
        assert!(answer.body.starts_with("GET /games/healthz HTTP/1.1\r\n"), "{}", answer.body);
        assert!(answer.body.contains(&format!("host: localhost:{}\r\n", site.port)), "{}", answer.body);
    }

    #[tokio::test]
    async fn a_certificate_browsers_do_not_trust_is_not_trusted() {
        let url = format!("https://localhost:{}", echo().await);
        let wrong = Site::new(&url.parse().unwrap()).get("/healthz").await.err().unwrap();
        assert!(wrong.starts_with("no encrypted line") && wrong.contains("certificate"), "{wrong}");
    }
}
