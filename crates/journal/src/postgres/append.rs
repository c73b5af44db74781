//! The statement that appends, for many rooms at once, and what it answers.
//!
//! One statement is one transaction: for each room it moves `head` only where owner, epoch and head are what the writer
//! believes, and inserts the entries of those rooms and no others.
//!
//! Each append has a random number, and names the number of the append before it. So an append that follows another history of
//! the room, of the same length, is refused. After an append by a server of an earlier version, which draws no number, the number
//! is 0: owner, epoch and head are compared alone, as that version does.

use super::history::random;
use crate::{AppendError, Cursor, Lines};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// What may be appended to one room in a batch.
pub(super) struct Append {
    pub(super) room: String,
    pub(super) after: Cursor,
    pub(super) lines: Lines,
    pub(super) running_ms: u64,
}

/// The number of a room's last append; 0 if a server of an earlier version has appended since.
macro_rules! last_append {
    ($room:literal) => {
        concat!(
            "CASE ",
            $room,
            ".last_append_head WHEN ",
            $room,
            ".head THEN ",
            $room,
            ".last_append ELSE 0 END"
        )
    };
}
pub(super) use last_append;

/// The compare-and-set with the fencing token. A row comes back for each room that was written.
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

/// As it should be.
pub(super) const FENCED: &str = statement!(
    "room.owner = $1 AND room.epoch = asked.epoch AND room.head = asked.after
                    AND CASE room.last_append_head WHEN room.head THEN room.last_append ELSE 0 END = asked.follows",
    ""
);

/// For the control run of the fault tests alone: whoever has a room in memory may write it, whatever others did meanwhile.
pub(super) const UNFENCED: &str = statement!("($1::bigint IS NOT NULL)", "");

/// The same for a note, of one room: it moves nothing.
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

/// Where rooms end that an append was not accepted for.
pub(super) const ENDS: &str = concat!(
    "SELECT code, head, epoch, ",
    last_append!("room"),
    ", owner IS NOT DISTINCT FROM $2 FROM rookery.rooms AS room WHERE code = ANY($1)"
);

/// The columns of a batch.
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
    /// Of appends that have entries, and of which no two are for one room.
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
            // As PostgreSQL counts them.
            let place = columns.codes.len() as i64;
            for (n, entry) in (1..).zip(&append.lines.entries) {
                columns.places.push(place);
                columns.numbers.push(n);
                columns.entries.push(entry.as_bytes());
            }
        }
        columns
    }

    /// The parameters of the statement, the server's own number first.
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

/// Which of the appends was accepted, counted from 0, and where its room ends now.
pub(super) fn accepted(row: &Row) -> Result<(usize, Cursor), tokio_postgres::Error> {
    let place: i64 = row.try_get(0)?;
    let (epoch, entries) = (number(row.try_get(1)?), number(row.try_get(2)?));
    Ok((place as usize - 1, Cursor { entries, epoch, append: number(row.try_get(3)?) }))
}

/// Where a room ends, as [`ENDS`] tells it.
pub(super) struct End {
    pub(super) code: String,
    cursor: Cursor,
    ours: bool,
}

impl End {
    pub(super) fn of(row: &Row) -> Result<End, tokio_postgres::Error> {
        let (entries, epoch) = (number(row.try_get(1)?), number(row.try_get(2)?));
        let cursor = Cursor { entries, epoch, append: number(row.try_get(3)?) };
        Ok(End { code: row.try_get(0)?, cursor, ours: row.try_get(4)? })
    }
}

impl Append {
    /// Result of an append that was refused or empty. `end` is the room's current end, or `None` if the room does not exist.
    pub(super) fn compared(&self, end: Option<&End>) -> Result<Cursor, AppendError> {
        let after = self.after;
        match end {
            Some(end) if after != Cursor::START && end.cursor.is_behind(after) => {
                Err(AppendError::Conflict { after, actual: end.cursor })
            }
            Some(end) if after != Cursor::START && (!end.ours || end.cursor.epoch != after.epoch) => {
                Err(AppendError::Fenced)
            }
            Some(end) if end.cursor != after => Err(AppendError::Conflict { after, actual: end.cursor }),
            // Nothing was asked for; or whoever was in the way when it was refused is gone.
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

/// PostgreSQL's numbers have a sign; the end of time is the same for both.
pub(super) fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The other way; no number of ours is below zero.
pub(super) fn number(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
