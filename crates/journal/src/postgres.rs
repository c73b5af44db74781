//! A journal in a PostgreSQL database, for one server or several.
//!
//! PostgreSQL does the ordering, storage and replication, so there is no consensus algorithm here. Safety comes from
//! each room's row, which an append must find as expected (`append`). Liveness comes from leases (`membership`,
//! `claims`). There is a small fixed number of connections: one for writing, two for reading, one for renewing the
//! lease. Each reconnects by itself (`link`).

mod address;
mod append;
mod claims;
mod database_error;
#[cfg(all(test, unix))]
mod failover_tests;
mod history;
mod hosts;
mod link;
mod membership;
mod probe;
mod schema;
mod standby;
mod sweep;
#[cfg(all(test, unix))]
mod tests;
mod writer;

pub use address::Address;
pub use database_error::DatabaseError;

use crate::moving::{Kept, Shelf};
use crate::ownership::{Figures, History, Lease, Load, Node, Ownership, Peer};
use crate::{AppendError, Cursor, Journal, JournalError, Lines, Opened, Pending};
use append::{Append, count, number};
use claims::PATIENCE;
use history::Newest;
use link::{DURABLE, Link, PASSING, RequestError};
use membership::Registration;
use probe::Probes;
use standby::StandbyWatch;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::Row;
use writer::{BatchWriter, Tools};

/// Maximum time for the first connection, over all hosts.
const START: Duration = Duration::from_secs(15);

/// Interval at which all hosts are checked.
const SCOUT: Duration = Duration::from_secs(5);

/// How to open a journal.
#[derive(Clone, Debug)]
pub struct DatabaseSettings {
    /// The database.
    pub address: Address,
    /// Address of this server for other servers, or `None` if it runs alone.
    pub node: Option<String>,
    /// The program's version, shown in the list of servers.
    pub version: String,
}

