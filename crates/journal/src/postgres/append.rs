//! The SQL statement that appends to many rooms at once, and its result.
//!
//! One statement is one transaction. It moves a room's `head` only where owner, epoch and head are as the writer
//! expects, and inserts the entries of those rooms only.
//!
//! Each append has a random number and names the number of the append before it. An append that follows a different
//! history of the same length is therefore refused. Servers of an earlier version draw no number. After one of their
//! appends the number counts as 0, and only owner, epoch and head are compared, as in that version.

use super::history::random;
use crate::{AppendError, Cursor, Lines};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// An append to one room, as part of a batch.
pub(super) struct Append {
    pub(super) room: String,
    pub(super) after: Cursor,
    pub(super) lines: Lines,
    pub(super) running_ms: u64,
}

/// SQL for the number of a room's last append, or 0 if a server of an earlier version has appended since.
macro_rules! last_append {
    ($room:literal) => {
        concat!("CASE ", $room, ".last_append_head WHEN ", $room, ".head THEN ", $room, ".last_append ELSE 0 END")
    };
}
pub(super) use last_append;

/// The compare-and-set with the fencing token. It returns a row for each room that was written.
macro_rules! statement {
    ($where:literal, $end:literal) => {
        concat!(
            "WITH asked AS MATERIALIZED (
                SELECT * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
                        $8::bigint[], $9::bigint[])
                    WITH ORDINALITY AS asked
                        (code, after, epoch, added, checkpoint, opened_ms, follows, append, place)
            ), moved AS (
                UPDATE rookery.rooms AS room SET
                    head = room.head + asked.added,
                    checkpoint = CASE asked.checkpoint WHEN 0 THEN room.checkpoint ELSE asked.checkpoint END,
                    opened_ms = greatest(room.opened_ms, asked.opened_ms),
                    last_append = asked.append,
                    last_append_head = room.head + asked.added
                FROM asked
                WHERE room.code = asked.code AND asked.after > 0 AND ",
            $where,
            "
                RETURNING asked.place, room.id, room.epoch, room.head, asked.append, asked.added
            ), made AS (
                INSERT INTO rookery.rooms
                    (code, head, checkpoint, opened_ms, owner, last_append, last_append_head)
                SELECT code, added, checkpoint, opened_ms, $1, append, added FROM asked WHERE after = 0
                ON CONFLICT (code) DO NOTHING
                RETURNING code, id, epoch, head
            ), accepted AS (
                SELECT place, id, epoch, head, append, head - added AS before FROM moved
                UNION ALL
                SELECT asked.place, made.id, made.epoch, made.head, asked.append, 0 FROM made JOIN asked USING (code)
            ), written AS (
                INSERT INTO rookery.entries (room, n, entry)
                SELECT accepted.id, accepted.before + line.n, line.entry
                FROM unnest($10::bigint[], $11::bigint[], $12::bytea[]) AS line (place, n, entry)
                    JOIN accepted USING (place)
            )
            SELECT place, epoch, head, append FROM accepted",
            $end
        )
    };
}

/// The statement for normal use.
pub(super) const FENCED: &str = statement!(
    "room.owner = $1 AND room.epoch = asked.epoch AND room.head = asked.after
                    AND CASE room.last_append_head WHEN room.head THEN room.last_append ELSE 0 END = asked.follows",
    ""
);

/// Only for the control run of the fault tests: lets any server write a room it has in memory, whatever others wrote in
/// the meantime.
pub(super) const UNFENCED: &str = statement!("($1::bigint IS NOT NULL)", "");

/// The compare-and-set for a note of one room, which does not move its head.
pub(super) const NOTE: &str = concat!(
    "WITH opened AS (
        UPDATE rookery.rooms AS room SET opened_ms = greatest(opened_ms, $5)
        WHERE code = $2 AND owner = $1 AND epoch = $3 AND head = $4 AND ",
    last_append!("room"),
    " = $8 RETURNING id
    )
    INSERT INTO rookery.notes (room, slot, note) SELECT id, $6, $7 FROM opened
    ON CONFLICT (room, slot) DO UPDATE SET note = excluded.note RETURNING slot"
);

/// Reads the ends of rooms whose appends were refused.
pub(super) const ENDS: &str = concat!(
    "SELECT code, head, epoch, ",
    last_append!("room"),
    ", owner IS NOT DISTINCT FROM $2 FROM rookery.rooms AS room WHERE code = ANY($1)"
);

