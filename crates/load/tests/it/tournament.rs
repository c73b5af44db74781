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
        let standing = game.tournament(&contest(&[Level::Easy; 2], 2), "{}").expect("two can play");
        let (decided, shared) = (standing.decided(), standing.tallies.iter().map(|tally| tally.shared));
        assert_eq!(decided + shared.sum::<usize>() / 2, 12, "{}: of two, one wins or both do", game.id);
        assert!(standing.tallies.iter().all(|tally| tally.thought.count() >= 12), "{}: all decided", game.id);
        let printed = standing.to_string();
        assert!(printed.starts_with(&format!("12 games, {decided} decided")), "{printed}");
    }
}

#[test]
fn threads_make_no_difference_to_who_wins() {
    let towers = TournamentGame::find("towers").expect("it is a game");
    let levels = [Level::Hard, Level::Normal, Level::Easy];
    let alone = towers.tournament(&contest(&levels, 1), "{}").expect("three can play");
    let together = towers.tournament(&contest(&levels, 3), "{}").expect("three can play");
    assert_eq!(counted(&alone), counted(&together));
}

#[test]
fn a_bot_of_another_build_plays_as_it_plays_there() {
    let program = env!("CARGO_BIN_EXE_rookery-load");
    for game in games() {
        let here = contest(&[Level::Hard, Level::Normal], 2);
        let mut there = here.clone();
        there.entrants[0] = format!("hard@{program}").parse().expect("a level of a program");
        let [here, there] =
            [here, there].map(|contest| game.tournament(&contest, "{}").expect("two can play"));
        assert_eq!(counted(&here), counted(&there), "{}", game.id);
    }
}

#[test]
fn a_build_that_cannot_be_asked_is_named() {
    let towers = TournamentGame::find("towers").expect("it is a game");
    let ask = |entrant: String| {
        let mut contest = contest(&[Level::Easy; 2], 1);
        contest.entrants[1] = entrant.parse().expect("a level of a program");
        towers.tournament(&contest, "{}").err().unwrap_or_default()
    };
    let missing = ask("hard@/nowhere/rookery-load".to_owned());
    assert!(missing.starts_with("/nowhere/rookery-load: "), "{missing}");
    let unknown = ask(format!("brilliant@{}", env!("CARGO_BIN_EXE_rookery-load")));
    assert!(unknown.contains("rookery-load: "), "{unknown}");
}

#[test]
fn what_cannot_be_played_is_said_in_a_sentence() {
    let check = |game: Result<TournamentGame, String>, players: usize, rules: &str, expected: &str| {
        let played = game.and_then(|game| game.tournament(&contest(&vec![Level::Easy; players], 1), rules));
        let sentence = played.err().unwrap_or_default();
        assert!(sentence.contains(expected), "{sentence:?} does not say {expected:?}");
    };
    let towers = || TournamentGame::find("towers");
    check(TournamentGame::find("chess"), 2, "{}", "there is no game chess; there are towers, qwantum");
    check(towers(), 6, "{}", "towers is for 2 to 5 players");
    check(towers(), 2, r#"{"mistakes":"never"}"#, "these are not rules of towers");
    check(towers(), 2, r#"{"pace":1}"#, "these are not rules of towers");
}
