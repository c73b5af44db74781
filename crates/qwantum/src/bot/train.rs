//! Trains the network of `value` by temporal differences, TD(λ), on self-play from scratch. The current network plays
//! whole games with a one-ply search. The target of each position mixes the estimates of later positions with the final
//! result, which weighs more near the end. `cargo xtask train qwantum` prints the progress and writes the table.
//! Without the variables it sets, a few games check that training still works.

use super::foresight::Foresight;
use super::reroll::{all_but, rerolled, roll};
use super::value::{INPUTS, InputContext, inputs};
use super::world::World;
use crate::MAX_PLAYERS;
use crate::dice::{Chosen, DICE, Die, totals};
use crate::score::Score;
use crate::sheet::{Row, Sheet};
use game::net::Net;
use game::{Luck, Outcome};
use gametest::training::{Sides, Trainee};

/// λ: the weight of later estimates and the result compared with the estimate of the next position.
const LAMBDA: f32 = 0.75;
/// Games between two progress reports.
const REPORT: usize = 500;
/// Positions per step of gradient descent.
const BATCH: u32 = 64;
/// Number of sampled rolls for each candidate re-roll.
const ROLLS: usize = 6;

fn sides(world: &World) -> Sides {
    let (clock, players) = (world.cells(), world.players);
    let side = |seat: usize| {
        let place = (seat + players - world.active) % players;
        inputs(&world.sheets[seat], InputContext { clock, place, players }).into_iter().collect()
    };
    (0..players).map(|seat| vec![side(seat)]).collect()
}

/// Returns candidate re-rolls that are often good: keep the dice of one or two colours, with or without the white die.
fn ways(dice: &[Die; DICE]) -> Vec<Chosen> {
    let mut ways = vec![Chosen::ALL];
    for one in Row::ALL {
        for two in Row::ALL.into_iter().filter(|two| *two >= one) {
            let (first, second) = (all_but(dice, one), all_but(dice, two));
            let gone = first.dice().filter(|die| second.has(*die));
            let chosen = gone.fold(Chosen::NONE, Chosen::with);
            for chosen in [chosen, chosen.with(0)] {
                if chosen != Chosen::NONE && !ways.contains(&chosen) {
                    ways.push(chosen);
                }
            }
        }
    }
    ways
}

fn play_turn(world: &mut World, net: Net<'_>, luck: &mut Luck) {
    let mut foresight = Foresight::new(world, false, net);
    let dice = roll(luck);
    let rolls: [_; ROLLS] = std::array::from_fn(|_| roll(luck));
    let mut best = (dice, foresight.best_alone(&totals(&dice)).1);
    let last = roll(luck);
    for chosen in ways(&dice) {
        let chances = rolls.iter().map(|rolled| foresight.best_alone(&totals(&rerolled(&dice, chosen, rolled))).1);
        let mean = chances.sum::<f32>() / ROLLS as f32;
        if mean > best.1 {
            best = (rerolled(&dice, chosen, &last), mean);
        }
    }
    let totals = totals(&best.0);
    let used = foresight.best_alone(&totals).0;
    let choices = foresight.choices(used, &totals);
    world.enter_alone(used, &totals);
    if !world.over {
        world.enter_shared(used, &choices, &totals);
    }
}

fn outcome(world: &World) -> Vec<f32> {
    let scores = (0..world.players).map(|seat| Score::of(&world.sheets[seat]).total);
    let outcome = Outcome::most_points(scores);
    let share = 1.0 / outcome.winners.len() as f32;
    let mut won = vec![0.0; world.players];
    for seat in outcome.winners {
        won[seat.index()] = share;
    }
    won
}

/// Plays a game and learns from it. Returns the mean log loss over its positions and the mean score.
fn play(trainee: &mut Trainee, luck: &mut Luck, rate: f32, waiting: &mut u32) -> (f32, f32) {
    let players = [3, 3, 3, 2, 2, 4][luck.below(6)];
    let mut world = World { players, active: 0, sheets: [Sheet::EMPTY; MAX_PLAYERS], over: false };
    // Exploration: one game in three starts from random sheets, because the network would otherwise not learn what
    // unusual numbers cost.
    if luck.below(3) == 0 {
        for _ in 0..luck.below(30) {
            let (sheet, row) = (&mut world.sheets[luck.below(players)], Row::ALL[luck.below(4)]);
            let number = 1 + luck.below(24) as u8;
            if sheet.row(row).check(number).is_ok() && sheet.row(row).filled() < 5 {
                sheet.enter(row, number);
            }
        }
    }
    let mut positions = Vec::new();
    while !world.over {
        positions.push(sides(&world));
        play_turn(&mut world, trainee.net(), luck);
    }
    let won = outcome(&world);
    let mut target = won.clone();
    let mut loss = 0.0;
    let count = positions.len() as f32;
    for (index, position) in positions.into_iter().enumerate().rev() {
        let thought = trainee.chances(&position);
        loss -= won.iter().zip(&thought).map(|(won, thought)| won * thought.max(1e-6).ln()).sum::<f32>();
        trainee.learn(&position, &target);
        *waiting += 1;
        if *waiting >= BATCH {
            trainee.step(rate);
            *waiting = 0;
        }
        if index > 0 {
            // The λ-return for the previous position mixes in the estimate of this one.
            for (target, thought) in target.iter_mut().zip(thought) {
                *target = LAMBDA * *target + (1.0 - LAMBDA) * thought;
            }
        }
    }
    let points: i32 = (0..players).map(|seat| i32::from(world.score(seat))).sum();
    (loss / count, points as f32 / players as f32)
}

#[test]
fn train() {
    let games = std::env::var("ROOKERY_TRAIN_GAMES").ok().and_then(|games| games.parse().ok());
    let seed = std::env::var("ROOKERY_TRAIN_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut luck = gametest::luck(seed.unwrap_or(1));
    let mut trainee = Trainee::new(INPUTS, 30, &mut luck);
    let count = games.unwrap_or(60);
    let (mut loss, mut points, mut waiting, mut first) = (0.0, 0.0, 0, None);
    let report = REPORT.min(count / 2);
    for game in 1..=count {
        let rate = 0.003 * (1.0 - 0.95 * game as f32 / count as f32);
        let (lost, scored) = play(&mut trainee, &mut luck, rate, &mut waiting);
        (loss, points) = (loss + lost, points + scored);
        if game % report == 0 {
            let (loss_now, points_now) = (loss / report as f32, points / report as f32);
            println!("{game} games: log loss {loss_now:.3}, mean score {points_now:.1}");
            assert!(loss_now.is_finite(), "training diverges");
            first.get_or_insert(points_now);
            (loss, points) = (0.0, 0.0);
        }
    }
    if let (Ok(path), Some(games)) = (std::env::var("ROOKERY_TRAIN_TABLE"), games) {
        let command = format!("cargo xtask train qwantum {games} {}", seed.unwrap_or(1));
        std::fs::write(path, trainee.source(&command)).expect("failed to write the table");
    }
}
