//! Positions whose best actions are known, and the search that finds them: it tries every action to the end of the game
//! by the rules alone, without asking a bot for an evaluation.

use crate::chance;
use game::{Bot, Budget, Game, Level, MAX_PLAYERS, Seat, Viewer};
use std::collections::HashMap;
use std::fmt::Debug;

/// Lower and upper bounds of a position's value for every seat, as a share of the win.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    low: [f32; MAX_PLAYERS],
    high: [f32; MAX_PLAYERS],
}

impl Bounds {
    /// The result is unknown.
    const ANYTHING: Bounds = Bounds { low: [0.0; MAX_PLAYERS], high: [1.0; MAX_PLAYERS] };

    fn exact(shares: [f32; MAX_PLAYERS]) -> Bounds {
        Bounds { low: shares, high: shares }
    }

    /// Returns the bounds that cover both positions.
    fn or(self, other: Bounds) -> Bounds {
        Bounds {
            low: std::array::from_fn(|seat| self.low[seat].min(other.low[seat])),
            high: std::array::from_fn(|seat| self.high[seat].max(other.high[seat])),
        }
    }
}

/// How to search the end of a game.
pub struct SolvedEndgame<G: Game> {
    /// Returns whether cards or dice, which nobody can foresee, decide from here on.
    pub open_ended: fn(&G) -> bool,
    /// Returns whether all seats act simultaneously here, without seeing each other's choice.
    pub at_once: fn(&G) -> bool,
    /// Returns whether an action only takes something back.
    pub takes_back: fn(&G::Action) -> bool,
    /// Returns a key for positions that are reached in several ways, for memoization, or `None` for others.
    pub name: fn(&G) -> Option<u32>,
}

impl<G: Game> SolvedEndgame<G> {
    /// Returns the actions of a seat that are compared.
    fn acts(&self, game: &G, seat: Seat) -> Vec<G::Action> {
        game.legal(seat).into_iter().filter(|act| !(self.takes_back)(act)).collect()
    }

    fn after(&self, game: &G, seat: Seat, act: &G::Action, me: Seat, known: &mut HashMap<u32, Bounds>) -> Bounds {
        let mut after = game.clone();
        after.apply(seat, act).expect("a listed act is legal");
        self.worth(&after, me, known)
    }

    /// Searches with max^n: the acting seat chooses what is best for itself. If several actions are equal for it, any
    /// may be chosen, which the bounds reflect. Where all act simultaneously, the others may do anything, and `me` acts
    /// before their choices are seen.
    fn worth(&self, game: &G, me: Seat, known: &mut HashMap<u32, Bounds>) -> Bounds {
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
        let possible = ways.into_iter().filter(|way| anything || way.high[seat.index()] >= sure);
        let mut worth = possible.reduce(Bounds::or).expect("a seat that must act has an act");
        if !anything {
            // The seat can guarantee this value.
            worth.low[seat.index()] = sure;
        }
        if let Some(name) = name {
            known.insert(name, worth);
        }
        worth
    }

    /// Returns the actions that are best in every case, so that no other can be better. Empty if there is none, or if
    /// all are.
    pub fn best(&self, game: &G, seat: Seat) -> Vec<G::Action> {
        let acts = self.acts(game, seat);
        let known = &mut HashMap::new();
        let ways: Vec<Bounds> = acts.iter().map(|act| self.after(game, seat, act, seat, known)).collect();
        let most = ways.iter().map(|way| way.high[seat.index()]).fold(0.0, f32::max);
        let best = |way: &Bounds| way.low[seat.index()] >= most;
        // If the best value is zero, all actions are equally bad.
        if most == 0.0 || ways.iter().all(best) {
            return Vec::new();
        }
        acts.into_iter().zip(&ways).filter(|(_, way)| best(way)).map(|(act, _)| act).collect()
    }

    /// Checks that the book lists the best actions, and that the hard bot finds one of them.
    #[track_caller]
    pub fn check(&self, game: &G, seat: Seat, book: &[G::Action], tries: u32)
    where
        G: Bot + Debug,
    {
        assert_eq!(self.best(game, seat), book, "the book is wrong about {game:?}");
        for number in 0..3 {
            let view = game.view(Viewer::Seat(seat));
            let found = G::choose(&view, seat, Level::Hard, &mut chance(number), Budget::tries(tries))
                .expect("the bot chooses an act");
            assert!(book.contains(&found), "{found:?} instead of {book:?} in {game:?}");
        }
    }
}
