//! Trains the network of `value`. The rule of thumb plays games against itself, and the network learns to predict from
//! each position between two rounds who will win (log loss). `cargo xtask train towers` prints the progress and writes
//! the table. Without the variables it sets, a few games check that training still works.

use super::bidding::Bidding;
use super::value::{INPUTS, InputContext, chances, inputs, net};
use super::world::{Knowledge, Playout, World};
use super::worth::WEIGHTS;
use game::Luck;
use gametest::training::{Sides, Trainee};

/// Number of progress reports.
const REPORTS: usize = 15;
/// Positions per step of gradient descent.
const BATCH: u32 = 64;
/// Initial learning rate. It falls almost to zero towards the end.
const RATE: f32 = 0.002;

fn sides(world: &World) -> Sides {
    let moment = InputContext::of(world);
    let side = |seat| (0..5).map(|kind| inputs(world, &moment, seat, kind).into_iter().collect()).collect();
    (0..world.players).map(side).collect()
}

/// Plays a game and returns its positions between two rounds and the winners.
fn play(luck: &mut Luck) -> (Vec<Sides>, Vec<f32>) {
    let players = [3, 3, 3, 3, 2, 2, 4, 5][luck.below(8)];
    // The accuracy of the players' estimates varies so that the positions are more diverse.
    let bidding = Bidding { envy: 0.35, stray: [0.5, 1.0, 2.0][luck.below(3)] };
    let known = Knowledge::fresh(players);
    let (mut world, guess) = known.guess(luck);
    world.starter = luck.below(players);
    let mut playout = Playout::new(&known, world, &guess);
    let mut positions = Vec::new();
    loop {
        playout.play(&WEIGHTS, &bidding, 1, luck);
        if playout.over() {
            let won = chances(&playout.world, true, net());
            return (positions, won[..players].to_vec());
        }
        positions.push(sides(&playout.world));
    }
}

#[test]
fn train() {
    let games = std::env::var("ROOKERY_TRAIN_GAMES").ok().and_then(|games| games.parse().ok());
    let seed = std::env::var("ROOKERY_TRAIN_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut luck = gametest::luck(seed.unwrap_or(1));
    let mut trainee = Trainee::new(INPUTS, 45, &mut luck);
    let count: usize = games.unwrap_or(60);
    let (mut loss, mut positions, mut waiting) = (0.0, 0, 0);
    for game in 1..=count {
        let rate = RATE * (1.0 - 0.98 * game as f32 / count as f32);
        let (seen, won) = play(&mut luck);
        for position in seen.iter().rev() {
            let lost = trainee.learn(position, &won);
            // The loss is averaged over games of three players only, so that reports are comparable.
            if won.len() == 3 {
                (loss, positions) = (loss + lost, positions + 1);
            }
            waiting += 1;
            if waiting == BATCH {
                trainee.step(rate);
                waiting = 0;
            }
        }
        if game % (count / REPORTS) == 0 {
            println!("{game} games: log loss with three players {:.4}", loss / positions as f32);
            assert!(loss.is_finite(), "training diverges");
            (loss, positions) = (0.0, 0);
        }
    }
    if let (Ok(path), Some(games)) = (std::env::var("ROOKERY_TRAIN_TABLE"), games) {
        let command = format!("cargo xtask train towers {games} {}", seed.unwrap_or(1));
        std::fs::write(path, trainee.source(&command)).expect("failed to write the table");
    }
}
