//! A learned evaluation of a player's strength between two rounds, summed over the five types of tower. The softmax of
//! all players' strengths is their chance of winning. The weights were found by `train` in self-play.

use super::net_weights::WEIGHTS;
use super::world::World;
use crate::card::{HIGHEST, ROOF};
use crate::side::MAX_PLAYERS;
use crate::tower::Top;
use arrayvec::ArrayVec;
use game::Stages;
use game::net::{Net, softmax};

/// The knots of the game's clock: rows still to come, scaled to three players.
const CLOCK: Stages<7> = Stages([0.5, 1.5, 3.5, 7.0, 11.0, 17.0, 25.0]);

/// Index of the first input of each kind: the top; each remaining card; each remaining card that fits; the number of
/// rivals whose towers each of those fits as well; the clock; the position in the calling order; the number of players;
/// and single numbers.
const TOP: usize = 0;
const LEFT: usize = TOP + 17;
const FITS: usize = LEFT + 16;
const RIVALS: usize = FITS + 16;
const STAGE: usize = RIVALS + 16;
const PLACE: usize = STAGE + CLOCK.count();
const PLAYERS: usize = PLACE + MAX_PLAYERS;
const SINGLE: usize = PLAYERS + 4;

/// Number of inputs of the network.
pub const INPUTS: usize = SINGLE + 15;

/// The nonzero inputs.
pub type Inputs = ArrayVec<(u16, f32), INPUTS>;

/// Every player's chance of winning.
pub type Chances = [f32; MAX_PLAYERS];

/// Returns the network this build plays with.
pub fn net() -> Net<'static> {
    Net::new(&WEIGHTS, INPUTS)
}

/// For every top, the values that may go on it, as a bit set. The last entry is the empty tower.
const TAKES: [u16; 17] = {
    let mut takes = [0; 17];
    let mut top = 0;
    while top < 17 {
        let mut value = 0;
        while value <= HIGHEST {
            if Top::card(top as u8).takes(value) {
                takes[top] |= 1 << value;
            }
            value += 1;
        }
        top += 1;
    }
    takes
};

/// Inputs that are equal for all of a player's towers at one moment of the game.
pub struct InputContext {
    clock: [f32; CLOCK.count()],
}

impl InputContext {
    pub fn of(world: &World) -> InputContext {
        InputContext { clock: CLOCK.shares(world.rows()) }
    }
}

/// Returns the inputs for one type of a player's towers, including how it compares with the rivals' towers of that
/// type.
pub fn inputs(world: &World, moment: &InputContext, seat: usize, kind: usize) -> Inputs {
    let side = &world.sides[seat];
    let spire = side.spires[kind];
    let mut inputs = Inputs::new();
    let mut add = |place: usize, number: f32| {
        if number != 0.0 {
            inputs.push((place as u16, number));
        }
    };
    let takes = TAKES[spire.top_index()];
    let (mut fitting, mut contested, mut own, mut under) = (0.0, 0.0, 0.0, 0.0);
    let below = spire.demolished().map_or(0, |below| TAKES[below.top_index()]);
    for value in 0..=usize::from(HIGHEST) {
        let copies = f32::from(world.left.0[kind][value]);
        if copies == 0.0 {
            continue;
        }
        add(LEFT + value, copies);
        under += if below >> value & 1 == 1 { copies } else { 0.0 };
        if takes >> value & 1 == 1 {
            let others = world.sides[..world.players]
                .iter()
                .enumerate()
                .filter(|(other, side)| *other != seat && TAKES[side.spires[kind].top_index()] >> value & 1 == 1);
            let rivals = others.count() as f32;
            add(FITS + value, copies);
            add(RIVALS + value, copies * rivals / 2.0);
            fitting += copies;
            contested += copies * rivals;
            own += if rivals == 0.0 { copies } else { 0.0 };
        }
    }
    add(TOP + spire.top_index(), 1.0);
    for (knot, share) in moment.clock.into_iter().enumerate() {
        add(STAGE + knot, share);
    }
    add(PLACE + (seat + world.players - world.starter) % world.players, 1.0);
    add(PLAYERS + world.players - 2, 1.0);
    let height = f32::from(spire.height());
    let roofed = if spire.roofed() { 1.0 } else { 0.0 };
    let tallest = f32::from(side.tallest());
    let second = side.spires.iter().enumerate().filter(|(other, _)| *other != kind);
    let second = f32::from(second.map(|(_, spire)| spire.height()).max().unwrap_or(0));
    let roofs = f32::from(world.left.0[kind][usize::from(ROOF)]);
    let open = world.sides[..world.players].iter().filter(|side| !side.spires[kind].roofed());
    let singles = [
        height / 8.0,
        height * roofed / 8.0,
        fitting / 8.0,
        contested / 16.0,
        own / 8.0,
        (tallest - height) / 5.0,
        if spire.height() == side.tallest() { 1.0 } else { 0.0 },
        (height - second).max(0.0) / 5.0,
        tallest / 8.0,
        f32::from(side.demolished) / 4.0,
        f32::from(side.demolished).powi(2) / 16.0,
        f32::from(side.score()) / 20.0,
        under / 8.0,
        roofs * (1.0 - roofed) * height / 8.0,
        open.count() as f32 / 4.0,
    ];
    for (place, number) in singles.into_iter().enumerate() {
        add(SINGLE + place, number);
    }
    inputs
}

/// Returns everyone's chances between two rounds, or the result if the game is over.
pub fn chances(world: &World, over: bool, net: Net<'_>) -> Chances {
    let players = world.players;
    if over {
        let scores: ArrayVec<i16, MAX_PLAYERS> = world.sides[..players].iter().map(|side| side.score()).collect();
        return won(&scores);
    }
    let mut chances = [0.0; MAX_PLAYERS];
    let moment = InputContext::of(world);
    for (seat, chance) in chances.iter_mut().enumerate().take(players) {
        *chance = (0..5).map(|kind| net.of(&inputs(world, &moment, seat, kind))).sum();
    }
    softmax(&mut chances[..players]);
    chances
}

/// Returns the result for these scores. Players who tie for the win share its chance.
pub fn won(scores: &[i16]) -> Chances {
    let mut chances = [0.0; MAX_PLAYERS];
    let most = scores.iter().copied().max().unwrap_or_default();
    let share = 1.0 / scores.iter().filter(|score| **score == most).count() as f32;
    for (chance, score) in chances.iter_mut().zip(scores) {
        *chance = if *score == most { share } else { 0.0 };
    }
    chances
}
