//! The read connections of the journal. Each query has one for itself and sees only committed data.

use super::health::Health;
use super::log::LogReader;
use super::open_files::OpenFiles;
use super::{Settings, schema};
use crate::JournalError;
use parking_lot::Mutex;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Maximum number of concurrent reads, each on its own connection.
const READERS: usize = 4;

/// The read connections. There are as many as permits, opened on first use.
#[derive(Debug)]
pub(super) struct Readers {
    file: PathBuf,
    settings: Settings,
    place: Arc<OpenFiles>,
    health: Arc<Health>,
    reader: LogReader,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(
        file: PathBuf,
        settings: Settings,
        place: Arc<OpenFiles>,
        health: Arc<Health>,
        reader: LogReader,
    ) -> Arc<Readers> {
        let (idle, permits) = (Mutex::new(Vec::new()), Arc::new(Semaphore::new(READERS)));
        Arc::new(Readers { file, settings, place, health, reader, idle, permits })
    }

    /// Runs a query on a blocking thread. `has_log` says whether there should be a write-ahead log.
    pub(super) async fn query<T: Send + 'static>(
        self: &Arc<Readers>,
        has_log: bool,
        query: impl FnOnce(&Connection, &LogReader) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let readers = Arc::clone(self);
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|_| JournalError::Closed)?;
        let reading = spawn_blocking(move || {
            // The permit is moved into the task, so that a caller that stops waiting does not admit a fifth reader.
            let _permit = permit;
            let result = readers.take(has_log).and_then(|connection| {
                let result = query(&connection, &readers.reader);
                readers.put_back(connection);
                result
            });
            match &result {
                Ok(_) => readers.health.reading.is_over(),
                Err(error) if error.is_damage() => readers.health.met_damage(error),
                Err(error) => readers.health.reading.failed(error, 1),
            }
            result
        });
        reading.await.map_err(|error| JournalError::Storage(error.to_string()))?
    }

    pub(super) fn is_closed(&self) -> bool {
        self.permits.is_closed()
    }

    fn take(&self, has_log: bool) -> Result<Connection, JournalError> {
        // A new connection to another file, or an old one to a deleted file, would return rooms that are not ours, and
        // report our own as nonexistent.
        self.place.check_database()?;
        if has_log {
            self.place.check_log()?;
        }
        let idle = self.idle.lock().pop();
        Ok(idle.map_or_else(|| schema::open_reader(&self.file, &self.settings), Ok)?)
    }

    fn put_back(&self, connection: Connection) {
        self.idle.lock().push(connection);
    }

    /// Waits for running reads and closes all connections.
    pub(super) async fn close(&self) {
        // An error means that they are already closed.
        let all = self.permits.acquire_many(READERS as u32).await;
        self.permits.close();
        drop(all);
        self.idle.lock().clear();
    }
}
