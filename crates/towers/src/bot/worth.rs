//! Static evaluation of a tower: its points, its room to grow, and the chance that a roof doubles it. Neither the turn
//! nor the current row is considered here.

use super::packed::{PackedSide, Spire};
use crate::card::{Card, ROOF, Tower};
use game::Stages;

/// For each card, the number of copies that can still appear in a later row.
#[derive(Debug, Clone, Copy)]
pub struct Left(pub [[u8; 16]; 5]);

impl Left {
    pub const NOTHING: Left = Left([[0; 16]; 5]);

    pub fn add(&mut self, card: Card) {
        self.0[card.tower().index()][usize::from(card.value())] += 1;
    }

    pub fn remove(&mut self, card: Card) {
        let copies = &mut self.0[card.tower().index()][usize::from(card.value())];
        *copies = copies.saturating_sub(1);
    }
}

/// The knots of the weights below: rows still to come, scaled to three players.
pub const STAGES: Stages<6> = Stages([1.5, 4.0, 8.0, 12.0, 18.0, 26.0]);

/// A weight: points at each stage.
pub type Weight = [f32; STAGES.count()];

/// Values of towers at one moment of a game.
#[derive(Debug, Clone, Copy)]
pub struct Worth {
    /// Expected further points, by type and top.
    room: [[f32; 17]; 5],
    /// Expected further points per card already in the tower, by type.
    roof: [f32; 5],
    /// Additional expected points if the tower is the tallest, by type and top.
    tall: [[f32; 17]; 5],
    /// Cost that one more demolition adds to later ones.
    later: f32,
}

/// Weights for the value of a tower beyond its points.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    /// By top. The last entry is the empty tower.
    pub room: [Weight; 17],
    /// Per remaining card that would fit on top.
    pub fitting: Weight,
    /// Once, if a 9 is left and could be placed on a lower top.
    pub nine: Weight,
    /// Per card in the tower, if a roof is left.
    pub roof: Weight,
    /// Once, if the tower is the tallest.
    pub tall: Weight,
    /// Per remaining card that would fit on top, if the tower is the tallest.
    pub taller: Weight,
    /// Per card demolished before.
    pub demolished: Weight,
}

/// Returns whether a 9 would raise the top of this tower. Tops are 0 to 15, and 16 for an empty tower.
pub fn low(top: usize) -> bool {
    top < 9 && top != 8
}

/// Returns the number of remaining cards that fit on each top.
pub fn fitting(left: &[u8; 16]) -> [u8; 17] {
    let mut below = [0; 17];
    for top in 1..17 {
        below[top] = below[top - 1] + left[top - 1];
    }
    below[8] = below[16];
    below[0] = 0;
    below
}

impl Worth {
    /// Computes the values for these remaining cards and this many rows to come, scaled to three players.
    pub fn new(weights: &Weights, left: &Left, rows: f32) -> Worth {
        let shares = STAGES.shares(rows);
        let mix = |weight: &Weight| Stages::mix(weight, &shares);
        let room: [f32; 17] = std::array::from_fn(|top| mix(&weights.room[top]));
        let per_card = mix(&weights.fitting);
        let nine = mix(&weights.nine);
        let roof = mix(&weights.roof);
        let tall = mix(&weights.tall);
        let taller = mix(&weights.taller);
        let mut worth =
            Worth { room: [[0.0; 17]; 5], roof: [0.0; 5], tall: [[0.0; 17]; 5], later: -mix(&weights.demolished) };
        for (kind, left) in left.0.iter().enumerate() {
            let nine = if left[9] > 0 { nine } else { 0.0 };
            for (top, fitting) in fitting(left).into_iter().enumerate() {
                let fitting = f32::from(fitting);
                worth.room[kind][top] = room[top] + per_card * fitting + if low(top) { nine } else { 0.0 };
                worth.tall[kind][top] = tall + taller * fitting;
            }
            if left[usize::from(ROOF)] > 0 {
                worth.roof[kind] = roof;
            }
        }
        worth
    }

