//! Means, shares and durations, independent of what was counted.

use std::time::Duration;

/// A collection of durations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Adds a duration.
    pub fn record(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Adds all durations of another collection.
    pub fn add(&mut self, other: Times) {
        self.0.extend(other.0);
    }

    /// Returns the number of durations.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the mean, or zero if there are none.
    pub fn mean(&self) -> Duration {
        let sum: Duration = self.0.iter().sum();
        sum.div_f64(self.0.len().max(1) as f64)
    }

    /// Returns a percentile: 0.5 is the median, 1.0 the maximum. All durations are kept, so the result is exact.
    pub fn under(&self, share: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }
}

/// Returns `sum / of`. A count of zero is treated as one.
pub fn mean(sum: f64, of: usize) -> f64 {
    sum / of.max(1) as f64
}

/// Returns Wilson's 95 % confidence interval of a share. It is valid for shares near 0 and 1 and for small numbers.
pub fn confidence(count: usize, of: usize) -> (f64, f64) {
    let z = 1.96;
    let (share, n) = (mean(count as f64, of), of.max(1) as f64);
    let middle = share + z * z / (2.0 * n);
    let width = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    ((middle - width) / scale, (middle + width) / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(milliseconds: impl IntoIterator<Item = u64>) -> Times {
        Times(milliseconds.into_iter().map(Duration::from_millis).collect())
    }

    #[test]
    fn the_p99_of_a_hundred_times_exceeds_all_but_one() {
        let hundred = times((1..=100).rev());
        let under = |share| hundred.under(share).as_millis();
        assert_eq!([under(0.5), under(0.9), under(0.99), under(1.0)], [50, 90, 99, 100]);
        assert_eq!(hundred.mean().as_micros(), 50_500);
    }

    #[test]
    fn one_time_is_every_percentile_and_no_times_have_none() {
        assert_eq!(times([7]).under(0.99), Duration::from_millis(7));
        assert_eq!(times([]).under(0.5), Duration::ZERO);
        assert_eq!(times([]).mean(), Duration::ZERO);
    }

    #[test]
    fn computes_the_wilson_confidence_interval() {
        // Calculated by hand: 5 of 10, and 0 of 10.
        let (low, high) = confidence(5, 10);
        assert!((low - 0.2366).abs() < 1e-4 && (high - 0.7634).abs() < 1e-4, "{low} {high}");
        let (low, high) = confidence(0, 10);
        assert!(low.abs() < 1e-9 && (high - 0.2775).abs() < 1e-4, "{low} {high}");
    }
}
