//! What other people's code may come in, and which Rust ours needs. Each step is done where its tool is there, and left out
//! with a sentence where it is not: the tool would have to be built or fetched first.

use crate::step::{Step, answers, cargo};
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// The minimum supported Rust version, as the workspace's `Cargo.toml` has it.
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// Licences, bans and sources of all dependencies, by `deny.toml`.
pub fn allowed() -> Step {
    Step::cargo("dependencies", "deny --offline check bans licenses sources").skipped_if(without_deny)
}

/// Known vulnerabilities, as far as the list of them lies on this machine: a test run asks nobody.
pub fn advisories() -> Step {
    Step::cargo("advisories", "deny --offline check advisories").skipped_if(|| {
        without_deny().or_else(|| {
            let lists = cargo_home().and_then(|home| fs::read_dir(home.join("advisory-dbs")).ok());
            let fetched = lists.into_iter().flatten().flatten().any(|list| list.path().is_dir());
            (!fetched).then(|| "no list of advisories is here; `cargo deny fetch db` brings it".to_owned())
        })
    })
}

/// Whether the oldest Rust we promise still builds everything.
pub fn oldest_rust() -> Step {
    let step = Step::rustup("oldest Rust", &format!("run {OLDEST} cargo check --workspace --all-targets"));
    step.skipped_if(|| {
        let there = answers(Command::new("rustup").args(["run", OLDEST, "cargo", "--version"]));
        let how = format!("Rust {OLDEST} is not here; `rustup toolchain install {OLDEST}` brings it");
        (!there).then_some(how)
    })
}

fn without_deny() -> Option<String> {
    let there = answers(cargo().args(["deny", "--version"]));
    (!there).then(|| "cargo-deny is not here; `cargo install --locked cargo-deny` brings it".to_owned())
}

fn cargo_home() -> Option<PathBuf> {
    let named = env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))
}
