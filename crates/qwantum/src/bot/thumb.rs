//! The bots that think no further than this turn: the easy one, which likes numbers that rise evenly and misjudges
//! them, and the normal one, which knows what sheets are worth.

use super::Wish;
use super::reroll::{Ways, all_but};
use super::scene::{Question, Scene};
use super::world::{best_pair, best_shared};
use super::worth::{WEIGHTS, naive_gain};
use crate::dice::{Chosen, DICE, Die, totals};
use crate::sheet::Row;
use game::Luck;

/// How far off the easy bot is in judging a number, in points.
const STRAY: f32 = 3.0;

/// How many rolls the normal bot imagines before it re-rolls.
const ROLLS: usize = 12;

/// What the easy bot wishes.
pub fn easy(scene: &Scene<'_>, luck: &mut Luck) -> Wish {
    match scene.question {
        Question::Roll => Wish::Roll,
        Question::Reroll(dice) => Wish::Reroll(easy_reroll(scene, &dice, luck)),
        Question::Alone(totals) | Question::Shared(totals) => {
            let judged = scene.entries().map(|row| {
                let glad = row.and_then(|row| naive_gain(scene.sheet(), row, totals[row.index()]));
                (glad.unwrap_or(0.0) + luck.stray(STRAY), row)
            });
            let best = judged.max_by(|a, b| a.0.total_cmp(&b.0));
            Wish::Enter(best.and_then(|(_, row)| row))
        }
    }
}

/// It keeps the dice of some colour it could enter, or all.
fn easy_reroll(scene: &Scene<'_>, dice: &[Die; DICE], luck: &mut Luck) -> Chosen {
    let totals = totals(dice);
    let glad = |row: Row| naive_gain(scene.sheet(), row, totals[row.index()]).is_some_and(|glad| glad > 2.0);
    if Row::ALL.into_iter().filter(|row| glad(*row)).count() > luck.below(3) {
        return Chosen::NONE;
    }
    all_but(dice, Row::ALL[luck.below(4)])
}

/// What the normal bot wishes.
pub fn normal(scene: &Scene<'_>, luck: &mut Luck) -> Wish {
    let worth = scene.world.worth(&WEIGHTS);
    match scene.question {
        Question::Roll => Wish::Roll,
        Question::Reroll(dice) => {
            let mut ways = Ways::by_color(&worth, scene.sheet(), &dice);
            for _ in 0..ROLLS {
                ways.try_roll(luck);
            }
            Wish::Reroll(ways.best())
        }
        Question::Alone(totals) => Wish::Enter(best_pair(&worth, scene.sheet(), &totals).alone),
        Question::Shared(totals) => {
            Wish::Enter(best_shared(&worth, scene.sheet(), scene.used, scene.missing(), &totals).0)
        }
    }
}
