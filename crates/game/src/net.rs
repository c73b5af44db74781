//! A small multilayer perceptron (two rectified hidden layers of 32 and 16 units, one output) for value functions that
//! bots learned from self-play. This module only evaluates networks. Training is in `gametest`, which is not part of
//! the server.

/// Number of units in the first hidden layer.
pub const FIRST: usize = 32;
/// Number of units in the second hidden layer.
pub const SECOND: usize = 16;

/// A network over a table of weights. The table holds, in this order: the weights of each input to the first layer and
/// that layer's biases, the weights of each of its units to the second layer and that layer's biases, and the output
/// weights. The output has no bias, because only differences between outputs count.
#[derive(Debug, Clone, Copy)]
pub struct Net<'a> {
    weights: &'a [f32],
    inputs: usize,
}

/// Outputs of the hidden units.
#[derive(Debug, Clone, Copy)]
pub struct Activations {
    /// First hidden layer.
    pub first: [f32; FIRST],
    /// Second hidden layer.
    pub second: [f32; SECOND],
}

impl<'a> Net<'a> {
    /// Returns the number of weights of a network with this many inputs.
    pub const fn size(inputs: usize) -> usize {
        (inputs + 1) * FIRST + (FIRST + 1) * SECOND + SECOND
    }

    /// Creates a network from its weights.
    ///
    /// # Panics
    /// If the table has the wrong size.
    pub const fn new(weights: &'a [f32], inputs: usize) -> Net<'a> {
        assert!(weights.len() == Net::size(inputs), "a table of weights fits its network");
        Net { weights, inputs }
    }

    /// Evaluates sparse inputs, each given as index and value.
    pub fn of(&self, inputs: &[(u16, f32)]) -> f32 {
        self.activate(inputs).1
    }

    /// Evaluates sparse inputs and also returns the activations of the hidden layers.
    pub fn activate(&self, inputs: &[(u16, f32)]) -> (Activations, f32) {
        let (one, rest) = self.weights.split_at((self.inputs + 1) * FIRST);
        let (two, last) = rest.split_at((FIRST + 1) * SECOND);
        let (one, two) = (one.as_chunks::<FIRST>().0, two.as_chunks::<SECOND>().0);
        let mut first = one[self.inputs];
        for (place, number) in inputs {
            for (unit, weight) in first.iter_mut().zip(&one[usize::from(*place)]) {
                *unit += number * weight;
            }
        }
        let mut second = two[FIRST];
        for (unit, weights) in first.iter_mut().zip(two) {
            *unit = unit.max(0.0);
            if *unit > 0.0 {
                for (next, weight) in second.iter_mut().zip(weights) {
                    *next += *unit * weight;
                }
            }
        }
        let mut answer = 0.0;
        for (unit, weight) in second.iter_mut().zip(last) {
            *unit = unit.max(0.0);
            answer += *unit * weight;
        }
        (Activations { first, second }, answer)
    }
}

/// Softmax: turns scores into probabilities that add up to 1.
pub fn softmax(numbers: &mut [f32]) {
    let most = numbers.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for number in numbers.iter_mut() {
        *number = (*number - most).exp();
        sum += *number;
    }
    for number in numbers {
        *number /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_the_output_layer_by_layer() {
        let mut weights = vec![0.0; Net::size(2)];
        // The first unit of the first layer is twice the second input minus one. Half of it goes to the second layer,
        // and three times that to the output.
        weights[FIRST] = 2.0;
        weights[2 * FIRST] = -1.0;
        weights[3 * FIRST] = 0.5;
        let last = weights.len() - SECOND;
        weights[last] = 3.0;
        let net = Net::new(&weights, 2);
        assert_eq!(net.of(&[(0, 9.0), (1, 4.0)]), 10.5);
        assert_eq!(net.of(&[(1, 0.25)]), 0.0, "a rectified unit outputs zero");
    }

    #[test]
    fn softmax_probabilities_sum_to_one() {
        let mut chances = [1000.0, 1000.0, -1000.0];
        softmax(&mut chances);
        assert_eq!(chances, [0.5, 0.5, 0.0]);
    }
}
