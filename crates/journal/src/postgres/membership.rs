//! This server's membership: its row in the list of servers, and the lease that is renewed on a separate connection.
//!
//! A server that dies leaves its row until the lease has expired. A server that restarts under the same address need
//! not wait for that: the session of a live process holds an advisory lock, and if that lock is free, the process is
//! gone.

use super::append::count;
use super::link::{Link, RequestError, Session};
use super::schema::LOCKS;
use super::standby::StandbyWatch;
use crate::ownership::{LEASE, Lease, Load, Renewals};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

/// Interval of lease renewals.
const RENEW: Duration = Duration::from_secs(1);
/// Timeout of a renewal, after which another connection is tried.
const PATIENCE: Duration = Duration::from_secs(2);
/// A longer gap between two renewals means that the database was away.
const BREAK: Duration = Duration::from_millis(2500);

/// Number of attempts, and the delay between them, when waiting for the previous process with the same address to end.
const FORMER_TRIES: usize = 10;
const FORMER_GOES: Duration = Duration::from_millis(50);

/// Removes servers with the same address whose process is gone, and returns those that are left. The rooms of removed
/// servers have no owner then.
const FORMER: &str = "
    WITH former AS MATERIALIZED (
        SELECT node, pg_try_advisory_xact_lock($2, node::int) AS gone
        FROM rookery.nodes WHERE address IS NOT DISTINCT FROM $1
    ), removed AS (
        DELETE FROM rookery.nodes AS node USING former WHERE node.node = former.node AND former.gone
    )
    SELECT node FROM former WHERE NOT gone";

const REGISTER: &str = "
    INSERT INTO rookery.nodes (address, version, lease_until)
    VALUES ($1, $2, clock_timestamp() + $3 * interval '1 ms')
    RETURNING node";

const ALIVE: &str = "SELECT pg_try_advisory_lock($1, $2)";

const RENEWAL: &str = "
    UPDATE rookery.nodes SET lease_until = clock_timestamp() + $2 * interval '1 ms', rooms = $3, sockets = $4
    WHERE node = $1 RETURNING node";

const LEAVE: &str = "DELETE FROM rookery.nodes WHERE node = $1";

/// This server's membership among the others.
pub(super) struct Registration {
    address: Option<String>,
    version: String,
    /// Number of this start of the server. It changes if the server was away for so long that its row was removed.
    node: AtomicI64,
    renewals: Renewals,
    /// Time since when every renewal came in time.
    steady: Mutex<Option<Instant>>,
    load: Mutex<Load>,
    draining: AtomicBool,
    standby: Arc<StandbyWatch>,
    pub(super) claims: AtomicU64,
    pub(super) fenced: AtomicU64,
}

impl Registration {
    pub(super) fn new(address: Option<String>, version: String, standby: Arc<StandbyWatch>) -> Registration {
        Registration {
            address,
            version,
            node: AtomicI64::new(0),
            renewals: Renewals::new(),
            steady: Mutex::new(None),
            load: Mutex::new(Load::default()),
            draining: AtomicBool::new(false),
            standby,
            claims: AtomicU64::new(0),
            fenced: AtomicU64::new(0),
        }
    }

    /// Returns the number of this start of the server.
    pub(super) fn node(&self) -> i64 {
        self.node.load(Ordering::Acquire)
    }

    pub(super) fn lease(&self) -> Lease {
        self.renewals.lease()
    }

    pub(super) fn report(&self, load: Load) {
        *self.load.lock() = load;
    }

    pub(super) fn drain(&self) {
        self.draining.store(true, Ordering::Release);
    }

