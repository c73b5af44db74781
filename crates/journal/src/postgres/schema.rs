//! The tables and their migration, which happens at the start and on one server at a time.

use super::address::Address;
use super::database_error::DatabaseError;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_postgres::{Client, Transaction};

/// "Rook": the class of all our advisory locks.
pub(super) const LOCKS: i32 = 0x526f_6f6b;

/// The lock for migrating the tables. The locks of servers use the server's number, which starts at 1.
const MIGRATION: i32 = 0;

/// The lock for sweeping.
pub(super) const SWEEP: i32 = -1;

/// The oldest supported release: 14.
const OLDEST: i32 = 140_000;

/// Timeout of a lock on a table. Appends of running servers queue behind a waiting `ALTER TABLE`, so it must not wait
/// long.
const TABLE_LOCK: &str = "SET LOCAL lock_timeout = '500ms'";

/// Delay between two attempts to lock the tables.
const RETRY: Duration = Duration::from_secs(1);

/// Migrations from each version of the tables to the next. The first creates them.
///
/// Entries and notes are bytes, because PostgreSQL's text cannot contain NUL. `rooms.id` distinguishes a room from an
/// earlier one with the same code. No column of `rooms` that an append changes is indexed, so that an append is a HOT
/// update, which touches no index. The free space in each page (`fillfactor`) is for that. `entries` has no foreign
/// key: it would be checked for each entry, and the writer has the room's row locked anyway.
pub(super) const STEPS: &[&str] = &["
    CREATE SCHEMA IF NOT EXISTS rookery;
    CREATE TABLE rookery.schema_version (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        version integer NOT NULL
    );
    INSERT INTO rookery.schema_version (version) VALUES (0);
    CREATE TABLE rookery.running (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        ms bigint NOT NULL
    );
    INSERT INTO rookery.running (ms) VALUES (0);
    CREATE TABLE rookery.probe (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        writes bigint NOT NULL
    );
    INSERT INTO rookery.probe (writes) VALUES (0);
    CREATE TABLE rookery.nodes (
        node bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        address text,
        version text NOT NULL,
        lease_until timestamptz NOT NULL,
        rooms bigint NOT NULL DEFAULT 0,
        sockets bigint NOT NULL DEFAULT 0
    );
    CREATE TABLE rookery.rooms (
        code text COLLATE \"C\" PRIMARY KEY,
        id bigint GENERATED ALWAYS AS IDENTITY,
        head bigint NOT NULL CHECK (head > 0),
        checkpoint bigint NOT NULL DEFAULT 0,
        opened_ms bigint NOT NULL,
        owner bigint,
        epoch bigint NOT NULL DEFAULT 1
    ) WITH (fillfactor = 50);
    CREATE INDEX rooms_by_owner ON rookery.rooms (owner) WHERE owner IS NOT NULL;
    CREATE TABLE rookery.entries (
        room bigint NOT NULL,
        n bigint NOT NULL CHECK (n > 0),
        entry bytea NOT NULL,
        PRIMARY KEY (room, n)
    );
    CREATE TABLE rookery.notes (
        room bigint NOT NULL,
        slot smallint NOT NULL CHECK (slot BETWEEN 0 AND 255),
        note bytea NOT NULL,
        PRIMARY KEY (room, slot)
    ) WITH (fillfactor = 50);
"];

/// Additions of later versions. Servers of the previous version neither read nor write them and can run beside newer
/// ones, even after a restart. They therefore do not raise the version of the tables.
///
/// `history` identifies the history of the database (see the module `history`). `rooms.last_append` is the number of
/// the room's last append, and `last_append_head` is the room's end after it. If that differs from the room's head, a
/// server of an earlier version has appended since.
const ADDITIONS: &str = "
    ALTER TABLE rookery.rooms
        ADD COLUMN IF NOT EXISTS last_append bigint NOT NULL DEFAULT 0,
        ADD COLUMN IF NOT EXISTS last_append_head bigint NOT NULL DEFAULT 0;
    CREATE TABLE IF NOT EXISTS rookery.history (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        system bigint NOT NULL DEFAULT 0,
        timeline bigint NOT NULL DEFAULT 0,
        branch bigint NOT NULL DEFAULT 0,
        seen bigint NOT NULL DEFAULT 0
    );
    INSERT INTO rookery.history DEFAULT VALUES ON CONFLICT DO NOTHING;
";

/// Checks whether the additions exist. Checking the last one is enough, because they are created in one transaction.
const ADDED: &str = "SELECT EXISTS (SELECT FROM pg_catalog.pg_class AS class
    JOIN pg_catalog.pg_namespace AS schema ON schema.oid = class.relnamespace
    WHERE schema.nspname = 'rookery' AND class.relname = 'history')";