impl DatabaseSettings {
    /// Returns the settings of a server that runs alone on its database.
    pub fn alone(address: Address) -> DatabaseSettings {
        DatabaseSettings { address, node: None, version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// A journal in a PostgreSQL database.
///
/// Call [`Journal::close`] before the process ends. Otherwise other servers can claim its rooms only after its lease
/// has expired.
pub struct Postgres {
    writer: BatchWriter,
    readers: [Link; 2],
    next_reader: AtomicUsize,
    lease: Arc<Link>,
    newest: Arc<Newest>,
    membership: Arc<Registration>,
    keeper: AbortHandle,
    /// Looks for a newer primary, if several hosts are named.
    scout: Option<AbortHandle>,
    probes: Probes,
    /// Allows one sweep at a time: the lock between servers belongs to a database session, which is shared here.
    sweeping: Mutex<()>,
    running_ms: AtomicU64,
    closed: AtomicBool,
}

impl Postgres {
    /// Opens the journal, after creating or migrating its tables.
    ///
    /// # Errors
    /// See [`DatabaseError`].
    pub async fn open(settings: DatabaseSettings) -> Result<Postgres, DatabaseError> {
        Postgres::open_with(settings, append::FENCED, true).await
    }

    /// Opens a journal whose appends compare nothing: neither owner and epoch nor the room's end, which alone would
    /// still separate two writers. The fault tests must fail with it, otherwise they prove nothing.
    #[doc(hidden)]
    pub async fn open_without_fence(settings: DatabaseSettings) -> Result<Postgres, DatabaseError> {
        Postgres::open_with(settings, append::UNFENCED, true).await
    }

    /// Opens a journal that uses any writable host, whatever its timeline. The failover tests must fail with it,
    /// otherwise they prove nothing.
    #[doc(hidden)]
    pub async fn open_on_any_timeline(settings: DatabaseSettings) -> Result<Postgres, DatabaseError> {
        Postgres::open_with(settings, append::FENCED, false).await
    }

    async fn open_with(
        settings: DatabaseSettings,
        statement: &'static str,
        compared: bool,
    ) -> Result<Postgres, DatabaseError> {
        let DatabaseSettings { address, node, version } = settings;
        let silent =
            || DatabaseError::Unreachable { address: address.to_string(), reason: "it does not answer".to_owned() };
        let newest = Arc::new(Newest::new(compared));
        timeout(START, prepare(&address, &newest)).await.map_err(|_| silent())??;

        let lease = Arc::new(Link::start(address.clone(), PASSING, newest.clone(), None));
        let standby = Arc::new(StandbyWatch::default());
        let membership = Arc::new(Registration::new(node, version, standby.clone()));
        let failed = |failure: RequestError| DatabaseError::Database {
            address: address.to_string(),
            reason: JournalError::from(failure).to_string(),
        };
        let session = timeout(START, lease.up()).await.map_err(|_| silent())?;
        membership.register(&session).await.map_err(failed)?;
        let keeper = tokio::spawn(membership.clone().keep(lease.clone())).abort_handle();

        let readers = [(); 2].map(|()| Link::start(address.clone(), DURABLE, newest.clone(), Some(standby.clone())));
        let link = Link::start(address.clone(), DURABLE, newest.clone(), Some(standby.clone()));
        for link in readers.iter().chain([&link]) {
            timeout(START, link.up()).await.map_err(|_| silent())?;
        }
        let writer = BatchWriter::start(Tools { link, membership: membership.clone(), statement });
        let several = address.hosts().len() > 1;
        let scout = several.then(|| tokio::spawn(scout(address.clone(), newest.clone())).abort_handle());
        let journal = Postgres {
            writer,
            readers,
            next_reader: AtomicUsize::new(0),
            lease,
            newest,
            membership,
            keeper,
            scout,
            probes: Probes::default(),
            sweeping: Mutex::new(()),
            running_ms: AtomicU64::new(0),
            closed: AtomicBool::new(false),
        };
        journal.ran(0).await.map_err(|error| failed(RequestError::NotSent(error)))?;
        Ok(journal)
    }

    /// Returns a connection for reading. Requests alternate between both, so that a long answer delays at most half of
    /// them.
    fn reader(&self) -> Result<&Link, JournalError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(JournalError::Closed);
        }
        let next = self.next_reader.fetch_add(1, Ordering::Relaxed);
        Ok(&self.readers[next % self.readers.len()])
    }

    /// Returns the entries of a room from `first` to `last`, or an error if one is missing.
    async fn entries(&self, room: &str, id: i64, first: u64, last: u64) -> Result<Vec<String>, JournalError> {
        let sql = "SELECT n, entry FROM rookery.entries WHERE room = $1 AND n BETWEEN $2 AND $3 ORDER BY n";
        let rows = self.reader()?.ask(sql, &[&id, &count(first), &count(last)], PATIENCE).await?;
        whole(room, first, last, rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))))
    }

    async fn notes(&self, room: &str, id: i64) -> Result<Vec<(u8, String)>, JournalError> {
        let sql = "SELECT slot, note FROM rookery.notes WHERE room = $1 ORDER BY slot";
        let rows = self.reader()?.ask(sql, &[&id], PATIENCE).await?;
        let note = |row: &Row| -> Result<(u8, String), JournalError> {
            let slot: i16 = row.try_get(0).map_err(RequestError::from)?;
            Ok((slot as u8, text(room, row.try_get(1).map_err(RequestError::from)?)?))
        };
        rows.iter().map(note).collect()
    }
}

fn text(room: &str, bytes: Vec<u8>) -> Result<String, JournalError> {
    String::from_utf8(bytes).map_err(|_| JournalError::Corrupt(format!("room {room} has invalid UTF-8")))
}

/// Converts the entries to text, if none is missing.
fn whole(
    room: &str,
    first: u64,
    last: u64,
    found: impl Iterator<Item = Result<(i64, Vec<u8>), tokio_postgres::Error>>,
) -> Result<Vec<String>, JournalError> {
    let mut entries = Vec::new();
    for found in found {
        let (n, entry) = found.map_err(RequestError::from)?;
        let next = first + entries.len() as u64;
        if number(n) != next {
            return Err(JournalError::Damaged { room: room.to_owned(), missing: next });
        }
        entries.push(text(room, entry)?);
    }
    let next = first + entries.len() as u64;
    if next <= last {
        return Err(JournalError::Damaged { room: room.to_owned(), missing: next });
    }
    Ok(entries)
}

