//! Ownership of rooms: claims, releases, and the list of servers.
//!
//! A claim is a compare-and-set on the epoch that was read, and raises it, so that pending appends of the previous
//! owner are refused. Whether a lease has expired is decided on the database's clock alone. The statements use
//! `clock_timestamp`, the current time, and not `now`, the time the transaction began.

use super::append::{last_append, number};
use super::link::{Link, RequestError};
use super::membership::Registration;
use crate::ownership::{Load, Node, Peer};
use crate::{Cursor, JournalError};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio_postgres::Row;

/// Timeout for an answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(4);
/// Maximum attempts for a claim that conflicts with others.
const TRIES: usize = 3;

/// Claims a room and records that it was opened. `$1` is the room, `$2` this server, `$3` whether servers with an
/// expired lease count as gone, `$4` the running time.
const CLAIM: &str = concat!(
    "WITH seen AS (
        SELECT room.code, room.owner, room.epoch, node.node IS NOT NULL AS registered, node.address,
            coalesce(node.lease_until > clock_timestamp(), false) AS alive
        FROM rookery.rooms AS room LEFT JOIN rookery.nodes AS node ON node.node = room.owner
        WHERE room.code = $1
    ), taken AS (
        UPDATE rookery.rooms AS room SET
            owner = $2,
            epoch = room.epoch + CASE WHEN seen.owner = $2 THEN 0 ELSE 1 END,
            opened_ms = greatest(room.opened_ms, $4)
        FROM seen
        WHERE room.code = $1 AND room.epoch = seen.epoch AND room.owner IS NOT DISTINCT FROM seen.owner
            AND (seen.owner = $2 OR NOT seen.registered OR (NOT seen.alive AND $3))
            AND EXISTS (SELECT FROM rookery.nodes WHERE node = $2 AND lease_until > clock_timestamp())
        RETURNING room.id, room.epoch, room.head, room.checkpoint, ",
    last_append!("room"),
    " AS append
    )
    SELECT seen.owner = $2, seen.owner, seen.address, seen.alive,
        taken.id, taken.epoch, taken.head, taken.checkpoint, taken.append
    FROM seen LEFT JOIN taken ON true"
);

/// Reads a room that is ours, without writing.
const OURS: &str = concat!(
    "SELECT id, epoch, head, checkpoint, ",
    last_append!("room"),
    " FROM rookery.rooms AS room WHERE code = $1 AND owner = $2"
);

const ELSEWHERE: &str = "
    SELECT node.node, node.address FROM rookery.rooms AS room JOIN rookery.nodes AS node ON node.node = room.owner
    WHERE room.code = $1 AND node.node <> $2 AND node.lease_until > clock_timestamp()";

const RELEASE: &str = "UPDATE rookery.rooms SET owner = NULL WHERE code = $1 AND owner = $2";
const RELEASE_ALL: &str = "WITH given_up AS (UPDATE rookery.rooms SET owner = NULL WHERE owner = $1 RETURNING 1)
    SELECT count(*) FROM given_up";

const NODES: &str = "
    SELECT node, address, version, node = $1,
        greatest(0, extract(epoch FROM lease_until - clock_timestamp()) * 1000)::bigint, rooms, sockets
    FROM rookery.nodes ORDER BY node";

/// A room owned by this server.
pub(super) struct Held {
    pub(super) id: i64,
    pub(super) cursor: Cursor,
    pub(super) checkpoint: u64,
}

impl Held {
    /// Reads five columns, starting at `first`.
    fn of(row: &Row, first: usize) -> Result<Option<Held>, tokio_postgres::Error> {
        let Some(id) = row.try_get(first)? else { return Ok(None) };
        let (epoch, entries) = (number(row.try_get(first + 1)?), number(row.try_get(first + 2)?));
        let (checkpoint, append) = (number(row.try_get(first + 3)?), number(row.try_get(first + 4)?));
        Ok(Some(Held { id, cursor: Cursor { entries, epoch, append }, checkpoint }))
    }
}

/// Result of an attempt to own a room.
enum ClaimResult {
    Missing,
    Ours(Held),
    Theirs(Peer),
    Wait,
}

