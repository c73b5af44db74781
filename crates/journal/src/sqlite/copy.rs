//! Copies the journal to another file while a server is writing.
//!
//! No cooperation of the server is needed, because SQLite gives a reader a consistent snapshot.

use super::folder::private_file_with;
use super::schema::{self, FileKind};
use super::{DATABASE, Settings};
use rusqlite::Connection;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Why no copy was made, with a message that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The folder has no journal.
    #[error("there is no journal {}; name the server's data folder with --data", file.display())]
    Missing {
        /// The file that was looked for.
        file: PathBuf,
    },
    /// The file is not a journal of ours.
    #[error("{} is not a Rookery journal; name the server's data folder with --data", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// The target file already exists.
    #[error("{} already exists and was left unchanged; choose another name", file.display())]
    Exists {
        /// The file.
        file: PathBuf,
    },
    /// The target file cannot be created.
    #[error("cannot write {}: {source}; check that its folder exists and is writable", file.display())]
    Files {
        /// The file.
        file: PathBuf,
        /// The operating system's message.
        source: io::Error,
    },
    /// SQLite cannot read the journal or write the copy.
    #[error("cannot copy {}: {reason}; check the disks, their space and permissions", file.display())]
    Database {
        /// The journal.
        file: PathBuf,
        /// SQLite's message.
        reason: String,
    },
}

/// Copies a snapshot of a folder's journal into a new file, whether or not a server has it open. Returns the number of
/// rooms. Placed in an empty folder as `rookery.db`, the copy is a regular journal.
///
/// # Errors
/// See [`CopyError`]. No file is left behind.
pub fn copy(folder: &Path, to: &Path) -> Result<u64, CopyError> {
    let file = folder.join(DATABASE);
    if !file.is_file() {
        return Err(CopyError::Missing { file });
    }
    let failed = |reason: String| CopyError::Database { file: file.clone(), reason };
    let journal = schema::open_reader(&file, &Settings::default()).map_err(|error| failed(error.to_string()))?;
    if !matches!(schema::kind(&journal), Ok(FileKind::Ours(_))) {
        return Err(CopyError::Foreign { file });
    }

    // The file is created here and not by SQLite: it must be new, and readable by its owner only, because it contains
    // seeds of running games.
    let made = private_file_with(OpenOptions::new().write(true).create_new(true), to);
    let made = made.map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => CopyError::Exists { file: to.to_owned() },
        _ => CopyError::Files { file: to.to_owned(), source },
    })?;
    let copied = fill(&journal, to).map_err(failed).and_then(|rooms| {
        // A backup must survive a power failure.
        made.sync_all().map_err(|source| CopyError::Files { file: to.to_owned(), source })?;
        Ok(rooms)
    });
    if copied.is_err() {
        // A partial copy could later be mistaken for a complete one.
        let _ = fs::remove_file(to);
    }
    copied
}

fn fill(journal: &Connection, to: &Path) -> Result<u64, String> {
    let copied = || -> rusqlite::Result<(String, u64)> {
        // One statement is one snapshot, so concurrent appends are not visible.
        journal.execute("VACUUM INTO ?1", [to.to_string_lossy()])?;
        let copy = schema::open_reader(to, &Settings::default())?;
        let verdict = copy.pragma_query_value(None, "quick_check", |row| row.get(0))?;
        Ok((verdict, copy.query_row("SELECT count(*) FROM rooms", [], |row| row.get(0))?))
    };
    match copied().map_err(|error| error.to_string())? {
        (verdict, rooms) if verdict == "ok" => Ok(rooms),
        (verdict, _) => Err(verdict),
    }
}
