//! Fits the weights by least squares on self-play. Whole games are played by the rule of thumb, with occasional random
//! entries, and a regression explains the points players gained until the end by the state of their sheets before.
//! Games played with the new weights give new data, and the weights converge after a few iterations.
//! `ROOKERY_FIT_GAMES=20000 cargo test --release -p qwantum --lib fit -- --nocapture` prints them. Without the variable
//! a few games check that the fitting still works.

use super::world::World;
use super::worth::{LASTS, STAGES, WEIGHTS, Weight, Weights, Worths, between_lasts, lowest};
use crate::MAX_PLAYERS;
use crate::sheet::{CELLS, Row, Sheet};
use game::{Chance, Luck, Seed};
use gametest::LeastSquares;

/// Index of the first weight of each kind.
const STEP: usize = STAGES.count();
const ROWS: usize = STEP;
const COLUMNS: usize = ROWS + (CELLS - 1) * LASTS.len() * STEP;
const SIZE: usize = COLUMNS + CELLS * 9 * STEP;

/// A player's sheet at one moment: how much each weight applies.
struct Sample {
    seat: usize,
    counts: [f64; SIZE],
    points: i16,
}

impl Sample {
    fn new(world: &World, seat: usize) -> Sample {
        let sheet = &world.sheets[seat];
        let mut counts = [0.0; SIZE];
        for (stage, share) in STAGES.shares(world.cells() as f32).into_iter().enumerate() {
            let share = f64::from(share);
            for row in Row::ALL {
                let cells = sheet.row(row);
                match cells.last() {
                    None => counts[stage] += share,
                    Some(_) if cells.is_full() => {}
                    Some(last) => {
                        let (below, along) = between_lasts(last);
                        let place = ROWS + ((cells.filled() - 1) * LASTS.len() + below) * STEP + stage;
                        counts[place] += share * f64::from(1.0 - along);
                        counts[place + STEP] += share * f64::from(along);
                    }
                }
            }
            for column in 0..CELLS {
                let (count, low, second) = lowest(sheet.column(column).into_iter().flatten());
                if (1..4).contains(&count) {
                    let place = COLUMNS + (column * 3 + count - 1) * 3 * STEP + stage;
                    counts[place] += share;
                    counts[place + STEP] += share * f64::from(low);
                    counts[place + 2 * STEP] += share * f64::from(second);
                }
            }
        }
        Sample { seat, counts, points: points(world, seat) }
    }
}

/// Returns the points of a sheet's columns. The cost of misses is excluded because it does not depend on the cells.
fn points(world: &World, seat: usize) -> i16 {
    let misses = i16::from(world.sheets[seat].misses);
    world.score(seat) + misses * (misses + 1) / 2
}

/// Plays a game and adds its samples. Returns the mean score.
fn play(worths: &Worths, luck: &mut Luck, sums: &mut LeastSquares) -> f64 {
    let players = 2 + luck.below(3);
    let mut world = World { players, active: 0, sheets: [Sheet::EMPTY; MAX_PLAYERS], over: false };
    let mut samples = Vec::new();
    while !world.over {
        // Exploration: without occasional unusual numbers, the fit would not learn what they cost.
        if luck.below(4) == 0 && world.cells() > 1 {
            let (sheet, row) = (&mut world.sheets[luck.below(players)], Row::ALL[luck.below(4)]);
            let number = 1 + luck.below(24) as u8;
            if sheet.row(row).check(number).is_ok() {
                sheet.enter(row, number);
            }
        }
        samples.extend((0..players).map(|seat| Sample::new(&world, seat)));
        world.play_turn(worths, luck);
    }
    for sample in samples {
        sums.add(&sample.counts, f64::from(points(&world, sample.seat) - sample.points));
    }
    (0..players).map(|seat| f64::from(world.score(seat))).sum::<f64>() / players as f64
}

/// Returns all weights in one list, in the order of [`Sample`]'s counts.
fn listed(weights: &Weights) -> Vec<f64> {
    let rows = weights.rows.iter().flatten();
    let columns = weights.columns.iter().flatten().flatten();
    [&weights.empty].into_iter().chain(rows).chain(columns).flatten().map(|weight| f64::from(*weight)).collect()
}

fn from_list(list: &[f64]) -> Weights {
    let weight = |from: usize| -> Weight { std::array::from_fn(|stage| list[from + stage] as f32) };
    Weights {
        empty: weight(0),
        rows: std::array::from_fn(|filled| {
            std::array::from_fn(|last| weight(ROWS + (filled * LASTS.len() + last) * STEP))
        }),
        columns: std::array::from_fn(|column| {
            std::array::from_fn(|count| {
                std::array::from_fn(|kind| weight(COLUMNS + ((column * 3 + count) * 3 + kind) * STEP))
            })
        }),
    }
}

#[test]
fn fit() {
    let asked = std::env::var("ROOKERY_FIT_GAMES").ok().and_then(|games| games.parse().ok());
    let (games, turns): (i32, i32) = asked.map_or((100, 1), |games| (games, 8));
    let mut luck = Luck::new(&mut Chance::new(Seed([7; 32])));
    let mut weights = listed(&WEIGHTS);
    for turn in 1..=turns {
        let mut sums = LeastSquares::new(SIZE);
        let worths = Worths::new(&from_list(&weights));
        let mean = (0..games).map(|_| play(&worths, &mut luck, &mut sums)).sum::<f64>() / f64::from(games);
        println!("turn {turn}: mean score {mean:.2}");
        assert!((20.0..80.0).contains(&mean), "poor play with these weights: {mean}");
        let found = sums.solve();
        assert!(found.iter().all(|weight| weight.is_finite()), "too little data: {found:?}");
        // Damping: moves only half way, because play would otherwise oscillate between two styles.
        weights = weights.iter().zip(found).map(|(old, new)| (old + new) / 2.0).collect();
    }
    println!("{STAGES:?}\n{:.2?}", from_list(&weights));
}
