//! A connection that is kept open between requests (HTTP keep-alive), for programs that ask the same server often.
//!
//! It does not know what is asked, nor how often.

use crate::http::HttpConnection;
use crate::{Answer, ClientError, Deployment};
use hyper::Request;
use parking_lot::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// How long an unused connection is kept. Our servers close one after 5 seconds, so it is rarely closed by the server
/// just as a request is sent.
const UNUSED: Duration = Duration::from_secs(4);

/// A deployment and at most one idle connection to it, which the next request reuses.
///
/// A request takes the connection and returns it only after the whole response has been read. So no request waits for
/// another, and a connection whose request failed or timed out is closed.
pub struct KeepAlive {
    deployment: Deployment,
    idle: Mutex<Option<IdleConnection>>,
}

struct IdleConnection {
    connection: HttpConnection,
    since: Instant,
}

impl KeepAlive {
    /// Creates it without a connection. The deployment's timeout applies to each request.
    pub fn new(deployment: Deployment) -> KeepAlive {
        KeepAlive { deployment, idle: Mutex::new(None) }
    }

    /// Sends a request for a path under the base. The request must be idempotent: if a reused connection turns out to
    /// be closed, it is sent again on a new one.
    pub async fn send(&self, request: Request<String>) -> Result<Answer, ClientError> {
        debug_assert!(request.method().is_idempotent());
        let request = self.deployment.addressed(request)?;
        self.deployment
            .in_time(async {
                if let Some(mut connection) = self.take() {
                    match connection.exchange(request.clone()).await {
                        Err(ClientError::NotHttp(_)) => {}
                        answer => return answer.inspect(|_| self.keep(connection)),
                    }
                }
                let mut connection = HttpConnection::open(self.deployment.stream().await?).await?;
                let answer = connection.exchange(request).await;
                answer.inspect(|_| self.keep(connection))
            })
            .await
    }

    /// Closes the idle connection if it has not been used for some seconds. Returns whether there is none left.
    pub fn close_if_unused(&self) -> bool {
        let mut idle = self.idle.lock();
        idle.take_if(|idle| !idle.can_be_used());
        idle.is_none()
    }

    fn take(&self) -> Option<HttpConnection> {
        let idle = self.idle.lock().take();
        idle.filter(IdleConnection::can_be_used).map(|idle| idle.connection)
    }

    /// Keeps the connection, and closes another that was kept meanwhile.
    fn keep(&self, connection: HttpConnection) {
        *self.idle.lock() = Some(IdleConnection { connection, since: Instant::now() });
    }
}

