//! Acts in few words: `play(&mut game, "0 bid 3, 1 pass, 2 bid 5, 2 take sand7 tree0")`.

use game::{Game, Refusal as _, Seat};
use towers::{Action, Card, Event, Mistakes, Refusal, Rules, Towers};

pub const ALLOWED: Rules = Rules { mistakes: Mistakes::Allowed };

fn read(act: &str) -> (Seat, Action) {
    let mut words = act.split_whitespace();
    let seat = Seat(words.next().and_then(|word| word.parse().ok()).expect("an act begins with its seat"));
    let verb = words.next().expect("an act has a verb");
    let cards: Vec<&str> = words.collect();
    let card = |word: &str| word.parse::<Card>().unwrap_or_else(|_| panic!("{word} is no card"));
    let action = match verb {
        "bid" => Action::Bid { count: cards[0].parse().expect("a bid is a number") },
        "pass" => Action::Pass {},
        "take" => Action::Take { cards: cards.iter().map(|word| card(word)).collect() },
        "demolish" => Action::Demolish { tower: cards[0].parse().expect("a tower") },
        "build" => Action::Build { card: card(cards[0]) },
        "undo" => Action::Undo {},
        "retract" => Action::Retract {},
        "finish" => Action::Finish {},
        _ => panic!("nobody can {verb}"),
    };
    (seat, action)
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

/// Plays acts, each of which must be legal, and returns what happened.
pub fn play(game: &mut Towers, acts: &str) -> Vec<Event> {
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
pub fn refused(game: &Towers, act: &str, code: &str) {
    let (seat, action) = read(act);
    let mut after = *game;
    let refusal: Refusal = after.apply(seat, &action).expect_err("the act is refused");
    assert_eq!(refusal.code(), code, "{act}");
    assert_eq!(game.check(seat, &action), Err(refusal), "check and apply agree");
    assert!(after == *game, "{act} changed something");
}

/// What a seat may do, in the words of a script.
pub fn legal(game: &Towers, seat: u8) -> String {
    game.legal(Seat(seat)).iter().map(write).collect::<Vec<_>>().join(", ")
}

/// Marsaglia's generator, for choices that need no better one.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) as usize * n) >> 32
    }
}
