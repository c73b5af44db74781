//! Locates PostgreSQL's programs.

use std::path::PathBuf;
use std::{env, fs};

/// Error message if the programs are missing.
pub const MISSING: &str = "the tests start their own PostgreSQL: install it (Debian and Ubuntu: `apt-get install \
                           postgresql`), or name the folder of initdb and postgres in the environment variable \
                           POSTGRES_BIN";

/// Returns the folder that contains `initdb` and `postgres`: the one named by `POSTGRES_BIN`, the newest version of
/// Debian's folders, or one on the PATH.
pub fn folder_of_programs() -> Option<PathBuf> {
    if let Some(named) = env::var_os("POSTGRES_BIN") {
        return Some(named.into());
    }
    let mut debian: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|version| Some((version.file_name().to_str()?.parse().ok()?, version.path().join("bin"))))
        .collect();
    debian.sort();
    let debian = debian.into_iter().rev().map(|(_, folder)| folder);
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders = debian.chain(env::split_paths(&path));
    folders.find(|folder| ["initdb", "postgres", "psql"].iter().all(|name| folder.join(name).is_file()))
}
