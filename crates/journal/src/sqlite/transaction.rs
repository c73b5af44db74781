//! Transactions of the one connection that writes.

use crate::JournalError;
use rusqlite::Connection;

/// Does all of it or, on an error, nothing.
///
/// The statements are kept, unlike those of [`Connection::transaction`]: of a commit of one append, to read them anew
/// would be a good part.
pub(super) fn in_transaction<T, E: From<JournalError>>(
    connection: &Connection,
    act: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let run = |sql| connection.prepare_cached(sql)?.execute([]).map_err(JournalError::from);
    // Taking the write lock at once means that nothing read in here can change before the commit.
    run("BEGIN IMMEDIATE")?;
    let done = act().and_then(|done| Ok(run("COMMIT").map(|_| done)?));
    // After some errors SQLite has rolled back already.
    if done.is_err()
        && !connection.is_autocommit()
        && let Err(error) = run("ROLLBACK")
    {
        tracing::error!(%error, "a transaction that failed could not be rolled back");
    }
    done
}
