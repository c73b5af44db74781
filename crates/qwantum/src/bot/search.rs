//! The hard bot. It looks one turn ahead, including everyone's answers, and takes what most likely wins. Re-rolls are
//! tried on sampled rolls, the same for every candidate (common random numbers), or on all possible rolls if few totals
//! matter. There are no playouts, because the learned evaluation judges better.

use super::Wish;
use super::every_roll;
use super::foresight::Foresight;
use super::reroll::{rerolled, roll};
use super::scene::{Question, Scene};
use super::value::net;
use crate::Row;
use crate::dice::{Chosen, DICE, Die, totals};
use game::{Budget, Luck};

/// Successive halving: after this many rolls, only this many candidate re-rolls are kept.
const HALVINGS: [(u32, usize); 3] = [(12, 48), (32, 16), (72, 6)];

/// Limit on sampled rolls. More have not been shown to find a better re-roll.
const ROLLS: u32 = 200;

/// Minimum number of sampled rolls. With fewer, a rule of thumb judges re-rolls better.
const ENOUGH: u32 = 8;

/// Returns every option worth considering with its winning chance, best first. Empty if there was too little time for a
/// comparison. A re-roll that was `played` is always included.
pub fn judge(scene: &Scene<'_>, played: Option<Chosen>, luck: &mut Luck, budget: Budget<'_>) -> Vec<(Wish, f32)> {
    let mut foresight = Foresight::new(&scene.world, scene.used.is_some(), net());
    let mut judged: Vec<(Wish, f32)> = match scene.question {
        // Rolling is the only option.
        Question::Roll => vec![(Wish::Roll, foresight.now()[scene.seat])],
        Question::Reroll(dice) => match every_roll::rerolls(&mut foresight, &scene.world, &dice, budget) {
            Some(ways) => among_the_best(ways, played),
            None => rerolls(&mut foresight, &dice, played, luck, budget),
        },
        Question::Alone(totals) => entries(scene, budget, |row| foresight.alone(row, &totals)[scene.seat]),
        Question::Shared(totals) => {
            let mut choices = foresight.choices(scene.used, &totals);
            entries(scene, budget, |row| {
                choices[scene.seat] = row;
                foresight.settle(scene.used, &choices, &totals)[scene.seat]
            })
        }
    };
    // The sort is stable: equal options keep their order.
    judged.sort_by(|a, b| b.1.total_cmp(&a.1));
    judged
}

/// Judges every possible entry, each of which counts as a try. Empty if there was no time for all of them, because a
/// comparison would be incomplete.
fn entries(scene: &Scene<'_>, budget: Budget<'_>, mut chance: impl FnMut(Option<Row>) -> f32) -> Vec<(Wish, f32)> {
    let judged = (0..).zip(scene.entries());
    let judged = judged.map(|(tries, row)| budget.allows(tries).then(|| (Wish::Enter(row), chance(row))));
    judged.collect::<Option<_>>().unwrap_or_default()
}

/// Selects keeping all dice, as many of the best re-rolls as the sampling search keeps to the end, and the played one.
/// Expects keeping all dice as the first element of `ways`.
fn among_the_best(mut ways: Vec<(Chosen, f32)>, played: Option<Chosen>) -> Vec<(Wish, f32)> {
    ways[1..].sort_by(|a, b| b.1.total_cmp(&a.1));
    let dropped = ways.split_off(ways.len().min(1 + HALVINGS[HALVINGS.len() - 1].1));
    ways.extend(dropped.into_iter().filter(|(chosen, _)| Some(*chosen) == played));
    ways.into_iter().map(|(chosen, chance)| (Wish::Reroll(chosen), chance)).collect()
}

/// Judges keeping all dice and the re-rolls that survive the halvings.
fn rerolls(
    foresight: &mut Foresight<'_>,
    dice: &[Die; DICE],
    played: Option<Chosen>,
    luck: &mut Luck,
    budget: Budget<'_>,
) -> Vec<(Wish, f32)> {
    let kept = foresight.best_alone(&totals(dice)).1;
    let mut ways: Vec<(Chosen, f32)> = Chosen::every().map(|chosen| (chosen, 0.0)).collect();
    let mut rolls = 0;
    while rolls < ROLLS && budget.allows(rolls) {
        let rolled = roll(luck);
        for (chosen, sum) in &mut ways {
            *sum += foresight.best_alone(&totals(&rerolled(dice, *chosen, &rolled))).1;
        }
        rolls += 1;
        if let Some((_, few)) = HALVINGS.iter().find(|(after, _)| *after == rolls) {
            ways.sort_by(|a, b| b.1.total_cmp(&a.1));
            let dropped = ways.split_off(*few.min(&ways.len()));
            ways.extend(dropped.into_iter().filter(|(chosen, _)| Some(*chosen) == played));
        }
    }
    if rolls < ENOUGH {
        return Vec::new();
    }
    let judged = ways.into_iter().map(|(chosen, sum)| (Wish::Reroll(chosen), sum / rolls as f32));
    [(Wish::Reroll(Chosen::NONE), kept)].into_iter().chain(judged).collect()
}
