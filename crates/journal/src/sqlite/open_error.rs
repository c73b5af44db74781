//! Why the journal's file cannot be used: messages for the host, and SQLite's errors as those of a journal.

use crate::JournalError;
use rusqlite::ErrorCode;
use std::io;
use std::path::PathBuf;

/// Why a journal could not be opened, with a message that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another server has it open.
    #[error("another Rookery is using {}; stop it, or give this one a folder of its own", folder.display())]
    InUse {
        /// The folder used by both.
        folder: PathBuf,
    },
    /// A later version has changed the file's format.
    #[error(
        "{} was made by a newer Rookery (format {found}, this one knows {known}); update this one",
        file.display()
    )]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its format.
        found: i32,
        /// The newest format this version knows.
        known: i32,
    },
    /// The file is not a journal of ours. It was left unchanged.
    #[error("{} is not a Rookery journal; move it elsewhere, or choose another folder", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// The file has lost its earlier contents. It was left unchanged.
    #[error(
        "{} has lost its contents; restore a backup into an empty folder, or move this file and those beside it \
         away to start over",
        file.display()
    )]
    Lost {
        /// The file.
        file: PathBuf,
    },
    /// The file is corrupt.
    #[error("{} is damaged ({reason}); restore a backup into an empty folder", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// SQLite's message.
        reason: String,
    },
    /// The folder or a file in it cannot be created or opened.
    #[error("cannot use {}: {source}; check that the folder can be written", path.display())]
    Files {
        /// The folder or file.
        path: PathBuf,
        /// The operating system's message.
        source: io::Error,
    },
    /// SQLite cannot open the file.
    #[error("cannot open the journal {}: {reason}; check the disk, its space and its permissions", file.display())]
    Database {
        /// The file.
        file: PathBuf,
        /// SQLite's message.
        reason: String,
    },
}

impl From<rusqlite::Error> for JournalError {
    fn from(error: rusqlite::Error) -> JournalError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => JournalError::Corrupt(error.to_string()),
            _ => JournalError::Storage(error.to_string()),
        }
    }
}
