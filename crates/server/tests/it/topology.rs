//! The journal and number of servers for a test: memory and one server by default. With
//! ROOKERY_TEST_TOPOLOGY=`postgres` it is one server over a database, and with `relayed` all clients connect to a
//! server that does not own the room.

use crate::cluster::servers::free;
use crate::harness::config;
use journal::Journal;
use journal::memory::Memory;
use journal::postgres::{DatabaseSettings, Postgres};
use pgtest::PostgresCluster;
use server::{Config, VERSION};
use std::cell::RefCell;
use std::collections::HashMap;
use std::env;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{advance, pause, resume, sleep};

/// Secret shared by the servers of a test.
const SECRET: &str = "known to all servers";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topology {
    Memory,
    Postgres,
    Relayed,
}

/// Returns the topology set in the environment.
pub fn topology() -> Topology {
    match env::var("ROOKERY_TEST_TOPOLOGY").as_deref() {
        Err(_) => Topology::Memory,
        Ok("postgres") => Topology::Postgres,
        Ok("relayed") => Topology::Relayed,
        Ok(other) => panic!("unknown topology {other}"),
    }
}

/// A journal for one server, and the flags it needs as one of several.
pub struct Ground {
    pub journal: Arc<dyn Journal>,
    flags: Vec<String>,
    database: Option<String>,
}

impl Ground {
    /// Creates an empty journal.
    pub async fn fresh() -> Ground {
        if topology() == Topology::Memory {
            return Ground { journal: Arc::new(Memory::default()), flags: Vec::new(), database: None };
        }
        let database = tokio::task::spawn_blocking(|| PostgresCluster::shared().database()).await.unwrap();
        Ground::over(database).await
    }

    async fn over(database: String) -> Ground {
        let flags = if topology() == Topology::Relayed { node_flags() } else { Vec::new() };
        let node = flags.get(1).cloned();
        let address = database.parse().expect("a valid address");
        let settings = DatabaseSettings { address, node, version: VERSION.to_owned() };
        let journal: Arc<dyn Journal> = Arc::new(Postgres::open(settings).await.expect("the database is reachable"));
        renew_while_advancing(journal.clone());
        Ground { journal, flags, database: Some(database) }
    }

    /// Returns the journal and flags for the server that clients connect to, or `None` if that is the owner.
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
    /// Journals of this test's servers, which run on the test's thread if it advances the clock.
    static JOURNALS: RefCell<Vec<Arc<dyn Journal>>> = const { RefCell::new(Vec::new()) };
}

/// Registers this journal, so that its lease is renewed while the clock is advanced.
pub fn renew_while_advancing(journal: Arc<dyn Journal>) {
    JOURNALS.with_borrow_mut(|journals| journals.push(journal));
}

/// Advances the clock of this process. A database has its own clock, so leases have to be renewed meanwhile: each step
/// is shorter than a lease, and is followed by waiting for the database.
pub async fn advance_with_leases(time: Duration) {
    const STEP: Duration = Duration::from_secs(1);
    let journals = JOURNALS.with_borrow(Clone::clone);
    let step = if journals.is_empty() { time } else { STEP };
    let mut left = time;
    while !left.is_zero() {
        let step = step.min(left);
        left -= step;
        pause();
        advance(step).await;
        resume();
        for journal in &journals {
            let lease = journal.ownership().lease();
            while lease.age() >= STEP {
                sleep(Duration::from_millis(1)).await;
            }
            // Waits for the queries in flight too: several steps would time them out. The journal answers in order.
            while journal.probe().await.is_err() {
                sleep(Duration::from_millis(1)).await;
            }
        }
    }
}

/// Returns the flags of a server that other servers can reach.
pub fn node_flags() -> Vec<String> {
    let listen = free();
    let flags = ["--node", &format!("http://{listen}"), "--node-listen", &listen.to_string(), "--node-secret", SECRET];
    flags.map(str::to_owned).to_vec()
}

/// Returns the `--data` value of a server process for this folder.
pub fn data_of(folder: &Path) -> String {
    static DATABASES: Mutex<Option<HashMap<PathBuf, String>>> = Mutex::new(None);
    if topology() == Topology::Memory {
        return folder.to_str().expect("a path in UTF-8").to_owned();
    }
    let mut databases = DATABASES.lock().unwrap();
    let databases = databases.get_or_insert_default();
    databases.entry(folder.to_owned()).or_insert_with(|| PostgresCluster::shared().database()).clone()
}

/// The owners of rooms, by the server that their clients connect to.
static OWNERS: Mutex<Option<HashMap<SocketAddr, SocketAddr>>> = Mutex::new(None);

/// Makes rooms opened for clients of one server belong to the other.
pub fn set_owner(edge: SocketAddr, owner: SocketAddr) {
    OWNERS.lock().unwrap().get_or_insert_default().insert(edge, owner);
}

/// Forgets the owner that was set for an earlier server with the address of a new one: ports are reused.
pub fn forget_owner(server: SocketAddr) {
    OWNERS.lock().unwrap().get_or_insert_default().remove(&server);
}

/// Returns the server at which to open a room for clients of this server.
pub fn owner_of(edge: SocketAddr) -> SocketAddr {
    OWNERS.lock().unwrap().as_ref().and_then(|owners| owners.get(&edge).copied()).unwrap_or(edge)
}
