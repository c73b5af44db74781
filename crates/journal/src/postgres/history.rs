//! Determines the newest history of the database from its system identifier, its timeline, and a random number drawn on
//! that timeline.
//!
//! A promotion starts a new timeline. An old primary that comes back writable is still on the previous timeline and is
//! refused. Two promotions of one base have the same timeline number, so the first server on a timeline also draws a
//! random number (`branch`) and stores it in the database. All connections of a journal share one [`Newest`].

use crate::ownership::History;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_postgres::Client;

/// Minimum interval between log messages about refusing the same host.
const SAY_AGAIN: Duration = Duration::from_secs(60);

/// Reads the state of a host, whatever tables it has.
const SURVEY: &str = "SELECT
    pg_catalog.pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
    (SELECT system_identifier FROM pg_catalog.pg_control_system()),
    CASE WHEN pg_catalog.pg_is_in_recovery() THEN '' ELSE
        left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8) END,
    EXISTS (SELECT FROM pg_catalog.pg_class AS class
        JOIN pg_catalog.pg_namespace AS schema ON schema.oid = class.relnamespace
        WHERE schema.nspname = 'rookery' AND class.relname = 'history')";

const NOTED: &str = "SELECT system, timeline, branch, seen FROM rookery.history";

/// Stores a branch if this is the first server on the timeline. The write waits for the local disk only, because a lost
/// synchronous standby must not prevent servers from connecting.
const DRAW: &str = "WITH local AS MATERIALIZED (SELECT set_config('synchronous_commit', 'local', true))
    UPDATE rookery.history SET system = $1, timeline = $2, branch = $3, seen = $2
    FROM local WHERE system <> $1 OR timeline <> $2";

/// Marks an old primary, so that a server that starts later refuses it too.
const MARK: &str = "WITH local AS MATERIALIZED (SELECT set_config('synchronous_commit', 'local', true))
    UPDATE rookery.history SET seen = $2 FROM local WHERE system = $1 AND seen < $2";

/// The state found on a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HostState {
    /// Why the host is read-only, if it is.
    pub(super) read_only: Option<&'static str>,
    system: u64,
    timeline: u32,
    noted: Option<Noted>,
}

/// The history as stored in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Noted {
    system: u64,
    timeline: u32,
    branch: u64,
    /// The highest timeline any server has seen.
    seen: u32,
}

impl HostState {
    /// Queries a host.
    pub(super) async fn on(client: &Client) -> Result<HostState, tokio_postgres::Error> {
        let row = client.query_one(SURVEY, &[]).await?;
        let read_only = match (row.try_get(0)?, row.try_get(1)?) {
            (true, _) => Some("it is a standby"),
            (false, true) => Some("default_transaction_read_only is on"),
            (false, false) => None,
        };
        let timeline = u32::from_str_radix(row.try_get(3)?, 16).unwrap_or(0);
        let noted = match row.try_get(4)? {
            true => client.query_opt(NOTED, &[]).await?,
            false => None,
        };
        let noted = noted.map(|row| {
            Ok::<_, tokio_postgres::Error>(Noted {
                system: row.try_get::<_, i64>(0)? as u64,
                timeline: row.try_get::<_, i64>(1)? as u32,
                branch: row.try_get::<_, i64>(2)? as u64,
                seen: row.try_get::<_, i64>(3)? as u32,
            })
        });
        let system = row.try_get::<_, i64>(2)? as u64;
        Ok(HostState { read_only, system, timeline, noted: noted.transpose()? })
    }

    /// Returns the branch, if a server has been on this timeline before.
    fn branch(&self) -> Option<u64> {
        let noted = self.noted.filter(|noted| (noted.system, noted.timeline) == (self.system, self.timeline));
        noted.map(|noted| noted.branch)
    }

    pub(super) fn timeline(&self) -> u32 {
        self.timeline
    }

    pub(super) fn is_same_system(&self, other: &HostState) -> bool {
        self.system == other.system
    }

