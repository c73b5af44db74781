//! Bots of four levels. A bot is shown the view of its seat, which is all that a client in the seat is shown, and
//! remembers nothing, so it cannot cheat.
//!
//! `scene` says what a view asks for, `worth` what a sheet is worth, `reroll` which dice to roll once more; `thumb` has all bots but
//! the hard one, which is `search`: `value` is what it learned, `foresight` how a turn ends for everyone, `every_roll` what a
//! re-roll promises near the end.

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

/// What a bot decides, before it is put into an act.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wish {
    /// To roll all dice.
    Roll,
    /// To roll these dice once more; none of them means to keep all.
    Reroll(Chosen),
    /// To enter the total of a row's colour, or nothing.
    Enter(Option<Row>),
}

impl Bot for Qwantum {
    /// A re-roll is listed once, with all dice; the ways to do it that are among the best are judged each.
    fn judge(
        view: &View<Qwantum>,
        seat: Seat,
        chance: &mut Chance,
        budget: Budget<'_>,
    ) -> Vec<Judged<Action>> {
        let Some(scene) = Scene::new(view, seat).filter(|_| budget.allows(0)) else { return Vec::new() };
        judged(&scene, None, chance, budget)
    }

    /// Of the ways to re-roll that fell behind early the one that was played is tried to the end.
    fn judge_with(
        view: &View<Qwantum>,
        seat: Seat,
        played: &Action,
        chance: &mut Chance,
        budget: Budget<'_>,
    ) -> Vec<Judged<Action>> {
        let Some(scene) = Scene::new(view, seat).filter(|_| budget.allows(0)) else { return Vec::new() };
        let rolled = match played {
            Action::Reroll { dice } => {
                Some(dice.iter().fold(Chosen::NONE, |chosen, die| chosen.with(*die as usize)))
            }
            _ => None,
        };
        judged(&scene, rolled, chance, budget)
    }

    /// The act is one that is listed, or a re-roll of some of the dice of the one that is.
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

fn judged(
    scene: &Scene<'_>,
    played: Option<Chosen>,
    chance: &mut Chance,
    budget: Budget<'_>,
) -> Vec<Judged<Action>> {
    let judged = search::judge(scene, played, &mut Luck::new(chance), budget).into_iter();
    let act = |(wish, chance)| scene.act(wish).map(|action| Judged { action, chance });
    Judged::best_first(judged.filter_map(act))
}
