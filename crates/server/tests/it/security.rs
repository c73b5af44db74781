//! `docs/security.md` lists threats, and for each the test that covers it. This keeps the table up to date.

use crate::hosting::{exported, metrics, read, root};
use clap::CommandFactory;
use protocol::{Close, Code};
use std::collections::BTreeSet;
use std::fs;

/// One row of the threat table.
struct Threat {
    /// The threat. The other columns are the limit, the answer, the metric and the tests.
    name: String,
    bound: String,
    answer: String,
    metric: String,
    tests: String,
}

fn threats() -> Vec<Threat> {
    let page = read("docs/security.md");
    let table = page.split("## The threat table").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows = table.expect("the section exists").lines().filter(|line| line.starts_with('|'));
    // The first two lines are the table's head. A row with a bold name alone is a heading.
    let rows = rows.skip(2).map(|line| line.trim_matches('|').split('|').map(str::trim).map(str::to_owned));
    let threats = rows.map(|row| {
        let columns: Vec<String> = row.collect();
        let [name, bound, answer, metric, tests] = columns.try_into().expect("five columns");
        Threat { name, bound, answer, metric, tests }
    });
    threats.filter(|threat| !threat.name.starts_with("**")).collect()
}

fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns whether a test with this name exists: `file::name`, or `crate::file::name`.
fn is_a_test(path: &str) -> bool {
    let Some((file, name)) = path.rsplit_once("::") else { return false };
    let (first, rest) = file.split_once("::").unwrap_or(("server", file));
    let rest = rest.replace("::", "/");
    let places = ["crates", "tools"]
        .map(|folder| ["tests/it", "src"].map(|kind| format!("{folder}/{first}/{kind}/{rest}.rs")))
        .concat();
    places.iter().filter_map(|place| fs::read_to_string(root().join(place)).ok()).any(|source| {
        let Some((before, _)) = source.split_once(&format!("fn {name}(")) else { return false };
        // The test attribute is in one of the lines directly above.
        before.lines().rev().take(4).any(|line| line.trim().starts_with("#[") && line.contains("test"))
    })
}

#[test]
fn every_threat_has_a_limit_an_answer_and_an_existing_test() {
    let threats = threats();
    assert!(threats.len() >= 20, "only {} rows were found", threats.len());
    for threat in &threats {
        assert!(!threat.bound.is_empty(), "{} has no bound", threat.name);
        let tests: Vec<&str> = quoted(&threat.tests).collect();
        assert!(!tests.is_empty(), "{} has no test", threat.name);
        for test in tests {
            assert!(is_a_test(test), "{}: there is no test {test}", threat.name);
        }
    }
    let names: BTreeSet<&str> = threats.iter().map(|threat| threat.name.as_str()).collect();
    assert_eq!(names.len(), threats.len(), "a threat is listed twice");
}

#[test]
fn every_metric_flag_and_code_in_the_table_exists() {
    let exported = exported();
    let command = server::Cli::command();
    let flags: BTreeSet<&str> = command.get_arguments().filter_map(|argument| argument.get_long()).collect();
    let codes: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let closes: BTreeSet<u16> = Close::ALL.iter().map(|close| close.code()).collect();
    for threat in threats() {
        let named = metrics(&threat.metric);
        assert!(threat.metric == "—" || !named.is_empty(), "{} has no metric", threat.name);
        for metric in named {
            assert!(exported.contains(&metric), "{}: there is no metric {metric}", threat.name);
        }
        for word in quoted(&threat.bound).filter_map(|word| word.strip_prefix("--")) {
            assert!(flags.contains(word), "{}: there is no flag --{word}", threat.name);
        }
        let is_a_code = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        for word in quoted(&threat.answer).filter(is_a_code) {
            assert!(codes.contains(word), "{}: there is no code {word}", threat.name);
        }
        let numbers = threat.answer.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() == 4);
        for number in numbers.map(|digits| digits.parse().expect("four digits")) {
            assert!(closes.contains(&number), "{}: there is no close code {number}", threat.name);
        }
    }
}