/// Connects once to check that the database is usable, and creates its tables.
async fn prepare(address: &Address, newest: &Newest) -> Result<(), DatabaseError> {
    // Ends before `START` has passed, so that the error says why.
    let deadline = Instant::now() + START - Duration::from_secs(1);
    let connected = hosts::connect(address, "", newest).await;
    let mut connected = connected.map_err(|no_host| DatabaseError::of_hosts(address, &no_host))?;
    schema::prepare(&mut connected.client, address, deadline).await
}

/// Checks all hosts periodically, because a standby may have been promoted while the old primary is still running.
async fn scout(address: Address, newest: Arc<Newest>) {
    loop {
        sleep(SCOUT).await;
        // Connecting to the newest host informs all other connections of it.
        if let Err(no_host) = hosts::connect(&address, "", &newest).await {
            tracing::debug!(reason = no_host.reason(), "no usable host");
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.keeper.abort();
        if let Some(scout) = &self.scout {
            scout.abort();
        }
    }
}

impl Journal for Postgres {
    fn append_lines<'a>(
        &'a self,
        room: &'a str,
        after: Cursor,
        lines: Lines,
        running_ms: u64,
    ) -> Pending<'a, Result<Cursor, AppendError>> {
        let append = Append { room: room.to_owned(), after, lines, running_ms };
        Box::pin(async move {
            if self.closed.load(Ordering::Acquire) {
                return Err(JournalError::Closed.into());
            }
            self.writer.append(append).await
        })
    }

    fn note<'a>(
        &'a self,
        room: &'a str,
        at: Cursor,
        slot: u8,
        note: String,
        running_ms: u64,
    ) -> Pending<'a, Result<(), AppendError>> {
        Box::pin(async move {
            if self.closed.load(Ordering::Acquire) {
                return Err(JournalError::Closed.into());
            }
            self.writer.note(room, at, slot, note, running_ms).await
        })
    }

    fn open<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<Option<Opened>, JournalError>> {
        Box::pin(async move {
            let held = claims::open(self.reader()?, &self.membership, room, count(running_ms)).await?;
            let Some(held) = held else { return Ok(None) };
            let first = held.checkpoint.max(1);
            // From here on no other server writes the room, and none of these entries is deleted.
            let (entries, notes) =
                tokio::try_join!(self.entries(room, held.id, first, held.cursor.entries), self.notes(room, held.id),)?;
            let notes = notes.into_iter().map(|(_, note)| note).collect();
            Ok(Some(Opened { cursor: held.cursor, before: first - 1, entries, notes }))
        })
    }

    fn read<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Vec<String>>, JournalError>> {
        Box::pin(async move {
            // One statement is one snapshot, so concurrent writes and deletions are not visible.
            let sql = "SELECT room.head, line.n, line.entry FROM rookery.rooms AS room
                LEFT JOIN rookery.entries AS line ON line.room = room.id WHERE room.code = $1 ORDER BY line.n";
            let rows = self.reader()?.ask(sql, &[&room], PATIENCE).await?;
            let Some(first) = rows.first() else { return Ok(None) };
            let head = number(first.try_get(0).map_err(RequestError::from)?);
            let found = rows.iter().map(|row| {
                let (n, entry) = (row.try_get::<_, Option<i64>>(1)?, row.try_get::<_, Option<Vec<u8>>>(2)?);
                Ok((n.unwrap_or(0), entry.unwrap_or_default()))
            });
            whole(room, 1, head, found).map(Some)
        })
    }

    fn exists<'a>(&'a self, room: &'a str) -> Pending<'a, Result<bool, JournalError>> {
        Box::pin(async move {
            let sql = "SELECT 1 FROM rookery.rooms WHERE code = $1";
            Ok(!self.reader()?.ask(sql, &[&room], PATIENCE).await?.is_empty())
        })
    }

    fn touch<'a>(&'a self, room: &'a str, running_ms: u64) -> Pending<'a, Result<(), JournalError>> {
        Box::pin(async move {
            let sql = "UPDATE rookery.rooms SET opened_ms = $2 WHERE code = $1 AND opened_ms < $2";
            self.reader()?.write(sql, &[&room, &count(running_ms)], PATIENCE).await?;
            Ok(())
        })
    }

    fn forget_unopened<'a>(
        &'a self,
        before_ms: u64,
        keep: Vec<String>,
    ) -> Pending<'a, Result<Vec<String>, JournalError>> {
        Box::pin(async move {
            let reader = self.reader()?;
            let _one = self.sweeping.lock().await;
            sweep::sweep(reader, &self.membership, before_ms, keep).await
        })
    }

    fn running_ms(&self) -> u64 {
        self.running_ms.load(Ordering::Relaxed)
    }

    fn ran(&self, running_ms: u64) -> Pending<'_, Result<(), JournalError>> {
        Box::pin(async move {
            // Of several servers the longest running time counts. This also removes servers that have been gone for an
            // hour from the list.
            let sql = "WITH gone AS (
                    DELETE FROM rookery.nodes WHERE $2 AND lease_until < clock_timestamp() - interval '1 hour'
                ) UPDATE rookery.running SET ms = greatest(ms, $1) RETURNING ms";
            let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 2] =
                [&count(running_ms), &self.membership.is_steady()];
            let rows = self.reader()?.write(sql, &parameters, PATIENCE).await?;
            let noted = rows.first().map(|row| row.try_get(0)).transpose().map_err(RequestError::from)?;
            self.running_ms.fetch_max(number(noted.unwrap_or(0)), Ordering::Relaxed);
            Ok(())
        })
    }

    fn probe(&self) -> Pending<'_, Result<(), JournalError>> {
        Box::pin(async move { self.probes.probe(self.reader()?).await })
    }

    fn ownership(&self) -> &dyn Ownership {
        self
    }

    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async move {
            let first = !self.closed.swap(true, Ordering::AcqRel);
            self.writer.close().await;
            if first {
                self.membership.leave(&self.lease).await;
            }
        })
    }
}