/// Claims a room in order to continue it. `None` if it does not exist.
pub(super) async fn open(
    link: &Link,
    us: &Registration,
    room: &str,
    running_ms: i64,
) -> Result<Option<Held>, JournalError> {
    if us.is_draining() {
        return Err(JournalError::Elsewhere(None));
    }
    let tried = match claim(link, us, room, running_ms).await {
        Ok(tried) => tried,
        // The database refuses writes, for example on a full disk. A room that is already ours can still be read.
        Err(RequestError::Refused { message, .. }) => {
            tracing::debug!(room, message, "cannot record that the room was opened");
            let rows = link.ask(OURS, &[&room, &us.node()], PATIENCE).await?;
            match rows.first().map(|row| Held::of(row, 0)).transpose().map_err(RequestError::from)?.flatten() {
                Some(held) => return Ok(Some(held)),
                None => return Err(JournalError::Storage(message)),
            }
        }
        Err(failure) => return Err(failure.into()),
    };
    match tried {
        ClaimResult::Missing => Ok(None),
        ClaimResult::Ours(held) => Ok(Some(held)),
        ClaimResult::Theirs(peer) => Err(JournalError::Elsewhere(Some(peer))),
        ClaimResult::Wait => Err(JournalError::Elsewhere(None)),
    }
}

async fn claim(link: &Link, us: &Registration, room: &str, running_ms: i64) -> Result<ClaimResult, RequestError> {
    let node = us.node();
    for _ in 0..TRIES {
        // Checked in every attempt and before the query, because the database may have been unreachable in between.
        let steady = us.is_steady();
        let rows = link.write(CLAIM, &[&room, &node, &steady, &running_ms], PATIENCE).await?;
        let Some(row) = rows.first() else { return Ok(ClaimResult::Missing) };
        let was_ours = row.try_get::<_, Option<bool>>(0)?.unwrap_or(false);
        if let Some(held) = Held::of(row, 4)? {
            us.claims.fetch_add(u64::from(!was_ours), Ordering::Relaxed);
            return Ok(ClaimResult::Ours(held));
        }
        if let Some(owner) = row.try_get::<_, Option<i64>>(1)?.filter(|_| !was_ours) {
            if row.try_get(3)? {
                return Ok(ClaimResult::Theirs(Peer { node: number(owner), address: row.try_get(2)? }));
            }
            if !steady {
                return Ok(ClaimResult::Wait);
            }
        }
        // Another server was faster, or our own lease has expired.
    }
    Ok(ClaimResult::Wait)
}

pub(super) async fn elsewhere(link: &Link, us: &Registration, room: &str) -> Result<Option<Peer>, JournalError> {
    let rows = link.ask(ELSEWHERE, &[&room, &us.node()], PATIENCE).await?;
    let peer = |row: &Row| Ok(Peer { node: number(row.try_get(0)?), address: row.try_get(1)? });
    Ok(rows.first().map(peer).transpose().map_err(|error: tokio_postgres::Error| RequestError::from(error))?)
}

pub(super) async fn release(link: &Link, us: &Registration, room: &str) -> Result<(), JournalError> {
    link.write(RELEASE, &[&room, &us.node()], PATIENCE).await?;
    Ok(())
}

pub(super) async fn release_all(link: &Link, us: &Registration) -> Result<u64, JournalError> {
    us.drain();
    let rows = link.write(RELEASE_ALL, &[&us.node()], PATIENCE).await?;
    let given_up = rows.first().map(|row| row.try_get(0)).transpose().map_err(RequestError::from)?;
    Ok(number(given_up.unwrap_or(0)))
}

pub(super) async fn nodes(link: &Link, us: &Registration) -> Result<Vec<Node>, JournalError> {
    let rows = link.ask(NODES, &[&us.node()], PATIENCE).await?;
    let node = |row: &Row| {
        Ok(Node {
            node: number(row.try_get(0)?),
            address: row.try_get(1)?,
            version: row.try_get(2)?,
            here: row.try_get(3)?,
            lease: Duration::from_millis(number(row.try_get(4)?)),
            load: Load { rooms: number(row.try_get(5)?), sockets: number(row.try_get(6)?) },
        })
    };
    let nodes: Result<Vec<Node>, tokio_postgres::Error> = rows.iter().map(node).collect();
    Ok(nodes.map_err(RequestError::from)?)
}
