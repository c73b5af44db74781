//! Notes: the slots of a room's ring buffer, each a row that is written over.
//!
//! It knows nothing of who may write them.

use rusqlite::{Connection, params};

/// Writes over what is in a slot, in the transaction under way.
pub(super) fn write(connection: &Connection, room: &str, slot: u8, note: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO notes (room, slot, note) VALUES (?1, ?2, ?3)
             ON CONFLICT (room, slot) DO UPDATE SET note = excluded.note",
        )?
        .execute(params![room, slot, note])?;
    Ok(())
}

/// What lies in the slots of a room.
pub(super) fn read(connection: &Connection, room: &str) -> rusqlite::Result<Vec<String>> {
    Ok(read_slots(connection, room)?.into_iter().map(|(_, note)| note).collect())
}

/// The same, with the slots.
pub(super) fn read_slots(connection: &Connection, room: &str) -> rusqlite::Result<Vec<(u8, String)>> {
    let mut select =
        connection.prepare_cached("SELECT slot, note FROM notes WHERE room = ?1 ORDER BY slot")?;
    let notes = select.query_map([room], |row| Ok((row.get(0)?, row.get(1)?)))?;
    notes.collect()
}
