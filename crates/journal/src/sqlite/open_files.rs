//! Checks whether the open files are still the ones at their paths. An operating system lets a program continue to
//! write to a deleted file, and it would acknowledge data that is lost.
//!
//! It only inspects metadata and not the contents of the files.

use crate::JournalError;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Device and inode, which identify a file independent of its path. `None` on Windows, which does not allow an open file
/// to be deleted or replaced.
type Identity = Option<(u64, u64)>;

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {
    None
}

#[derive(Debug)]
struct Known {
    path: PathBuf,
    identity: Identity,
}

impl Known {
    fn now(path: &Path) -> io::Result<Known> {
        Ok(Known { identity: identity(&fs::metadata(path)?), path: path.to_owned() })
    }

    fn is_there(&self, may_be_empty: bool) -> Result<(), JournalError> {
        let name = || self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let gone = |how| Err(JournalError::Gone { file: name(), how });
        match fs::metadata(&self.path) {
            Ok(found) if identity(&found) != self.identity => gone("replaced"),
            Ok(found) if !may_be_empty && found.len() == 0 => gone("emptied"),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => gone("deleted"),
            Err(error) => Err(JournalError::Storage(error.to_string())),
        }
    }
}

/// The files of an open journal.
#[derive(Debug)]
pub(super) struct OpenFiles {
    database: Known,
    /// The write-ahead log, on file systems that support one. SQLite keeps the same file as long as any connection is
    /// open.
    log: Option<Known>,
    lock: Known,
}

impl OpenFiles {
    /// Records the identities of the files, which have just been opened.
    pub(super) fn now(database: &Path, lock: &Path) -> io::Result<OpenFiles> {
        let log = Known::now(&log_of(database)).ok();
        Ok(OpenFiles { database: Known::now(database)?, log, lock: Known::now(lock)? })
    }

    /// Fails if data written now would be lost.
    pub(super) fn check(&self) -> Result<(), JournalError> {
        self.check_database()?;
        self.check_log()
    }

    pub(super) fn check_database(&self) -> Result<(), JournalError> {
        self.database.is_there(false)
    }

    pub(super) fn check_log(&self) -> Result<(), JournalError> {
        // The write-ahead log may be truncated to nothing whenever all of it is in the database.
        self.log.iter().try_for_each(|log| log.is_there(true))
    }

    /// Fails if another server could lock the folder. The data is safe even then, because every append is a
    /// compare-and-set.
    pub(super) fn check_lock(&self) -> Result<(), JournalError> {
        self.lock.is_there(true)
    }
}

/// Returns the path of a database's write-ahead log.
pub(super) fn log_of(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}
