//! `rookery backup`: a copy of the journal while the server plays on. How it is copied, the journal knows.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use uuid::Uuid;

/// Copies the journal in a folder into a new file, or for "-" to standard output; the answer says in one sentence what was done.
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

/// For containers without a shell or another folder to write to: what comes out is sent to a file outside.
fn to_stdout(folder: &Path) -> Result<String, String> {
    let mut stdout = io::stdout().lock();
    if stdout.is_terminal() {
        return Err("a copy is no text to look at; send it to a file: rookery backup - > FILE".to_owned());
    }
    // The copy has to be a file first. Beside the journal there is a disk that can be written.
    let file = folder.join(format!("backup-{}.part", Uuid::new_v4()));
    let rooms = journal::sqlite::copy(folder, &file).map_err(|error| error.to_string())?;
    let sent = File::open(&file).and_then(|mut copy| {
        io::copy(&mut copy, &mut stdout)?;
        stdout.flush()
    });
    let _ = fs::remove_file(&file);
    sent.map_err(|error| format!("the copy could not be sent: {error}; it is not whole"))?;
    Ok(format!("copied {}", counted(rooms)))
}

fn counted(rooms: u64) -> String {
    if rooms == 1 { "1 room".to_owned() } else { format!("{rooms} rooms") }
}
