//! The database file: connection settings, tables, and detection of files that are not ours.
//!
//! Queues and threads are not handled here.

use super::{OpenError, Settings};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::path::Path;

/// "Rook": marks the file as a Rookery journal, for us and for `file(1)`.
const APPLICATION_ID: i32 = 0x526f_6f6b;

/// A commit writes whole pages. For a single entry, as when people play, this halves the amount compared to the usual 4
/// KiB.
pub(super) const PAGE_BYTES: u32 = 2048;

/// Raised when the tables change. An older file is migrated, and a newer one is refused.
const FORMAT: i32 = 4;

// `opened_ms` is the running time at which a room was last opened. `checkpoint` is the number of its last checkpoint,
// or 0 if it has none.
const ROOMS: &str = "
    CREATE TABLE rooms (
        code TEXT NOT NULL PRIMARY KEY,
        opened_ms INTEGER NOT NULL,
        checkpoint INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE probe (
        id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
        writes INTEGER NOT NULL
    ) STRICT;
    INSERT INTO probe (id, writes) VALUES (1, 0);
";

/// Entries are numbered from 1 in each room, so the highest number is its end. No second count could disagree with it.
/// A new entry goes to the end of `log`, which has no index, because that would add a page write for each room. The log
/// is compacted into `runs`, each with `count` entries of a room starting at number `first`. Introduced with format 3.
/// Before it every entry was a row of a table `entries`, from which it is migrated.
const ENTRIES: &str = "
    CREATE TABLE log (
        seq INTEGER NOT NULL PRIMARY KEY,
        room TEXT NOT NULL,
        n INTEGER NOT NULL CHECK (n > 0),
        entry TEXT NOT NULL
    ) STRICT;
    CREATE TABLE runs (
        id INTEGER NOT NULL PRIMARY KEY,
        room TEXT NOT NULL,
        first INTEGER NOT NULL CHECK (first > 0),
        count INTEGER NOT NULL CHECK (count > 0),
        entries BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX runs_of_a_room ON runs (room, first);
";

/// A ring buffer for each room, whose slots are overwritten (`notes`). Unlike the log it is written in place, so a room
/// with many notes does not grow. Introduced with format 4.
const NOTES: &str = "
    CREATE TABLE notes (
        room TEXT NOT NULL REFERENCES rooms (code) ON DELETE CASCADE,
        slot INTEGER NOT NULL,
        note TEXT NOT NULL,
        PRIMARY KEY (room, slot)
    ) STRICT, WITHOUT ROWID;
";

/// The running time of servers on this journal. Introduced with format 2.
const RUNNING: &str = "
    CREATE TABLE running (
        id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
        ms INTEGER NOT NULL
    ) STRICT;
    INSERT INTO running (id, ms) VALUES (1, 0);
";

/// Format 1 stored wall-clock times in `opened_ms`, which may have been wrong, so its rooms count as opened now.
const FROM_1: &str = "UPDATE rooms SET opened_ms = 0;";

/// Format 2 had no checkpoints.
const FROM_2: &str = "ALTER TABLE rooms ADD COLUMN checkpoint INTEGER NOT NULL DEFAULT 0;";

/// The tables of a file of format 2.
#[cfg(test)]
pub(super) const FORMAT_2: &str = "
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA journal_mode = WAL;
    CREATE TABLE rooms (code TEXT NOT NULL PRIMARY KEY, opened_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE entries (
        room TEXT NOT NULL REFERENCES rooms (code) ON DELETE CASCADE,
        n INTEGER NOT NULL CHECK (n > 0),
        entry TEXT NOT NULL,
        PRIMARY KEY (room, n)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE probe (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), writes INTEGER NOT NULL) STRICT;
    INSERT INTO probe (id, writes) VALUES (1, 0);
    CREATE TABLE running (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), ms INTEGER NOT NULL) STRICT;
    INSERT INTO running (id, ms) VALUES (1, 0);
    PRAGMA application_id = 0x526f6f6b;
    PRAGMA user_version = 2;
";

/// Creates the tables of a new file.
pub(super) fn fill(file: &Path) -> Result<(), OpenError> {
    let filled = Connection::open(file).and_then(|mut connection| {
        create(&mut connection)?;
        connection.close().map_err(|(_, error)| error)
    });
    filled.map_err(|error| cannot_open(file, &error))
}

/// Returns the error to show to the host who started the server.
pub(super) fn cannot_open(file: &Path, error: &rusqlite::Error) -> OpenError {
    let (file, reason) = (file.to_owned(), error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => OpenError::Foreign { file },
        Some(ErrorCode::DatabaseCorrupt) => OpenError::Damaged { file, reason },
        _ => OpenError::Database { file, reason },
    }
}

/// Opens the connection for writing, and creates the tables if the file has none.
pub(super) fn open_writer(file: &Path, settings: &Settings) -> Result<Connection, OpenError> {
    let failed = |error: rusqlite::Error| cannot_open(file, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(file, flags).map_err(failed)?;
    connection.busy_timeout(settings.busy_timeout).map_err(failed)?;

    // Nothing is set before the file is known to be ours, because some settings are written into it.
    match kind(&connection).map_err(failed)? {
        FileKind::Empty => create(&mut connection).map_err(failed)?,
        FileKind::Ours(FORMAT) => {}
        FileKind::Ours(found @ 1..FORMAT) => migrate(&mut connection, found).map_err(failed)?,
        FileKind::Ours(found) if found > FORMAT => {
            return Err(OpenError::Newer { file: file.to_owned(), found, known: FORMAT });
        }
        FileKind::Ours(_) | FileKind::Foreign => return Err(OpenError::Foreign { file: file.to_owned() }),
    }
    set_up(&connection, settings).map_err(failed)?;
    Ok(connection)
}

/// Opens a read-only connection. The file must have been opened by [`open_writer`] before.
pub(super) fn open_reader(file: &Path, settings: &Settings) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(settings.busy_timeout)?;
    Ok(connection)
}

/// The kind of a database file.
pub(super) enum FileKind {
    Empty,
    Ours(i32),
    Foreign,
}

pub(super) fn kind(connection: &Connection) -> rusqlite::Result<FileKind> {
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let format: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let objects: u64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (application, format, objects) {
        (APPLICATION_ID, format, _) => FileKind::Ours(format),
        (0, 0, 0) => FileKind::Empty,
        _ => FileKind::Foreign,
    })
}

fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    // Both can only be set while the file has no tables. Without `auto_vacuum` the space of deleted rooms would never
    // be freed.
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    // Ids and tables are written together, so that a crash leaves a file that still counts as empty.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    transaction.execute_batch(ROOMS)?;
    transaction.execute_batch(RUNNING)?;
    transaction.execute_batch(ENTRIES)?;
    transaction.execute_batch(NOTES)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()
}

