//! `docs/protocol.md` is the contract for other programs: it must contain everything that the server can answer.

use protocol::{Close, Code};
use room::{GAMES, Visitor};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the text between two marks in the contract.
fn part<'a>(contract: &'a str, from: &str, to: &str) -> &'a str {
    let after = contract.split_once(from).unwrap_or_else(|| panic!("no {from:?} in docs/protocol.md")).1;
    after.split_once(to).unwrap_or_else(|| panic!("no {to:?} after {from:?}")).0
}

/// Returns the words in backticks that have the form of a code.
fn codes_in(text: &str) -> BTreeSet<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')).collect()
}

/// The codes of each game's own refusals.
#[derive(Default)]
struct OfGames(Vec<(&'static str, Vec<&'static str>)>);

impl Visitor for OfGames {
    fn meet<G: game::Bot>(&mut self) {
        self.0.push((G::ID, <G::IllegalAction as game::IllegalAction>::codes()));
    }
}

#[test]
fn every_code_is_documented() {
    let contract = read("docs/protocol.md");
    let over_http = codes_in(part(&contract, "| code | status | when |", "Room codes:"));
    for code in Code::ALL {
        let code = code.as_str();
        assert!(contract.contains(&format!("`{code}`")), "{code} is not in docs/protocol.md");
    }
    let all: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(over_http.difference(&all).collect::<Vec<_>>(), Vec::<&&str>::new(), "codes that no longer exist");

    let mut games = OfGames::default();
    room::each_game(&mut games);
    assert_eq!(games.0.len(), GAMES.len());
    for (game, codes) in games.0 {
        assert!(codes.len() > 3, "{game} has too few codes");
        for code in codes {
            assert!(contract.contains(&format!("`{code}`")), "{code} of {game} is not in docs/protocol.md");
        }
    }
}

#[test]
fn every_close_code_is_documented_and_no_other() {
    let contract = read("docs/protocol.md");
    let documented = part(&contract, "Close codes:", "\n\n");
    let numbers = documented.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() == 4);
    let documented: BTreeSet<u16> = numbers.map(|digits| digits.parse().unwrap()).collect();
    let closes: BTreeSet<u16> = Close::ALL.iter().map(|close| close.code()).collect();
    assert_eq!(documented, closes);
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