/// Checks that the database is usable, and creates or migrates the tables.
///
/// Retries until the deadline while another session, such as `pg_dump`, has locked a table.
pub(super) async fn prepare(client: &mut Client, address: &Address, deadline: Instant) -> Result<(), DatabaseError> {
    let failed = |error: tokio_postgres::Error| DatabaseError::of(address, &error);
    let place = || address.to_string();
    let found = "SELECT current_setting('server_version_num')::int, current_setting('server_version'),
                        pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'";
    let found = client.query_one(found, &[]).await.map_err(failed)?;
    if found.get::<_, i32>(0) < OLDEST {
        return Err(DatabaseError::TooOld { address: place(), found: found.get(1) });
    }
    if found.get(2) {
        return Err(DatabaseError::ReadOnly { address: place(), reason: "it is a standby" });
    }
    if found.get(3) {
        return Err(DatabaseError::ReadOnly { address: place(), reason: "default_transaction_read_only is on" });
    }
    // If everything is up to date, neither a lock nor the right to create tables is needed.
    let is_current = version(client).await.map_err(failed)? == Some(STEPS.len() as i32);
    if is_current && has_additions(client).await.map_err(failed)? {
        return Ok(());
    }
    loop {
        let transaction = client.transaction().await.map_err(failed)?;
        match migrate(&transaction, address).await {
            Ok(()) => return transaction.commit().await.map_err(failed),
            Err(DatabaseError::Locked { .. }) if Instant::now() + RETRY * 2 < deadline => {
                transaction.rollback().await.map_err(failed)?;
                tracing::info!("waiting for a lock on the tables");
                sleep(RETRY).await;
            }
            Err(error) => return Err(error),
        }
    }
}

async fn migrate(transaction: &Transaction<'_>, address: &Address) -> Result<(), DatabaseError> {
    let failed = |error: tokio_postgres::Error| DatabaseError::of(address, &error);
    // Another server may be migrating.
    let lock = format!("SET LOCAL lock_timeout = '60s'; SELECT pg_advisory_xact_lock({LOCKS}, {MIGRATION})");
    transaction.batch_execute(&lock).await.map_err(failed)?;
    transaction.batch_execute(TABLE_LOCK).await.map_err(failed)?;
    let found = version(transaction.client()).await.map_err(failed)?.unwrap_or(0);
    let known = STEPS.len() as i32;
    if found > known {
        return Err(DatabaseError::Newer { address: address.to_string(), found, known });
    }
    for step in &STEPS[found as usize..] {
        transaction.batch_execute(step).await.map_err(failed)?;
    }
    // Another server may have created them in the meantime, and `IF NOT EXISTS` locks the table too.
    if !has_additions(transaction.client()).await.map_err(failed)? {
        transaction.batch_execute(ADDITIONS).await.map_err(failed)?;
    }
    let noted = "UPDATE rookery.schema_version SET version = $1";
    transaction.execute(noted, &[&known]).await.map_err(failed)?;
    Ok(())
}

async fn has_additions(client: &Client) -> Result<bool, tokio_postgres::Error> {
    client.query_one(ADDED, &[]).await?.try_get(0)
}

/// Returns the version of the tables, or `None` if they do not exist.
async fn version(client: &Client) -> Result<Option<i32>, tokio_postgres::Error> {
    // Queries the catalogue instead of the table's name: a session caches a name it did not find, even while it waits
    // for the server that creates the table.
    let there = "SELECT EXISTS (SELECT FROM pg_catalog.pg_class AS class
        JOIN pg_catalog.pg_namespace AS schema ON schema.oid = class.relnamespace
        WHERE schema.nspname = 'rookery' AND class.relname = 'schema_version')";
    let there = client.query_one(there, &[]).await?;
    if !there.get::<_, bool>(0) {
        return Ok(None);
    }
    client.query_opt("SELECT version FROM rookery.schema_version", &[]).await?.map(|row| row.try_get(0)).transpose()
}
