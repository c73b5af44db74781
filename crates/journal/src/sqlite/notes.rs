//! Notes: the slots of a room's ring buffer, each a row that is overwritten.
//!
//! Whether a caller may write them is checked elsewhere.

use rusqlite::{Connection, params};

/// Overwrites a slot, in the current transaction.
pub(super) fn write(connection: &Connection, room: &str, slot: u8, note: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO notes (room, slot, note) VALUES (?1, ?2, ?3)
             ON CONFLICT (room, slot) DO UPDATE SET note = excluded.note",
        )?
        .execute(params![room, slot, note])?;
    Ok(())
}

/// Returns the notes of a room.
pub(super) fn read(connection: &Connection, room: &str) -> rusqlite::Result<Vec<String>> {
    Ok(read_slots(connection, room)?.into_iter().map(|(_, note)| note).collect())
}

/// Returns the notes of a room with their slots.
pub(super) fn read_slots(connection: &Connection, room: &str) -> rusqlite::Result<Vec<(u8, String)>> {
    let mut select = connection.prepare_cached("SELECT slot, note FROM notes WHERE room = ?1 ORDER BY slot")?;
    let notes = select.query_map([room], |row| Ok((row.get(0)?, row.get(1)?)))?;
    notes.collect()
}
