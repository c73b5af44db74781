//! What every bot is: a level, a budget, and a choice made from what its seat sees. How a game is played well is not
//! known here.

use crate::{Chance, Game, Seat, View};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How well a bot plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[cfg_attr(feature = "types", ts(rename = "BotLevel"), schemars(rename = "BotLevel"))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Legal and plausible, with visible mistakes.
    Easy,
    /// Knows what matters and misjudges it.
    Casual,
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

/// An act, and how likely the seat wins with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged<A> {
    /// The act.
    pub action: A,
    /// The chance, from 0 to 1; a win that is shared counts for its share.
    pub chance: f32,
}

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Level; 4] = [Level::Easy, Level::Casual, Level::Normal, Level::Hard];
}

impl<A: PartialEq> Judged<A> {
    /// The best first, each act once, with the best chance it was given. Of equally good ones the first stays first.
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

/// A game that can play itself.
///
/// Here the game is the one of seven stones that [`Game`] shows:
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/stones.rs"));
/// use game::{Bot, Budget, Judged, Level, Luck, View};
///
/// // Four, eight, twelve left: whoever has to take from that loses.
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
    /// Every listed act with its chance of winning, the best first, as the strongest bot sees it: for hints, for reviews, and
    /// for its own choice. Of a listed act that stands for others some of those are there; acts that only take something back
    /// are not. Empty when the seat is not asked, or when the budget was too small to compare.
    ///
    /// It is shown what [`Bot::choose`] is shown. With a budget of tries alone, equal arguments give equal chances.
    fn judge(
        view: &View<Self>,
        seat: Seat,
        chance: &mut Chance,
        budget: Budget<'_>,
    ) -> Vec<Judged<Self::Action>>;

    /// The same, with this act for certain among those that are judged: one that was played, and is looked at later. It need not be
    /// written as a listed one is: a listed act may stand for it.
    fn judge_with(
        view: &View<Self>,
        seat: Seat,
        _played: &Self::Action,
        chance: &mut Chance,
        budget: Budget<'_>,
    ) -> Vec<Judged<Self::Action>> {
        Self::judge(view, seat, chance, budget)
    }

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

    /// A yardstick for the levels, and none of them: somebody new to the game who takes the most points there are now and
    /// looks no further. None when the seat is not asked.
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
    fn a_budget_ends_when_time_is_over() {
        let over = Cell::new(false);
        let ask = || over.get();
        let budget = Budget::until(10, &ask);
        assert!(budget.allows(5));
        over.set(true);
        assert!(!budget.allows(5));
    }
}
