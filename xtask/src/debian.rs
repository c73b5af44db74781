//! Programs the tests and counts need besides Rust and Node.js: the one that is there, or Debian's, installed when that is allowed.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A program, and how to come by it.
pub struct Program {
    /// What it may be called.
    pub names: &'static [&'static str],
    /// The environment variable that names another one.
    pub variable: &'static str,
    /// Debian's package.
    pub package: &'static str,
    /// What people read if it cannot be had.
    pub advice: &'static str,
}

pub const CHROMIUM: Program = Program {
    names: &["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"],
    variable: "CHROMIUM",
    package: "chromium",
    advice: "the browser tests need Chromium: install it (Debian and Ubuntu: `apt-get install chromium`) or name one in \
             the environment variable CHROMIUM",
};

pub const NGINX: Program = Program {
    names: &["nginx"],
    variable: "NGINX",
    package: "nginx",
    advice: "the tests put nginx in front of the server: install it (Debian and Ubuntu: `apt-get install nginx`) or name \
             one in the environment variable NGINX",
};

pub const VALGRIND: Program = Program {
    names: &["valgrind"],
    variable: "VALGRIND",
    package: "valgrind",
    advice: "instructions are counted by valgrind: install it (Debian and Ubuntu: `apt-get install valgrind`) or name one in \
             the environment variable VALGRIND",
};

impl Program {
    /// Where the program is, after installing it if need be; or one sentence that says what to do.
    pub fn find_or_install(&self) -> Result<PathBuf, String> {
        if let Some(found) = self.find() {
            return Ok(found);
        }
        for words in
            [["update", "-q"].as_slice(), &["install", "-y", "-q", "--no-install-recommends", self.package]]
        {
            eprintln!("== apt-get {}", words.join(" "));
            let mut apt = Command::new("apt-get");
            let asked =
                apt.args(words).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).status();
            if !asked.is_ok_and(|status| status.success()) {
                return Err(self.advice.to_owned());
            }
        }
        self.find().ok_or_else(|| self.advice.to_owned())
    }

    fn find(&self) -> Option<PathBuf> {
        if let Some(named) = env::var_os(self.variable) {
            return Some(named.into());
        }
        let path = env::var_os("PATH")?;
        // Debian keeps servers where only root's PATH looks.
        let places: Vec<PathBuf> = env::split_paths(&path).chain(["/usr/sbin".into()]).collect();
        let files = self.names.iter().flat_map(|name| places.iter().map(move |place| place.join(name)));
        files.into_iter().find(|file| file.is_file())
    }
}
