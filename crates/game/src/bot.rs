//! The interface every bot implements: levels, thinking budgets and a choice made from its seat's view. Contains no
//! game strategy.

use crate::{Chance, Game, Seat, View};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Playing strength of a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "BotLevel"), schemars(rename = "BotLevel"))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Plays legal and plausible acts, with visible mistakes.
    Easy,
    /// Knows what matters, but misjudges it.
    Casual,
    /// Plays soundly.
    Normal,
    /// Looks ahead.
    Hard,
}

/// Limit on how long a bot may think about one decision: a maximum number of tries and an optional deadline.
///
/// The game crates have no clock, so the deadline is a callback that is polled now and then. With a number of tries
/// alone, thinking is deterministic.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    tries: u32,
    over: &'a (dyn Fn() -> bool + 'a),
}

impl<'a> Budget<'a> {
    /// Allows at most this many tries, with no deadline.
    pub fn tries(tries: u32) -> Budget<'a> {
        Budget { tries, over: &|| false }
    }

    /// Allows at most this many tries, and starts none after `over` returns true. `over` is polled at intervals well
    /// below a millisecond.
    pub fn until(tries: u32, over: &'a (dyn Fn() -> bool + 'a)) -> Budget<'a> {
        Budget { tries, over }
    }

    /// Returns this budget limited to `tries`.
    pub fn at_most(self, tries: u32) -> Budget<'a> {
        Budget { tries: self.tries.min(tries), ..self }
    }

    /// Returns whether another try may start after `made` tries.
    pub fn allows(&self, made: u32) -> bool {
        made < self.tries && !(self.over)()
    }
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("tries", &self.tries).finish_non_exhaustive()
    }
}

/// An action and the seat's estimated chance of winning with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged<A> {
    /// The action.
    pub action: A,
    /// The winning chance from 0 to 1. A shared win counts for its share.
    pub chance: f32,
}

impl Level {
    /// All levels, weakest first.
    pub const ALL: [Level; 4] = [Level::Easy, Level::Casual, Level::Normal, Level::Hard];
}

impl<A: PartialEq> Judged<A> {
    /// Sorts by chance, best first, and keeps each action once with its highest chance. Ties keep their input order.
    pub fn best_first(judged: impl IntoIterator<Item = Judged<A>>) -> Vec<Judged<A>> {
        let mut judged: Vec<Judged<A>> = judged.into_iter().collect();
        judged.sort_by(|a, b| b.chance.total_cmp(&a.chance));
        let mut each: Vec<Judged<A>> = Vec::with_capacity(judged.len());
        for next in judged {
            if each.iter().all(|known| known.action != next.action) {
                each.push(next);
            }
        }
        each
    }
}

/// A game that bots can play.
///
/// This example uses the seven-stones game from the documentation of [`Game`]:
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/stones.rs"));
/// use game::{Bot, Budget, Judged, Level, Luck, View};
///
/// // A player who must take from four, eight or twelve stones loses.
/// fn chance(left: u8) -> f32 {
///     if left % 4 == 0 { 1.0 } else { 0.0 }
/// }
///
/// impl Bot for Stones {
///     fn judge(view: &View<Stones>, _: Seat, _: &mut Chance, _: Budget<'_>) -> Vec<Judged<Take>> {
///         let judged = view.actions.iter().map(|take| {
///             Judged { action: take.clone(), chance: chance(view.table - take.stones) }
///         });
///         Judged::best_first(judged)
///     }
///
///     fn choose(
///         view: &View<Stones>,
///         seat: Seat,
///         level: Level,
///         chance: &mut Chance,
///         budget: Budget<'_>,
///     ) -> Option<Take> {
///         if level == Level::Easy {
///             return view.actions.get(Luck::new(chance).below(view.actions.len())).cloned();
///         }
///         Stones::judge(view, seat, chance, budget).into_iter().next().map(|best| best.action)
///     }
///
///     fn greedy(view: &View<Stones>, _: Seat) -> Option<Take> {
///         view.actions.last().cloned()
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
    /// Returns the legal actions with their winning chances, best first, as the strongest bot estimates them. Used for
    /// hints, for reviews and for the bot's own choice.
    ///
    /// Where one listed action represents several concrete ones, the result contains some of those. Actions that only
    /// undo something are left out. The result is empty if the seat has no decision to make or the budget was too small
    /// for a comparison.
    ///
    /// Sees only what [`Bot::choose`] sees. With a budget of tries alone, equal arguments give equal chances.
    fn judge(view: &View<Self>, seat: Seat, chance: &mut Chance, budget: Budget<'_>) -> Vec<Judged<Self::Action>>;

    /// Like [`Bot::judge`], but always includes `played`, an action that is reviewed after the game. `played` need not
    /// be listed literally: a listed action may represent it.
    fn judge_with(
        view: &View<Self>,
        seat: Seat,
        _played: &Self::Action,
        chance: &mut Chance,
        budget: Budget<'_>,
    ) -> Vec<Judged<Self::Action>> {
        Self::judge(view, seat, chance, budget)
    }

    /// Returns the action that a bot of this level plays, or `None` if the seat has no decision to make. The bot sees
    /// only the view a client in this seat receives, so it cannot cheat, and it keeps no memory between calls.
    ///
    /// The action is always listed in `view.actions` or represented by a listed one. With a budget of tries alone,
    /// equal arguments give equal actions.
    fn choose(
        view: &View<Self>,
        seat: Seat,
        level: Level,
        chance: &mut Chance,
        budget: Budget<'_>,
    ) -> Option<Self::Action>;

    /// Returns the action of a beginner who takes the most points available now and does not look ahead. It is a
    /// baseline for measuring the levels and not a level itself. `None` if the seat has no decision to make.
    fn greedy(view: &View<Self>, seat: Seat) -> Option<Self::Action>;
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
    fn a_budget_ends_at_its_deadline() {
        let over = Cell::new(false);
        let ask = || over.get();
        let budget = Budget::until(10, &ask);
        assert!(budget.allows(5));
        over.set(true);
        assert!(!budget.allows(5));
    }
}
