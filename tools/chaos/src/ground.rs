//! Infrastructure shared by several servers: a PostgreSQL with a synchronous standby, started for this run. All
//! connections to the databases and between the servers pass through gates that can be shut.

use crate::ChaosError;
use crate::gate::{Gate, free_port};
use crate::servers::Launch;
use pgtest::{Disk, PostgresCluster};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// Secret shared by all servers of a run. It is used on this machine only, while the run lasts.
const SECRET: &str = "known to all servers of this run";

/// Time to wait after a promotion, while the old primary is down, writable or frozen.
const AFTER_PROMOTION: Duration = Duration::from_secs(8);

/// How long connections to the database are cut, so that all servers reconnect.
const CUT: Duration = Duration::from_millis(300);

/// Query whose result changes when a server writes to a primary: entries of rooms, or leases.
const WRITTEN: &str = "SELECT (SELECT count(*) FROM rookery.entries), (SELECT max(lease_until) FROM rookery.nodes)";

/// The databases and gates. They are shut down when this is dropped.
pub struct DatabaseGround {
    /// Primary and standby, in the order in which servers know them. They swap roles on promotion.
    hosts: [Arc<PostgresCluster>; 2],
    /// Index of the current primary in `hosts`.
    primary: AtomicUsize,
    /// Name of the database.
    database: String,
    /// Gates between each server and each database host.
    to_database: Vec<[Gate; 2]>,
    /// Gates in front of each server, for connections from the other servers.
    to_servers: Vec<Gate>,
}

impl DatabaseGround {
    /// Starts the databases and gates for `servers` servers, and returns them with the way to start those servers.
    pub async fn lay(program: PathBuf, folder: &Path, servers: usize) -> Result<(DatabaseGround, Launch), ChaosError> {
        if pgtest::folder_of_programs().is_none() {
            return Err(ChaosError::NoPostgres);
        }
        let laying = blocking(|| {
            let primary = PostgresCluster::start(Disk::Durable);
            let address = primary.database();
            let standby = primary.standby();
            primary.wait_for_standbys(&[&standby]);
            (address, [Arc::new(primary), Arc::new(standby)])
        });
        let (address, hosts) = laying.await?;
        let (credentials, place) = address.split_once('@').expect("the address has a user");
        let (_, database) = place.split_once('/').expect("the address has a database");
        let (mut flags, mut listen) = (Vec::new(), Vec::new());
        let (mut to_database, mut to_servers) = (Vec::new(), Vec::new());
        for _ in 0..servers {
            let gate = |host: &PostgresCluster| Gate::before(([127, 0, 0, 1], host.port()).into());
            let gates = [gate(&hosts[0]).await?, gate(&hosts[1]).await?];
            let node_listen = free_port();
            let node = Gate::before(node_listen).await?;
            flags.push(vec![
                "--data".to_owned(),
                format!(
                    "{credentials}@{},{}/{database}?target_session_attrs=read-write",
                    gates[0].address, gates[1].address
                ),
                "--node".to_owned(),
                format!("http://{}", node.address),
                "--node-listen".to_owned(),
                node_listen.to_string(),
                "--node-secret".to_owned(),
                SECRET.to_owned(),
            ]);
            listen.push(free_port());
            to_database.push(gates);
            to_servers.push(node);
        }
        let launch = Launch { program, flags, listen, logs: folder.to_owned() };
        let (primary, database) = (AtomicUsize::new(0), database.to_owned());
        Ok((DatabaseGround { hosts, primary, database, to_database, to_servers }, launch))
    }

    fn primary(&self) -> Arc<PostgresCluster> {
        self.hosts[self.primary.load(Ordering::Relaxed)].clone()
    }

    fn standby(&self) -> Arc<PostgresCluster> {
        self.hosts[1 - self.primary.load(Ordering::Relaxed)].clone()
    }

    /// Stops PostgreSQL and starts it again after `time`.
    pub async fn lose_database(&self, time: Duration) -> Result<(), ChaosError> {
        let postgres = self.primary();
        blocking(move || postgres.stop()).await?;
        sleep(time).await;
        let postgres = self.primary();
        blocking(move || postgres.run()).await
    }

    /// Promotes the standby. The old primary counts as the standby from now on.
    async fn promote(&self) -> Result<(), ChaosError> {
        let standby = self.standby();
        blocking(move || standby.promote()).await?;
        self.primary.fetch_xor(1, Ordering::Relaxed);
        Ok(())
    }

    /// Makes the old primary a standby of the new one, as an administrator would.
    async fn follow(&self) -> Result<(), ChaosError> {
        let (primary, standby) = (self.primary(), self.standby());
        blocking(move || {
            standby.follow(&primary);
            primary.wait_for_standbys(&[&standby]);
        })
        .await
    }

    /// Kills the primary and promotes the standby.
    pub async fn fail_over(&self) -> Result<(), ChaosError> {
        let primary = self.primary();
        blocking(move || primary.kill()).await?;
        self.promote().await?;
        sleep(AFTER_PROMOTION).await;
        self.follow().await
    }

    /// Kills the primary, promotes the standby, and brings the old primary back writable while all servers have to
    /// reconnect. Returns a description of what the old primary accepted, if it accepted any write.
    pub async fn bring_old_primary_back(&self) -> Result<Option<String>, ChaosError> {
        let primary = self.primary();
        blocking(move || primary.kill()).await?;
        self.promote().await?;
        let (old, database) = (self.standby(), self.database.clone());
        let before = blocking(move || {
            old.run();
            // Without synchronous standbys it accepts every write.
            old.wait_for_standbys(&[]);
            old.sql(&database, WRITTEN)
        });
        let before = before.await?;
        self.to_database.iter().flatten().for_each(Gate::shut);
        sleep(CUT).await;
        self.to_database.iter().flatten().for_each(Gate::open);
        sleep(AFTER_PROMOTION).await;
        let (old, database) = (self.standby(), self.database.clone());
        let after = blocking(move || old.sql(&database, WRITTEN)).await?;
        self.follow().await?;
        Ok((before != after).then(|| format!("the old primary accepted writes: {before} before, {after} after")))
    }

    /// Freezes the primary and promotes the standby.
    pub async fn freeze_primary(&self) -> Result<(), ChaosError> {
        let primary = self.primary();
        blocking(move || primary.pause()).await?;
        self.promote().await?;
        sleep(AFTER_PROMOTION).await;
        let old = self.standby();
        blocking(move || old.kill()).await?;
        self.follow().await
    }

    /// Stops the synchronous standby for `time`.
    pub async fn lose_standby(&self, time: Duration) -> Result<(), ChaosError> {
        let standby = self.standby();
        blocking(move || standby.stop()).await?;
        sleep(time).await;
        let standby = self.standby();
        blocking(move || standby.run()).await
    }

    /// Keeps one server from reaching PostgreSQL for `time`.
    pub async fn cut_off(&self, server: usize, time: Duration) {
        self.to_database[server].iter().for_each(Gate::shut);
        sleep(time).await;
        self.to_database[server].iter().for_each(Gate::open);
    }

    /// Keeps all servers from reaching each other for `time`.
    pub async fn part(&self, time: Duration) {
        self.to_servers.iter().for_each(Gate::shut);
        sleep(time).await;
        self.to_servers.iter().for_each(Gate::open);
    }
}

/// Runs `work` on a blocking thread, because PostgreSQL's programs are waited for synchronously.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ChaosError> {
    spawn_blocking(work).await.map_err(|error| ChaosError::Io(error.into()))
}
