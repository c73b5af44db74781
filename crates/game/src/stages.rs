//! Linear interpolation between the stages of a game, for bot weights that change as the game proceeds. This module
//! does not know what a weight means.

/// The knots between which weights are interpolated, given as the remaining length of the game, smallest first. Below
/// the first knot a weight falls to 0, because nothing more can be gained at the end.
#[derive(Debug, Clone, Copy)]
pub struct Stages<const N: usize>(pub [f32; N]);

impl<const N: usize> Stages<N> {
    /// Returns the number of knots.
    pub const fn count(&self) -> usize {
        N
    }

    /// Returns each knot's share when `left` of the game remains. The knots on either side share linearly, and beyond
    /// the last knot it counts alone.
    pub fn shares(&self, left: f32) -> [f32; N] {
        let mut shares = [0.0; N];
        let left = left.clamp(0.0, self.0[N - 1]);
        let mut from = 0.0;
        for (knot, to) in self.0.into_iter().enumerate() {
            if left <= to {
                let along = (left - from) / (to - from);
                if knot > 0 {
                    shares[knot - 1] = 1.0 - along;
                }
                shares[knot] = along;
                break;
            }
            from = to;
        }
        shares
    }

    /// Interpolates a weight, given by its values at the knots, with these shares.
    pub fn mix(weight: &[f32; N], shares: &[f32; N]) -> f32 {
        weight.iter().zip(shares).map(|(value, share)| value * share).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolates_linearly_between_knots() {
        let stages = Stages([2.0, 4.0, 8.0]);
        let weight = [10.0, 20.0, 0.0];
        let cases = [(0.0, 0.0), (1.0, 5.0), (2.0, 10.0), (3.0, 15.0), (4.0, 20.0), (7.0, 5.0), (8.0, 0.0)];
        for (left, expected) in cases {
            assert_eq!(Stages::mix(&weight, &stages.shares(left)), expected, "with {left} left");
        }
        assert_eq!(stages.shares(100.0), [0.0, 0.0, 1.0], "constant beyond the last knot");
        assert_eq!(stages.shares(-1.0), [0.0; 3]);
    }
}
