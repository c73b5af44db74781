//! What every bot is: a level, a budget, and a choice made from what its seat sees. How a game is played well is not
//! known here.

use crate::{Chance, Game, Seat, View};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How well a bot plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[cfg_attr(feature = "types", ts(rename = "BotLevel"))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Legal and plausible, with visible mistakes.
    Easy,
    /// Sound.
    Normal,
    /// Looks ahead.
    Hard,
}

/// How long a bot may think about one decision: so many tries at most, and no longer than whoever holds the clock says.
///
/// The games know no clock. So a deadline comes in as a callback that is asked now and then; with a number of tries
/// alone thinking is deterministic.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    tries: u32,
    over: &'a (dyn Fn() -> bool + 'a),
}

impl<'a> Budget<'a> {
    /// At most this many tries, however long they take.
    pub fn tries(tries: u32) -> Budget<'a> {
        Budget { tries, over: &|| false }
    }

    /// At most this many tries, and none begun once `over` says so. It is asked again and again, well
    /// within a millisecond.
    pub fn until(tries: u32, over: &'a (dyn Fn() -> bool + 'a)) -> Budget<'a> {
        Budget { tries, over }
    }

    /// The same, but for no more tries than this.
    pub fn at_most(self, tries: u32) -> Budget<'a> {
        Budget { tries: self.tries.min(tries), ..self }
    }

    /// Whether one more try may begin after so many.
    pub fn allows(&self, made: u32) -> bool {
        made < self.tries && !(self.over)()
    }
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("tries", &self.tries).finish_non_exhaustive()
    }
}

/// A game that can play itself.
///
/// Here the game is the one of seven stones that [`Game`] shows:
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/stones.rs"));
/// use game::{Bot, Budget, Level, Luck, View};
///
/// impl Bot for Stones {
///     fn choose(
///         view: &View<Stones>,
///         _: Seat,
///         level: Level,
///         chance: &mut Chance,
///         _: Budget<'_>,
///     ) -> Option<Take> {
///         // Four, eight, twelve left: whoever has to take from that loses.
///         let wins = |take: &&Take| level != Level::Easy && (view.table - take.stones) % 4 == 0;
///         let any = view.actions.get(Luck::new(chance).below(view.actions.len()));
///         view.actions.iter().find(wins).or(any).cloned()
///     }
/// }
///
/// # fn main() {
/// let (game, _) = Stones::new(&(), 2, Seed([0; 32]));
/// let choose = |seat: Seat| {
///     let view = game.view(Viewer::Seat(seat));
///     Stones::choose(&view, seat, Level::Hard, &mut Chance::new(Seed([1; 32])), Budget::tries(100))
/// };
/// assert_eq!(choose(game.turn), Some(Take { stones: 3 }));
/// assert_eq!(choose(game.turn.next(2)), None, "a seat that is not asked has nothing to choose");
/// # }
/// ```
pub trait Bot: Game {
    /// What a bot of this level does in this seat. It is shown what a client in the seat is shown and nothing else,
    /// so it cannot cheat, and it remembers nothing. None when the seat is not asked.
    ///
    /// The act is always one that `view.actions` lists, or that a listed one stands for. With a budget of tries alone,
    /// equal arguments give equal acts.
    fn choose(
        view: &View<Self>,
        seat: Seat,
        level: Level,
        chance: &mut Chance,
        budget: Budget<'_>,
    ) -> Option<Self::Action>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_budget_ends_with_its_tries() {
        let budget = Budget::tries(2);
        assert!(budget.allows(0) && budget.allows(1) && !budget.allows(2));
        assert!(!Budget::tries(0).allows(0));
        assert!(!budget.at_most(1).allows(1) && budget.at_most(9).allows(1) && !budget.at_most(9).allows(2));
    }

    #[test]
    fn a_budget_ends_when_time_is_over() {
        let over = Cell::new(false);
        let ask = || over.get();
        let budget = Budget::until(10, &ask);
        assert!(budget.allows(5));
        over.set(true);
        assert!(!budget.allows(5));
    }
}
