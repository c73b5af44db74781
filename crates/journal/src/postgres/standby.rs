//! Detects commits that wait for a synchronous standby that does not confirm them.
//!
//! Such a commit cannot be cancelled, because PostgreSQL would report success, and an abandoned connection leaves its
//! backend waiting in the database. While one commit waits, no other write is sent, because it would wait too.

use super::link::{RequestError, Session};
use crate::JournalError;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Timeout for the answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Message in the log, in `/readyz` and in refused writes.
const WAITS: &str = "commits wait for a synchronous standby that does not confirm them; start the standby, or change \
                     synchronous_standby_names";

/// Finds the commits that currently wait for a standby, by process and transaction. Sessions of the same user are
/// visible to everyone.
const WAITING: &str = "SELECT pid, backend_xid::text FROM pg_catalog.pg_stat_activity
    WHERE wait_event = 'SyncRep' AND backend_xid IS NOT NULL AND datname = current_database()";

/// Detects commits that are still waiting at two consecutive polls.
#[derive(Debug, Default)]
pub(super) struct StandbyWatch {
    waiting: Mutex<HashSet<(i32, String)>>,
    is_lost: AtomicBool,
}

impl StandbyWatch {
    /// Returns whether a write may be sent.
    pub(super) fn may_write(&self) -> Result<(), RequestError> {
        if self.is_lost.load(Ordering::Acquire) {
            return Err(RequestError::NotSent(JournalError::Away(WAITS.to_owned())));
        }
        Ok(())
    }

    /// Polls once. Called about once a second.
    pub(super) async fn look(&self, session: &Session) -> Result<(), RequestError> {
        let rows = session.ask(WAITING, &[], PATIENCE).await?;
        let now: Result<HashSet<(i32, String)>, tokio_postgres::Error> =
            rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect();
        let now = now?;
        let mut waiting = self.waiting.lock();
        let is_lost = now.iter().any(|commit| waiting.contains(commit));
        let (was_lost, count) = (self.is_lost.swap(is_lost, Ordering::AcqRel), now.len());
        *waiting = now;
        match (was_lost, is_lost) {
            (false, true) => tracing::error!(waiting = count, "players cannot act: {WAITS}"),
            (true, false) => tracing::warn!("the synchronous standby confirms commits again"),
            _ => {}
        }
        Ok(())
    }

    /// Resets the state, because the database itself is away.
    pub(super) fn forget(&self) {
        self.waiting.lock().clear();
        self.is_lost.store(false, Ordering::Release);
    }
}
