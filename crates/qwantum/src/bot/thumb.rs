//! The bots that look no further than this turn. The easy bot likes numbers that rise evenly and judges them with
//! errors. The casual bot estimates the value of sheets, with errors. The normal bot does so without errors.

use super::Wish;
use super::reroll::{Ways, all_but};
use super::scene::{Question, Scene};
use super::world::{best_pair, best_shared, miss_cost};
use super::worth::{WEIGHTS, naive_gain};
use crate::dice::{Chosen, DICE, Die, totals};
use crate::score::Score;
use crate::sheet::Row;
use game::Luck;

/// Largest error of the easy bot in judging a number, in points.
const STRAY: f32 = 3.5;

/// Largest error of the casual bot, in points.
const CASUAL_STRAY: f32 = 5.0;

/// Number of sampled rolls of the normal bot and of the casual bot when they consider re-rolls.
const ROLLS: usize = 12;
const FEW_ROLLS: usize = 2;

/// Returns the easy bot's decision.
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

/// Keeps all dice if it likes enough of the totals, else the dice of a random colour.
fn easy_reroll(scene: &Scene<'_>, dice: &[Die; DICE], luck: &mut Luck) -> Chosen {
    let totals = totals(dice);
    let glad = |row: Row| naive_gain(scene.sheet(), row, totals[row.index()]).is_some_and(|glad| glad > 2.0);
    if Row::ALL.into_iter().filter(|row| glad(*row)).count() > luck.below(3) {
        return Chosen::NONE;
    }
    all_but(dice, Row::ALL[luck.below(4)])
}

/// Returns the casual bot's decision. It decides one entry at a time and does not plan for two.
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

/// A beginner avoids entries that differ from the number before by more than this, unless the alternative is a miss.
const LEAP: i16 = 8;

/// Returns the decision of a beginner: enter what gives the most points now, or among equals the smallest leap, and
/// re-roll all dice if fewer than two totals fit well.
pub fn greedy(scene: &Scene<'_>) -> Wish {
    let sheet = scene.sheet();
    // Returns the points with this entry, and its leap from the number before as a negative number.
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

/// Returns the normal bot's decision.
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
