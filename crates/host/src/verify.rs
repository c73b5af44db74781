//! `rookery verify`: checks the record of a finished game, without a server. What a record must hold, `room` knows.

use room::Doubt;
use std::path::Path;

/// Checks the record in a file; the answer says in one sentence what holds.
///
/// # Errors
/// One sentence that says what does not hold, or why the file cannot be read.
pub fn verify(file: &Path) -> Result<String, String> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{name} cannot be read: {error}"))?;
    let doubted = |doubt: Doubt| format!("{name} does not hold: {doubt}");
    let record = room::read_record(&text).map_err(doubted)?;
    room::verify(&record).map_err(doubted)?;
    let acts = record.acts.len();
    Ok(format!("{name} holds: the commitment, the deals, all {acts} acts and the outcome"))
}