/// The parameters of a batch, as columns.
#[derive(Default)]
pub(super) struct Columns<'a> {
    codes: Vec<&'a str>,
    after: Vec<i64>,
    epochs: Vec<i64>,
    added: Vec<i64>,
    checkpoints: Vec<i64>,
    opened_ms: Vec<i64>,
    follows: Vec<i64>,
    appends: Vec<i64>,
    places: Vec<i64>,
    numbers: Vec<i64>,
    entries: Vec<&'a [u8]>,
}

impl<'a> Columns<'a> {
    /// Creates the columns from appends that have entries and are all for different rooms.
    pub(super) fn of(appends: impl Iterator<Item = &'a Append>) -> Columns<'a> {
        let mut columns = Columns::default();
        for append in appends {
            let (after, added) = (append.after.entries, append.lines.entries.len() as u64);
            columns.codes.push(&append.room);
            columns.after.push(count(after));
            columns.epochs.push(count(append.after.epoch));
            columns.added.push(count(added));
            columns.checkpoints.push(if append.lines.checkpoint { count(after + added) } else { 0 });
            columns.opened_ms.push(count(append.running_ms));
            columns.follows.push(count(append.after.append));
            columns.appends.push(count(random()));
            // PostgreSQL counts from 1.
            let place = columns.codes.len() as i64;
            for (n, entry) in (1..).zip(&append.lines.entries) {
                columns.places.push(place);
                columns.numbers.push(n);
                columns.entries.push(entry.as_bytes());
            }
        }
        columns
    }

    /// Returns the parameters of the statement, starting with this server's own number.
    pub(super) fn parameters<'b>(&'b self, node: &'b i64) -> [&'b (dyn ToSql + Sync); 12] {
        [
            node,
            &self.codes,
            &self.after,
            &self.epochs,
            &self.added,
            &self.checkpoints,
            &self.opened_ms,
            &self.follows,
            &self.appends,
            &self.places,
            &self.numbers,
            &self.entries,
        ]
    }
}

/// Returns the index of an accepted append, counted from 0, and the new end of its room.
pub(super) fn accepted(row: &Row) -> Result<(usize, Cursor), tokio_postgres::Error> {
    let place: i64 = row.try_get(0)?;
    let (epoch, entries) = (number(row.try_get(1)?), number(row.try_get(2)?));
    Ok((place as usize - 1, Cursor { entries, epoch, append: number(row.try_get(3)?) }))
}

/// The end of a room, as read by [`ENDS`].
pub(super) struct RoomEnd {
    pub(super) code: String,
    cursor: Cursor,
    ours: bool,
}

impl RoomEnd {
    pub(super) fn of(row: &Row) -> Result<RoomEnd, tokio_postgres::Error> {
        let (entries, epoch) = (number(row.try_get(1)?), number(row.try_get(2)?));
        let cursor = Cursor { entries, epoch, append: number(row.try_get(3)?) };
        Ok(RoomEnd { code: row.try_get(0)?, cursor, ours: row.try_get(4)? })
    }
}

impl Append {
    /// Returns the result of an append that was refused or empty. `end` is the room's current end, or `None` if the
    /// room does not exist.
    pub(super) fn compared(&self, end: Option<&RoomEnd>) -> Result<Cursor, AppendError> {
        let after = self.after;
        match end {
            Some(end) if after != Cursor::START && end.cursor.is_behind(after) => {
                Err(AppendError::Conflict { after, actual: end.cursor })
            }
            Some(end) if after != Cursor::START && (!end.ours || end.cursor.epoch != after.epoch) => {
                Err(AppendError::Fenced)
            }
            Some(end) if end.cursor != after => Err(AppendError::Conflict { after, actual: end.cursor }),
            // The append was empty, or the conflicting writer is already gone.
            Some(_) | None if after == end.map_or(Cursor::START, |end| end.cursor) => {
                if self.lines.entries.is_empty() {
                    Ok(after)
                } else {
                    Err(AppendError::Conflict { after, actual: after })
                }
            }
            _ => Err(AppendError::Conflict { after, actual: Cursor::START }),
        }
    }
}

/// Converts to PostgreSQL's signed integers, saturating at the maximum.
pub(super) fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts from PostgreSQL's signed integers. Our numbers are never negative.
pub(super) fn number(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
