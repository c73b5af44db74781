//! Linear interpolation between the stages of a game, for weights of bots that change as it goes on. What a weight
//! stands for is not known here.

/// The knots between which weights are interpolated: how much of a game is still to come, few first. With nothing to
/// come nothing more is gained, so before the first knot a weight falls to 0.
#[derive(Debug, Clone, Copy)]
pub struct Stages<const N: usize>(pub [f32; N]);

impl<const N: usize> Stages<N> {
    /// How many there are.
    pub const fn count(&self) -> usize {
        N
    }

    /// Each knot's share when so much is still to come: the knots on either side share it out, and beyond the last
    /// one it counts alone.
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

    /// A weight, given by its values at the knots, at the moment with these shares.
    pub fn mix(weight: &[f32; N], shares: &[f32; N]) -> f32 {
        weight.iter().zip(shares).map(|(value, share)| value * share).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_goes_straight_from_knot_to_knot() {
        let stages = Stages([2.0, 4.0, 8.0]);
        let weight = [10.0, 20.0, 0.0];
        let cases = [(0.0, 0.0), (1.0, 5.0), (2.0, 10.0), (3.0, 15.0), (4.0, 20.0), (7.0, 5.0), (8.0, 0.0)];
        for (left, expected) in cases {
            assert_eq!(Stages::mix(&weight, &stages.shares(left)), expected, "with {left} to come");
        }
        assert_eq!(stages.shares(100.0), [0.0, 0.0, 1.0], "what lies beyond the last knot is like it");
        assert_eq!(stages.shares(-1.0), [0.0; 3]);
    }
}
