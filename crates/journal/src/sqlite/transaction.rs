//! Transactions of the write connection.

use crate::JournalError;
use rusqlite::Connection;

/// Runs `act` in a transaction, which is rolled back on an error.
///
/// The `BEGIN` and `COMMIT` statements are cached, unlike those of [`Connection::transaction`]. Preparing them again
/// would be a considerable part of a commit with a single append.
pub(super) fn in_transaction<T, E: From<JournalError>>(
    connection: &Connection,
    act: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let run = |sql| connection.prepare_cached(sql)?.execute([]).map_err(JournalError::from);
    // Taking the write lock at once ensures that nothing read in here can change before the commit.
    run("BEGIN IMMEDIATE")?;
    let done = act().and_then(|done| Ok(run("COMMIT").map(|_| done)?));
    // After some errors SQLite has already rolled back.
    if done.is_err()
        && !connection.is_autocommit()
        && let Err(error) = run("ROLLBACK")
    {
        tracing::error!(%error, "cannot roll back a failed transaction");
    }
    done
}
