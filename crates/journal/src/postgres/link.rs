//! A connection that reconnects by itself. Requests wait a moment for a lost connection and then fail because the
//! database is away.
//!
//! Requests of many tasks are pipelined on one connection. Each is therefore a single statement and leaves no state
//! behind in the session.

use super::address::Address;
use super::database_error::reason;
use super::history::Newest;
use super::hosts;
use super::standby::StandbyWatch;
use crate::JournalError;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

/// How long a request waits for a connection that was just lost.
const WAIT: Duration = Duration::from_secs(1);
/// Exponential backoff between attempts to connect: initial and maximum delay.
const BACKOFF: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(1)];

/// Settings of every session.
///
/// The tables are always read by index, whatever the statistics say of a table that was empty a minute ago. Such plans
/// look expensive, so `jit` is off to prevent compilation. A commit that waits for a standby must never be cancelled,
/// because PostgreSQL would then report success. There is therefore no `statement_timeout`, and a client that has
/// waited too long hangs up instead.
const SESSION: &str = "
    SET lock_timeout = '3s';
    SET idle_in_transaction_session_timeout = '10s';
    SET statement_timeout = 0;
    SET default_transaction_isolation = 'read committed';
    SET enable_seqscan = off;
    SET jit = off;
    SET plan_cache_mode = force_generic_plan;
";

/// Acknowledged data must be on disk, whatever the server's default is.
pub(super) const DURABLE: &str = "
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
";

/// Data that is worthless after a crash need not wait for the disk or a standby.
pub(super) const PASSING: &str = "SET synchronous_commit = off;";

/// Why a request failed.
#[derive(Debug)]
pub(super) enum RequestError {
    /// It was not sent.
    NotSent(JournalError),
    /// PostgreSQL refused it, and it had no effect.
    Refused { code: SqlState, message: String },
    /// It is unknown whether it took effect.
    Lost(String),
}

impl From<RequestError> for JournalError {
    fn from(failure: RequestError) -> JournalError {
        match failure {
            RequestError::NotSent(error) => error,
            RequestError::Refused { message, .. } => JournalError::Storage(message),
            RequestError::Lost(reason) => JournalError::Away(reason),
        }
    }
}

impl From<tokio_postgres::Error> for RequestError {
    fn from(error: tokio_postgres::Error) -> RequestError {
        match error.as_db_error() {
            // Anything more severe ends the session, possibly after a commit.
            Some(said) if matches!(said.parsed_severity(), Some(Severity::Error)) => {
                RequestError::Refused { code: said.code().clone(), message: said.message().to_owned() }
            }
            _ => RequestError::Lost(reason(&error)),
        }
    }
}

/// One connection, from start to end.
pub(super) struct Session {
    client: Client,
    prepared: Mutex<HashMap<&'static str, Statement>>,
    hung_up: Arc<Notify>,
}

impl Session {
    /// Sends a query, and hangs up if the answer takes longer than `patience`.
    pub(super) async fn ask(
        &self,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
        patience: Duration,
    ) -> Result<Vec<Row>, RequestError> {
        let asked = timeout(patience, async {
            let statement = self.statement(sql).await?;
            Ok(self.client.query(&statement, parameters).await?)
        });
        let answer = asked.await.unwrap_or_else(|_| {
            self.hang_up();
            Err(RequestError::Lost("it does not answer".to_owned()))
        });
        if let Err(RequestError::Refused { code, .. }) = &answer
            && *code == SqlState::READ_ONLY_SQL_TRANSACTION
        {
            // The host has become a standby. Another host may be the primary now.
            self.hang_up();
        }
        answer
    }

    async fn statement(&self, sql: &'static str) -> Result<Statement, RequestError> {
        let known = self.prepared.lock().get(sql).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let statement = self.client.prepare(sql).await?;
        self.prepared.lock().insert(sql, statement.clone());
        Ok(statement)
    }

    /// Closes the connection. Requests in flight are lost.
    pub(super) fn hang_up(&self) {
        self.hung_up.notify_one();
    }
}

#[derive(Clone)]
enum LinkState {
    Up(Arc<Session>),
    Away { since: Instant, reason: String },
}

