//! Makes the book of last turns, so many: `cargo run --release -p qwantum --example book_qwantum -- 90`. Bots play and roll nothing
//! again; where a decision has acts that are surely best and others that are not, it goes into the book, one a line.

#[path = "../tests/it/last_turns.rs"]
mod last_turns;

use game::{Bot, Budget, Game, Level, Seat, Seed, Viewer};
use gametest::{chance, luck};
use last_turns::{LAST_TURN, best_rerolls, faces, laid, numbers};
use qwantum::{Action, CELLS, MOST_MISSES, Phase, Qwantum, Row, Rules};
use serde_json::json;
use std::error::Error;

/// An act as the tests' scripts say it.
fn said(seat: Seat, act: &Action) -> String {
    let verb = match act {
        Action::Enter { row } => format!("enter {}", row.name()),
        Action::Skip {} => "skip".to_owned(),
        _ => "keep".to_owned(),
    };
    format!("{seat} {verb}")
}

fn position(begun: &Qwantum, before: &[String], seat: Seat, best: &[Action]) -> Option<String> {
    let table = begun.table();
    let players = &table.players;
    Some(
        json!({
            "active": table.turn?, "dice": faces(&table.dice?), "acts": before.join(", "), "seat": seat,
            "best": best,
            "rows": players.iter().map(|player| numbers(&player.rows)).collect::<Vec<_>>(),
            "misses": players.iter().map(|player| player.misses).collect::<Vec<_>>(),
        })
        .to_string(),
    )
}

/// The same turn, if whoever has one cell left had missed as often as they may: now they fill it, or the game is over too.
fn all_or_nothing(game: &Qwantum) -> Option<Qwantum> {
    let table = game.table();
    let (active, dice) = (table.turn?.index(), table.dice?);
    let rows = &table.players[active].rows;
    let left = 4 * CELLS - Row::ALL.iter().map(|row| rows.of(*row).len()).sum::<usize>();
    if game.phase() != Phase::Roll || left > 1 {
        return None;
    }
    laid(game)?.misses(active, MOST_MISSES - 1).dice(&faces(&dice)).game().ok()
}

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: usize = std::env::args().nth(1).ok_or("how many positions?")?.parse()?;
    // As many of each step of a turn.
    let mut book: [Vec<String>; 3] = [const { Vec::new() }; 3];
    for number in 1.. {
        if book.iter().all(|step| step.len() * 3 >= wanted) {
            break;
        }
        let mut luck = luck(number);
        let players = 2 + luck.below(3);
        let seed = Seed(std::array::from_fn(|at| (number >> (8 * (at % 2))) as u8));
        let (mut game, _) = Qwantum::new(&Rules {}, players, seed);
        let level = [Level::Normal, Level::Casual][luck.below(2)];
        let (mut begun, mut before, mut taken) = (game, Vec::new(), [false; 3]);
        while let Some(seat) = game.asked().first().copied() {
            let view = game.view(Viewer::Seat(seat));
            let rolled = view.table.dice.is_some();
            let act = if game.phase() == Phase::Roll && rolled {
                Action::Keep {}
            } else {
                Qwantum::choose(&view, seat, level, &mut chance(number), Budget::tries(0)).expect("an act")
            };
            let step = game.phase() as usize;
            if rolled && !taken[step] && book[step].len() * 3 < wanted {
                let solved = if game.phase() == Phase::Roll {
                    all_or_nothing(&game).and_then(|game| Some((game, best_rerolls(&game, seat)?)))
                } else {
                    Some((begun, LAST_TURN.best(&game, seat))).filter(|(_, best)| !best.is_empty())
                };
                if let Some((begun, best)) = solved {
                    taken[step] = true;
                    book[step].extend(position(&begun, &before, seat, &best));
                }
            }
            before.push(said(seat, &act));
            game.apply(seat, &act)?;
            if game.phase() == Phase::Roll {
                (begun, before) = (game, Vec::new());
            }
        }
    }
    println!("[\n{}\n]", book.concat().join(",\n"));
    Ok(())
}
