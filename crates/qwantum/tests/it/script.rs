//! Acts in few words: `play(&mut game, "0 roll, 0 reroll 0 3, 0 enter red, 1 skip")`.

use game::{Game, Refusal as _, Seat};
use qwantum::{Action, Event, Qwantum, Refusal, Row};

/// The worked example's roll: red 6, yellow 8, violet 6, blue 13.
pub const ROLL: &str = "3 Y5 B5 V3 B2 R3 B3";

pub fn row(name: &str) -> Row {
    Row::ALL.into_iter().find(|row| row.name() == name).unwrap_or_else(|| panic!("{name} is no row"))
}

fn read(act: &str) -> (Seat, Action) {
    let mut words = act.split_whitespace();
    let seat = Seat(words.next().and_then(|word| word.parse().ok()).expect("an act begins with its seat"));
    let verb = words.next().expect("an act has a verb");
    let rest: Vec<&str> = words.collect();
    let action = match verb {
        "roll" => Action::Roll {},
        "reroll" => {
            Action::Reroll { dice: rest.iter().map(|die| die.parse().expect("a die is a number")).collect() }
        }
        "keep" => Action::Keep {},
        "enter" => Action::Enter { row: row(rest[0]) },
        "skip" => Action::Skip {},
        _ => panic!("nobody can {verb}"),
    };
    (seat, action)
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

/// Plays acts, each of which must be legal, and returns what happened.
pub fn play(game: &mut Qwantum, acts: &str) -> Vec<Event> {
    let mut events = Vec::new();
    for act in acts.split(',') {
        let (seat, action) = read(act);
        match game.apply(seat, &action) {
            Ok(happened) => events.extend(happened),
            Err(refusal) => panic!("{act:?} is refused: {refusal}\n{game:?}"),
        }
    }
    events
}

/// Checks that an act is refused with this code and changes nothing.
#[track_caller]
pub fn refused(game: &Qwantum, act: &str, code: &str) {
    let (seat, action) = read(act);
    let mut after = *game;
    let refusal: Refusal = after.apply(seat, &action).expect_err("the act is refused");
    assert_eq!(refusal.code(), code, "{act}");
    assert_eq!(game.check(seat, &action), Err(refusal), "check and apply agree");
    assert!(after == *game, "{act} changed something");
}

/// What a seat may do, in the words of a script.
pub fn legal(game: &Qwantum, seat: u8) -> String {
    game.legal(Seat(seat)).iter().map(write).collect::<Vec<_>>().join(", ")
}

/// Who is asked.
pub fn asked(game: &Qwantum) -> Vec<u8> {
    game.asked().iter().map(|seat| seat.0).collect()
}

/// Events as on the wire, one a line, without the quotes.
pub fn told(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| serde_json::to_string(event).unwrap().replace('"', "")).collect()
}

/// Marsaglia's generator, for choices that need no better one.
pub struct Luck(u64);

impl Luck {
    pub fn new(seed: u64) -> Luck {
        Luck(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) as usize * n) >> 32
    }
}
