//! A contest's figures add up, and with tries alone they are the same on every run.

use game::Level;
use load::tournament::{Contest, Standings};
use load::{TournamentGame, games};

fn contest(levels: &[Level], threads: usize) -> Contest {
    Contest { levels: levels.to_vec(), games: 12, from: 0, threads, tries: 10, time: None }
}

/// Wins, shared wins and points of each.
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