    /// Returns the value of a tower whose owner's tallest tower has height `tallest`.
    pub fn spire(&self, tower: Tower, spire: Spire, tallest: u8) -> f32 {
        let height = f32::from(spire.height());
        let taller = f32::from(spire.height().saturating_sub(tallest));
        if spire.roofed() {
            return 2.0 * height + taller;
        }
        let (kind, top) = (tower.index(), spire.top_index());
        let worth = height * (1.0 + self.roof[kind]) + self.room[kind][top] + taller;
        if spire.height() > 0 && spire.height() >= tallest { worth + self.tall[kind][top] } else { worth }
    }

    /// Returns the cost of one more demolition after `demolished` cards.
    pub fn demolition(&self, demolished: u8) -> f32 {
        f32::from(demolished) + 1.0 + self.later
    }

    /// Returns the value of a player's whole side.
    pub fn side(&self, side: &PackedSide) -> f32 {
        let tallest = side.tallest();
        let towers: f32 = Tower::ALL.iter().map(|tower| self.spire(*tower, side.spires[tower.index()], tallest)).sum();
        let demolished = f32::from(side.demolished);
        towers + f32::from(tallest) - demolished * (demolished + 1.0) / 2.0 - demolished * self.later
    }
}

/// The fitted weights in points, which `fit` found in some hundred thousand games. Columns are the stages, with the
/// last rows of a game first. Lines of `room` are tops, from a roof to the empty tower. An 8 has about as much room as
/// an empty tower, and a low top has little except what a 9 may bring.
pub const WEIGHTS: Weights = Weights {
    room: [
        [0.00, 0.00, 0.00, 0.00, 0.00, 0.00],
        [0.00, -0.08, -0.03, 0.23, 1.57, 1.35],
        [0.00, -0.10, 0.04, 0.40, 1.63, 1.33],
        [-0.01, -0.05, 0.14, 0.60, 1.88, 1.29],
        [0.00, -0.06, 0.30, 0.85, 1.97, 1.44],
        [0.02, -0.04, 0.35, 0.98, 2.14, 1.07],
        [0.04, 0.05, 0.38, 1.11, 2.35, 1.29],
        [0.08, 0.10, 0.52, 1.26, 2.56, 1.29],
        [0.58, 0.78, 2.05, 3.55, 5.03, 3.85],
        [0.16, 0.48, 1.41, 2.44, 3.70, 2.73],
        [0.11, 0.10, 1.17, 2.39, 3.95, 3.20],
        [0.25, 0.23, 1.25, 2.65, 4.21, 3.73],
        [0.21, 0.32, 1.42, 2.83, 4.36, 3.60],
        [0.33, 0.46, 1.49, 3.02, 4.71, 3.73],
        [0.40, 0.48, 1.63, 3.25, 4.92, 4.04],
        [0.48, 0.52, 1.77, 3.36, 5.29, 4.14],
        [0.07, 0.10, 1.53, 3.13, 5.15, 4.73],
    ],
    fitting: [0.712, 0.570, 0.395, 0.205, 0.071, 0.084],
    nine: [0.637, 1.099, 1.264, 1.165, 0.888, 1.360],
    roof: [0.261, 0.300, 0.210, 0.101, -0.129, 0.511],
    tall: [-0.018, -0.077, -0.072, 0.295, 0.077, -1.156],
    taller: [0.474, 0.314, 0.184, 0.080, 0.035, 0.115],
    demolished: [-0.049, -0.195, -0.647, -0.940, -1.293, -1.948],
};

/// Weights of a beginner: all room is equal, and a roof would be nice.
pub const NAIVE: Weights = Weights {
    room: [[0.0; STAGES.count()]; 17],
    fitting: [0.02; STAGES.count()],
    nine: [0.0; STAGES.count()],
    roof: [0.1; STAGES.count()],
    tall: [0.0; STAGES.count()],
    taller: [0.0; STAGES.count()],
    demolished: [0.0; STAGES.count()],
};

/// Weights that count only current points.
pub const POINTS: Weights = Weights { fitting: [0.0; STAGES.count()], roof: [0.0; STAGES.count()], ..NAIVE };
