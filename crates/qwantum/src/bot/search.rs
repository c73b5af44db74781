//! The hard bot: it looks one turn ahead, at everyone's answers, and takes what most likely wins. What is rolled once more is
//! tried on imagined rolls, the same for every way (common random numbers), or on all there are where few totals matter; nothing
//! is played on from there, for a learned evaluation judges better than playouts do.

use super::Wish;
use super::every_roll;
use super::foresight::Foresight;
use super::reroll::{rerolled, roll};
use super::scene::{Question, Scene};
use super::value::net;
use crate::Row;
use crate::dice::{Chosen, DICE, Die, totals};
use game::{Budget, Luck};

/// Successive halving: after so many rolls only so many of the ways to re-roll are tried on.
const HALVINGS: [(u32, usize); 3] = [(12, 48), (32, 16), (72, 6)];

/// More rolls than this have not been shown to find a better re-roll.
const ROLLS: u32 = 200;

/// On fewer rolls than this, a rule of thumb is the better judge of what to roll once more.
const ENOUGH: u32 = 8;

/// Every wish worth a thought with its chance of winning, the best first; empty if there was too little time to compare. A way to
/// re-roll that was `played` is worth a thought, however bad it looks.
pub fn judge(
    scene: &Scene<'_>,
    played: Option<Chosen>,
    luck: &mut Luck,
    budget: Budget<'_>,
) -> Vec<(Wish, f32)> {
    let mut foresight = Foresight::new(&scene.world, scene.used.is_some(), net());
    let mut judged: Vec<(Wish, f32)> = match scene.question {
        // Whatever is rolled, nobody can do otherwise.
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
    // A stable sort: of equally good wishes the first stays first.
    judged.sort_by(|a, b| b.1.total_cmp(&a.1));
    judged
}

/// All that may be entered, each a try; empty if there was no time for all, for then nothing can be compared.
fn entries(
    scene: &Scene<'_>,
    budget: Budget<'_>,
    mut chance: impl FnMut(Option<Row>) -> f32,
) -> Vec<(Wish, f32)> {
    let judged = (0..).zip(scene.entries());
    let judged = judged.map(|(tries, row)| budget.allows(tries).then(|| (Wish::Enter(row), chance(row))));
    judged.collect::<Option<_>>().unwrap_or_default()
}

/// Of all ways to re-roll as many as are tried to the end elsewhere, the one that was played, and keeping all dice, which comes first.
fn among_the_best(mut ways: Vec<(Chosen, f32)>, played: Option<Chosen>) -> Vec<(Wish, f32)> {
    ways[1..].sort_by(|a, b| b.1.total_cmp(&a.1));
    let dropped = ways.split_off(ways.len().min(1 + HALVINGS[HALVINGS.len() - 1].1));
    ways.extend(dropped.into_iter().filter(|(chosen, _)| Some(*chosen) == played));
    ways.into_iter().map(|(chosen, chance)| (Wish::Reroll(chosen), chance)).collect()
}

/// Keeping all dice, and the ways to re-roll that were tried to the end.
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
