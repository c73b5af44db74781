//! The hard bot: Monte Carlo playouts. It imagines rolls, again and again, tries every entry on the same ones (common
//! random numbers), plays each on for some turns by a rule of thumb, and takes the entry after which it most likely
//! wins.

use super::Wish;
use super::reroll::Ways;
use super::scene::{Question, Scene};
use super::world::{World, best_shared};
use super::worth::{WEIGHTS, Worth, Worths};
use crate::MAX_PLAYERS;
use crate::dice::{Chosen, DICE, Die};
use crate::sheet::Row;
use game::{Budget, Luck, race};

/// The depth of a playout: how many turns are played on before sheets are judged by their worth. More turns see more
/// and are noisier: with six the bot plays worse, and to the end of the game much worse.
const HORIZON: usize = 3;

/// The temperature of the softmax that makes chances of points, in points: at the end of the game, and before it
/// besides what is still to come.
const SURE: f32 = 1.0;
const LOOSE: f32 = 3.0;

/// One step of successive halving: how many rolls are imagined before a re-roll, at most, after how many of them only
/// the best ways are tried on, and how many ways those are.
const ROLLS: u32 = 200;
const SIFT: u32 = 40;
const FINALISTS: usize = 16;

/// More tries than this have not been shown to find better entries.
const MOST: u32 = 2000;

/// On fewer rolls than this, a rule of thumb is the better judge of what to roll once more.
const ENOUGH: usize = 8;

/// The best wish found; none if there was too little time to compare.
pub fn choose(scene: &Scene<'_>, luck: &mut Luck, budget: Budget<'_>) -> Option<Wish> {
    let worths = Worths::new(&WEIGHTS);
    let worth = worths.with_left(scene.world.cells());
    match scene.question {
        Question::Roll => Some(Wish::Roll),
        Question::Reroll(dice) => reroll(scene, worth, &dice, luck, budget).map(Wish::Reroll),
        Question::Alone(totals) | Question::Shared(totals) => {
            let entries: Vec<Option<Row>> = scene.entries().collect();
            match entries[..] {
                [] => None,
                [only] => Some(Wish::Enter(only)),
                _ => compare(scene, &worths, &totals, entries, luck, budget).map(Wish::Enter),
            }
        }
    }
}

fn reroll(
    scene: &Scene<'_>,
    worth: &Worth,
    dice: &[Die; DICE],
    luck: &mut Luck,
    budget: Budget<'_>,
) -> Option<Chosen> {
    let mut ways = Ways::every(worth, scene.sheet(), dice);
    let mut tries = 0;
    while tries < ROLLS && budget.allows(tries) {
        ways.try_roll(luck);
        tries += 1;
        if tries == SIFT {
            ways.narrow(FINALISTS);
        }
    }
    (tries as usize >= ENOUGH).then(|| ways.best())
}

fn compare(
    scene: &Scene<'_>,
    worths: &Worths,
    totals: &[u8; 4],
    entries: Vec<Option<Row>>,
    luck: &mut Luck,
    budget: Budget<'_>,
) -> Option<Option<Row>> {
    let worth = worths.with_left(scene.world.cells());
    race(
        entries,
        budget.at_most(MOST),
        || luck.word(),
        |entry, word| {
            let mut world = scene.world;
            make(scene, *entry, worth, totals, &mut world);
            let mut luck = Luck::branch(*word);
            for _ in 0..HORIZON {
                if world.over {
                    break;
                }
                let turn = luck.word();
                world.play_turn(worths, &mut Luck::branch(turn));
            }
            result(&world, worths, scene.seat)
        },
    )
}

/// Makes the entry and plays this turn to its end.
fn make(scene: &Scene<'_>, entry: Option<Row>, worth: &Worth, totals: &[u8; 4], world: &mut World) {
    let seat = scene.seat;
    let (used, own) = match scene.question {
        Question::Alone(_) => {
            world.enter_alone(entry, totals);
            if world.over {
                return;
            }
            (entry, best_shared(worth, &world.sheets[seat], entry, entry.is_none(), totals).0)
        }
        _ => (scene.used, entry),
    };
    let mut choices: [Option<Row>; MAX_PLAYERS] = world.others_choose(seat, used, worth, totals);
    choices[seat] = own;
    world.enter_shared(used, &choices, totals);
}

/// How likely the seat wins, as a softmax of what everyone has: nearly sure with a clear lead at the end, less so the
/// more is to come.
fn result(world: &World, worths: &Worths, seat: usize) -> f32 {
    let worth = (!world.over).then(|| worths.with_left(world.cells()));
    let softness = if world.over { SURE } else { LOOSE + (world.cells() as f32).sqrt() };
    let value = |seat: usize| {
        let sheet = &world.sheets[seat];
        let misses = f32::from(sheet.misses);
        worth.map_or_else(
            || f32::from(world.score(seat)),
            |worth| worth.sheet(sheet) - misses * (misses + 1.0) / 2.0,
        )
    };
    let mine = value(seat);
    1.0 / (0..world.players).map(|other| ((value(other) - mine) / softness).exp()).sum::<f32>()
}
