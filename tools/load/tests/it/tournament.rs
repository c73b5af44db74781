//! The totals of a contest are consistent and, with a limit on tries only, reproducible.

use game::Level;
use load::tournament::{Contest, Entrant, Standings};
use load::{TournamentGame, games};

fn contest(levels: &[Level], threads: usize) -> Contest {
    let entrants = levels.iter().copied().map(Entrant::Here).collect();
    Contest { entrants, games: 12, from: 0, threads, tries: 10, time: None }
}

/// Wins, shared wins and points of each participant.
fn counted(standing: &Standings) -> Vec<(usize, usize, i64)> {
    standing.tallies.iter().map(|tally| (tally.wins, tally.shared, tally.points)).collect()
}

#[test]
fn a_contest_of_every_game_adds_up() {
    for game in games() {
        let standing = game.tournament(&contest(&[Level::Easy; 2], 2), "{}").expect("two players can play");
        let (decided, shared) = (standing.decided(), standing.tallies.iter().map(|tally| tally.shared));
        assert_eq!(decided + shared.sum::<usize>() / 2, 12, "{}: each game has one or two winners", game.id);
        assert!(
            standing.tallies.iter().all(|tally| tally.thought.count() >= 12),
            "{}: every bot made decisions",
            game.id
        );
        let printed = standing.to_string();
        assert!(printed.starts_with(&format!("12 games, {decided} decided")), "{printed}");
    }
}

#[test]
fn the_results_do_not_depend_on_the_number_of_threads() {
    let towers = TournamentGame::find("towers").expect("the game exists");
    let levels = [Level::Hard, Level::Normal, Level::Easy];
    let alone = towers.tournament(&contest(&levels, 1), "{}").expect("three players can play");
    let together = towers.tournament(&contest(&levels, 3), "{}").expect("three players can play");
    assert_eq!(counted(&alone), counted(&together));
}

#[test]
fn a_bot_of_another_build_plays_as_in_that_build() {
    let program = env!("CARGO_BIN_EXE_rookery-load");
    for game in games() {
        let here = contest(&[Level::Hard, Level::Normal], 2);
        let mut there = here.clone();
        there.entrants[0] = format!("hard@{program}").parse().expect("the entrant is valid");
        let [here, there] = [here, there].map(|contest| game.tournament(&contest, "{}").expect("two players can play"));
        assert_eq!(counted(&here), counted(&there), "{}", game.id);
    }
}

#[test]
fn the_error_names_a_build_that_cannot_be_run() {
    let towers = TournamentGame::find("towers").expect("the game exists");
    let ask = |entrant: String| {
        let mut contest = contest(&[Level::Easy; 2], 1);
        contest.entrants[1] = entrant.parse().expect("the entrant is valid");
        towers.tournament(&contest, "{}").err().unwrap_or_default()
    };
    let missing = ask("hard@/nowhere/rookery-load".to_owned());
    assert!(missing.starts_with("/nowhere/rookery-load: "), "{missing}");
    let unknown = ask(format!("brilliant@{}", env!("CARGO_BIN_EXE_rookery-load")));
    assert!(unknown.contains("rookery-load: "), "{unknown}");
}

#[test]
fn an_impossible_contest_is_reported() {
    let check = |game: Result<TournamentGame, String>, players: usize, rules: &str, expected: &str| {
        let played = game.and_then(|game| game.tournament(&contest(&vec![Level::Easy; players], 1), rules));
        let sentence = played.err().unwrap_or_default();
        assert!(sentence.contains(expected), "{sentence:?} does not contain {expected:?}");
    };
    let towers = || TournamentGame::find("towers");
    check(TournamentGame::find("chess"), 2, "{}", "unknown game chess; the games are towers, qwantum");
    check(towers(), 6, "{}", "towers is for 2 to 5 players");
    check(towers(), 2, r#"{"mistakes":"never"}"#, "invalid rules for towers");
    check(towers(), 2, r#"{"pace":1}"#, "invalid rules for towers");
}