/// Migrates in one transaction, so that a crash leaves the file unchanged. Entries are not moved here, so the duration
/// does not depend on their number.
fn migrate(connection: &mut Connection, found: i32) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    if found == 1 {
        transaction.execute_batch(RUNNING)?;
        transaction.execute_batch(FROM_1)?;
    }
    if found <= 2 {
        transaction.execute_batch(FROM_2)?;
        transaction.execute_batch(ENTRIES)?;
    }
    transaction.execute_batch(NOTES)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()
}

/// Returns the running time stored in the file.
pub(super) fn running_ms(connection: &Connection) -> rusqlite::Result<u64> {
    connection.query_row("SELECT ms FROM running", [], |row| row.get(0))
}

fn set_up(connection: &Connection, settings: &Settings) -> rusqlite::Result<()> {
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if !mode.eq_ignore_ascii_case("wal") {
        tracing::warn!(mode, "this file system does not support write-ahead logging; appends will be slower");
    }
    // Acknowledged data must survive a power failure and not only a crash of the server.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // On macOS an fsync leaves the data in the drive's cache. On other systems this has no effect.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // After a burst the write-ahead log is truncated to this size at the next checkpoint.
    connection.pragma_update(None, "journal_size_limit", 16 << 20)?;
    // The cache holds all of the writer's statements, so that none is prepared twice.
    connection.set_prepared_statement_cache_capacity(64);
    if let Some(pages) = settings.max_pages {
        // A file of an earlier version has a different page size.
        let bytes: u64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        connection.pragma_update(None, "max_page_count", u64::from(pages) * 4096 / bytes)?;
    }
    Ok(())
}

/// Converts to SQLite's signed integers. A time beyond 2^63 is capped, so that it does not fail the other jobs of the
/// batch.
pub(super) fn millis(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}
