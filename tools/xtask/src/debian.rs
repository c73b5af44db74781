//! Programs and fonts that the tests need besides Rust and Node.js. Each is found on this machine or installed from
//! Debian's packages, if permitted.

use crate::step::answers;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Once;
use std::{env, fs};

/// A program and where it comes from.
pub struct Program {
    /// Possible names of its executable.
    pub names: &'static [&'static str],
    /// Environment variable that names another executable.
    pub variable: &'static str,
    /// Debian packages that have it, the preferred one first.
    pub packages: &'static [&'static str],
    /// Error message if it is missing and cannot be installed.
    pub advice: &'static str,
}

/// Chromium. Its headless shell is the same engine without a window and uses a third less processor time.
pub const CHROMIUM: Program = Program {
    names: &["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"],
    variable: "CHROMIUM",
    packages: &["chromium-headless-shell", "chromium"],
    advice: "the browser tests need Chromium: install it (Debian and Ubuntu: `apt-get install chromium`), or name one \
             in the environment variable CHROMIUM",
};

pub const FIREFOX: Program = Program {
    names: &["firefox-esr", "firefox"],
    variable: "FIREFOX",
    packages: &["firefox-esr"],
    advice: "the stories in three engines need Firefox: install it (Debian: `apt-get install firefox-esr`), or name \
             one in the environment variable FIREFOX",
};

/// Drives the small browser that comes with the WebKitGTK library.
pub const WEBKIT_DRIVER: Program = Program {
    names: &["WebKitWebDriver"],
    variable: "WEBKIT_DRIVER",
    packages: &["webkit2gtk-driver"],
    advice: "the stories in three engines need WebKitGTK: install its driver (Debian and Ubuntu: `apt-get install \
             webkit2gtk-driver`), or name one in the environment variable WEBKIT_DRIVER",
};

/// Display for WebKitGTK's browser, which has no headless mode.
pub const XVFB: Program = Program {
    names: &["Xvfb"],
    variable: "XVFB",
    packages: &["xvfb"],
    advice: "the stories in three engines need a display for WebKitGTK: install Xvfb (Debian and Ubuntu: `apt-get \
             install xvfb`), or name one in the environment variable XVFB",
};

/// The other browser engines and what they need.
pub const OTHER_ENGINES: [Program; 3] = [FIREFOX, WEBKIT_DRIVER, XVFB];

pub const NGINX: Program = Program {
    names: &["nginx"],
    variable: "NGINX",
    packages: &["nginx"],
    advice: "the tests run nginx in front of the server: install it (Debian and Ubuntu: `apt-get install nginx`), or \
             name one in the environment variable NGINX",
};

pub const HAPROXY: Program = Program {
    names: &["haproxy"],
    variable: "HAPROXY",
    packages: &["haproxy"],
    advice: "the tests run HAProxy in front of several servers: install it (Debian and Ubuntu: `apt-get install \
             haproxy`), or name one in the environment variable HAPROXY",
};

pub const VALGRIND: Program = Program {
    names: &["valgrind"],
    variable: "VALGRIND",
    packages: &["valgrind"],
    advice: "valgrind counts the instructions: install it (Debian and Ubuntu: `apt-get install valgrind`), or name one \
             in the environment variable VALGRIND",
};

pub const DEBOOTSTRAP: Program = Program {
    names: &["debootstrap"],
    variable: "DEBOOTSTRAP",
    packages: &["debootstrap"],
    advice: "debootstrap builds the stand-ins for the images of PostgreSQL and HAProxy: install it (Debian and Ubuntu: \
             `apt-get install debootstrap`), or `docker pull` the images in docs/hosting/cluster.yml",
};

impl Program {
    /// Returns the program's path, after installing it if necessary, or one sentence that says what to do.
    pub fn find_or_install(&self) -> Result<PathBuf, String> {
        if let Some(found) = self.find() {
            return Ok(found);
        }
        update();
        install(&[first_known(self.packages)]);
        self.find().ok_or_else(|| self.advice.to_owned())
    }

    fn find(&self) -> Option<PathBuf> {
        if let Some(named) = env::var_os(self.variable) {
            return Some(named.into());
        }
        let path = env::var_os("PATH")?;
        // Debian keeps servers in a folder that is only on root's PATH.
        let folders: Vec<PathBuf> = env::split_paths(&path).chain(["/usr/sbin".into()]).collect();
        let files = self.names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        files.into_iter().find(|file| file.is_file())
    }
}

