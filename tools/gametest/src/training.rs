//! Training of the networks in `game::net`: gradient descent (Adam) on the cross-entropy between the winning chances
//! that a network predicts for the players of a position and the result. The meaning of the inputs is not known here.

use game::Luck;
use game::net::{Activations, FIRST, Net, SECOND, softmax};
use std::fmt::Write as _;

/// Adam's usual decay rates.
const MOMENTUM: f32 = 0.9;
const SCALE: f32 = 0.999;

/// The nonzero inputs of one network evaluation.
pub type NetInputs = Vec<(u16, f32)>;

/// A position: for every player the parts whose outputs add up to that player's strength.
pub type Sides = Vec<Vec<NetInputs>>;

/// A network in training.
pub struct Trainee {
    /// Current weights.
    pub weights: Vec<f32>,
    inputs: usize,
    gradient: Vec<f32>,
    momentum: Vec<f32>,
    scale: Vec<f32>,
    samples: u32,
    steps: i32,
}

impl Trainee {
    /// Creates a network with small random weights (He initialization).
    pub fn new(inputs: usize, active: usize, luck: &mut Luck) -> Trainee {
        let size = Net::size(inputs);
        let (one, two) = ((inputs + 1) * FIRST, (inputs + 1) * FIRST + (FIRST + 1) * SECOND);
        let weights = (0..size).map(|place| {
            let fan = if place < one {
                active
            } else if place < two {
                FIRST
            } else {
                4 * SECOND
            };
            luck.stray((12.0 / fan as f32).sqrt())
        });
        Trainee {
            weights: weights.collect(),
            inputs,
            gradient: vec![0.0; size],
            momentum: vec![0.0; size],
            scale: vec![0.0; size],
            samples: 0,
            steps: 0,
        }
    }

    /// Returns the current network.
    pub fn net(&self) -> Net<'_> {
        Net::new(&self.weights, self.inputs)
    }

    /// Returns the chances of all players.
    pub fn chances(&self, sides: &Sides) -> Vec<f32> {
        let net = self.net();
        let mut chances: Vec<f32> = sides.iter().map(|parts| parts.iter().map(|inputs| net.of(inputs)).sum()).collect();
        softmax(&mut chances);
        chances
    }

    /// Accumulates the gradient of a position, and returns the log loss.
    pub fn learn(&mut self, sides: &Sides, target: &[f32]) -> f32 {
        let net = Net::new(&self.weights, self.inputs);
        let seen: Vec<Vec<(Activations, f32)>> =
            sides.iter().map(|parts| parts.iter().map(|inputs| net.activate(inputs)).collect()).collect();
        let mut chances: Vec<f32> = seen.iter().map(|parts| parts.iter().map(|(_, answer)| answer).sum()).collect();
        softmax(&mut chances);
        for (side, parts) in sides.iter().enumerate() {
            for (inputs, (units, _)) in parts.iter().zip(&seen[side]) {
                self.descend(inputs, units, chances[side] - target[side]);
            }
        }
        self.samples += 1;
        -chances.iter().zip(target).map(|(chance, target)| target * chance.max(1e-6).ln()).sum::<f32>()
    }

    /// Back-propagation: adds the gradient of one output, multiplied by its error.
    fn descend(&mut self, inputs: &NetInputs, units: &Activations, error: f32) {
        let second_from = (self.inputs + 1) * FIRST;
        let last_from = second_from + (FIRST + 1) * SECOND;
        let mut behind_second = [0.0; SECOND];
        for (unit, behind) in behind_second.iter_mut().enumerate() {
            if units.second[unit] > 0.0 {
                self.gradient[last_from + unit] += error * units.second[unit];
                *behind = error * self.weights[last_from + unit];
            }
        }
        // Biases are the weights of an additional unit whose output is always 1.
        let mut behind_first = [0.0; FIRST + 1];
        for (unit, behind_unit) in behind_first.iter_mut().enumerate() {
            let active = units.first.get(unit).copied().unwrap_or(1.0);
            if active > 0.0 {
                let from = second_from + unit * SECOND;
                for (next, behind) in behind_second.iter().enumerate() {
                    self.gradient[from + next] += active * behind;
                    *behind_unit += self.weights[from + next] * behind;
                }
            }
        }
        for (place, number) in inputs.iter().copied().chain([(self.inputs as u16, 1.0)]) {
            let from = usize::from(place) * FIRST;
            for (gradient, behind) in self.gradient[from..from + FIRST].iter_mut().zip(&behind_first) {
                *gradient += number * behind;
            }
        }
    }

    /// Takes one step of Adam with the gradient accumulated since the last.
    pub fn step(&mut self, rate: f32) {
        self.steps += 1;
        let (momentum_bias, scale_bias) = (1.0 - MOMENTUM.powi(self.steps), 1.0 - SCALE.powi(self.steps));
        let share = 1.0 / self.samples.max(1) as f32;
        for place in 0..self.weights.len() {
            let gradient = self.gradient[place] * share;
            let (momentum, scale) = (&mut self.momentum[place], &mut self.scale[place]);
            *momentum = MOMENTUM * *momentum + (1.0 - MOMENTUM) * gradient;
            *scale = SCALE * *scale + (1.0 - SCALE) * gradient * gradient;
            self.weights[place] -= rate * (*momentum / momentum_bias) / ((*scale / scale_bias).sqrt() + 1e-8);
            self.gradient[place] = 0.0;
        }
        self.samples = 0;
    }

    /// Returns the weights as Rust source code.
    pub fn source(&self, command: &str) -> String {
        let mut text = format!(
            "//! The weights of [`super::value`], as this command found them: `{command}`\n\n#[rustfmt::skip]\n\
             #[allow(clippy::approx_constant, reason = \"learned, not looked up\")]\n\
             pub static WEIGHTS: [f32; {}] = [\n",
            self.weights.len()
        );
        for line in self.weights.chunks(16) {
            for weight in line {
                // Three decimals suffice, and adding 0 avoids a negative zero.
                let _ = write!(text, "{:.3},", (weight * 1000.0).round() / 1000.0 + 0.0);
            }
            text.push('\n');
        }
        text + "];\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::luck;

    #[test]
    fn learns_that_the_larger_number_wins() {
        let mut luck = luck(1);
        let mut trainee = Trainee::new(2, 2, &mut luck);
        let mut deal = || {
            let numbers = [luck.below(9) as f32, luck.below(9) as f32];
            let sides: Sides = numbers.iter().map(|number| vec![vec![(0, number / 9.0), (1, 1.0)]]).collect();
            (sides, if numbers[0] > numbers[1] { [1.0, 0.0] } else { [0.0, 1.0] }, numbers[0] == numbers[1])
        };
        for round in 0..6000 {
            let (sides, target, tie) = deal();
            if !tie {
                trainee.learn(&sides, &target);
            }
            if round % 20 == 19 {
                trainee.step(0.01);
            }
        }
        let (mut right, mut of) = (0, 0);
        for _ in 0..200 {
            let (sides, target, tie) = deal();
            if !tie {
                of += 1;
                right += usize::from((trainee.chances(&sides)[0] > 0.5) == (target[0] > 0.5));
            }
        }
        assert!(right * 20 > of * 19, "{right} of {of}");
    }
}
