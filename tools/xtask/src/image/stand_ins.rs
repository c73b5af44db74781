//! Stand-ins for third-party images that are not on the engine: the same programs from Debian's packages, started like
//! the images start them.

use super::engine::{self, Engine};
use crate::debian;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A third-party image.
pub struct StandIn {
    /// Its name in the compose file.
    pub image: &'static str,
    /// The stand-in's tag.
    tag: &'static str,
    /// The entry script, which does what the image's does.
    entry: &'static str,
    /// Settings of the image, as arguments for `docker import`.
    changes: &'static [&'static str],
}

/// The images of `cluster.yml`.
pub const ALL: &[StandIn] = &[
    StandIn {
        image: "postgres:17-alpine",
        tag: "rookery-stand-in:postgres",
        entry: r#"#!/bin/sh
set -e
data=/var/lib/postgresql/data
if [ ! -s "$data/PG_VERSION" ]; then
    chown postgres: "$data"
    printf %s "$POSTGRES_PASSWORD" > /tmp/password && chown postgres: /tmp/password
    setpriv --reuid postgres --regid postgres --clear-groups \
        initdb -D "$data" -U "$POSTGRES_USER" --pwfile /tmp/password -A scram-sha-256 -E UTF8
    echo "host all all all scram-sha-256" >> "$data/pg_hba.conf"
    printf 'CREATE DATABASE %s;\n' "$POSTGRES_DB" |
        setpriv --reuid postgres --regid postgres --clear-groups postgres --single -D "$data" postgres
fi
exec setpriv --reuid postgres --regid postgres --clear-groups \
    postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=/tmp
"#,
        changes: &[
            "ENV PATH=/usr/lib/postgresql/15/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "VOLUME /var/lib/postgresql/data",
        ],
    },
    StandIn {
        image: "haproxy:3.2-alpine",
        tag: "rookery-stand-in:haproxy",
        entry: "#!/bin/sh\nexec haproxy -W -db -f /usr/local/etc/haproxy/haproxy.cfg\n",
        changes: &["ENV PATH=/usr/bin:/bin:/usr/sbin:/sbin", "USER 10002"],
    },
];

/// Debian 12, which has PostgreSQL 15.
const RELEASE: &str = "bookworm";

impl StandIn {
    /// Returns the image itself if the engine has it, or else the stand-in, which is built once.
    pub fn find_or_make(&self, engine: &Engine) -> Result<&'static str, String> {
        if engine.has_image(self.image) {
            return Ok(self.image);
        }
        if !engine.has_image(self.tag) {
            super::say(&format!("building a stand-in for {} from Debian packages", self.image));
            let root = system()?;
            let entry = root.join("entry");
            fs::write(&entry, self.entry).map_err(|error| error.to_string())?;
            engine::run(Command::new("chmod").arg("755").arg(&entry))?;
            self.import(engine, &root)?;
        }
        Ok(self.tag)
    }

    fn import(&self, engine: &Engine, root: &Path) -> Result<(), String> {
        let mut packed = Command::new("tar");
        let mut packed = packed.arg("-C").arg(root).args(["-c", "."]).stdout(Stdio::piped()).spawn();
        let packed = packed.as_mut().map_err(|error| format!("tar: {error}"))?;
        let mut import = engine.command("import");
        for change in self.changes.iter().chain(&[r#"ENTRYPOINT ["/entry"]"#]) {
            import.args(["--change", change]);
        }
        let stream = packed.stdout.take().ok_or("the output of tar is not piped")?;
        engine::run(import.args(["-", self.tag]).stdin(stream).stdout(Stdio::null()))?;
        let status = packed.wait().map_err(|error| error.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("tar ended with {status}")) }
    }
}

/// Creates a folder with a small Debian system that contains both programs, once.
fn system() -> Result<PathBuf, String> {
    let root = PathBuf::from(crate::target()).join("stand-in");
    if root.join("usr/sbin/haproxy").is_file() {
        return Ok(root);
    }
    let debootstrap = debian::DEBOOTSTRAP.find_or_install()?;
    let mut make = Command::new(debootstrap);
    make.args(["--variant=minbase", "--include=postgresql,haproxy", RELEASE]).arg(&root).stdin(Stdio::null());
    engine::run(make.stdout(Stdio::null()))?;
    Ok(root)
}
