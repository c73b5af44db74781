//! Runs: many entries of one room in one row, stored as a checksum followed by each entry with its length.
//!
//! Rows of this table are packed tightly whatever their size, and a room is read in a few large pieces.

use crate::JournalError;
use rusqlite::{Connection, OptionalExtension, params};

/// Approximate maximum size of a run in bytes. Opening a room from a checkpoint reads a whole run, and no step of the
/// background work takes longer than one run.
pub(super) const MOST_BYTES: usize = 64 << 10;

/// A last run smaller than this is rewritten together with what follows it, because small rows waste pages and slow
/// down reading. Larger runs are never rewritten, which limits write amplification.
const MERGED_BELOW: usize = 16 << 10;

/// Size of the length before each entry.
const LENGTH: usize = size_of::<u32>();
/// Size of the checksum before all entries. It detects a page that lost its contents but is still linked in the
/// database.
const CHECKSUM: usize = size_of::<u32>();

/// Returns the size of an entry in a run in bytes.
pub(super) fn size_of_entry(entry: &str) -> usize {
    LENGTH + entry.len()
}

/// The last run of a room.
struct Last {
    id: i64,
    first: u64,
    count: u64,
    bytes: usize,
}

/// Returns the number of the last entry in runs, or 0 if there is none.
pub(super) fn end(connection: &Connection, room: &str) -> rusqlite::Result<u64> {
    Ok(last(connection, room)?.map_or(0, |last| last.first + last.count - 1))
}

/// Returns the number of the last entry in runs and checks that the last run is readable. An append after an unreadable
/// one would acknowledge entries that can never be opened.
pub(super) fn end_that_can_be_read(connection: &Connection, room: &str) -> Result<u64, JournalError> {
    let Some(last) = last(connection, room)? else { return Ok(0) };
    contents(connection, last.id, room, |_| ())?;
    Ok(last.first + last.count - 1)
}

fn last(connection: &Connection, room: &str) -> rusqlite::Result<Option<Last>> {
    connection
        .prepare_cached(
            "SELECT id, first, count, octet_length(entries) FROM runs WHERE room = ?1 ORDER BY first DESC LIMIT 1",
        )?
        .query_row([room], |row| {
            Ok(Last { id: row.get(0)?, first: row.get(1)?, count: row.get(2)?, bytes: row.get(3)? })
        })
        .optional()
}

/// Passes the framed entries of a run to `take`.
fn contents<T>(connection: &Connection, id: i64, room: &str, take: impl FnOnce(&[u8]) -> T) -> Result<T, JournalError> {
    let mut select = connection.prepare_cached("SELECT entries FROM runs WHERE id = ?1")?;
    let mut rows = select.query([id])?;
    let row = rows.next()?.ok_or_else(|| damaged(room))?;
    let run = row.get_ref(0)?.as_blob().map_err(|_| damaged(room))?;
    Ok(take(checked(run).ok_or_else(|| damaged(room))?))
}

/// Writes these entries into one run. The first has the number `first`.
pub(super) fn insert(
    connection: &Connection,
    room: &str,
    first: u64,
    entries: &[impl AsRef<str>],
) -> rusqlite::Result<()> {
    insert_framed(connection, room, first, entries.len() as u64, &framed(&[], entries))
}

/// Appends entries to a room's runs. A small last run is rewritten together with them.
pub(super) fn append(
    connection: &Connection,
    room: &str,
    first: u64,
    entries: &[impl AsRef<str>],
) -> Result<(), JournalError> {
    if let Some(last) = last(connection, room)?
        && last.bytes < MERGED_BELOW
        && last.first + last.count == first
    {
        // An unreadable run is not rewritten, and the new entries go into their own run.
        match contents(connection, last.id, room, |run| framed(run, entries)) {
            Ok(run) => {
                connection.prepare_cached("DELETE FROM runs WHERE id = ?1")?.execute([last.id])?;
                let count = last.count + entries.len() as u64;
                return Ok(insert_framed(connection, room, last.first, count, &run)?);
            }
            Err(error) if error.is_damage() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(insert(connection, room, first, entries)?)
}

fn insert_framed(connection: &Connection, room: &str, first: u64, count: u64, run: &[u8]) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO runs (room, first, count, entries) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![room, first, count, run])?;
    Ok(())
}

/// Passes every run of a room with an entry of this number or a later one to `take`, with the number of its first
/// entry.
pub(super) fn read(
    connection: &Connection,
    room: &str,
    from: u64,
    mut take: impl FnMut(u64, Vec<String>),
) -> Result<(), JournalError> {
    let mut select = connection.prepare_cached(
        "SELECT first, count, entries FROM runs WHERE room = ?1 AND first + count > ?2 AND first >=
             coalesce((SELECT max(first) FROM runs WHERE room = ?1 AND first <= ?2), 0)
         ORDER BY first",
    )?;
    let mut rows = select.query(params![room, from])?;
    while let Some(row) = rows.next()? {
        let run = row.get_ref(2)?.as_blob().map_err(|_| damaged(room))?;
        let entries = checked(run).and_then(taken_apart).ok_or_else(|| damaged(room))?;
        if entries.len() as u64 != row.get::<_, u64>(1)? {
            return Err(damaged(room));
        }
        take(row.get(0)?, entries);
    }
    Ok(())
}

fn damaged(room: &str) -> JournalError {
    JournalError::Corrupt(format!("entries of room {room} were changed on the disk"))
}

/// Builds a run from the contents of another run and these entries.
fn framed(before: &[u8], entries: &[impl AsRef<str>]) -> Vec<u8> {
    let bytes = entries.iter().map(|entry| size_of_entry(entry.as_ref())).sum::<usize>();
    let mut run = Vec::with_capacity(CHECKSUM + before.len() + bytes);
    run.extend([0; CHECKSUM]);
    run.extend(before);
    for entry in entries.iter().map(AsRef::as_ref) {
        // SQLite accepts no text of 4 GiB, so the length always fits.
        run.extend((entry.len() as u32).to_le_bytes());
        run.extend(entry.as_bytes());
    }
    let checksum = crc32fast::hash(&run[CHECKSUM..]);
    run[..CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    run
}

/// Returns the data after the checksum, if the checksum matches.
fn checked(run: &[u8]) -> Option<&[u8]> {
    let (checksum, rest) = run.split_first_chunk()?;
    (crc32fast::hash(rest) == u32::from_le_bytes(*checksum)).then_some(rest)
}

fn taken_apart(mut rest: &[u8]) -> Option<Vec<String>> {
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let (length, behind) = rest.split_first_chunk()?;
        let (entry, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        entries.push(std::str::from_utf8(entry).ok()?.to_owned());
        rest = behind;
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_round_trips_and_detects_corruption() {
        let entries = ["", "a", "b\nc\0d", "日本語", ""].map(str::to_owned);
        let (before, after) = entries.split_at(2);
        let run = framed(checked(&framed(&[], before)).unwrap(), after);
        assert_eq!(taken_apart(checked(&run).unwrap()).unwrap(), entries);

        for at in 0..run.len() {
            let mut other = run.clone();
            other[at] ^= 1;
            assert_eq!(checked(&other), None, "byte {at} changed");
            assert_eq!(checked(&run[..at]), None, "truncated at {at}");
        }
    }
}
