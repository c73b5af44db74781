//! `docs/protocol.md` is the contract outside programs are written against: whatever the server can answer with
//! stands in it.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The strings in a source file that look like codes: quoted, in snake_case.
fn codes(source: &str) -> Vec<String> {
    let before_tests = source.split("#[cfg(test)]").next().expect("a first part");
    let quoted = before_tests
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>());
    let is_code = |text: &String| {
        let metric = text.starts_with("rookery_");
        !metric && text.contains('_') && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    quoted.filter(is_code).collect()
}

#[test]
fn every_code_is_documented() {
    let contract = read("docs/protocol.md");
    let mut checked = 0;
    for source in [
        "crates/room/src/refusal.rs",
        "crates/towers/src/refusal.rs",
        "crates/qwantum/src/refusal.rs",
        "crates/server/src/http.rs",
        "crates/server/src/socket.rs",
    ] {
        for code in codes(&read(source)) {
            assert!(contract.contains(&format!("`{code}`")), "{code} of {source} is not in docs/protocol.md");
            checked += 1;
        }
    }
    assert!(checked > 40, "only {checked} codes were found in the sources");
}

#[test]
fn every_close_code_is_documented() {
    let contract = read("docs/protocol.md");
    let source = read("crates/protocol/src/close.rs");
    let numbers = source.lines().filter_map(|line| line.split_once(" = ")?.1.strip_suffix(','));
    let numbers: Vec<&str> = numbers.collect();
    assert!(numbers.len() >= 14, "only {numbers:?} were found");
    for number in numbers {
        assert!(contract.contains(number), "close code {number} is not in docs/protocol.md");
    }
}

#[test]
fn every_flag_is_documented() {
    use clap::CommandFactory;
    let contract = read("docs/protocol.md");
    for argument in server::Cli::command().get_arguments() {
        let Some(flag) = argument.get_long() else { continue };
        if flag != "help" && flag != "version" {
            assert!(contract.contains(&format!("`--{flag}`")), "--{flag} is not in docs/protocol.md");
            assert!(argument.get_env().is_some(), "--{flag} has no environment variable");
        }
    }
}
