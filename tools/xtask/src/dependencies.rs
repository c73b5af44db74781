//! Checks of third-party dependencies and of the minimum supported Rust version. A step whose tool is not installed is
//! skipped with a reason: building or fetching the tool takes longer than the check.

use crate::step::{Step, answers, cargo};
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// The minimum supported Rust version of the workspace.
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// Checks licences, bans and sources of all dependencies against `deny.toml`.
pub fn allowed() -> Step {
    Step::cargo("dependencies", "deny --offline check bans licenses sources").skipped_if(without_deny)
}

/// Checks for known vulnerabilities, if the advisory database is on this machine: a test run fetches nothing.
pub fn advisories() -> Step {
    Step::cargo("advisories", "deny --offline check advisories").skipped_if(|| {
        without_deny().or_else(|| {
            let lists = cargo_home().and_then(|home| fs::read_dir(home.join("advisory-dbs")).ok());
            let fetched = lists.into_iter().flatten().flatten().any(|list| list.path().is_dir());
            (!fetched).then(|| "the advisory database is missing; fetch it with `cargo deny fetch db`".to_owned())
        })
    })
}

/// Builds everything with the minimum supported Rust version.
pub fn oldest_rust() -> Step {
    let step = Step::rustup("oldest-rust", &format!("run {OLDEST} cargo check --workspace --all-targets"));
    step.skipped_if(|| {
        let there = answers(Command::new("rustup").args(["run", OLDEST, "cargo", "--version"]));
        let how = format!("Rust {OLDEST} is missing; install it with `rustup toolchain install {OLDEST}`");
        (!there).then_some(how)
    })
}

fn without_deny() -> Option<String> {
    let there = answers(cargo().args(["deny", "--version"]));
    (!there).then(|| "cargo-deny is missing; install it with `cargo install --locked cargo-deny`".to_owned())
}

fn cargo_home() -> Option<PathBuf> {
    let named = env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))
}