    pub(super) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    pub(super) fn was_fenced(&self) {
        self.fenced.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns whether the database has been reachable for a whole lease, so that every live server has renewed its
    /// own. A server whose lease has expired by then is gone, and not merely still reconnecting.
    pub(super) fn is_steady(&self) -> bool {
        let steady = *self.steady.lock();
        steady.is_some_and(|since| since.elapsed() >= LEASE)
    }

    /// Registers this server, in place of a previous process with the same address.
    pub(super) async fn register(&self, session: &Session) -> Result<(), RequestError> {
        // PostgreSQL notices the end of a process slightly later than we do.
        for _ in 0..FORMER_TRIES {
            let former = session.ask(FORMER, &[&self.address, &LOCKS], PATIENCE).await?;
            if former.is_empty() {
                break;
            }
            sleep(FORMER_GOES).await;
        }
        let asked = Instant::now();
        let lease = LEASE.as_millis() as f64;
        let rows = session.ask(REGISTER, &[&self.address, &self.version, &lease], PATIENCE).await?;
        let node = rows.first().ok_or_else(|| RequestError::Lost("it returned no row".to_owned()))?.try_get(0)?;
        self.node.store(node, Ordering::Release);
        self.renewed(asked);
        self.show_alive(session).await?;
        Ok(())
    }

    /// Takes the lock that shows that this process is alive, and returns whether it was acquired. The previous session
    /// may still hold it for a while.
    async fn show_alive(&self, session: &Session) -> Result<bool, RequestError> {
        let alive = session.ask(ALIVE, &[&LOCKS, &(self.node() as i32)], PATIENCE).await?;
        Ok(alive.first().is_some_and(|row| row.get(0)))
    }

    /// Removes this server from the list, so that its rooms have no owner.
    pub(super) async fn leave(&self, link: &Link) {
        self.drain();
        if let Err(failure) = link.ask(LEAVE, &[&self.node()], PATIENCE).await {
            tracing::debug!(?failure, "cannot release the lease; it will expire");
        }
        self.renewals.lost();
    }

    fn renewed(&self, asked: Instant) {
        let mut steady = self.steady.lock();
        let lease = self.renewals.lease();
        if steady.is_none() || lease.term().is_none() || lease.age() > BREAK {
            *steady = Some(asked);
        }
        drop(steady);
        self.renewals.renewed(asked);
    }

    fn missed(&self) {
        *self.steady.lock() = None;
    }

    /// Renews the lease for as long as the server runs.
    pub(super) async fn keep(self: Arc<Registration>, link: Arc<Link>) {
        let mut away = false;
        loop {
            let session = link.up().await;
            if std::mem::take(&mut away) {
                tracing::info!("the database is available again");
            }
            let Err(failure) = self.keep_over(&session).await;
            self.missed();
            self.standby.forget();
            session.hang_up();
            away = true;
            tracing::warn!(reason = %crate::JournalError::from(failure), "the database is unavailable; retrying");
            link.down(&session).await;
        }
    }

    /// Renews the lease over one connection until that fails.
    async fn keep_over(&self, session: &Session) -> Result<std::convert::Infallible, RequestError> {
        let mut ticks = interval(RENEW);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut shown_alive = None;
        loop {
            ticks.tick().await;
            if self.is_draining() && self.lease().term().is_none() {
                // The server has left the list.
                std::future::pending::<()>().await;
            }
            let node = self.node();
            if shown_alive != Some(node) {
                shown_alive = self.show_alive(session).await?.then_some(node);
            }
            // The renewal comes last: right after it, nothing else is in flight on this connection.
            self.standby.look(session).await?;
            let load = *self.load.lock();
            let asked = Instant::now();
            let (rooms, sockets) = (count(load.rooms), count(load.sockets));
            let lease = LEASE.as_millis() as f64;
            let rows = session.ask(RENEWAL, &[&node, &lease, &rooms, &sockets], PATIENCE).await?;
            if rows.is_empty() && !self.is_draining() {
                // The server was away for so long that its row was removed.
                self.renewals.lost();
                self.register(session).await?;
            } else if !rows.is_empty() {
                self.renewed(asked);
            }
        }
    }
}
