//! This server among the others: its row, and the lease that is renewed on a connection of its own.
//!
//! A server that dies leaves its row behind until the lease has run out. One that comes back under the same address need not
//! wait for that: as long as a process lives its session holds an advisory lock, and whose lock is free is gone.

use super::append::count;
use super::link::{Failure, Link, Session};
use super::schema::LOCKS;
use super::standby::StandbyWatch;
use crate::ownership::{LEASE, Lease, Load, Renewals};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

/// How often the lease is renewed.
const RENEW: Duration = Duration::from_secs(1);
/// How long a renewal may take before another connection is tried.
const PATIENCE: Duration = Duration::from_secs(2);
/// With a longer time between two renewals the database was away.
const BREAK: Duration = Duration::from_millis(2500);

/// How often, and in between for how long, a server waits for the one before it under the same address.
const FORMER_TRIES: usize = 10;
const FORMER_GOES: Duration = Duration::from_millis(50);

/// Takes those of the same address off the list whose process is gone; answers those that are left. Their rooms are nobody's
/// then.
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

/// What is known of this server's place among the others.
pub(super) struct Membership {
    address: Option<String>,
    version: String,
    /// The number of this start of the server; another one after it was away for so long that its row was removed.
    node: AtomicI64,
    renewals: Renewals,
    /// Since when every renewal came in time.
    steady: Mutex<Option<Instant>>,
    load: Mutex<Load>,
    draining: AtomicBool,
    standby: Arc<StandbyWatch>,
    pub(super) claims: AtomicU64,
    pub(super) fenced: AtomicU64,
}

impl Membership {
    pub(super) fn new(address: Option<String>, version: String, standby: Arc<StandbyWatch>) -> Membership {
        Membership {
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

    /// The number of this start of the server.
    pub(super) fn node(&self) -> i64 {
        self.node.load(Ordering::Acquire)
    }

    pub(super) fn lease(&self) -> Lease {
        self.renewals.lease()
    }

    pub(super) fn report(&self, load: Load) {
        *self.load.lock().unwrap_or_else(PoisonError::into_inner) = load;
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

    /// Whether the database was there for a whole lease, so that everyone who is alive has renewed theirs. Whose has run out
    /// all the same is gone, and not only not back yet.
    pub(super) fn is_steady(&self) -> bool {
        let steady = *self.steady.lock().unwrap_or_else(PoisonError::into_inner);
        steady.is_some_and(|since| since.elapsed() >= LEASE)
    }

    /// Enters this server into the list, in the place of the one that had its address before.
    pub(super) async fn register(&self, session: &Session) -> Result<(), Failure> {
        // PostgreSQL notices a moment later than we do that a process is gone.
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
        let node = rows.first().ok_or_else(|| Failure::Lost("it has no answer".to_owned()))?.try_get(0)?;
        self.node.store(node, Ordering::Release);
        self.renewed(asked);
        self.show_alive(session).await?;
        Ok(())
    }

    /// Takes the lock that shows the others that this process lives; answers whether it has it. The session before this one
    /// may hold it for a while yet.
    async fn show_alive(&self, session: &Session) -> Result<bool, Failure> {
        let alive = session.ask(ALIVE, &[&LOCKS, &(self.node() as i32)], PATIENCE).await?;
        Ok(alive.first().is_some_and(|row| row.get(0)))
    }

    /// Takes this server out of the list, and with it all that it owns is nobody's.
    pub(super) async fn leave(&self, link: &Link) {
        self.drain();
        if let Err(failure) = link.ask(LEAVE, &[&self.node()], PATIENCE).await {
            tracing::debug!(?failure, "the lease runs out by itself");
        }
        self.renewals.lost();
    }

    fn renewed(&self, asked: Instant) {
        let mut steady = self.steady.lock().unwrap_or_else(PoisonError::into_inner);
        let lease = self.renewals.lease();
        if steady.is_none() || lease.term().is_none() || lease.age() > BREAK {
            *steady = Some(asked);
        }
        drop(steady);
        self.renewals.renewed(asked);
    }

    fn missed(&self) {
        *self.steady.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Renews the lease for as long as the server runs.
    pub(super) async fn keep(self: Arc<Membership>, link: Arc<Link>) {
        let mut away = false;
        loop {
            let session = link.up().await;
            if std::mem::take(&mut away) {
                tracing::info!("the database is back");
            }
            let Err(failure) = self.keep_over(&session).await;
            self.missed();
            self.standby.forget();
            session.hang_up();
            away = true;
            tracing::warn!(reason = %crate::JournalError::from(failure), "the database is away; trying again all the time");
            link.down(&session).await;
        }
    }

    /// Renews over one connection until that fails.
    async fn keep_over(&self, session: &Session) -> Result<std::convert::Infallible, Failure> {
        let mut ticks = interval(RENEW);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut shown_alive = None;
        loop {
            ticks.tick().await;
            if self.is_draining() && self.lease().term().is_none() {
                // It has left the list.
                std::future::pending::<()>().await;
            }
            let node = self.node();
            if shown_alive != Some(node) {
                shown_alive = self.show_alive(session).await?.then_some(node);
            }
            // The renewal comes last: a lease that was just renewed means that nothing else is under way on this connection.
            self.standby.look(session).await?;
            let load = *self.load.lock().unwrap_or_else(PoisonError::into_inner);
            let asked = Instant::now();
            let (rooms, sockets) = (count(load.rooms), count(load.sockets));
            let lease = LEASE.as_millis() as f64;
            let rows = session.ask(RENEWAL, &[&node, &lease, &rooms, &sockets], PATIENCE).await?;
            if rows.is_empty() && !self.is_draining() {
                // It was away for so long that it was taken off the list.
                self.renewals.lost();
                self.register(session).await?;
            } else if !rows.is_empty() {
                self.renewed(asked);
            }
        }
    }
}
