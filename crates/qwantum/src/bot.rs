//! Bots of four levels. A bot sees only its seat's view, like a client, and keeps no memory, so it cannot cheat. The
//! modules:
//! - `scene`: the decision that a view asks for
//! - `worth`: estimated value of a sheet
//! - `reroll`: which dice to re-roll
//! - `thumb`: all levels except the hard one
//! - `search`: the hard bot, with `value` (its learned evaluation), `foresight` (how a turn ends for everyone) and
//!   `every_roll` (exact values of re-rolls near the end)

mod every_roll;
#[cfg(test)]
mod fit;
mod foresight;
#[cfg(test)]
mod laws;
mod net_weights;
#[cfg(test)]
mod playout;
mod reroll;
mod scene;
mod search;
mod thumb;
#[cfg(test)]
mod train;
mod value;
mod weights;
mod world;
mod worth;

use crate::dice::Chosen;
use crate::{Action, Qwantum, Row};
use game::{Bot, Budget, Chance, Judged, Level, Luck, Seat, View};
use scene::Scene;

/// A bot's decision before it is turned into an action.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wish {
    /// Roll all dice.
    Roll,
    /// Re-roll these dice. An empty choice keeps all of them.
    Reroll(Chosen),
    /// Enter the total of this row's colour, or nothing.
    Enter(Option<Row>),
}

impl Bot for Qwantum {
    /// The list contains a re-roll only once, with all dice. The best choices of dice are judged separately.
    fn judge(view: &View<Qwantum>, seat: Seat, chance: &mut Chance, budget: Budget<'_>) -> Vec<Judged<Action>> {
        let Some(scene) = Scene::new(view, seat).filter(|_| budget.allows(0)) else { return Vec::new() };
        judged(&scene, None, chance, budget)
    }

    /// A played re-roll is evaluated to the end even if it falls behind early.
    fn judge_with(
        view: &View<Qwantum>,
        seat: Seat,
        played: &Action,
        chance: &mut Chance,
        budget: Budget<'_>,
    ) -> Vec<Judged<Action>> {
        let Some(scene) = Scene::new(view, seat).filter(|_| budget.allows(0)) else { return Vec::new() };
        let rolled = match played {
            Action::Reroll { dice } => Some(dice.iter().fold(Chosen::NONE, |chosen, die| chosen.with(*die as usize))),
            _ => None,
        };
        judged(&scene, rolled, chance, budget)
    }

    /// The action is a listed one, or a re-roll of some of the listed dice.
    fn choose(
        view: &View<Qwantum>,
        seat: Seat,
        level: Level,
        chance: &mut Chance,
        budget: Budget<'_>,
    ) -> Option<Action> {
        let scene = Scene::new(view, seat)?;
        if level == Level::Hard
            && let Some(best) = Qwantum::judge(view, seat, chance, budget).into_iter().next()
        {
            return Some(best.action);
        }
        let luck = &mut Luck::new(chance);
        scene.act(match level {
            Level::Easy => thumb::easy(&scene, luck),
            Level::Casual => thumb::casual(&scene, luck),
            Level::Normal | Level::Hard => thumb::normal(&scene, luck),
        })
    }

    fn greedy(view: &View<Qwantum>, seat: Seat) -> Option<Action> {
        let scene = Scene::new(view, seat)?;
        scene.act(thumb::greedy(&scene))
    }
}

fn judged(scene: &Scene<'_>, played: Option<Chosen>, chance: &mut Chance, budget: Budget<'_>) -> Vec<Judged<Action>> {
    let judged = search::judge(scene, played, &mut Luck::new(chance), budget).into_iter();
    let act = |(wish, chance)| scene.act(wish).map(|action| Judged { action, chance });
    Judged::best_first(judged.filter_map(act))
}
