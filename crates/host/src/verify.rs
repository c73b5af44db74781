//! `rookery verify`: verifies the record of a finished game without a server, or all records of a file with one per
//! line. The verification itself is done by the room crate.

use protocol::{Origin, Record};
use room::Doubt;
use std::fmt::Write;
use std::path::Path;

/// Verifies the record or records in a file. Returns one sentence for each.
///
/// # Errors
/// One sentence that says what is not valid, or why the file cannot be read.
pub fn verify(file: &Path) -> Result<String, String> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read {name}: {error}"))?;
    let records: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    // A single record may itself span several lines.
    if records.len() < 2 || serde_json::from_str::<serde_json::Value>(&text).is_ok() {
        return holds(&name, &text);
    }
    let said: Result<Vec<String>, String> =
        (1..).zip(records).map(|(line, record)| holds(&format!("{name}, line {line},"), record)).collect();
    Ok(said?.join("\n"))
}

fn holds(name: &str, text: &str) -> Result<String, String> {
    let doubted = |doubt: Doubt| format!("{name} is not valid: {doubt}");
    let record = room::read_record(text).map_err(doubted)?;
    room::verify(&record).map_err(doubted)?;
    let acts = record.acts.len();
    let mut said = format!("{name} is valid: the commitment, the deals, all {acts} acts and the outcome");
    if let Some(origin) = &record.origin {
        write!(said, "; {}", came_from(origin)).expect("writing to a string never fails");
    }
    Ok(said)
}

/// Describes the earlier game that a game started from.
fn came_from(Origin { moment, record: Record { players, acts, .. } }: &Origin) -> String {
    let (players, all) = (players.join(", "), acts.len());
    match moment {
        Some(moment) => format!(
            "it continues after {moment} of the {all} acts of an earlier game of {players}, which is valid too; \
             what was hidden then was dealt again"
        ),
        None => format!("its deal was already known from an earlier game of {players}, which is valid too"),
    }
}
