//! The files of `web/` that a release contains compressed.

use crate::compression::is_compressed;
use std::path::Path;
use std::{fs, io};

/// Files and folders of `web/` that are for tests and tools only.
const NOT_THE_PAGE: [&str; 5] = ["node_modules", "package-lock.json", "package.json", "tests", "tsconfig.json"];

/// Returns the sorted paths of all files of the page that are sent compressed.
pub fn compressed_files(web: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    collect(web, "", &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, before: &str, found: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if before.is_empty() && NOT_THE_PAGE.contains(&name.as_str()) {
            continue;
        }
        let path = format!("{before}{name}");
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{path}/"), found)?;
        } else if is_compressed(&path) {
            found.push(path);
        }
    }
    Ok(())
}
