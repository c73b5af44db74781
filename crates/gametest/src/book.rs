//! A book of positions whose best acts are known, and the search that knows them: every act to the end of the game, by the rules
//! alone. What a bot thinks of a position it does not ask.

use crate::chance;
use game::{Bot, Budget, Game, Level, MAX_PLAYERS, Seat, Viewer};
use std::collections::HashMap;
use std::fmt::Debug;

/// What a position is worth to every seat, as a share of the win: at least, and at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    low: [f32; MAX_PLAYERS],
    high: [f32; MAX_PLAYERS],
}

impl Bounds {
    /// Nobody can know.
    const ANYTHING: Bounds = Bounds { low: [0.0; MAX_PLAYERS], high: [1.0; MAX_PLAYERS] };

    fn exact(shares: [f32; MAX_PLAYERS]) -> Bounds {
        Bounds { low: shares, high: shares }
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
    pub name: fn(&G) -> Option<u32>,
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
        known: &mut HashMap<u32, Bounds>,
    ) -> Bounds {
        let mut after = game.clone();
        after.apply(seat, act).expect("a listed act is legal");
        self.worth(&after, me, known)
    }

    /// Max^n: whoever acts takes what is best for themselves. What is all the same to them may go either way, which the bounds
    /// say. Where all act at once, others may do anything at all, and `me` acts before it is seen what.
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

    /// The acts that are best whatever happens: none of the others can be better. Empty where none is, or where all are.
    pub fn best(&self, game: &G, seat: Seat) -> Vec<G::Action> {
        let acts = self.acts(game, seat);
        let known = &mut HashMap::new();
        let ways: Vec<Bounds> = acts.iter().map(|act| self.after(game, seat, act, seat, known)).collect();
        let most = ways.iter().map(|way| way.high[seat.index()]).fold(0.0, f32::max);
        let best = |way: &Bounds| way.low[seat.index()] >= most;
        // Where the best is as good as nothing there is nothing to find.
        if most == 0.0 || ways.iter().all(best) {
            return Vec::new();
        }
        acts.into_iter().zip(&ways).filter(|(_, way)| best(way)).map(|(act, _)| act).collect()
    }

    /// Whether the hard bot finds what is best here, and whether that is what the book says.
    #[track_caller]
    pub fn check(&self, game: &G, seat: Seat, book: &[G::Action], tries: u32)
    where
        G: Bot + Debug,
    {
        assert_eq!(self.best(game, seat), book, "the book is right about {game:?}");
        for number in 0..3 {
            let view = game.view(Viewer::Seat(seat));
            let found = G::choose(&view, seat, Level::Hard, &mut chance(number), Budget::tries(tries))
                .expect("an act");
            assert!(book.contains(&found), "{found:?} and not {book:?} on {game:?}");
        }
    }
}
