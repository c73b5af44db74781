//! A book of positions whose best acts are known, and the search that knows them: every act, and every card or roll that may
//! come, to the end of the game, by the rules alone. What a bot thinks of a position it does not ask.

use crate::chance;
use game::{Bot, Budget, Game, Level, MAX_PLAYERS, Seat, Viewer};
use std::collections::HashMap;
use std::fmt::Debug;

/// Chances that differ by less than this are equal: they are means, and rounded.
const EQUAL: f32 = 1e-5;

/// What a position is worth to every seat, as a share of the win: at least, and at most.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bounds {
    low: [f32; MAX_PLAYERS],
    high: [f32; MAX_PLAYERS],
}

impl Bounds {
    /// Nobody can know.
    const ANYTHING: Bounds = Bounds { low: [0.0; MAX_PLAYERS], high: [1.0; MAX_PLAYERS] };

    fn exact(shares: [f32; MAX_PLAYERS]) -> Bounds {
        Bounds { low: shares, high: shares }
    }

    /// Any of these, each as likely.
    fn mean(all: &[Bounds]) -> Bounds {
        let share = 1.0 / all.len() as f32;
        Bounds {
            low: std::array::from_fn(|seat| all.iter().map(|bounds| share * bounds.low[seat]).sum()),
            high: std::array::from_fn(|seat| all.iter().map(|bounds| share * bounds.high[seat]).sum()),
        }
    }

    /// Either of the two.
    fn or(self, other: Bounds) -> Bounds {
        Bounds {
            low: std::array::from_fn(|seat| self.low[seat].min(other.low[seat])),
            high: std::array::from_fn(|seat| self.high[seat].max(other.high[seat])),
        }
    }
}

/// How the end of a game is searched.
pub struct Endgame<G: Game> {
    /// Whether cards or dice decide from here on, which nobody can foresee.
    pub open_ended: fn(&G) -> bool,
    /// Whether everyone acts here without seeing what the others do.
    pub at_once: fn(&G) -> bool,
    /// Whether an act only takes something back.
    pub takes_back: fn(&G::Action) -> bool,
    /// Names a position that several ways lead to, and all that follows from it (memoisation); none for the others.
    pub name: fn(&G) -> Option<u64>,
    /// What may be dealt where an act leads from the first position to the second, as far as this seat can know: all positions
    /// it may lead to, each as likely. None where nothing is dealt, or only one thing can be.
    pub dealt: fn(&G, &G, Seat) -> Option<Vec<G>>,
}

impl<G: Game> Endgame<G> {
    /// The acts of a seat that are asked about.
    fn acts(&self, game: &G, seat: Seat) -> Vec<G::Action> {
        game.legal(seat).into_iter().filter(|act| !(self.takes_back)(act)).collect()
    }

    fn after(
        &self,
        game: &G,
        seat: Seat,
        act: &G::Action,
        me: Seat,
        known: &mut HashMap<u64, Bounds>,
    ) -> Bounds {
        let mut after = game.clone();
        after.apply(seat, act).expect("a listed act is legal");
        match (self.dealt)(game, &after, me) {
            Some(dealt) => {
                let worth: Vec<Bounds> = dealt.iter().map(|game| self.worth(game, me, known)).collect();
                Bounds::mean(&worth)
            }
            None => self.worth(&after, me, known),
        }
    }

