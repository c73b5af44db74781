//! Scripts of actions: `play(&mut game, "0 roll, 0 reroll 0 3, 0 enter red, 1 skip")`.

use game::Game;
use gametest::Script;
use qwantum::{Action, Event, Qwantum, Row};

/// The roll of the worked example: red 6, yellow 8, violet 6, blue 13.
pub const ROLL: &str = "3 Y5 B5 V3 B2 R3 B3";

const SCRIPT: Script<Qwantum> = Script { read, write };

pub fn row(name: &str) -> Row {
    Row::ALL.into_iter().find(|row| row.name() == name).unwrap_or_else(|| panic!("{name} is not a row"))
}

fn read(verb: &str, rest: &[&str]) -> Option<Action> {
    Some(match verb {
        "roll" => Action::Roll {},
        "reroll" => Action::Reroll { dice: rest.iter().map(|die| die.parse().expect("a die is a number")).collect() },
        "keep" => Action::Keep {},
        "enter" => Action::Enter { row: row(rest[0]) },
        "skip" => Action::Skip {},
        _ => return None,
    })
}

fn write(action: &Action) -> String {
    match action {
        Action::Roll {} => "roll".into(),
        Action::Reroll { dice } => {
            format!("reroll {}", dice.iter().map(u64::to_string).collect::<Vec<_>>().join(" "))
        }
        Action::Keep {} => "keep".into(),
        Action::Enter { row } => format!("enter {}", row.name()),
        Action::Skip {} => "skip".into(),
    }
}

/// Plays actions, each of which must be legal, and returns their events.
#[track_caller]
pub fn play(game: &mut Qwantum, acts: &str) -> Vec<Event> {
    SCRIPT.play(game, acts)
}

/// Checks that an action is refused with this code and changes nothing.
#[track_caller]
pub fn refused(game: &Qwantum, act: &str, code: &str) {
    SCRIPT.refused(game, act, code);
}

/// Returns the legal actions of a seat, in the words of a script.
pub fn legal(game: &Qwantum, seat: u8) -> String {
    SCRIPT.legal(game, seat)
}

/// Returns the seats that must act.
pub fn asked(game: &Qwantum) -> Vec<u8> {
    game.asked().iter().map(|seat| seat.0).collect()
}

/// Returns the events as JSON without the quotes.
pub fn as_json(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| serde_json::to_string(event).unwrap().replace('"', "")).collect()
}
