//! The bots that think no further than this turn: the easy one, which likes numbers that rise evenly and misjudges
//! them, the casual one, which knows what sheets are worth and misjudges that, and the normal one, which does not.

use super::Wish;
use super::reroll::{Ways, all_but};
use super::scene::{Question, Scene};
use super::world::{best_pair, best_shared, miss_cost};
use super::worth::{WEIGHTS, naive_gain};
use crate::dice::{Chosen, DICE, Die, totals};
use crate::score::Score;
use crate::sheet::Row;
use game::Luck;

/// How far off the easy bot is in judging a number, in points.
const STRAY: f32 = 3.5;

/// How far off the casual bot is, in points.
const CASUAL_STRAY: f32 = 5.0;

/// How many rolls the normal bot imagines before it re-rolls, and how few the casual one.
const ROLLS: usize = 12;
const FEW_ROLLS: usize = 2;

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

/// What the casual bot wishes. It takes one entry after the other.
pub fn casual(scene: &Scene<'_>, luck: &mut Luck) -> Wish {
    let worth = scene.world.worth(&WEIGHTS);
    match scene.question {
        Question::Roll => Wish::Roll,
        Question::Reroll(dice) => {
            let mut ways = Ways::by_color(&worth, scene.sheet(), &dice);
            for _ in 0..FEW_ROLLS {
                ways.try_roll(luck);
            }
            Wish::Reroll(ways.best())
        }
        Question::Alone(totals) | Question::Shared(totals) => {
            let nothing = if scene.missing() { -miss_cost(scene.sheet()) } else { 0.0 };
            let judged = scene.entries().map(|row| {
                let gain = row.and_then(|row| worth.gain(scene.sheet(), row, totals[row.index()]));
                (gain.unwrap_or(nothing) + luck.stray(CASUAL_STRAY), row)
            });
            let best = judged.max_by(|a, b| a.0.total_cmp(&b.0));
            Wish::Enter(best.and_then(|(_, row)| row))
        }
    }
}

/// Somebody new enters nothing that leaps further than this, unless it is that or a miss.
const LEAP: i16 = 8;

/// What somebody new does: enter whatever gives the most points now, and of equals what leaps least; roll all again when
/// hardly anything fits.
pub fn greedy(scene: &Scene<'_>) -> Wish {
    let sheet = scene.sheet();
    // The points with this entry, and how far it leaps from the number before.
    let entry = |row: Row, totals: &[u8; 4]| {
        let (cells, total) = (sheet.row(row), totals[row.index()]);
        cells.check(total).ok()?;
        let mut after = *sheet;
        after.enter(row, total);
        let leap = i16::from(total) - i16::from(cells.last().unwrap_or(0));
        Some((Score::of(&after).total, -leap.abs()))
    };
    let near = |row: Row, totals: &[u8; 4]| entry(row, totals).is_some_and(|(_, leap)| -leap <= LEAP);
    match scene.question {
        Question::Roll => Wish::Roll,
        Question::Reroll(dice) => {
            let fitting = Row::ALL.into_iter().filter(|row| near(*row, &totals(&dice))).count();
            Wish::Reroll(if fitting > 1 { Chosen::NONE } else { Chosen::ALL })
        }
        Question::Alone(totals) | Question::Shared(totals) => {
            let must = scene.missing() && matches!(scene.question, Question::Shared(_));
            let rows = scene.entries().flatten().filter(|row| must || near(*row, &totals));
            Wish::Enter(rows.max_by_key(|row| entry(*row, &totals)))
        }
    }
}

/// What the normal bot wishes.
pub fn normal(scene: &Scene<'_>, luck: &mut Luck) -> Wish {
    let worth = scene.world.worth(&WEIGHTS);
    match scene.question {
        Question::Roll => Wish::Roll,
        Question::Reroll(dice) => {
            let mut ways = Ways::every(&worth, scene.sheet(), &dice);
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
