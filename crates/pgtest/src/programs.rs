//! Where PostgreSQL's programs are.

use std::path::PathBuf;
use std::{env, fs};

/// What people read who do not have them.
pub const MISSING: &str = "the tests start a PostgreSQL of their own: install it (Debian and Ubuntu: `apt-get install \
                           postgresql`) or name the folder of initdb and postgres in the environment variable POSTGRES_BIN";

/// The folder that holds `initdb` and `postgres`: the one that is named, one on the PATH, or the newest of Debian's, which
/// keeps them apart by version.
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