    /// Max^n: whoever acts takes what is best for themselves. What is all the same to them may go either way, which the bounds
    /// say. Where all act at once, others may do anything at all, and `me` acts before it is seen what.
    fn worth(&self, game: &G, me: Seat, known: &mut HashMap<u64, Bounds>) -> Bounds {
        if let Some(outcome) = game.outcome() {
            let share = 1.0 / outcome.winners.len() as f32;
            let mut shares = [0.0; MAX_PLAYERS];
            outcome.winners.iter().for_each(|winner| shares[winner.index()] = share);
            return Bounds::exact(shares);
        }
        if (self.open_ended)(game) {
            return Bounds::ANYTHING;
        }
        let name = (self.name)(game);
        if let Some(worth) = name.and_then(|name| known.get(&name)) {
            return *worth;
        }
        let asked = game.asked();
        let seat = if asked.contains(&me) { me } else { asked[0] };
        let acts = self.acts(game, seat);
        let ways: Vec<Bounds> = acts.iter().map(|act| self.after(game, seat, act, me, known)).collect();
        let sure = ways.iter().map(|way| way.low[seat.index()]).fold(0.0, f32::max);
        let anything = seat != me && (self.at_once)(game);
        let possible = ways.into_iter().filter(|way| anything || way.high[seat.index()] > sure - EQUAL);
        let mut worth = possible.reduce(Bounds::or).expect("whoever is asked can act");
        if !anything {
            // They can make sure of it.
            worth.low[seat.index()] = sure;
        }
        if let Some(name) = name {
            known.insert(name, worth);
        }
        worth
    }

    /// What a position is worth to a seat: at least, and at most.
    pub fn bounds(&self, game: &G, me: Seat) -> [f32; 2] {
        let Bounds { low, high } = self.worth(game, me, &mut HashMap::new());
        [low[me.index()], high[me.index()]]
    }

    /// The acts that are best whatever happens ([`surely_best`]).
    pub fn best(&self, game: &G, seat: Seat) -> Vec<G::Action> {
        let known = &mut HashMap::new();
        let acts = self.acts(game, seat).into_iter().map(|act| {
            let Bounds { low, high } = self.after(game, seat, &act, seat, known);
            (act, [low[seat.index()], high[seat.index()]])
        });
        surely_best(acts.collect())
    }
}

/// Of acts with what each is worth, at least and at most, those that are best whatever happens: none of the others can be as good.
/// Of several each is as good as the rest. Empty where none is surely best, or where all are.
pub fn surely_best<A>(acts: Vec<(A, [f32; 2])>) -> Vec<A> {
    let sure = acts.iter().map(|(_, [low, _])| *low).fold(0.0, f32::max);
    let could_be_best = acts.iter().filter(|(_, [_, high])| *high > sure - EQUAL);
    let exact = could_be_best.clone().all(|(_, [low, high])| *low > sure - EQUAL && *high < sure + EQUAL);
    let best = could_be_best.count();
    // Where the best is as good as nothing there is nothing to find.
    if sure < EQUAL || best == acts.len() || (best > 1 && !exact) {
        return Vec::new();
    }
    acts.into_iter().filter(|(_, [_, high])| *high > sure - EQUAL).map(|(act, _)| act).collect()
}

/// Whether the hard bot, asked three times, does what the book says is best here.
#[track_caller]
pub fn finds<G: Bot + Debug>(game: &G, seat: Seat, book: &[G::Action], tries: u32) {
    for number in 0..3 {
        let view = game.view(Viewer::Seat(seat));
        let found =
            G::choose(&view, seat, Level::Hard, &mut chance(number), Budget::tries(tries)).expect("an act");
        assert!(book.contains(&found), "{found:?} and not {book:?} on {game:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_best_is_at_least_as_good_as_all_others_can_be() {
        assert_eq!(surely_best(vec![("sure", [0.5, 0.9]), ("not", [0.1, 0.4])]), ["sure"]);
        assert_eq!(surely_best(vec![("a", [0.5, 0.9]), ("as good", [0.1, 0.5])]), Vec::<&str>::new());
        assert_eq!(surely_best(vec![("a", [0.5, 0.9]), ("b", [0.1, 0.6])]), Vec::<&str>::new());
        assert_eq!(surely_best(vec![("a", [0.5; 2]), ("b", [0.5; 2]), ("c", [0.0, 0.4])]), ["a", "b"]);
        assert_eq!(surely_best(vec![("all", [1.0; 2]), ("are", [1.0; 2])]), Vec::<&str>::new());
        assert_eq!(surely_best(vec![("lost", [0.0; 2]), ("too", [0.0; 2])]), Vec::<&str>::new());
    }
}
