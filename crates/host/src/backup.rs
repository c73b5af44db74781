//! `rookery backup`: copies the journal while the server is running. The copying itself is done by the journal crate.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use uuid::Uuid;

/// Copies a folder's journal into a new file, or to standard output for "-". Returns one sentence that says what was
/// done.
///
/// # Errors
/// One sentence that says what to do.
pub fn backup(folder: &Path, file: &Path) -> Result<String, String> {
    if file == Path::new("-") {
        return to_stdout(folder);
    }
    let rooms = journal::sqlite::copy(folder, file).map_err(|error| error.to_string())?;
    Ok(format!("copied {} to {}", counted(rooms), file.display()))
}

/// For containers without a shell or another writable folder: the output is redirected to a file outside.
fn to_stdout(folder: &Path) -> Result<String, String> {
    let mut stdout = io::stdout().lock();
    if stdout.is_terminal() {
        return Err("refusing to write a binary file to the terminal; redirect it: rookery backup - > FILE".to_owned());
    }
    // SQLite needs a file for the copy, and the journal's own folder is known to be writable.
    let file = folder.join(format!("backup-{}.part", Uuid::new_v4()));
    let rooms = journal::sqlite::copy(folder, &file).map_err(|error| error.to_string())?;
    let sent = File::open(&file).and_then(|mut copy| {
        io::copy(&mut copy, &mut stdout)?;
        stdout.flush()
    });
    let _ = fs::remove_file(&file);
    sent.map_err(|error| format!("cannot write the copy: {error}; the output is incomplete"))?;
    Ok(format!("copied {}", counted(rooms)))
}

fn counted(rooms: u64) -> String {
    if rooms == 1 { "1 room".to_owned() } else { format!("{rooms} rooms") }
}