/// Debian's settings for the cluster it creates with each new version of PostgreSQL.
const CLUSTERS: &str = "/etc/postgresql-common/createcluster.conf";
const POSTGRES_PACKAGE: &str = "postgresql";

/// Returns the folder of PostgreSQL's programs, of which Debian puts only some on the PATH. The tests start their own
/// servers.
pub fn find_or_install_postgres() -> Result<PathBuf, String> {
    if let Some(found) = pgtest::folder_of_programs() {
        return Ok(found);
    }
    create_no_cluster();
    install(&[POSTGRES_PACKAGE]);
    pgtest::folder_of_programs().ok_or_else(|| pgtest::MISSING.to_owned())
}

/// Tells Debian not to create a cluster with PostgreSQL, unless these settings exist already.
fn create_no_cluster() {
    if let (Some(folder), false) = (Path::new(CLUSTERS).parent(), Path::new(CLUSTERS).exists()) {
        // If this is not permitted, installing is not either.
        let _ = fs::create_dir_all(folder)
            .and_then(|()| fs::write(CLUSTERS, "create_main_cluster = false\nstart_conf = 'manual'\n"));
    }
}

/// The font that the page is measured with. With a wider one, text overflows that fits on people's own devices.
const FONTS: &str = "/usr/share/fonts";
const NARROW: &str = "LiberationSansNarrow-Regular.ttf";

/// Returns whether text is measured with the same font everywhere. Systems other than Linux have fonts of the same
/// width.
fn has_fonts() -> bool {
    !cfg!(target_os = "linux") || contains(Path::new(FONTS), NARROW)
}

/// The packages with the narrow font: a package of its own, except in Debian 12.
const FONT_PACKAGES: &[&str] = &["fonts-liberation-sans-narrow", "fonts-liberation"];

/// Returns the first package that this system offers, or the last one if it offers none of them.
fn first_known(packages: &[&'static str]) -> &'static str {
    let known = |package: &&&str| answers(Command::new("apt-cache").args(["show", package]));
    packages.iter().find(known).or(packages.last()).expect("every program has a package")
}

/// Ensures that the page is measured with the same font everywhere.
pub fn find_or_install_fonts() -> Result<(), String> {
    if !has_fonts() {
        update();
        install(&[first_known(FONT_PACKAGES)]);
    }
    let advice = "the browser tests measure text: install the Liberation fonts with Sans Narrow (Debian 12: `apt-get \
                  install fonts-liberation`; later releases and Ubuntu: fonts-liberation-sans-narrow)";
    if has_fonts() { Ok(()) } else { Err(advice.to_owned()) }
}

/// Returns the packages needed by the test command that are not installed yet.
pub fn missing_packages() -> Vec<&'static str> {
    let programs = [CHROMIUM, NGINX, HAPROXY].into_iter().chain(OTHER_ENGINES);
    let programs = programs.filter(|program| program.find().is_none()).map(|program| first_known(program.packages));
    let postgres = pgtest::folder_of_programs().is_none().then_some(POSTGRES_PACKAGE);
    let fonts = (!has_fonts()).then(|| first_known(FONT_PACKAGES));
    programs.chain(postgres).chain(fonts).collect()
}

/// Installs all of these packages with one command, which is much quicker than one at a time.
pub fn install_missing_packages() {
    if missing_packages().is_empty() {
        return;
    }
    update();
    create_no_cluster();
    install(&missing_packages());
}

/// Returns whether the folder or one below it contains a file with this name.
fn contains(folder: &Path, name: &str) -> bool {
    let Ok(files) = fs::read_dir(folder) else { return false };
    files.flatten().any(|file| match file.file_type() {
        Ok(kind) if kind.is_dir() => contains(&file.path(), name),
        _ => file.file_name() == name,
    })
}

/// Fetches the package lists, once.
fn update() {
    static UPDATED: Once = Once::new();
    UPDATED.call_once(|| apt_get(&["update", "-q"]));
}

/// Installs packages. The caller checks the result by searching again.
fn install(packages: &[&str]) {
    update();
    apt_get(&[&["install", "-y", "-q", "--no-install-recommends"], packages].concat());
}

fn apt_get(words: &[&str]) {
    eprintln!("== apt-get {}", words.join(" "));
    let mut apt = Command::new("apt-get");
    apt.args(words).env("DEBIAN_FRONTEND", "noninteractive").env("UCF_FORCE_CONFFOLD", "1").stdin(Stdio::null());
    if let Err(error) = apt.status() {
        eprintln!("== cannot start apt-get: {error}");
    }
}