    /// Returns the history of this host. Draws the branch if this is the first server on its timeline. `None` before
    /// the tables exist.
    pub(super) async fn settle(&self, client: &Client) -> Result<Option<History>, tokio_postgres::Error> {
        let mut found = *self;
        if found.noted.is_some() && found.branch().is_none() {
            let (system, timeline) = (found.system as i64, i64::from(found.timeline));
            client.execute(DRAW, &[&system, &timeline, &(random() as i64)]).await?;
            // Another server may have been faster.
            found = HostState::on(client).await?;
        }
        let HostState { system, timeline, .. } = found;
        Ok(found.branch().map(|branch| History { system, timeline, branch }))
    }

    /// Marks this host as an old primary.
    async fn mark(&self, client: &Client, newest: u32) -> Result<(), tokio_postgres::Error> {
        client.execute(MARK, &[&(self.system as i64), &i64::from(newest)]).await?;
        Ok(())
    }
}

/// Why a host is not used although it is writable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outdated {
    /// Its timeline is lower than the newest any server has seen.
    Older { timeline: u32, newest: u32 },
    /// It was promoted from the same base as the database in use.
    Other { timeline: u32 },
    /// It is a different cluster.
    Foreign,
}

impl fmt::Display for Outdated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outdated::Older { timeline, newest } => write!(
                f,
                "it is an old primary on timeline {timeline}, and the newest is {newest}; stop it and rebuild it as a \
                 standby"
            ),
            Outdated::Other { timeline } => write!(
                f,
                "its history of timeline {timeline} differs from the database in use: two standbys were promoted; \
                 stop one"
            ),
            Outdated::Foreign => {
                f.write_str("its system identifier differs; restart the servers if it was replaced on purpose")
            }
        }
    }
}

/// The newest history that any server has seen, as far as this one knows.
pub(super) struct Newest {
    history: watch::Sender<Option<History>>,
    /// When the refusal of each host was last logged.
    said: Mutex<HashMap<String, Instant>>,
    /// False only in the control run of the fault tests.
    compared: bool,
}

impl Newest {
    pub(super) fn new(compared: bool) -> Newest {
        Newest { history: watch::Sender::new(None), said: Mutex::default(), compared }
    }

    pub(super) fn get(&self) -> Option<History> {
        *self.history.borrow()
    }

    /// Returns whether hosts are compared at all.
    pub(super) fn is_compared(&self) -> bool {
        self.compared
    }

    /// Returns whether a host may be used.
    pub(super) fn judge(&self, found: &HostState) -> Result<(), Outdated> {
        if !self.compared {
            return Ok(());
        }
        let HostState { system, timeline, noted, .. } = *found;
        if let Some(noted) = noted.filter(|noted| noted.system == system && noted.seen > timeline) {
            return Err(Outdated::Older { timeline, newest: noted.seen });
        }
        let Some(newest) = self.get() else { return Ok(()) };
        if newest.system != system {
            return Err(Outdated::Foreign);
        }
        if timeline < newest.timeline {
            return Err(Outdated::Older { timeline, newest: newest.timeline });
        }
        // The branch is stored before any server learns of it, so a host without one is not the one in use.
        if timeline == newest.timeline && found.branch() != Some(newest.branch) {
            return Err(Outdated::Other { timeline });
        }
        Ok(())
    }

    /// Handles a history reported by a connection or another server. Returns whether it is now the newest.
    pub(super) fn learn(&self, learned: History) -> bool {
        if !self.compared {
            return true;
        }
        let mut is_newest = true;
        self.history.send_if_modified(|newest| match newest {
            None => {
                *newest = Some(learned);
                true
            }
            Some(known) if known.system == learned.system && known.timeline < learned.timeline => {
                let (from, to) = (known.timeline, learned.timeline);
                tracing::warn!(from, to, "the database failed over; all connections go to the new timeline");
                *newest = Some(learned);
                true
            }
            Some(known) => {
                is_newest = *known == learned;
                if known.contradicts(&learned) && self.is_due("another server") {
                    let timeline = learned.timeline;
                    tracing::error!(
                        timeline,
                        "another server uses a different history of this timeline: two standbys were promoted; stop one"
                    );
                }
                false
            }
        });
        is_newest
    }

    /// Returns whether the refusal of a host, or of another server's report, is due to be logged again.
    fn is_due(&self, who: &str) -> bool {
        let mut said = self.said.lock();
        let due = said.get(who).is_none_or(|last| last.elapsed() >= SAY_AGAIN);
        if due {
            said.insert(who.to_owned(), Instant::now());
        }
        due
    }