/// A connection that reconnects by itself.
pub(super) struct Link {
    state: watch::Receiver<LinkState>,
    keeper: AbortHandle,
    /// Set for a connection whose commits wait for a standby.
    standby: Option<Arc<StandbyWatch>>,
}

impl Link {
    /// Starts connecting. `settings` are run in addition to those of every session.
    pub(super) fn start(
        address: Address,
        settings: &'static str,
        newest: Arc<Newest>,
        standby: Option<Arc<StandbyWatch>>,
    ) -> Link {
        let (sender, state) = watch::channel(away("not connected yet".to_owned()));
        let keeper = tokio::spawn(keep(address, settings, newest, sender)).abort_handle();
        Link { state, keeper, standby }
    }

    /// Returns the connection. Waits a moment if it was lost.
    pub(super) async fn session(&self) -> Result<Arc<Session>, RequestError> {
        let mut state = self.state.clone();
        loop {
            let (since, reason) = match &*state.borrow_and_update() {
                LinkState::Up(session) => return Ok(session.clone()),
                LinkState::Away { since, reason } => (*since, reason.clone()),
            };
            if !matches!(timeout_at(since + WAIT, state.changed()).await, Ok(Ok(()))) {
                return Err(RequestError::NotSent(JournalError::Away(reason)));
            }
        }
    }

    /// Waits for a connection for as long as it takes.
    pub(super) async fn up(&self) -> Arc<Session> {
        let mut state = self.state.clone();
        let up = state.wait_for(|state| matches!(state, LinkState::Up(_))).await.map(|state| state.clone());
        match up {
            Ok(LinkState::Up(session)) => session,
            _ => std::future::pending().await,
        }
    }

    /// Waits until this connection has ended.
    pub(super) async fn down(&self, session: &Arc<Session>) {
        let is_over = |state: &LinkState| !matches!(state, LinkState::Up(up) if Arc::ptr_eq(up, session));
        let _ = self.state.clone().wait_for(is_over).await;
    }

    /// Sends a query as soon as there is a connection, see [`Session::ask`].
    pub(super) async fn ask(
        &self,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
        patience: Duration,
    ) -> Result<Vec<Row>, RequestError> {
        self.session().await?.ask(sql, parameters, patience).await
    }

    /// Sends a write, unless other writes are waiting for a lost standby.
    pub(super) async fn write(
        &self,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
        patience: Duration,
    ) -> Result<Vec<Row>, RequestError> {
        self.may_write()?;
        self.ask(sql, parameters, patience).await
    }

    /// Returns whether a write may be sent now.
    pub(super) fn may_write(&self) -> Result<(), RequestError> {
        self.standby.as_ref().map_or(Ok(()), |standby| standby.may_write())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

fn away(reason: String) -> LinkState {
    LinkState::Away { since: Instant::now(), reason }
}

/// Reconnects in a loop.
async fn keep(address: Address, settings: &'static str, newest: Arc<Newest>, state: watch::Sender<LinkState>) {
    let mut backoff = BACKOFF[0];
    loop {
        let tried = connect(&address, settings, &newest).await;
        match tried {
            Ok((session, ended)) => {
                backoff = BACKOFF[0];
                state.send_replace(LinkState::Up(session));
                let reason = ended.await;
                state.send_replace(away(reason));
            }
            Err(reason) => {
                // A failed attempt does not change since when the database is away.
                state.send_modify(|state| match state {
                    LinkState::Away { reason: last, .. } => *last = reason,
                    LinkState::Up(_) => *state = away(reason),
                });
                sleep(backoff).await;
                backoff = (backoff * 2).min(BACKOFF[1]);
            }
        }
    }
}

/// Connects once. Returns the session and a future that resolves when it has ended.
async fn connect(
    address: &Address,
    settings: &str,
    newest: &Arc<Newest>,
) -> Result<(Arc<Session>, impl Future<Output = String>), String> {
    let connected = hosts::connect(address, &format!("{SESSION}{settings}"), newest).await;
    let connected = connected.map_err(|no_host| no_host.reason())?;
    let (client, hung_up, ended) = connected.split(newest.clone());
    Ok((Arc::new(Session { client, prepared: Mutex::default(), hung_up }), ended))
}