impl Shelf for Postgres {
    fn rooms(&self) -> Pending<'_, Result<Vec<String>, JournalError>> {
        Box::pin(async move {
            let sql = "SELECT code FROM rookery.rooms ORDER BY code";
            let rows = self.reader()?.ask(sql, &[], sweep::LISTING).await?;
            let rooms: Result<_, tokio_postgres::Error> = rows.iter().map(|row| row.try_get(0)).collect();
            Ok(rooms.map_err(RequestError::from)?)
        })
    }

    fn kept<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Kept>, JournalError>> {
        Box::pin(async move {
            let sql = "SELECT id, head, checkpoint, opened_ms FROM rookery.rooms WHERE code = $1";
            let rows = self.reader()?.ask(sql, &[&room], PATIENCE).await?;
            let Some(row) = rows.first() else { return Ok(None) };
            let column = |n| row.try_get::<_, i64>(n).map_err(RequestError::from);
            let (id, head) = (column(0)?, number(column(1)?));
            let (entries, notes) = tokio::try_join!(self.entries(room, id, 1, head), self.notes(room, id))?;
            Ok(Some(Kept { entries, checkpoint: number(column(2)?), notes, opened_ms: number(column(3)?) }))
        })
    }
}

impl Ownership for Postgres {
    fn elsewhere<'a>(&'a self, room: &'a str) -> Pending<'a, Result<Option<Peer>, JournalError>> {
        Box::pin(async move { claims::elsewhere(self.reader()?, &self.membership, room).await })
    }

    fn release<'a>(&'a self, room: &'a str) -> Pending<'a, Result<(), JournalError>> {
        Box::pin(async move { claims::release(self.reader()?, &self.membership, room).await })
    }

    fn release_all(&self) -> Pending<'_, Result<u64, JournalError>> {
        Box::pin(async move { claims::release_all(self.reader()?, &self.membership).await })
    }

    fn lease(&self) -> Lease {
        self.membership.lease()
    }

    fn report(&self, load: Load) {
        self.membership.report(load);
    }

    fn nodes(&self) -> Pending<'_, Result<Vec<Node>, JournalError>> {
        Box::pin(async move { claims::nodes(self.reader()?, &self.membership).await })
    }

    fn history(&self) -> Option<History> {
        self.newest.get()
    }

    fn learn(&self, history: History) {
        self.newest.learn(history);
    }

    fn figures(&self) -> Figures {
        Figures {
            claims: self.membership.claims.load(Ordering::Relaxed),
            fenced: self.membership.fenced.load(Ordering::Relaxed),
        }
    }
}
