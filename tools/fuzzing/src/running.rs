//! A real server inside this process, on a free port, for the targets that use sockets.

use clap::Parser;
use client::header::{CONTENT_TYPE, HOST};
use client::scripted::{FAST, socket_at};
use client::{Answer, Request, RequestBuilder, exchange};
use journal::Journal;
use journal::memory::Memory;
use serde_json::Value;
use server::{AppState, Cli, Server};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

/// An answer must arrive within this many seconds.
const PATIENCE: u32 = 20;

/// Name of the server's threads, which identifies their panics.
pub const SERVING: &str = "serving";

/// Waits for something that must happen in time. The timeout counts seconds during which this process was running: a
/// process that was paused or not scheduled would otherwise find its deadline passed although the server was not slow.
pub async fn in_time<T>(awaited: impl Future<Output = T>) -> Option<T> {
    let mut awaited = pin!(awaited);
    for _ in 0..PATIENCE {
        if let Ok(came) = timeout(Duration::from_secs(1), &mut awaited).await {
            return Some(came);
        }
    }
    None
}

/// The server, and what is known of it besides the contract.
pub struct FuzzedServer {
    /// Address of the server.
    pub address: SocketAddr,
    /// Code of a room that always exists.
    pub code: String,
    /// Journal of the server.
    pub journal: Arc<dyn Journal>,
    runtime: Runtime,
    /// Keeps the server running until the process ends.
    _server: Server,
}

/// Returns the server of this process.
pub fn running() -> &'static FuzzedServer {
    static RUNNING: OnceLock<FuzzedServer> = OnceLock::new();
    RUNNING.get_or_init(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_name(SERVING).enable_all().build();
        let runtime = runtime.expect("the runtime can be started");
        let journal: Arc<dyn Journal> = Arc::new(Memory::default());
        // Limits have their own tests and would only reject inputs here. Bots wait so long that nothing happens
        // without a message.
        let flags = ["rookery", "--listen", "127.0.0.1:0", "--admin", "off", "--data", "memory"];
        let config = Cli::parse_from(flags.iter().chain(FAST)).config;
        let server = runtime.block_on(Server::start(AppState::new(config, journal.clone())));
        let server = server.expect("port 0 is always free");
        let address = server.address();
        let mut running = FuzzedServer { address, code: String::new(), journal, runtime, _server: server };
        running.code = running.block_on(running.open("towers"));
        running
    })
}

impl FuzzedServer {
    /// Runs a future to completion.
    pub fn block_on<T>(&self, doing: impl Future<Output = T>) -> T {
        self.runtime.block_on(doing)
    }

    /// Connects to the server, each time from another address. Limits are per address, and so are the local ports,
    /// which are reusable only after a minute.
    pub async fn connect(&self) -> io::Result<TcpStream> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed) % 0xff_fffe + 1;
        let from = Ipv4Addr::from_bits(Ipv4Addr::new(127, 0, 0, 0).to_bits() | number);
        let stream = in_time(socket_at(from)?.connect(self.address)).await.ok_or(io::ErrorKind::TimedOut)??;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Checks that the server still works.
    pub async fn is_well(&self) {
        let room = self.get(&format!("/api/rooms/{}", self.code)).await;
        assert!(room.contains(&self.code), "{room}");
        assert_eq!(self.get("/healthz").await, "well\n");
    }

    /// Sends a valid GET request and returns the body of the response.
    pub async fn get(&self, path: &str) -> String {
        let answer = self.ask(Request::get(path), String::new()).await;
        assert_eq!(answer.status, 200, "GET {path}: {}", answer.body);
        answer.body
    }

    /// Opens a room and returns its code.
    pub async fn open(&self, game: &str) -> String {
        let request = Request::post("/api/rooms").header(CONTENT_TYPE, "application/json");
        let answer = self.ask(request, format!(r#"{{"game":"{game}"}}"#)).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let opened: Value = serde_json::from_str(&answer.body).expect("valid JSON");
        opened["code"].as_str().expect("the answer has a code").to_owned()
    }

    async fn ask(&self, request: RequestBuilder, body: String) -> Answer {
        let request = request.header(HOST, self.address.to_string()).body(body).expect("the request is valid");
        let stream = self.connect().await.expect("the server accepts connections");
        let answer = in_time(exchange(stream, request)).await.expect("the server answers in time");
        answer.expect("the server answers")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use tokio::time::{Instant, sleep};

    #[test]
    fn time_while_the_process_is_suspended_does_not_count() {
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            // A minute passes without a chance to run, as when the process is paused. The result is available right
            // after it.
            let late = async {
                tokio::time::advance(Duration::from_secs(60)).await;
                sleep(Duration::from_millis(1)).await;
            };
            assert_eq!(in_time(late).await, Some(()));
            let begun = Instant::now();
            assert_eq!(in_time(pending::<()>()).await, None);
            assert_eq!(begun.elapsed().as_secs(), u64::from(PATIENCE));
        });
    }
}
