//! Linear least squares with a ridge term, for fitting the weights of a bot to played games. The meaning of the weights
//! is not known here.

/// The ridge term, which pulls every weight towards 0, because features that occur in few samples only are weak
/// evidence.
const RIDGE: f64 = 50.0;

/// The normal equations `a · weights = b`, accumulated sample by sample.
pub struct LeastSquares {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
}

impl LeastSquares {
    /// Creates the equations for `size` weights.
    pub fn new(size: usize) -> LeastSquares {
        LeastSquares { a: vec![vec![0.0; size]; size], b: vec![0.0; size] }
    }

    /// Adds a sample: the factor of each weight, and the result.
    pub fn add(&mut self, counts: &[f64], result: f64) {
        let counted: Vec<usize> = (0..counts.len()).filter(|i| counts[*i] != 0.0).collect();
        for i in &counted {
            self.b[*i] += counts[*i] * result;
            for j in &counted {
                self.a[*i][*j] += counts[*i] * counts[*j];
            }
        }
    }

    /// Returns the weights with the least squared error, by Gaussian elimination and back substitution. No pivoting is
    /// needed: with the ridge term on its diagonal the matrix is positive definite.
    pub fn solve(mut self) -> Vec<f64> {
        let size = self.b.len();
        for i in 0..size {
            self.a[i][i] += RIDGE;
        }
        for i in 0..size {
            let (above, below) = self.a.split_at_mut(i + 1);
            let pivot = &above[i];
            for (offset, row) in below.iter_mut().enumerate() {
                let factor = row[i] / pivot[i];
                for (x, y) in row.iter_mut().zip(pivot).skip(i) {
                    *x -= factor * y;
                }
                self.b[i + 1 + offset] -= factor * self.b[i];
            }
        }
        let mut weights = vec![0.0; size];
        for i in (0..size).rev() {
            let known: f64 = (i + 1..size).map(|j| self.a[i][j] * weights[j]).sum();
            weights[i] = (self.b[i] - known) / self.a[i][i];
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::luck;

    #[test]
    fn recovers_known_weights() {
        let (true_weights, mut luck) = ([3.0, -2.0, 0.5], luck(1));
        let mut sums = LeastSquares::new(4);
        for _ in 0..20_000 {
            // The fourth factor is always 0: without the ridge term the matrix would be singular.
            let counts = [luck.below(3) as f64, luck.below(3) as f64, luck.below(3) as f64, 0.0];
            let result: f64 = counts.iter().zip(true_weights).map(|(count, weight)| count * weight).sum();
            sums.add(&counts, result + f64::from(luck.stray(1.0)));
        }
        let found = sums.solve();
        for (found, weight) in found.iter().zip([3.0, -2.0, 0.5, 0.0]) {
            assert!((found - weight).abs() < 0.05, "{found} instead of {weight}");
        }
    }
}
