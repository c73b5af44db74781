//! Over which journal and how many servers a test runs: memory and one server, unless ROOKERY_TEST_TOPOLOGY says otherwise.
//! With `postgres` it is one server over a database, with `relayed` all clients are at another server than the room's owner.

use crate::cluster::servers::free;
use crate::harness::config;
use journal::Journal;
use journal::memory::Memory;
use journal::ownership::Lease;
use journal::postgres::{Postgres, Settings};
use pgtest::Cluster;
use server::{Config, VERSION};
use std::cell::RefCell;
use std::collections::HashMap;
use std::env;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{advance, pause, resume, sleep};

/// What the servers of a test know.
const SECRET: &str = "known to all servers";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topology {
    Memory,
    Postgres,
    Relayed,
}

/// What the environment says.
pub fn topology() -> Topology {
    match env::var("ROOKERY_TEST_TOPOLOGY").as_deref() {
        Err(_) => Topology::Memory,
        Ok("postgres") => Topology::Postgres,
        Ok("relayed") => Topology::Relayed,
        Ok(other) => panic!("no topology is called {other}"),
    }
}

/// A journal for one server, and the flags it needs to be one of several.
pub struct Ground {
    pub journal: Arc<dyn Journal>,
    flags: Vec<String>,
    database: Option<String>,
}

impl Ground {
    /// A journal in which nothing is written yet.
    pub async fn fresh() -> Ground {
        if topology() == Topology::Memory {
            return Ground { journal: Arc::new(Memory::default()), flags: Vec::new(), database: None };
        }
        let database = tokio::task::spawn_blocking(|| Cluster::shared().database()).await.unwrap();
        Ground::over(database).await
    }

    async fn over(database: String) -> Ground {
        let flags = if topology() == Topology::Relayed { node_flags() } else { Vec::new() };
        let node = flags.get(1).cloned();
        let address = database.parse().expect("an address");
        let settings = Settings { address, node, version: VERSION.to_owned() };
        let journal = Arc::new(Postgres::open(settings).await.expect("a database"));
        keeps_time_with(&*journal);
        Ground { journal, flags, database: Some(database) }
    }

    /// The same for the server at which the clients are; none if they are at the owner.
    pub async fn beside(&self) -> Option<Ground> {
        match (topology(), &self.database) {
            (Topology::Relayed, Some(database)) => Some(Ground::over(database.clone()).await),
            _ => None,
        }
    }

    pub fn config(&self, flags: &[&str]) -> Config {
        let own = self.flags.iter().map(String::as_str);
        config(&flags.iter().copied().chain(own).collect::<Vec<_>>())
    }
}

thread_local! {
    /// The leases of this test's servers, which run on its thread if it moves time.
    static LEASES: RefCell<Vec<Lease>> = const { RefCell::new(Vec::new()) };
}

/// Where time is moved, this journal's lease is to be renewed on the way.
pub fn keeps_time_with(journal: &dyn Journal) {
    LEASES.with_borrow_mut(|leases| leases.push(journal.ownership().lease()));
}

/// Time goes by for all who are in this process. A database has a clock of its own, so leases are renewed on the way: no step is
/// as long as a lease, and after each the database is waited for.
pub async fn moves_on(time: Duration) {
    const STEP: Duration = Duration::from_secs(1);
    let leases = LEASES.with_borrow(Clone::clone);
    let step = if leases.is_empty() { time } else { STEP };
    let mut left = time;
    while !left.is_zero() {
        let step = step.min(left);
        left -= step;
        pause();
        advance(step).await;
        resume();
        for lease in &leases {
            while lease.age() >= STEP {
                sleep(Duration::from_millis(1)).await;
            }
        }
    }
}

/// The flags of a server that others reach.
pub fn node_flags() -> Vec<String> {
    let listen = free();
    let flags = [
        "--node",
        &format!("http://{listen}"),
        "--node-listen",
        &listen.to_string(),
        "--node-secret",
        SECRET,
    ];
    flags.map(str::to_owned).to_vec()
}

/// Where a server process keeps its rooms that was given this folder.
pub fn data_of(folder: &Path) -> String {
    static DATABASES: Mutex<Option<HashMap<PathBuf, String>>> = Mutex::new(None);
    if topology() == Topology::Memory {
        return folder.to_str().expect("a folder of our own").to_owned();
    }
    let mut databases = DATABASES.lock().unwrap();
    let databases = databases.get_or_insert_default();
    databases.entry(folder.to_owned()).or_insert_with(|| Cluster::shared().database()).clone()
}

/// The owners of rooms, by the servers at which their clients are.
static OWNERS: Mutex<Option<HashMap<SocketAddr, SocketAddr>>> = Mutex::new(None);

/// Rooms that are opened at one server are to be the other's.
pub fn opens_at(edge: SocketAddr, owner: SocketAddr) {
    OWNERS.lock().unwrap().get_or_insert_default().insert(edge, owner);
}

/// Where a room is to be opened whose clients are at this server.
pub fn owner_of(edge: SocketAddr) -> SocketAddr {
    OWNERS.lock().unwrap().as_ref().and_then(|owners| owners.get(&edge).copied()).unwrap_or(edge)
}
