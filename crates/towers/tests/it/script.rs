//! Scripts of actions: `play(&mut game, "0 bid 3, 1 pass, 2 bid 5, 2 take sand7 tree0")`.

use gametest::Script;
use towers::{Action, Card, Event, Mistakes, Rules, Towers};

pub const ALLOWED: Rules = Rules { mistakes: Mistakes::Allowed };

const SCRIPT: Script<Towers> = Script { read, write };

fn read(verb: &str, rest: &[&str]) -> Option<Action> {
    let card = |word: &str| word.parse::<Card>().unwrap_or_else(|_| panic!("{word} is not a card"));
    Some(match verb {
        "bid" => Action::Bid { count: rest[0].parse().expect("a bid is a number") },
        "pass" => Action::Pass {},
        "take" => Action::Take { cards: rest.iter().map(|word| card(word)).collect() },
        "demolish" => Action::Demolish { tower: rest[0].parse().expect("a tower") },
        "build" => Action::Build { card: card(rest[0]) },
        "undo" => Action::Undo {},
        "retract" => Action::Retract {},
        "finish" => Action::Finish {},
        _ => return None,
    })
}

fn write(action: &Action) -> String {
    match action {
        Action::Bid { count } => format!("bid {count}"),
        Action::Pass {} => "pass".into(),
        Action::Take { cards } => {
            format!("take {}", cards.iter().map(Card::to_string).collect::<Vec<_>>().join(" "))
        }
        Action::Demolish { tower } => format!("demolish {}", tower.name()),
        Action::Build { card } => format!("build {card}"),
        Action::Undo {} => "undo".into(),
        Action::Retract {} => "retract".into(),
        Action::Finish {} => "finish".into(),
    }
}

/// Plays actions, each of which must be legal, and returns their events.
#[track_caller]
pub fn play(game: &mut Towers, acts: &str) -> Vec<Event> {
    SCRIPT.play(game, acts)
}

/// Checks that an action is refused with this code and changes nothing.
#[track_caller]
pub fn refused(game: &Towers, act: &str, code: &str) {
    SCRIPT.refused(game, act, code);
}

/// Returns the legal actions of a seat, in the words of a script.
pub fn legal(game: &Towers, seat: u8) -> String {
    SCRIPT.legal(game, seat)
}
