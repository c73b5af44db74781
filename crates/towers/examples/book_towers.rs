//! Makes the book of endings, so many: `cargo run --release -p towers --example book_towers -- 120`. Bots play; where a decision of
//! the last two rounds has acts that are surely best and others that are not, it goes into the book, one a line.

#[path = "../tests/it/endings.rs"]
mod endings;

use endings::{LAST_ROUNDS, rows, towers, unseen, words};
use game::{Bot, Budget, Game, Level, Seat, Seed, Viewer};
use gametest::{chance, luck};
use serde_json::json;
use std::error::Error;
use towers::{Action, Card, Phase, Rules, Towers};

/// The most rows that may come after the one that lies: a book that is solved again in every test run is no place for more.
const MOST_ROWS: usize = 10;

/// An act as the tests' scripts say it.
fn said(seat: Seat, act: &Action) -> String {
    let verb = match act {
        Action::Bid { count } => format!("bid {count}"),
        Action::Pass {} => "pass".to_owned(),
        Action::Take { cards } => cards.iter().fold("take".to_owned(), |said, card| format!("{said} {card}")),
        Action::Demolish { tower } => format!("demolish {}", tower.name()),
        Action::Build { card } => format!("build {card}"),
        Action::Undo {} => "undo".to_owned(),
        Action::Retract {} => "retract".to_owned(),
        Action::Finish {} => "finish".to_owned(),
    };
    format!("{seat} {verb}")
}

/// A round of a game by bots: how it began, and what was decided in it.
struct Round {
    begun: Towers,
    acts: Vec<(Seat, Action)>,
}

/// The last rounds of a game by bots.
fn last_rounds(number: u64) -> Vec<Round> {
    let mut luck = luck(number);
    let players = 2 + luck.below(3);
    let seed = Seed(std::array::from_fn(|at| (number >> (8 * (at % 2))) as u8));
    let (mut game, _) = Towers::new(&Rules::default(), players, seed);
    let levels: Vec<Level> = (0..players).map(|_| [Level::Normal, Level::Casual][luck.below(2)]).collect();
    let mut rounds = vec![Round { begun: game, acts: Vec::new() }];
    while let Some(seat) = game.turn() {
        let view = game.view(Viewer::Seat(seat));
        let level = levels[seat.index()];
        let act = Towers::choose(&view, seat, level, &mut chance(number), Budget::tries(0)).expect("an act");
        let round = view.table.round;
        rounds.last_mut().expect("there is a round").acts.push((seat, act));
        game.apply(seat, &act).expect("a bot's act is legal");
        if game.table().round > round {
            rounds.push(Round { begun: game, acts: Vec::new() });
        }
    }
    rounds.retain(|round| {
        let table = round.begun.table();
        table.deal == 2 && table.draw <= 5
    });
    rounds
}

/// Whether a decision can be solved. What others know and this seat does not, or the other way round, makes no difference to a
/// builder, for all see the last row before anybody calls; but in an auction it does.
fn solvable(game: &Towers, seat: Seat) -> bool {
    let table = game.table();
    match game.phase() {
        Phase::Auction => table.draw == 0 || table.players.iter().all(|player| player.demolished == 0),
        _ => {
            let unseen = unseen(game, seat);
            unseen.len() <= 8 && rows(&unseen, usize::from(table.draw)).len() <= MOST_ROWS
        }
    }
}

/// A decision as it goes into the book.
fn position(begun: &Towers, draw: &[Card], before: &[String], seat: Seat, best: &[Action]) -> String {
    let table = begun.table();
    let seats = || Seat::all(begun.players());
    json!({
        "starter": table.starter, "row": words(&table.row), "draw": words(draw), "acts": before.join(", "),
        "seat": seat, "best": best,
        "towers": seats().map(|seat| towers(begun, seat)).collect::<Vec<_>>(),
        "demolished": seats().map(|seat| words(&begun.mine(seat).demolished)).collect::<Vec<_>>(),
    })
    .to_string()
}

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: usize = std::env::args().nth(1).ok_or("how many positions?")?.parse()?;
    // In the last round and in the one before it as many calls as steps of a build, and of each kind one from a game.
    let mut book: [Vec<String>; 4] = [const { Vec::new() }; 4];
    for number in 1.. {
        if book.iter().all(|kind| kind.len() * 4 >= wanted) {
            break;
        }
        let mut rounds = last_rounds(number).into_iter().peekable();
        while let Some(round) = rounds.next() {
            let next = rounds.peek().map(|next| next.begun.table().row.to_vec()).unwrap_or_default();
            let (mut game, mut before, mut taken) = (round.begun, Vec::new(), [false; 4]);
            for (seat, act) in round.acts {
                let kind = usize::from(game.phase() != Phase::Auction) + if next.is_empty() { 0 } else { 2 };
                if !taken[kind] && book[kind].len() * 4 < wanted && solvable(&game, seat) {
                    let best = LAST_ROUNDS.best(&game, seat);
                    if !best.is_empty() {
                        taken[kind] = true;
                        book[kind].push(position(&round.begun, &next, &before, seat, &best));
                    }
                }
                before.push(said(seat, &act));
                game.apply(seat, &act)?;
            }
        }
    }
    println!("[\n{}\n]", book.concat().join(",\n"));
    Ok(())
}
