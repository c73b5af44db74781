//! Server processes over one database, each with its own gates: one to the database, and one for the other servers.

use crate::harness::{FAST, PATIENCE, request};
use chaos::Gate;
pub use chaos::free_port as free;
use serde_json::Value;
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Secret shared by all servers.
pub const SECRET: &str = "known to all servers";

/// A server, running or stopped.
pub struct Node {
    pub address: SocketAddr,
    pub admin: SocketAddr,
    /// Gate between this server and the database.
    pub database: Gate,
    /// Gate between the other servers and this one.
    pub others: Gate,
    node_listen: SocketAddr,
    url: String,
    program: PathBuf,
    /// File for its log, or `None` for the test's own output.
    log: Option<PathBuf>,
    child: Option<Child>,
}

impl Node {
    /// Starts a server over the database at this URL.
    pub async fn start(database: &str) -> Node {
        Node::start_program(env!("CARGO_BIN_EXE_rookery").into(), database).await
    }

    /// Starts another program as a server.
    pub async fn start_program(program: PathBuf, database: &str) -> Node {
        let (host, name) = database.rsplit_once('@').expect("a URL with a user").1.split_once('/').unwrap();
        let gate = Gate::before(host.parse().unwrap()).await.unwrap();
        let credentials = database.rsplit_once('@').unwrap().0;
        let url = format!("{credentials}@{}/{name}", gate.address);
        Node::start_at(program, gate, url, None).await
    }

    /// Starts a server that reaches all hosts of this URL without a gate, and logs to this file.
    pub async fn start_logged(address: &str, log: &Path) -> Node {
        let unused = Gate::before(free()).await.unwrap();
        let program = env!("CARGO_BIN_EXE_rookery").into();
        Node::start_at(program, unused, address.to_owned(), Some(log.to_owned())).await
    }

    async fn start_at(program: PathBuf, gate: Gate, url: String, log: Option<PathBuf>) -> Node {
        let node_listen = free();
        let others = Gate::before(node_listen).await.unwrap();
        let (address, admin) = (free(), free());
        let mut node = Node { address, admin, database: gate, others, node_listen, url, program, log, child: None };
        node.run().await;
        node
    }

    /// Starts the server again at its address.
    pub async fn run(&mut self) {
        assert!(self.child.is_none(), "the server is already running");
        let node = format!("http://{}", self.others.address);
        let (listen, admin, node_listen) =
            (self.address.to_string(), self.admin.to_string(), self.node_listen.to_string());
        let flags = ["--listen", &listen, "--admin", &admin, "--node", &node, "--node-listen", &node_listen];
        let mut child = server(&self.program, &self.url, &flags);
        let log = self.log.as_ref().map(|log| {
            let log = File::options().create(true).append(true).open(log).expect("the log file can be opened");
            Stdio::from(log)
        });
        let mut child = child.stderr(log.unwrap_or_else(Stdio::inherit)).spawn().expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("the output is piped")).lines();
        let greeting = timeout(PATIENCE, lines.next_line()).await.expect("the server starts in time").unwrap();
        assert!(greeting.is_some(), "the server exited without printing its address");
        self.child = Some(child);
    }

    pub async fn kill(&mut self) {
        self.child.take().expect("the server is running").kill().await.expect("the process was running");
    }

    /// Stops the server with SIGTERM and waits for its end.
    pub async fn end(&mut self) {
        self.signal("TERM");
        let ended = timeout(PATIENCE, self.child.as_mut().unwrap().wait()).await.expect("the process exits").unwrap();
        assert!(ended.success());
        self.child = None;
    }

    /// Pauses the server. Sending the signal is not enough: until one of the threads has handled it the others
    /// continue, which on a busy machine is long enough for another action.
    pub fn pause(&self) {
        self.signal("STOP");
        let tasks = format!("/proc/{}/task", self.id());
        let stands_still = |task: std::fs::DirEntry| {
            let stat = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
            stat.rsplit(") ").next().is_some_and(|state| state.starts_with('T'))
        };
        // On systems other than Linux this folder does not exist, and there is nothing to wait for.
        while std::fs::read_dir(&tasks).is_ok_and(|tasks| !tasks.flatten().all(stands_still)) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    pub fn resume(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let id = self.id().to_string();
        let sent = std::process::Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap();
        assert!(sent.success());
    }

    fn id(&self) -> u32 {
        self.child.as_ref().and_then(Child::id).expect("the server is running")
    }

    /// Returns the answer of `/api/nodes`.
    pub async fn nodes(&self) -> Vec<Value> {
        let (status, nodes) = request(self.admin, "GET", "/api/nodes", "").await;
        assert_eq!(status, 200, "{nodes}");
        serde_json::from_str(&nodes).unwrap()
    }

    /// Returns the value of a metric.
    pub async fn metric(&self, name: &str) -> f64 {
        let (_, metrics) = request(self.admin, "GET", "/metrics", "").await;
        let mut numbers = metrics.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        numbers.next().unwrap_or_else(|| panic!("no {name} in {metrics}")).parse().unwrap()
    }
}

/// Returns a command that runs the server over this database.
pub fn rookery(database: &str, flags: &[&str]) -> Command {
    server(env!("CARGO_BIN_EXE_rookery").as_ref(), database, flags)
}

fn server(program: &Path, database: &str, flags: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(flags).args(FAST).env("ROOKERY_LOG", "warn").env("ROOKERY_DATA", database);
    command.env("ROOKERY_NODE_SECRET", SECRET).stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
    command
}
