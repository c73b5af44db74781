//! The stored corpus: interesting inputs, one per file. cargo-fuzz reads and extends the same folders.

use std::path::{Path, PathBuf};
use std::{fs, io};

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target)
}

/// Returns the inputs stored for a target, in the order of their file names.
pub fn corpus(target: &str) -> io::Result<Vec<Vec<u8>>> {
    let folder = folder(target);
    let mut files: Vec<PathBuf> =
        fs::read_dir(&folder)?.map(|file| file.map(|file| file.path())).collect::<io::Result<_>>()?;
    // The order determines the mutations, and the order of a directory listing is undefined.
    files.sort();
    files.iter().map(fs::read).collect()
}
