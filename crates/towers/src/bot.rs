//! Bots of four levels. A bot is shown the view of its seat, which is all that a client in the seat is shown, and
//! remembers nothing, so it cannot cheat; and a build it planned it carries on from whatever it finds on the table.
//!
//! All of them think in plans: which cards of a row, which demolition, which order. `scene` says what a view asks
//! for, `worth` what towers are worth, `plan` what can be made of a row, `bidding` how calls end, `world` how a game
//! may go on; `thumb` has all bots but the hard one, which is `search`: `value` is what it learned, `ends` how it solves an auction,
//! `endgame` how it solves the last two rounds.

mod bidding;
mod endgame;
mod ends;
#[cfg(test)]
mod fit;
#[cfg(test)]
mod laws;
mod net_weights;
mod packed;
mod plan;
mod scene;
mod search;
mod thumb;
#[cfg(test)]
mod train;
mod value;
mod world;
mod worth;

use crate::{Action, Towers};
use game::{Bot, Budget, Chance, Judged, Level, Luck, Seat, View};
use plan::Plan;
use scene::Scene;

/// What a bot decides, before it is put into an act.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wish {
    /// A number of cards; none for a pass.
    Call(Option<u8>),
    /// A way to build, of which the first step is next.
    Build(Plan),
}

impl Bot for Towers {
    /// A take is judged by the best that can be built of it.
    fn judge(
        view: &View<Towers>,
        seat: Seat,
        chance: &mut Chance,
        budget: Budget<'_>,
    ) -> Vec<Judged<Action>> {
        let Some(scene) = Scene::new(view, seat).filter(|_| budget.allows(0)) else { return Vec::new() };
        if let Some(judged) = endgame::judge(&scene, budget) {
            let judged = judged.into_iter().map(|(action, chance)| Judged { action, chance });
            return Judged::best_first(judged);
        }
        let luck = &mut Luck::new(chance);
        let judged = search::judge(&scene, luck, budget).into_iter();
        let first = |(wish, chance): (Wish, f32)| scene.act(&wish).map(|action| Judged { action, chance });
        let mut judged = Judged::best_first(judged.filter_map(first));
        // A plan names the card that goes up first. What goes on another tower may as well; what would go on the same one leads
        // somewhere else, and no better.
        if let Some((first, chance)) = judged.iter().find_map(|judged| match judged.action {
            Action::Build { card } => Some((card, judged.chance)),
            _ => None,
        }) {
            for action in &view.actions {
                let Action::Build { card } = *action else { continue };
                let other =
                    if card.tower() == first.tower() { search::with_first(&scene, card, luck) } else { None };
                judged.push(Judged { action: *action, chance: other.unwrap_or(chance).min(chance) });
            }
        }
        Judged::best_first(judged)
    }

    fn choose(
        view: &View<Towers>,
        seat: Seat,
        level: Level,
        chance: &mut Chance,
        budget: Budget<'_>,
    ) -> Option<Action> {
        let scene = Scene::new(view, seat)?;
        if level == Level::Hard
            && let Some(best) = Towers::judge(view, seat, chance, budget).into_iter().next()
        {
            return Some(best.action);
        }
        let luck = &mut Luck::new(chance);
        let wish = match level {
            Level::Easy => thumb::easy(&scene, luck),
            Level::Casual => thumb::casual(&scene, luck),
            Level::Normal | Level::Hard => thumb::normal(&scene, luck),
        };
        wish.and_then(|wish| scene.act(&wish)).or_else(|| scene.way_out())
    }

    fn greedy(view: &View<Towers>, seat: Seat) -> Option<Action> {
        let scene = Scene::new(view, seat)?;
        thumb::greedy(&scene).and_then(|wish| scene.act(&wish)).or_else(|| scene.way_out())
    }
}
