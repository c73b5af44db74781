//! TLS on top of a stream, with the certificates browsers trust.

use crate::ClientError;
use std::io;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Encrypts the stream to a host with this name.
pub async fn encrypt(
    stream: TcpStream,
    host: &str,
    roots: Option<&RootCertStore>,
) -> Result<TlsStream<TcpStream>, ClientError> {
    let browsers = || RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let roots = roots.cloned().unwrap_or_else(browsers);
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    let encrypted = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    encrypted.map_err(ClientError::Untrusted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Deployment, StatusCode};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

    /// A self-signed certificate for `localhost`, made for these tests only.
    const CERTIFICATE: &[u8] = include_bytes!("../tests/data/tls/cert.pem");
    const KEY: &[u8] = include_bytes!("../tests/data/tls/key.pem");

    /// Starts a TLS server that echoes every request, and returns its port.
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
    async fn sends_requests_over_tls_with_the_host_name() {
        let port = echo().await;
        let url = format!("https://localhost:{port}/games/");
        let mut deployment = Deployment::new(&url.parse().unwrap());
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(CERTIFICATE).unwrap()).unwrap();
        deployment.roots = Some(roots);
        let answer = deployment.get("/healthz").await.unwrap();
        assert_eq!(answer.status, StatusCode::OK);
        assert!(answer.body.starts_with("GET /games/healthz HTTP/1.1\r\n"), "{}", answer.body);
        assert!(answer.body.contains(&format!("host: localhost:{port}\r\n")), "{}", answer.body);
    }

    #[tokio::test]
    async fn rejects_a_certificate_that_browsers_do_not_trust() {
        let url = format!("https://localhost:{}", echo().await);
        let wrong = Deployment::new(&url.parse().unwrap()).get("/healthz").await.err().unwrap().to_string();
        assert!(wrong.starts_with("TLS handshake failed") && wrong.contains("certificate"), "{wrong}");
    }
}
