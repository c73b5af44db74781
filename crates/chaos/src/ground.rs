//! What several servers stand on: one PostgreSQL of the run's own, and the ways to it and between the servers, each through a gate
//! that can be shut.

use crate::ChaosError;
use crate::gate::{Gate, free_port};
use crate::servers::Launch;
use pgtest::{Cluster, Disk};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// What all servers of a run know. It is good on this machine alone, for as long as the run lasts.
const SECRET: &str = "known to all servers of this run";

/// The database and the gates. It is gone when this is dropped.
pub struct Ground {
    postgres: Arc<Cluster>,
    /// Between each server and the database.
    to_database: Vec<Gate>,
    /// Between the others and each server.
    to_servers: Vec<Gate>,
}

impl Ground {
    /// The ground for so many servers, and how they are started on it.
    pub async fn lay(
        program: PathBuf,
        folder: &Path,
        servers: usize,
    ) -> Result<(Ground, Launch), ChaosError> {
        if pgtest::folder_of_programs().is_none() {
            return Err(ChaosError::NoPostgres);
        }
        let postgres = blocking(|| Cluster::start(Disk::Durable)).await?;
        let address = postgres.database();
        let (credentials, place) = address.split_once('@').expect("an address with a user");
        let (host, name) = place.split_once('/').expect("an address with a database");
        let host = host.parse().expect("an address of this machine");
        let (mut flags, mut listen) = (Vec::new(), Vec::new());
        let (mut to_database, mut to_servers) = (Vec::new(), Vec::new());
        for _ in 0..servers {
            let database = Gate::before(host).await?;
            let node_listen = free_port();
            let node = Gate::before(node_listen).await?;
            flags.push(vec![
                "--data".to_owned(),
                format!("{credentials}@{}/{name}", database.address),
                "--node".to_owned(),
                format!("http://{}", node.address),
                "--node-listen".to_owned(),
                node_listen.to_string(),
                "--node-secret".to_owned(),
                SECRET.to_owned(),
            ]);
            listen.push(free_port());
            to_database.push(database);
            to_servers.push(node);
        }
        let launch = Launch { program, flags, listen, logs: folder.to_owned() };
        Ok((Ground { postgres: Arc::new(postgres), to_database, to_servers }, launch))
    }

    /// PostgreSQL is stopped, and runs again after this long.
    pub async fn lose_database(&self, time: Duration) -> Result<(), ChaosError> {
        let postgres = self.postgres.clone();
        blocking(move || postgres.stop()).await?;
        sleep(time).await;
        let postgres = self.postgres.clone();
        blocking(move || postgres.run()).await
    }

    /// A server cannot reach PostgreSQL for this long.
    pub async fn cut_off(&self, server: usize, time: Duration) {
        self.to_database[server].shut();
        sleep(time).await;
        self.to_database[server].open();
    }

    /// No server can reach another for this long.
    pub async fn part(&self, time: Duration) {
        self.to_servers.iter().for_each(Gate::shut);
        sleep(time).await;
        self.to_servers.iter().for_each(Gate::open);
    }
}

/// PostgreSQL's programs are waited for where nobody else waits.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ChaosError> {
    spawn_blocking(work).await.map_err(|error| ChaosError::Io(error.into()))
}
