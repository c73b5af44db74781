//! A browser for the browser tests: the one that is there, or Debian's, installed when that is allowed.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const ADVICE: &str = "the browser tests need Chromium: install it (Debian and Ubuntu: `apt-get install chromium`) or \
                      name one in the environment variable CHROMIUM";

/// Where the browser is, after installing it if need be.
pub fn find_or_install() -> Result<PathBuf, String> {
    if let Some(chromium) = find() {
        return Ok(chromium);
    }
    for words in
        [["update", "-q"].as_slice(), &["install", "-y", "-q", "--no-install-recommends", "chromium"]]
    {
        eprintln!("== apt-get {}", words.join(" "));
        let mut apt = Command::new("apt-get");
        let asked = apt.args(words).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).status();
        if !asked.is_ok_and(|status| status.success()) {
            return Err(ADVICE.to_owned());
        }
    }
    find().ok_or_else(|| ADVICE.to_owned())
}

fn find() -> Option<PathBuf> {
    if let Some(named) = env::var_os("CHROMIUM") {
        return Some(named.into());
    }
    let path = env::var_os("PATH")?;
    let places: Vec<PathBuf> = env::split_paths(&path).collect();
    NAMES.iter().flat_map(|name| places.iter().map(move |place| place.join(name))).find(|file| file.is_file())
}
