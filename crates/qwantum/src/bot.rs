//! Bots of three levels. A bot is shown the view of its seat, which is all that a client in the seat is shown, and
//! remembers nothing, so it cannot cheat.
//!
//! `scene` says what a view asks for, `worth` what a sheet is worth, `reroll` which dice to roll once more, `world` how
//! a game may go on; `thumb` is the easy and the normal bot, `search` the hard one.

#[cfg(test)]
mod fit;
#[cfg(test)]
mod laws;
mod reroll;
mod scene;
mod search;
mod thumb;
mod weights;
mod world;
mod worth;

use crate::dice::Chosen;
use crate::{Action, Qwantum, Row};
use game::{Bot, Budget, Chance, Level, Luck, Seat, View};
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
    /// The act is one that is listed, or a re-roll of some of the dice of the one that is.
    fn choose(
        view: &View<Qwantum>,
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
            Level::Hard => {
                search::choose(&scene, luck, budget).unwrap_or_else(|| thumb::normal(&scene, luck))
            }
        };
        scene.act(wish)
    }
}
