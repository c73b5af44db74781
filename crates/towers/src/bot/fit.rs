//! Fits the weights by least squares on self-play. Whole games are played by the rule of thumb, and a regression
//! explains the points players gained until the end by the state of their towers before. Games played with the new
//! weights give new data, and the weights converge after a few iterations. `ROOKERY_FIT_GAMES=20000 cargo test
//! --release -p towers --lib fit -- --nocapture` prints them. Without the variable a few games check that the fitting
//! still works.

use super::bidding::Bidding;
use super::packed::PackedSide;
use super::world::{Knowledge, Playout, World};
use super::worth::{STAGES, WEIGHTS, Weight, Weights, fitting, low};
use game::{Chance, Luck, Seed};
use gametest::LeastSquares;

/// Index of the first weight of each kind.
const STEP: usize = STAGES.count();
const FITTING: usize = 17 * STEP;
const NINE: usize = FITTING + STEP;
const ROOF: usize = NINE + STEP;
const TALL: usize = ROOF + STEP;
const TALLER: usize = TALL + STEP;
const DEMOLISHED: usize = TALLER + STEP;
/// The order of calls in the next auction matters too. These two regressors separate it from the value of the towers.
const FIRST: usize = DEMOLISHED + STEP;
const LAST: usize = FIRST + 1;
const SIZE: usize = LAST + 1;

/// A player's towers at one moment: how often each weight applies.
struct Sample {
    seat: usize,
    counts: [f64; SIZE],
    score: i16,
}

impl Sample {
    fn new(world: &World, seat: usize) -> Sample {
        let side: &PackedSide = &world.sides[seat];
        let mut counts = [0.0; SIZE];
        for (stage, share) in STAGES.shares(world.rows()).into_iter().enumerate() {
            let share = f64::from(share);
            for (kind, spire) in side.spires.iter().enumerate().filter(|(_, spire)| !spire.roofed()) {
                let top = spire.top_index();
                let left = &world.left.0[kind];
                let fits = share * f64::from(fitting(left)[top]);
                counts[top * STEP + stage] += share;
                counts[FITTING + stage] += fits;
                if left[9] > 0 && low(top) {
                    counts[NINE + stage] += share;
                }
                if left[0] > 0 {
                    counts[ROOF + stage] += share * f64::from(spire.height());
                }
                if spire.height() > 0 && spire.height() == side.tallest() {
                    counts[TALL + stage] += share;
                    counts[TALLER + stage] += fits;
                }
            }
            counts[DEMOLISHED + stage] = share * f64::from(side.demolished);
        }
        counts[FIRST] = f64::from(u8::from(seat == world.starter));
        counts[LAST] = f64::from(u8::from((seat + 1) % world.players == world.starter));
        Sample { seat, counts, score: side.score() }
    }
}

/// Plays a three-player game and adds its samples. Returns the sum of the scores.
fn play(weights: &Weights, luck: &mut Luck, sums: &mut LeastSquares) -> i32 {
    let bidding = Bidding { envy: 0.35, stray: 1.0 };
    let known = Knowledge::fresh(3);
    let (world, guess) = known.guess(luck);
    let mut playout = Playout::new(&known, world, &guess);
    let mut samples = Vec::new();
    while !playout.over() {
        playout.play(weights, &bidding, 1, luck);
        samples.extend((0..3).map(|seat| Sample::new(&playout.world, seat)));
    }
    let scores = [0, 1, 2].map(|seat| playout.world.sides[seat].score());
    for sample in samples {
        sums.add(&sample.counts, f64::from(scores[sample.seat] - sample.score));
    }
    scores.into_iter().map(i32::from).sum()
}

#[test]
fn fit() {
    let asked = std::env::var("ROOKERY_FIT_GAMES").ok().and_then(|games| games.parse().ok());
    let (games, turns): (i32, i32) = asked.map_or((300, 1), |games| (games, 4));
    let mut luck = Luck::new(&mut Chance::new(Seed([7; 32])));
    let mut weights = WEIGHTS;
    for turn in 1..=turns {
        let mut sums = LeastSquares::new(SIZE);
        let scores: i32 = (0..games).map(|_| play(&weights, &mut luck, &mut sums)).sum();
        let mean = f64::from(scores) / f64::from(3 * games);
        println!("turn {turn}: mean score {mean:.2}");
        assert!((20.0..80.0).contains(&mean), "poor play with these weights: {mean}");
        let found = sums.solve();
        assert!(found.iter().all(|weight| weight.is_finite()), "too little data: {found:?}");
        let weight = |from: usize| -> Weight { std::array::from_fn(|stage| found[from + stage] as f32) };
        weights = Weights {
            room: std::array::from_fn(|top| weight(top * STEP)),
            fitting: weight(FITTING),
            nine: weight(NINE),
            roof: weight(ROOF),
            tall: weight(TALL),
            taller: weight(TALLER),
            demolished: weight(DEMOLISHED),
        };
    }
    println!("{STAGES:?}\n{weights:.2?}");
}
