//! Acts in few words: `SCRIPT.play(&mut game, "0 bid 3, 1 pass")`. The words are each game's own.

use game::{Game, Refusal as _, Seat};
use std::fmt::Debug;

/// How a game's acts are written in a story.
pub struct Script<G: Game> {
    /// An act of a verb and the words after it; none if nobody can do that.
    pub read: fn(verb: &str, rest: &[&str]) -> Option<G::Action>,
    /// The act in those words.
    pub write: fn(&G::Action) -> String,
}

impl<G: Game + PartialEq + Debug> Script<G>
where
    G::Refusal: PartialEq,
{
    fn read(&self, act: &str) -> (Seat, G::Action) {
        let mut words = act.split_whitespace();
        let seat = words.next().and_then(|word| word.parse().ok()).expect("an act begins with its seat");
        let verb = words.next().expect("an act has a verb");
        let rest: Vec<&str> = words.collect();
        let action = (self.read)(verb, &rest).unwrap_or_else(|| panic!("nobody can {verb}"));
        (Seat(seat), action)
    }

    /// Plays acts, each of which must be legal, and returns what happened.
    #[track_caller]
    pub fn play(&self, game: &mut G, acts: &str) -> Vec<G::Event> {
        let mut events = Vec::new();
        for act in acts.split(',') {
            let (seat, action) = self.read(act);
            match game.apply(seat, &action) {
                Ok(happened) => events.extend(happened),
                Err(refusal) => panic!("{act:?} is refused: {refusal}\n{game:?}"),
            }
        }
        events
    }

    /// Checks that an act is refused with this code and changes nothing.
    #[track_caller]
    pub fn refused(&self, game: &G, act: &str, code: &str) {
        let (seat, action) = self.read(act);
        let mut after = game.clone();
        let Err(refusal) = after.apply(seat, &action) else { panic!("{act:?} is not refused") };
        assert_eq!(refusal.code(), code, "{act}");
        assert_eq!(game.check(seat, &action), Err(refusal), "check and apply agree");
        assert!(after == *game, "{act} changed something");
    }

    /// What a seat may do, in the words of a script.
    pub fn legal(&self, game: &G, seat: u8) -> String {
        let acts = game.legal(Seat(seat)).into_iter();
        acts.map(|act| (self.write)(&act)).collect::<Vec<_>>().join(", ")
    }
}
