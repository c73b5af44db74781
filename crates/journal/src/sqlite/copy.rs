//! A copy of the journal in a file of its own, made while a server writes on.
//!
//! It knows nothing of the server: SQLite itself shows a reader the journal as it was at one moment.

use super::folder::private_file_with;
use super::schema::{self, FileKind};
use super::{DATABASE, Settings};
use rusqlite::Connection;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Why no copy was made; each says in a sentence what to do.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The folder has no journal.
    #[error("there is no journal {}; name the server's data folder with --data", file.display())]
    Missing {
        /// Where it was looked for.
        file: PathBuf,
    },
    /// The file belongs to something else.
    #[error("{} is not a Rookery journal; name the server's data folder with --data", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// There is such a file already.
    #[error("{} is there already and was left as it is; choose another name", file.display())]
    Exists {
        /// The file.
        file: PathBuf,
    },
    /// The copy's file cannot be made.
    #[error("cannot write {}: {source}; check that its folder exists and can be written", file.display())]
    Files {
        /// The file.
        file: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// SQLite cannot read the journal or write the copy.
    #[error("cannot copy {}: {reason}; check the disks, their space and permissions", file.display())]
    Database {
        /// The journal.
        file: PathBuf,
        /// What SQLite says.
        reason: String,
    },
}

/// Copies the journal of a folder into a new file, as it is at one moment, whether or not a server has it open.
/// Answers how many rooms the copy holds. Put into an empty folder as `rookery.db` it is a journal like any other.
///
/// # Errors
/// See [`CopyError`]; no file is left behind.
pub fn copy(folder: &Path, to: &Path) -> Result<u64, CopyError> {
    let file = folder.join(DATABASE);
    if !file.is_file() {
        return Err(CopyError::Missing { file });
    }
    let failed = |reason: String| CopyError::Database { file: file.clone(), reason };
    let journal =
        schema::open_reader(&file, &Settings::default()).map_err(|error| failed(error.to_string()))?;
    if !matches!(schema::kind(&journal), Ok(FileKind::Ours(_))) {
        return Err(CopyError::Foreign { file });
    }

    // Made here and not by SQLite: it must be new, and only its owner's, for seeds of running games are in it.
    let made = private_file_with(OpenOptions::new().write(true).create_new(true), to);
    let made = made.map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => CopyError::Exists { file: to.to_owned() },
        _ => CopyError::Files { file: to.to_owned(), source },
    })?;
    let copied = fill(&journal, to).map_err(failed).and_then(|rooms| {
        // A backup is for the day the power fails.
        made.sync_all().map_err(|source| CopyError::Files { file: to.to_owned(), source })?;
        Ok(rooms)
    });
    if copied.is_err() {
        // What is half a copy would one day be taken for a whole one.
        let _ = fs::remove_file(to);
    }
    copied
}

fn fill(journal: &Connection, to: &Path) -> Result<u64, String> {
    let copied = || -> rusqlite::Result<(String, u64)> {
        // One statement is one read: appends go on meanwhile and are not seen.
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
