//! Generates the book of last-turn test positions: `cargo run --release -p qwantum --example book_qwantum -- 60`. The
//! number is how many positions to make. Bots play without re-rolling. A decision goes into the book, one per line, if
//! some of its actions are provably best and others are not.

#[path = "../tests/it/endgame.rs"]
mod endgame;

use endgame::LAST_TURN;
use game::{Bot, Budget, Game, Level, Seat, Seed, Viewer};
use gametest::{chance, luck};
use qwantum::{Action, Color, Phase, Qwantum, Row, Rules};
use serde_json::json;
use std::error::Error;

/// Formats an action the way the test scripts write it.
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
    let face = |color: Color| match color {
        Color::White => "",
        Color::Violet => "V",
        Color::Blue => "B",
        Color::Red => "R",
        Color::Yellow => "Y",
    };
    let dice: Vec<String> = table.dice?.iter().map(|die| format!("{}{}", face(die.color), die.value)).collect();
    let rows = |rows: &qwantum::Rows| {
        let row = |row: Row| {
            let numbers = rows.of(row).iter().map(|number| format!(" {number}")).collect::<String>();
            format!("{}{numbers}", row.name())
        };
        Row::ALL.map(row).join(", ")
    };
    let players = &table.players;
    Some(
        json!({
            "active": table.turn?, "dice": dice.join(" "), "acts": before.join(", "), "seat": seat, "best": best,
            "rows": players.iter().map(|player| rows(&player.rows)).collect::<Vec<_>>(),
            "misses": players.iter().map(|player| player.misses).collect::<Vec<_>>(),
        })
        .to_string(),
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: usize = std::env::args().nth(1).ok_or("missing argument: number of positions")?.parse()?;
    // The book has the same number of positions for each step of a turn.
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
                Qwantum::choose(&view, seat, level, &mut chance(number), Budget::tries(0)).expect("a decision")
            };
            let step = game.phase() as usize;
            if rolled && !taken[step] && book[step].len() * 3 < wanted {
                let best = LAST_TURN.best(&game, seat);
                if !best.is_empty() {
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
