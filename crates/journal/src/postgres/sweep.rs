//! Deletes unused rooms, on one server at a time and in small steps.
//!
//! A room whose owner is alive is skipped, unless this server owns it, which itself says what to keep. The condition is
//! checked again when a room's row is locked, so a room that was opened in the meantime stays.

use super::append::count;
use super::claims::PATIENCE;
use super::link::{Link, RequestError};
use super::membership::Registration;
use super::schema::{LOCKS, SWEEP};
use crate::JournalError;
use std::collections::HashSet;
use std::time::Duration;

/// Number of rooms deleted in one step, small enough not to delay other requests noticeably.
const STEP: usize = 16;
/// Timeout for listing all rooms, which takes longer than other queries.
pub(super) const LISTING: Duration = Duration::from_secs(60);

const BEGIN: &str = "SELECT pg_try_advisory_lock($1, $2)";
const END: &str = "SELECT pg_advisory_unlock($1, $2)";
const UNOPENED: &str = "SELECT code FROM rookery.rooms WHERE opened_ms < $1 ORDER BY code";

/// Deletes rooms. `$4` says whether servers with an expired lease count as gone.
const DELETE: &str = "
    WITH doomed AS (
        SELECT room.code, room.id FROM rookery.rooms AS room
        WHERE room.code = ANY($1) AND room.opened_ms < $2
            AND (room.owner IS NULL OR room.owner = $3 OR NOT EXISTS (
                SELECT FROM rookery.nodes AS node
                WHERE node.node = room.owner AND (node.lease_until > clock_timestamp() OR NOT $4)
            ))
        FOR UPDATE OF room SKIP LOCKED
    ), emptied AS (
        DELETE FROM rookery.entries USING doomed WHERE entries.room = doomed.id
    ), unsaid AS (
        DELETE FROM rookery.notes USING doomed WHERE notes.room = doomed.id
    )
    DELETE FROM rookery.rooms AS room USING doomed WHERE room.code = doomed.code RETURNING room.code";

pub(super) async fn sweep(
    link: &Link,
    us: &Registration,
    before_ms: u64,
    keep: Vec<String>,
) -> Result<Vec<String>, JournalError> {
    // A single session is used, because it holds the lock. If the session is lost, so is the lock.
    link.may_write()?;
    let session = link.session().await?;
    let begun = session.ask(BEGIN, &[&LOCKS, &SWEEP], PATIENCE).await?;
    if !begun.first().is_some_and(|row| row.get(0)) {
        return Ok(Vec::new());
    }
    let before_ms = count(before_ms);
    let keep: HashSet<String> = keep.into_iter().collect();
    let sweeping = async {
        let unopened = session.ask(UNOPENED, &[&before_ms], LISTING).await?;
        let unopened: Result<Vec<String>, _> = unopened.iter().map(|row| row.try_get(0)).collect();
        let mut unopened = unopened?;
        unopened.retain(|room| !keep.contains(room));
        let mut deleted = Vec::new();
        for rooms in unopened.chunks(STEP) {
            let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
                [&rooms, &before_ms, &us.node(), &us.is_steady()];
            for row in session.ask(DELETE, &parameters, PATIENCE).await? {
                deleted.push(row.try_get(0)?);
            }
        }
        Ok::<_, RequestError>(deleted)
    };
    let swept = sweeping.await;
    session.ask(END, &[&LOCKS, &SWEEP], PATIENCE).await?;
    Ok(swept?)
}
