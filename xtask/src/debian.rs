//! What the tests and counts need besides Rust and Node.js, programs and fonts: what is there, or Debian's, installed when
//! that is allowed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

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

pub const FIREFOX: Program = Program {
    names: &["firefox-esr", "firefox"],
    variable: "FIREFOX",
    package: "firefox-esr",
    advice: "the story of three engines needs Firefox: install it (Debian: `apt-get install firefox-esr`) or name one in the \
             environment variable FIREFOX",
};

/// Drives the small browser that comes with the library it depends on.
pub const WEBKIT_DRIVER: Program = Program {
    names: &["WebKitWebDriver"],
    variable: "WEBKIT_DRIVER",
    package: "webkit2gtk-driver",
    advice: "the story of three engines needs WebKitGTK: install its driver (Debian and Ubuntu: `apt-get install \
             webkit2gtk-driver`) or name one in the environment variable WEBKIT_DRIVER",
};

/// The screen of WebKitGTK's browser, which has no mode without one.
pub const XVFB: Program = Program {
    names: &["Xvfb"],
    variable: "XVFB",
    package: "xvfb",
    advice: "the story of three engines needs a screen for WebKitGTK: install Xvfb (Debian and Ubuntu: `apt-get install xvfb`) or \
             name one in the environment variable XVFB",
};

/// The browsers beside Chromium that people have, and what they need.
pub const OTHER_ENGINES: [Program; 3] = [FIREFOX, WEBKIT_DRIVER, XVFB];

pub const NGINX: Program = Program {
    names: &["nginx"],
    variable: "NGINX",
    package: "nginx",
    advice: "the tests put nginx in front of the server: install it (Debian and Ubuntu: `apt-get install nginx`) or name \
             one in the environment variable NGINX",
};

pub const HAPROXY: Program = Program {
    names: &["haproxy"],
    variable: "HAPROXY",
    package: "haproxy",
    advice: "the tests put HAProxy in front of several servers: install it (Debian and Ubuntu: `apt-get install haproxy`) or \
             name one in the environment variable HAPROXY",
};

pub const VALGRIND: Program = Program {
    names: &["valgrind"],
    variable: "VALGRIND",
    package: "valgrind",
    advice: "instructions are counted by valgrind: install it (Debian and Ubuntu: `apt-get install valgrind`) or name one in \
             the environment variable VALGRIND",
};

pub const DEBOOTSTRAP: Program = Program {
    names: &["debootstrap"],
    variable: "DEBOOTSTRAP",
    package: "debootstrap",
    advice: "stand-ins for PostgreSQL's and HAProxy's images are made by debootstrap: install it (Debian and Ubuntu: `apt-get \
             install debootstrap`), or `docker pull` the images that docs/hosting/cluster.yml names",
};

impl Program {
    /// Where the program is, after installing it if need be; or one sentence that says what to do.
    pub fn find_or_install(&self) -> Result<PathBuf, String> {
        if let Some(found) = self.find() {
            return Ok(found);
        }
        install(self.package);
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

/// What Debian reads before it makes a cluster of PostgreSQL's with each new version.
const CLUSTERS: &str = "/etc/postgresql-common/createcluster.conf";

/// The folder of PostgreSQL's programs, of which Debian puts only some on the PATH. The tests start a server of their own; none
/// is wanted that would run from now on, so Debian is told not to make one if nobody has said what it should do.
pub fn find_or_install_postgres() -> Result<PathBuf, String> {
    if let Some(found) = pgtest::folder_of_programs() {
        return Ok(found);
    }
    if let (Some(folder), false) = (Path::new(CLUSTERS).parent(), Path::new(CLUSTERS).exists()) {
        // Without the right to do this there is none to install anything either.
        let _ = fs::create_dir_all(folder)
            .and_then(|()| fs::write(CLUSTERS, "create_main_cluster = false\nstart_conf = 'manual'\n"));
    }
    install("postgresql");
    pgtest::folder_of_programs().ok_or_else(|| pgtest::MISSING.to_owned())
}

/// Where Linux keeps its fonts, and the font the page's measures are taken with. Without it a browser takes whatever is
/// there, and a wider one does not fit where people's own phones and laptops have room.
const FONTS: &str = "/usr/share/fonts";
const NARROW: &str = "LiberationSansNarrow-Regular.ttf";
/// The first has them all in Debian 12, where the second is unknown; later the narrow ones are by themselves.
const FONT_PACKAGES: [&str; 2] = ["fonts-liberation", "fonts-liberation-sans-narrow"];

/// Sees to it that the page is measured with the same letters everywhere.
pub fn find_or_install_fonts() -> Result<(), String> {
    // Other systems have fonts of their own that are as narrow.
    if !cfg!(target_os = "linux") || holds(Path::new(FONTS), NARROW) {
        return Ok(());
    }
    let found = FONT_PACKAGES.into_iter().any(|package| {
        install(package);
        holds(Path::new(FONTS), NARROW)
    });
    let advice = "the browser tests measure text: install the Liberation fonts, Sans Narrow among them (Debian and \
                  Ubuntu: `apt-get install fonts-liberation`, or fonts-liberation-sans-narrow where that is apart)";
    if found { Ok(()) } else { Err(advice.to_owned()) }
}

fn holds(folder: &Path, name: &str) -> bool {
    let Ok(files) = fs::read_dir(folder) else { return false };
    files.flatten().any(|file| match file.file_type() {
        Ok(kind) if kind.is_dir() => holds(&file.path(), name),
        _ => file.file_name() == name,
    })
}

/// Asks apt-get for a package. Whether that helped, the caller sees by looking again.
fn install(package: &str) {
    for words in [["update", "-q"].as_slice(), &["install", "-y", "-q", "--no-install-recommends", package]] {
        eprintln!("== apt-get {}", words.join(" "));
        let mut apt = Command::new("apt-get");
        let asked = apt
            .args(words)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .env("UCF_FORCE_CONFFOLD", "1")
            .stdin(Stdio::null())
            .status();
        if !asked.is_ok_and(|status| status.success()) {
            return;
        }
    }
}
