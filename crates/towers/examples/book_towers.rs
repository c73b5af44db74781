//! Generates the book of last-round test positions: `cargo run --release -p towers --example book_towers -- 60`. The
//! number is how many positions to make. Bots play whole games. A decision of the last round goes into the book, one
//! per line, if some of its actions are provably best and others are not.

#[path = "../tests/it/endgame.rs"]
mod endgame;

use endgame::LAST_ROUND;
use game::{Bot, Budget, Game, Level, Seat, Seed, Viewer};
use gametest::{chance, luck};
use serde_json::json;
use std::error::Error;
use towers::{Action, Phase, Rules, Tower, Towers};

/// Formats an action the way the test scripts write it.
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

fn words(cards: impl IntoIterator<Item = impl ToString>) -> String {
    cards.into_iter().map(|card| card.to_string()).collect::<Vec<_>>().join(" ")
}

/// Plays a game with bots and returns its state at the start of the last round with the actions of that round.
fn last_round(number: u64) -> (Towers, Vec<(Seat, Action)>) {
    let mut luck = luck(number);
    let players = 2 + luck.below(3);
    let seed = Seed(std::array::from_fn(|at| (number >> (8 * (at % 2))) as u8));
    let (mut game, _) = Towers::new(&Rules::default(), players, seed);
    let levels: Vec<Level> = (0..players).map(|_| [Level::Normal, Level::Casual][luck.below(2)]).collect();
    let (mut begun, mut acts) = (game, Vec::new());
    while let Some(seat) = game.turn() {
        let view = game.view(Viewer::Seat(seat));
        let level = levels[seat.index()];
        let act = Towers::choose(&view, seat, level, &mut chance(number), Budget::tries(0)).expect("a decision");
        let round = view.table.round;
        acts.push((seat, act));
        game.apply(seat, &act).expect("a bot's action is legal");
        if game.table().round > round {
            (begun, acts) = (game, Vec::new());
        }
    }
    (begun, acts)
}

/// Formats a decision of the last round as an entry of the book.
fn position(begun: &Towers, before: &[String], seat: Seat, best: &[Action]) -> String {
    let table = begun.table();
    let tower = |seat: Seat, tower: Tower| {
        let stack = table.players[seat.index()].towers.of(tower);
        (!stack.is_empty()).then(|| format!("{} {}", tower.name(), words(stack.iter())))
    };
    let towers = |seat| Tower::ALL.into_iter().filter_map(|each| tower(seat, each)).collect::<Vec<_>>().join(", ");
    let seats = || Seat::all(begun.players());
    json!({
        "starter": table.starter, "row": words(table.row.iter()), "acts": before.join(", "), "seat": seat, "best": best,
        "towers": seats().map(towers).collect::<Vec<_>>(),
        "demolished": seats().map(|seat| words(begun.mine(seat).demolished.iter())).collect::<Vec<_>>(),
    })
    .to_string()
}

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: usize = std::env::args().nth(1).ok_or("missing argument: number of positions")?.parse()?;
    // Half of the positions are calls and half are builds, with at most one of each kind per game.
    let mut book: [Vec<String>; 2] = [const { Vec::new() }; 2];
    for number in 1.. {
        if book.iter().all(|kind| kind.len() * 2 >= wanted) {
            break;
        }
        let (begun, acts) = last_round(number);
        let (mut game, mut before, mut taken) = (begun, Vec::new(), [false; 2]);
        for (seat, act) in acts {
            let kind = usize::from(game.phase() != Phase::Auction);
            if !taken[kind] && book[kind].len() * 2 < wanted {
                let best = LAST_ROUND.best(&game, seat);
                if !best.is_empty() {
                    taken[kind] = true;
                    book[kind].push(position(&begun, &before, seat, &best));
                }
            }
            before.push(said(seat, &act));
            game.apply(seat, &act)?;
        }
    }
    println!("[\n{}\n]", book.concat().join(",\n"));
    Ok(())
}
