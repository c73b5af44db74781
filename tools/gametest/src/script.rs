//! Scripts of actions: `SCRIPT.play(&mut game, "0 bid 3, 1 pass")`. Each game defines its own words.

use game::{Game, IllegalAction as _, Seat};
use std::fmt::Debug;

/// How the actions of a game are written in a script.
pub struct Script<G: Game> {
    /// Parses an action from a verb and the words after it. Returns `None` if there is no such action.
    pub read: fn(verb: &str, rest: &[&str]) -> Option<G::Action>,
    /// Formats an action in the same words.
    pub write: fn(&G::Action) -> String,
}

impl<G: Game + PartialEq + Debug> Script<G>
where
    G::IllegalAction: PartialEq,
{
    fn read(&self, act: &str) -> (Seat, G::Action) {
        let mut words = act.split_whitespace();
        let seat = words.next().and_then(|word| word.parse().ok()).expect("an act begins with its seat");
        let verb = words.next().expect("an act has a verb");
        let rest: Vec<&str> = words.collect();
        let action = (self.read)(verb, &rest).unwrap_or_else(|| panic!("unknown verb {verb}"));
        (Seat(seat), action)
    }

    /// Plays actions, each of which must be legal, and returns their events.
    #[track_caller]
    pub fn play(&self, game: &mut G, acts: &str) -> Vec<G::Event> {
        let mut events = Vec::new();
        for act in acts.split(',') {
            let (seat, action) = self.read(act);
            match game.apply(seat, &action) {
                Ok(happened) => events.extend(happened),
                Err(refusal) => panic!("{act:?} was refused: {refusal}\n{game:?}"),
            }
        }
        events
    }

    /// Checks that an action is refused with this code and changes nothing.
    #[track_caller]
    pub fn refused(&self, game: &G, act: &str, code: &str) {
        let (seat, action) = self.read(act);
        let mut after = game.clone();
        let Err(refusal) = after.apply(seat, &action) else { panic!("{act:?} was not refused") };
        assert_eq!(refusal.code(), code, "{act}");
        assert_eq!(game.check(seat, &action), Err(refusal), "check and apply disagree");
        assert!(after == *game, "{act} was refused but changed the game");
    }

    /// Returns the legal actions of a seat, in the words of a script.
    pub fn legal(&self, game: &G, seat: u8) -> String {
        let acts = game.legal(Seat(seat)).into_iter();
        acts.map(|act| (self.write)(&act)).collect::<Vec<_>>().join(", ")
    }
}
