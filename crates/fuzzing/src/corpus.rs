//! The kept corpus: cases that reach something, each a file. cargo-fuzz reads and adds to the same folders.

use std::path::{Path, PathBuf};
use std::{fs, io};

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target)
}

/// The cases kept for a target, in the order of their names.
pub fn corpus(target: &str) -> io::Result<Vec<Vec<u8>>> {
    let folder = folder(target);
    let mut files: Vec<PathBuf> =
        fs::read_dir(&folder)?.map(|file| file.map(|file| file.path())).collect::<io::Result<_>>()?;
    // The order decides which mutations follow, and folders have none of their own.
    files.sort();
    files.iter().map(fs::read).collect()
}
