//! The book of a room: statistics over all its finished games, computed from its journal.

use crate::played::{Listed, all_games};
use crate::{GAMES, Misfit};
use protocol::{Best, Book, BookGame, BookPlayer, Chapter, Pair};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Maximum number of players in a chapter. Those with the most games are kept. A room can have seen thousands of names
/// and many more pairs of them.
const MOST_PLAYERS: usize = 50;

/// Returns the book of a room, given all lines of its journal.
pub fn book_of(lines: &[String]) -> Result<Book, Misfit> {
    let over = all_games(lines)?.into_iter().filter(|game| game.played.outcome.is_some());
    let games: Vec<BookGame> = over
        .map(|Listed { played, bots, feats }| {
            let counts = played.origin.is_none();
            BookGame { played, bots, feats, counts }
        })
        .collect();
    let chapters = GAMES.iter().map(|offer| chapter(offer.id, &games));
    let chapters = chapters.filter(|chapter| chapter.games > 0).collect();
    Ok(Book { chapters, games })
}

/// Returns the book as CSV (RFC 4180), with a row for each player of each game.
pub fn csv_of(book: &Book) -> String {
    let mut csv = String::from("number,game,start_ms,end_ms,counts,seat,player,bot,points,won,feats\r\n");
    for BookGame { played, bots, feats, counts } in &book.games {
        let Some(outcome) = &played.outcome else { continue };
        for (seat, (name, points)) in played.players.iter().zip(&outcome.scores).enumerate() {
            let won = outcome.winners.iter().any(|winner| winner.index() == seat);
            let feats: Vec<String> =
                feats.get(seat).into_iter().flatten().map(|(feat, count)| format!("{feat}={count}")).collect();
            let (number, game, start) = (played.number, &played.game, played.start);
            let (end, bot) = (played.end.unwrap_or(start), bots.get(seat).copied().unwrap_or(false));
            let (name, feats) = (cell(name), feats.join(" "));
            csv += &format!("{number},{game},{start},{end},{counts},{seat},{name},{bot},{points},{won},{feats}\r\n");
        }
    }
    csv
}

/// Quotes a name. Prevents CSV injection by adding an apostrophe to a name that a spreadsheet would take for a formula.
fn cell(name: &str) -> String {
    let formula = name.starts_with(['=', '+', '-', '@']);
    let name = name.replace('"', "\"\"");
    if formula { format!("\"'{name}\"") } else { format!("\"{name}\"") }
}

/// Counters for one player.
#[derive(Default)]
struct Tally {
    games: u32,
    wins: u32,
    points: i64,
    highest: i16,
    lowest: i16,
    bot: bool,
}

/// Returns the statistics of all games of one kind.
fn chapter(game: &str, games: &[BookGame]) -> Chapter {
    let counted = || games.iter().filter(|each| each.counts && each.played.game == game);
    let players = players(counted());
    let pairs = pairs(counted(), &players);
    Chapter { game: game.to_owned(), games: counted().count() as u32, players, pairs, best: best(counted()) }
}

/// Returns seat, name and points of each player.
fn scores(game: &BookGame) -> impl Iterator<Item = (usize, &str, i16)> + Clone {
    let scores = game.played.outcome.iter().flat_map(|outcome| &outcome.scores);
    game.played.players.iter().zip(scores).enumerate().map(|(seat, (name, points))| (seat, name.as_str(), *points))
}

fn players<'a>(games: impl Iterator<Item = &'a BookGame>) -> Vec<BookPlayer> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for game in games {
        let winners = game.played.outcome.iter().flat_map(|outcome| &outcome.winners);
        let winners: Vec<usize> = winners.map(|winner| winner.index()).collect();
        for (seat, name, points) in scores(game) {
            let bot = game.bots.get(seat).copied().unwrap_or(false);
            let first = Tally { highest: points, lowest: points, bot, ..Tally::default() };
            let tally = tallies.entry(name).or_insert(first);
            tally.games += 1;
            tally.wins += u32::from(winners.contains(&seat));
            tally.points += i64::from(points);
            tally.highest = tally.highest.max(points);
            tally.lowest = tally.lowest.min(points);
            tally.bot &= bot;
        }
    }
    let mut players: Vec<BookPlayer> = tallies
        .into_iter()
        .map(|(name, Tally { games, wins, points, highest, lowest, bot })| {
            let average = (points as f64 * 100.0 / f64::from(games)).round() / 100.0;
            BookPlayer { name: name.to_owned(), bot, games, wins, average, highest, lowest }
        })
        .collect();
    players.sort_by_key(|player| Reverse(player.games));
    players.truncate(MOST_PLAYERS);
    players.sort_by(|a, b| (b.wins, b.average).partial_cmp(&(a.wins, a.average)).expect("averages are numbers"));
    players
}

fn pairs<'a>(games: impl Iterator<Item = &'a BookGame>, players: &[BookPlayer]) -> Vec<Pair> {
    let place = |name: &str| players.iter().position(|player| player.name == name);
    let mut met: BTreeMap<(usize, usize), (u32, [u32; 2])> = BTreeMap::new();
    for game in games {
        let seated: Vec<(usize, i16)> =
            scores(game).filter_map(|(_, name, points)| Some((place(name)?, points))).collect();
        for (at, one) in seated.iter().enumerate() {
            for other in &seated[at + 1..] {
                let (one, other) = if one.0 < other.0 { (one, other) } else { (other, one) };
                let (games, ahead) = met.entry((one.0, other.0)).or_default();
                *games += 1;
                ahead[0] += u32::from(one.1 > other.1);
                ahead[1] += u32::from(other.1 > one.1);
            }
        }
    }
    let name = |at: usize| players[at].name.clone();
    let mut pairs: Vec<Pair> = met
        .into_iter()
        .map(|((one, other), (games, ahead))| Pair { players: [name(one), name(other)], games, ahead })
        .collect();
    pairs.sort_by_key(|pair| Reverse(pair.games));
    pairs
}

fn best<'a>(games: impl Iterator<Item = &'a BookGame>) -> Vec<Best> {
    let mut best: BTreeMap<String, Best> = BTreeMap::new();
    for game in games {
        let number = game.played.number;
        for (seat, name, points) in scores(game) {
            let feats = game.feats.get(seat).into_iter().flatten();
            let feats = feats.map(|(feat, count)| (feat.as_str(), i64::from(*count)));
            for (feat, count) in [("points", i64::from(points))].into_iter().chain(feats) {
                if best.get(feat).is_none_or(|best| best.count < count) {
                    let (feat, player) = (feat.to_owned(), name.to_owned());
                    best.insert(feat.clone(), Best { feat, count, player, number });
                }
            }
        }
    }
    best.into_values().collect()
}
