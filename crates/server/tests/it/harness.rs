//! Servers for tests: one inside the test process, and one as a separate process that can be killed.

use crate::client::Client;
use crate::topology::{Ground, data_of, forget_owner, owner_of, set_owner};
use clap::Parser;
use client::header::CONTENT_TYPE;
pub use client::scripted::FAST;
use client::{Deployment, Request};
use journal::Journal;
use journal::memory::Memory;
use serde_json::{Value, json};
use server::{AppState, Cli, Clock, Config, Mind, Server};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Timeout for everything in these tests. Anything that takes longer hangs.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A server inside this process, on a free port.
pub struct TestServer {
    pub address: SocketAddr,
    pub admin: SocketAddr,
    pub server: Option<Server>,
    /// The server that clients connect to, if that is another one.
    edge: Option<Server>,
}

impl TestServer {
    /// Starts a server over an empty journal.
    pub async fn start() -> TestServer {
        TestServer::fresh(FAST).await
    }

    /// Starts a server over an empty journal with these flags.
    pub async fn fresh(flags: &[&str]) -> TestServer {
        TestServer::on(Ground::fresh().await, flags).await
    }

    /// Starts a server with these flags over a journal that may already have entries.
    pub async fn on(ground: Ground, flags: &[&str]) -> TestServer {
        TestServer::with_bots(ground, flags, |bot, level, seed, budget| bot(level, seed, budget)).await
    }

    /// Starts a server whose bots use `mind` to choose their actions.
    pub async fn with_bots(ground: Ground, flags: &[&str], mind: Mind) -> TestServer {
        let beside = ground.beside().await;
        let (config, journal) = (ground.config(flags), ground.journal);
        let clock = Clock::start(journal.running_ms());
        let mut server = TestServer::of(AppState::with(config, journal, clock, mind)).await;
        if let Some(beside) = beside {
            let edge = Server::start(AppState::new(beside.config(flags), beside.journal)).await;
            let edge = edge.expect("port 0 is always free");
            set_owner(edge.address(), server.address);
            // Metrics of client connections are counted by the edge server.
            (server.address, server.admin) = (edge.address(), edge.admin().expect("the server has an admin address"));
            server.edge = Some(edge);
        }
        server
    }

    /// Starts a server with these flags whose rooms are in memory, whatever the topology.
    pub async fn in_memory(flags: &[&str]) -> TestServer {
        TestServer::with(Arc::new(Memory::default()), flags).await
    }

    pub async fn with(journal: Arc<dyn Journal>, flags: &[&str]) -> TestServer {
        TestServer::of(AppState::new(config(flags), journal)).await
    }

    pub async fn with_clock(journal: Arc<dyn Journal>, flags: &[&str], clock: Clock) -> TestServer {
        let state = AppState::with(config(flags), journal, clock, |bot, level, seed, budget| bot(level, seed, budget));
        TestServer::of(state).await
    }

    pub async fn of(state: AppState) -> TestServer {
        let server = Server::start(state).await.expect("port 0 is always free");
        forget_owner(server.address());
        let admin = server.admin().expect("the server has an admin address");
        TestServer { address: server.address(), admin, server: Some(server), edge: None }
    }

    pub async fn stop(mut self) {
        if let Some(edge) = self.edge.take() {
            edge.stop().await;
        }
        self.server.take().expect("the server is stopped once").stop().await;
    }

    /// Returns the current metrics in Prometheus format.
    pub async fn metrics(&self) -> String {
        let (status, metrics) = request(self.admin, "GET", "/metrics", "").await;
        assert_eq!(status, 200, "{metrics}");
        metrics
    }

    /// Returns the current value of a metric, or `None` if it does not exist.
    pub async fn metric(&self, name: &str) -> Option<f64> {
        let metrics = self.metrics().await;
        let numbers = metrics.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        numbers.map(|number| number.parse().expect("a number")).next()
    }

    /// Waits until a metric has this value, because no other signal reports the change.
    pub async fn until_metric(&self, name: &str, number: f64) {
        let until = async { while self.metric(name).await != Some(number) {} };
        timeout(PATIENCE, until).await.unwrap_or_else(|_| panic!("{name} never became {number}"));
    }

    /// Sends a GET request and returns status and body.
    pub async fn get(&self, path: &str) -> (u16, String) {
        request(self.address, "GET", path, "").await
    }

    /// Opens a room of Five Towers and returns its code.
    pub async fn open(&self, mistakes: &str) -> String {
        open(self.address, mistakes).await
    }

    /// Returns a client that has joined the room.
    pub async fn join(&self, code: &str, name: &str) -> Client {
        Client::join(self.address, code, name).await
    }

    /// Opens a room and starts a game with this number of players.
    pub async fn game(&self, mistakes: &str, players: usize) -> (String, Vec<Client>) {
        let code = self.open(mistakes).await;
        let clients = begin(self.address, &code, players).await;
        (code, clients)
    }
}

