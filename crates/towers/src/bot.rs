//! Bots of four levels. A bot sees only its seat's view, like a client, so it cannot cheat. It keeps no memory: it
//! replans a started build from the cards it finds on the table.
//!
//! All bots think in plans: which cards of the row, which demolition, which order. The modules:
//! - `scene`: the decision that a view asks for
//! - `worth`: estimated value of towers
//! - `plan`: what can be built from a row
//! - `bidding`: how auctions end
//! - `world`: how a game may continue
//! - `thumb`: all levels except the hard one
//! - `search`: the hard bot, with `value` (its learned evaluation), `ends` (solves an auction) and `endgame` (solves
//!   the last two rounds)

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

/// A bot's decision before it is turned into an action.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wish {
    /// A bid, or `None` for a pass.
    Call(Option<u8>),
    /// A plan for the build, whose first step is next.
    Build(Plan),
}

impl Bot for Towers {
    /// Judges a take by the best build it allows.
    fn judge(view: &View<Towers>, seat: Seat, chance: &mut Chance, budget: Budget<'_>) -> Vec<Judged<Action>> {
        let Some(scene) = Scene::new(view, seat).filter(|_| budget.allows(0)) else { return Vec::new() };
        if let Some(judged) = endgame::judge(&scene, budget) {
            let judged = judged.into_iter().map(|(action, chance)| Judged { action, chance });
            return Judged::best_first(judged);
        }
        let luck = &mut Luck::new(chance);
        let judged = search::judge(&scene, luck, budget).into_iter();
        let first = |(wish, chance): (Wish, f32)| scene.act(&wish).map(|action| Judged { action, chance });
        let mut judged = Judged::best_first(judged.filter_map(first));
        // A plan names the card to place first. Cards for other towers could be placed first just as well. A card for
        // the same tower leads to a different tower, which is judged separately and never as better.
        if let Some((first, chance)) = judged.iter().find_map(|judged| match judged.action {
            Action::Build { card } => Some((card, judged.chance)),
            _ => None,
        }) {
            for action in &view.actions {
                let Action::Build { card } = *action else { continue };
                let other = if card.tower() == first.tower() { search::with_first(&scene, card, luck) } else { None };
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
