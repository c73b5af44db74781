//! Creates the folder and its files, and keeps a second server out.

use super::{LOCK, OpenError, open_files, schema};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// Locks the folder. Cursors protect the data from a second server (each append is a compare-and-set), but its players
/// would experience repeated interruptions.
pub(super) fn lock(folder: &Path) -> Result<File, OpenError> {
    let path = folder.join(LOCK);
    let locked = private_file(&path).map_err(TryLockError::Error).and_then(|file| {
        file.try_lock()?;
        Ok(file)
    });
    locked.map_err(|error| match error {
        TryLockError::WouldBlock => OpenError::InUse { folder: folder.to_owned() },
        TryLockError::Error(source) => OpenError::Files { path, source },
    })
}

/// Creates the folder, accessible by our user only, because the journal contains token hashes and the seeds of running
/// games.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    // SQLite syncs the folder it creates files in, but not the parent of our new folder.
    #[cfg(unix)]
    if let Some(parent) = std::fs::canonicalize(folder)?.parent() {
        File::open(parent)?.sync_all()?;
    }
    Ok(())
}

/// Creates a new database under a temporary name and renames it when it is complete. Our database is therefore never
/// empty, even after a power failure. An empty one has lost its contents, and starting over would hide that.
pub(super) fn make_file(file: &Path) -> Result<(), OpenError> {
    let failed = |source| OpenError::Files { path: file.to_owned(), source };
    let lost = || OpenError::Lost { file: file.to_owned() };
    match fs::metadata(file) {
        Ok(found) if found.len() == 0 => return Err(lost()),
        Ok(_) => return Ok(()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        Err(_) => {}
    }
    // SQLite would apply an old write-ahead log to the new database.
    if fs::metadata(open_files::log_of(file)).is_ok_and(|log| log.len() > 0) {
        return Err(lost());
    }
    let unfinished = file.with_extension("new");
    for leftover in [unfinished.clone(), file.with_extension("new-journal")] {
        match fs::remove_file(leftover) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
    }
    private_file(&unfinished).map_err(failed)?;
    schema::fill(&unfinished)?;
    fs::rename(&unfinished, file).map_err(failed)?;
    #[cfg(unix)]
    if let Some(folder) = file.parent() {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    }
    Ok(())
}

/// Warns if other users of this machine can read the database or replace its files. Permissions chosen by the host are
/// not changed.
#[cfg(unix)]
pub(super) fn warn_of_wide_permissions(folder: &Path, file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let allows =
        |path: &Path, bits: u32| fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & bits != 0);
    if allows(file, 0o077) {
        let file = file.display();
        tracing::warn!(
            "{file} can be read by other users of this machine, with all hidden cards; run chmod 600 {file}"
        );
    }
    if allows(folder, 0o022) {
        let folder = folder.display();
        tracing::warn!("{folder} can be written by other users of this machine; run chmod 700 {folder}");
    }
}

#[cfg(not(unix))]
pub(super) fn warn_of_wide_permissions(_: &Path, _: &Path) {}

pub(super) fn private_file(path: &Path) -> io::Result<File> {
    private_file_with(OpenOptions::new().read(true).write(true).create(true).truncate(false), path)
}

pub(super) fn private_file_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path)
}