/// Parses the flags of a server inside this process.
pub fn config(flags: &[&str]) -> Config {
    let always = ["rookery", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"];
    Cli::parse_from(always.iter().chain(flags)).config
}

/// Opens a room of Five Towers and returns its code.
pub async fn open(address: SocketAddr, mistakes: &str) -> String {
    open_with(address, json!({"game": "towers", "rules": {"mistakes": mistakes}})).await
}

/// Opens a room with these options and returns its code.
pub async fn open_with(address: SocketAddr, options: Value) -> String {
    let (status, answer) = request(address, "POST", "/api/rooms", &options.to_string()).await;
    assert_eq!(status, 201, "{answer}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    answer["code"].as_str().unwrap().to_owned()
}

/// Seats players in a room and starts the game.
pub async fn begin(address: SocketAddr, code: &str, players: usize) -> Vec<Client> {
    let mut clients = Vec::new();
    for name in ["Ana", "Bea", "Cid", "Dan", "Eva"].iter().take(players) {
        clients.push(Client::join(address, code, name).await);
    }
    clients[0].say(json!({"type": "start"})).await;
    for client in &mut clients {
        client.until("the game begins", |client| client.version > 0).await;
    }
    clients
}

/// Sends an HTTP request and returns status and body.
pub async fn request(address: SocketAddr, method: &str, path: &str, body: &str) -> (u16, String) {
    request_with(address, method, path, body, &[]).await
}

/// Sends an HTTP request with additional headers and returns status and body.
pub async fn request_with(
    address: SocketAddr,
    method: &str,
    path: &str,
    body: &str,
    headers: &[(&str, &str)],
) -> (u16, String) {
    let mut request = Request::builder().method(method).uri(path).header(CONTENT_TYPE, "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(body.to_owned()).expect("a valid request");
    let opens = method == "POST" && path == "/api/rooms";
    let address = if opens { owner_of(address) } else { address };
    let answer = Deployment::at(address).patience(PATIENCE).send(request).await.expect("the server answers");
    (answer.status.as_u16(), answer.body)
}

/// Returns the code of an error response.
pub fn error_code(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("not JSON: {body:?}"));
    let error = body["error"].as_object().expect("an error");
    assert_eq!(error.keys().collect::<Vec<_>>(), ["code", "detail"]);
    assert!(!error["detail"].as_str().unwrap().is_empty());
    error["code"].as_str().unwrap().to_owned()
}

/// Waits until the server closes the connection.
pub async fn until_closed(mut stream: TcpStream) {
    let mut rest = Vec::new();
    let closed = timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
    closed.expect("the server closes the connection").unwrap();
}

/// Reads a whole response. The connection may be reset at its end, because a server that has read enough does not read
/// the rest of a request.
pub async fn read_all(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let _ = timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("the server answers");
    String::from_utf8_lossy(&answer).into_owned()
}

/// Waits for players that play games to their end, and returns what they return.
pub async fn finish<T>(playing: impl IntoIterator<Item = JoinHandle<T>>) -> Vec<T> {
    let mut done = Vec::new();
    for player in playing {
        let played = timeout(PATIENCE * 4, player).await.expect("the game ends in time");
        done.push(played.expect("no player task panicked"));
    }
    done
}

/// Returns the address that a server prints.
pub async fn printed_address(server: &mut Child) -> SocketAddr {
    let line = first_line(server.stdout.take()).await.expect("the server prints its address");
    let address = line.rsplit("//").next().unwrap().trim().parse().expect(&line);
    forget_owner(address);
    address
}

/// Returns the first line that a process prints.
async fn first_line(output: Option<impl AsyncRead + Unpin>) -> Option<String> {
    let mut lines = BufReader::new(output.expect("the output is piped")).lines();
    timeout(PATIENCE, lines.next_line()).await.expect("the server prints a line in time").unwrap()
}

/// The real binary as a separate process.
pub struct Process {
    pub address: SocketAddr,
    /// Standard error before it was listening, if captured.
    pub said: String,
    child: Child,
}

impl Process {
    /// Starts the binary with this folder, or a database that replaces it, and waits until it prints its address.
    pub async fn start(folder: &Path, listen: &str) -> Process {
        Process::start_with(&data_of(folder), listen, &[]).await
    }

    /// Starts the binary with any journal and additional flags, and waits until it prints its address.
    pub async fn start_with(data: &str, listen: &str, flags: &[String]) -> Process {
        let mut child = Command::new(env!("CARGO_BIN_EXE_rookery"))
            .args(["--listen", listen, "--admin", "off", "--data", data])
            .args(FAST)
            .args(flags)
            .env("ROOKERY_LOG", "warn")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the binary is built with the tests");
        let address = printed_address(&mut child).await;
        Process { address, said: String::new(), child }
    }

    /// Starts the binary with a limit on open files, and captures what it prints about that.
    pub async fn start_with_files(folder: &Path, files: usize) -> Process {
        let mut child = Command::new("sh")
            .args(["-c", &format!("ulimit -n {files} && exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_rookery")])
            .args(["--listen", "127.0.0.1:0", "--admin", "off", "--data"])
            .arg(folder)
            .env("ROOKERY_LOG", "warn")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the binary is built with the tests");
        let said = first_line(child.stderr.take()).await;
        let address = printed_address(&mut child).await;
        Process { address, said: said.unwrap_or_default(), child }
    }

    pub fn id(&self) -> u32 {
        self.child.id().expect("the process is running")
    }

    /// Sends a GET request and returns status and body.
    pub async fn get(&self, path: &str) -> (u16, String) {
        request(self.address, "GET", path, "").await
    }

    /// Kills the process with SIGKILL.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("the process was running");
    }

    pub async fn wait(&mut self) -> std::process::ExitStatus {
        timeout(PATIENCE, self.child.wait()).await.expect("the process exits").unwrap()
    }
}