impl IdleConnection {
    fn can_be_used(&self) -> bool {
        !self.connection.is_closed() && self.since.elapsed() < UNUSED
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::oneshot;
    use tokio::task::JoinSet;
    use tokio::time::{advance, pause};

    /// A server that answers every request with its path, and counts its connections.
    struct Echo {
        address: SocketAddr,
        connections: Arc<AtomicUsize>,
        serving: JoinSet<()>,
    }

    impl Echo {
        async fn at(address: SocketAddr) -> Echo {
            let listener = TcpListener::bind(address).await.unwrap();
            let address = listener.local_addr().unwrap();
            let connections = Arc::<AtomicUsize>::default();
            let (counted, mut serving) = (connections.clone(), JoinSet::new());
            serving.spawn(async move {
                let mut open = JoinSet::new();
                loop {
                    let (stream, _) = listener.accept().await.unwrap();
                    counted.fetch_add(1, Ordering::Relaxed);
                    open.spawn(serve(stream));
                }
            });
            Echo { address, connections, serving }
        }

        async fn start() -> Echo {
            Echo::at("127.0.0.1:0".parse().unwrap()).await
        }

        /// Closes the listener and all connections.
        async fn stop(mut self) -> SocketAddr {
            self.serving.shutdown().await;
            self.address
        }

        fn connections(&self) -> usize {
            self.connections.load(Ordering::Relaxed)
        }
    }

    /// Answers requests until the client closes. Requests for `/slow` are never answered.
    async fn serve(mut stream: TcpStream) {
        let mut head = Vec::new();
        while let Ok(byte) = stream.read_u8().await {
            head.push(byte);
            if !head.ends_with(b"\r\n\r\n") {
                continue;
            }
            let text = String::from_utf8(std::mem::take(&mut head)).unwrap();
            let path = text.split(' ').nth(1).unwrap().to_owned();
            if path == "/slow" {
                std::future::pending::<()>().await;
            }
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{path}", path.len());
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    }

    fn kept(address: SocketAddr) -> KeepAlive {
        KeepAlive::new(Deployment::at(address).patience(Duration::from_secs(5)))
    }

    async fn get(kept: &KeepAlive, path: &str) -> Result<String, ClientError> {
        kept.send(Request::get(path).body(String::new()).unwrap()).await.map(|answer| answer.body)
    }

    #[tokio::test]
    async fn a_hundred_requests_use_one_connection() {
        let server = Echo::start().await;
        let kept = kept(server.address);
        for n in 0..100 {
            assert_eq!(get(&kept, &format!("/{n}")).await.unwrap(), format!("/{n}"));
        }
        assert_eq!(server.connections(), 1);
    }

    #[tokio::test]
    async fn a_request_after_a_restart_uses_a_new_connection() {
        let server = Echo::start().await;
        let kept = kept(server.address);
        assert_eq!(get(&kept, "/before").await.unwrap(), "/before");
        let address = server.stop().await;
        let server = Echo::at(address).await;
        assert_eq!(get(&kept, "/after").await.unwrap(), "/after");
        let address = server.stop().await;
        assert!(matches!(get(&kept, "/down").await, Err(ClientError::Unreachable(_))));
        let server = Echo::at(address).await;
        assert_eq!(get(&kept, "/up").await.unwrap(), "/up");
        assert_eq!(server.connections(), 1);
    }

    #[tokio::test]
    async fn retries_once_if_the_server_closes_the_connection_instead_of_answering() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let kept = kept(listener.local_addr().unwrap());
        let (closed, told) = oneshot::channel();
        let serving = tokio::spawn(async move {
            let (mut first, _) = listener.accept().await.unwrap();
            let mut head = [0; 4096];
            assert!(first.read(&mut head).await.unwrap() > 0);
            first.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await.unwrap();
            // The second request arrives and is not answered.
            assert!(first.read(&mut head).await.unwrap() > 0);
            drop(first);
            let (second, _) = listener.accept().await.unwrap();
            closed.send(()).unwrap();
            serve(second).await;
        });
        assert_eq!(get(&kept, "/first").await.unwrap(), "");
        assert_eq!(get(&kept, "/second").await.unwrap(), "/second");
        told.await.unwrap();
        drop(kept);
        serving.await.unwrap();
    }

    #[tokio::test]
    async fn a_slow_request_delays_no_other_and_its_connection_is_not_used_again() {
        let server = Echo::start().await;
        let deployment = Deployment::at(server.address).patience(Duration::from_millis(200));
        let kept = KeepAlive::new(deployment);
        assert_eq!(get(&kept, "/first").await.unwrap(), "/first");
        let (slow, quick) = tokio::join!(get(&kept, "/slow"), get(&kept, "/quick"));
        assert!(matches!(slow, Err(ClientError::Late(_))));
        assert_eq!(quick.unwrap(), "/quick");
        assert_eq!(get(&kept, "/next").await.unwrap(), "/next");
        assert_eq!(server.connections(), 2);
    }

    #[tokio::test]
    async fn closes_a_connection_that_is_not_used() {
        let server = Echo::start().await;
        let kept = kept(server.address);
        assert!(kept.close_if_unused(), "there is none yet");
        get(&kept, "/").await.unwrap();
        assert!(!kept.close_if_unused(), "it was just used");
        pause();
        advance(UNUSED).await;
        assert!(kept.close_if_unused());
    }
}
