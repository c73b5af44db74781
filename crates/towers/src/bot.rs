//! Bots of three levels. A bot is shown the view of its seat, which is all that a client in the seat is shown, and
//! remembers nothing, so it cannot cheat; and a build it planned it carries on from whatever it finds on the table.
//!
//! All of them think in plans: which cards of a row, which demolition, which order. `scene` says what a view asks
//! for, `worth` what towers are worth, `plan` what can be made of a row, `bidding` how calls end, `world` how a game
//! may go on; `thumb` is the easy and the normal bot, `search` the hard one.

mod bidding;
#[cfg(test)]
mod fit;
#[cfg(test)]
mod laws;
mod packed;
mod plan;
mod scene;
mod search;
mod thumb;
mod world;
mod worth;

use crate::{Action, Towers};
use game::{Bot, Budget, Chance, Level, Luck, Seat, View};
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
    fn choose(
        view: &View<Towers>,
        seat: Seat,
        level: Level,
        chance: &mut Chance,
        budget: Budget<'_>,
    ) -> Option<Action> {
        let scene = Scene::new(view, seat)?;
        let luck = &mut Luck::new(chance);
        let wish = match level {
            Level::Easy => thumb::easy(&scene, luck),
            Level::Normal => thumb::normal(&scene, luck),
            Level::Hard => search::choose(&scene, luck, budget).or_else(|| thumb::normal(&scene, luck)),
        };
        wish.and_then(|wish| scene.act(&wish)).or_else(|| scene.way_out())
    }
}