    /// Waits until a history other than this one is the newest.
    pub(super) async fn superseded(&self, history: Option<History>) {
        let Some(history) = history.filter(|_| self.compared) else { return std::future::pending().await };
        let mut newest = self.history.subscribe();
        let _ = newest.wait_for(|newest| newest.is_some_and(|newest| newest != history)).await;
    }

    /// Logs that a host is refused, and marks an old primary as such.
    pub(super) async fn refuse(&self, host: &str, client: &Client, found: &HostState, why: Outdated) {
        if self.is_due(host) {
            tracing::error!(host, "not using a database host: {why}");
        }
        if let Outdated::Older { newest, .. } = why
            && found.noted.is_some_and(|noted| noted.seen < newest)
            && let Err(error) = found.mark(client, newest).await
        {
            tracing::debug!(host, %error, "cannot mark the old primary");
        }
    }
}

/// Returns a unique random number of 63 bits that is not 0.
pub(super) fn random() -> u64 {
    static DRAWN: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        // The keys come from the system's randomness.
        static KEYS: RandomState = RandomState::new();
    }
    KEYS.with(|keys| {
        let mut hasher = keys.build_hasher();
        hasher.write_u64(DRAWN.fetch_add(1, Ordering::Relaxed));
        (hasher.finish() >> 1).max(1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(timeline: u32, branch: Option<u64>, seen: u32) -> HostState {
        let noted_on = if branch.is_some() { timeline } else { timeline - 1 };
        let noted = Noted { system: 7, timeline: noted_on, branch: branch.unwrap_or(99), seen };
        HostState { read_only: None, system: 7, timeline, noted: Some(noted) }
    }

    fn history(timeline: u32, branch: u64) -> History {
        History { system: 7, timeline, branch }
    }

    #[test]
    fn refuses_older_timelines_other_branches_and_other_systems() {
        let newest = Newest::new(true);
        assert_eq!(newest.judge(&found(1, Some(5), 1)), Ok(()), "nothing is known yet");
        assert!(newest.learn(history(2, 6)));
        assert_eq!(newest.judge(&found(2, Some(6), 2)), Ok(()));
        assert_eq!(newest.judge(&found(3, None, 2)), Ok(()), "a later promotion");
        assert_eq!(newest.judge(&found(1, Some(5), 1)), Err(Outdated::Older { timeline: 1, newest: 2 }));
        assert_eq!(newest.judge(&found(2, Some(8), 2)), Err(Outdated::Other { timeline: 2 }));
        assert_eq!(newest.judge(&found(2, None, 1)), Err(Outdated::Other { timeline: 2 }));
        assert_eq!(newest.judge(&HostState { system: 8, ..found(3, None, 2) }), Err(Outdated::Foreign));
    }

    #[test]
    fn a_new_server_refuses_a_marked_old_primary() {
        let why = Newest::new(true).judge(&found(1, Some(5), 2));
        assert_eq!(why, Err(Outdated::Older { timeline: 1, newest: 2 }));
        let restored = HostState { system: 8, ..found(1, Some(5), 2) };
        assert_eq!(Newest::new(true).judge(&restored), Ok(()), "a dump in another cluster");
    }

    #[tokio::test]
    async fn a_newer_history_supersedes_older_connections() {
        let newest = Newest::new(true);
        assert!(newest.learn(history(1, 5)));
        let over = newest.superseded(Some(history(1, 5)));
        assert!(newest.learn(history(2, 6)));
        over.await;
        assert!(!newest.learn(history(1, 5)));
        assert!(newest.is_due("another server"), "an older history does not contradict");
        newest.said.lock().clear();
        assert!(!newest.learn(history(2, 7)));
        assert!(!newest.is_due("another server"), "the two promotions were logged");
        assert_eq!(newest.get(), Some(history(2, 6)));
    }

    #[test]
    fn random_numbers_are_distinct() {
        let mut drawn: Vec<u64> = (0..1000).map(|_| random()).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 1000);
        assert!(drawn.iter().all(|&number| number > 0 && i64::try_from(number).is_ok()));
    }
}
