//! The token bucket behind every rate limit and quota of the server.
//!
//! A bucket stores one number, the time at which it is full again (GCRA), so a full bucket need not be stored at all.
//! The time is an argument: rooms count in running time, and tests in any.

use std::time::Duration;

/// How much a bucket holds, and how quickly it refills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Tokens in a full bucket.
    pub burst: u64,
    /// Time in which an empty bucket becomes full.
    pub refill: Duration,
}

impl Limit {
    pub const fn new(burst: u64, refill: Duration) -> Limit {
        assert!(burst > 0 && !refill.is_zero(), "a limit of nothing is no limit");
        Limit { burst, refill }
    }

    /// Creates a limit with a rate in tokens per second, and a burst.
    pub const fn per_second(rate: u64, burst: u64) -> Limit {
        Limit::new(burst, Duration::from_millis(1000 * burst / rate))
    }

    /// Creates the limit of a group of clients: the burst and the rate are this many times as large.
    pub const fn times(self, factor: u64) -> Limit {
        Limit { burst: self.burst.saturating_mul(factor), ..self }
    }

    /// Returns the time in which this many tokens are refilled, in nanoseconds.
    fn cost(self, tokens: u64) -> u64 {
        let cost = u128::from(tokens) * self.refill.as_nanos() / u128::from(self.burst);
        u64::try_from(cost).unwrap_or(u64::MAX)
    }
}

/// A token bucket. The default is full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bucket {
    /// Time at which the bucket is full again, in nanoseconds.
    full_at: u64,
}

impl Bucket {
    /// Takes tokens if there are enough.
    pub fn take(&mut self, limit: Limit, tokens: u64, now: Duration) -> bool {
        let after = self.missing(now).saturating_add(limit.cost(tokens));
        let enough = after <= nanos(limit.refill);
        if enough {
            self.full_at = nanos(now).saturating_add(after);
        }
        enough
    }

    /// Takes tokens, if necessary on credit, because some costs are known only afterwards. The debt never exceeds one
    /// full bucket.
    pub fn charge(&mut self, limit: Limit, tokens: u64, now: Duration) {
        let most = nanos(limit.refill).saturating_mul(2);
        let after = self.missing(now).saturating_add(limit.cost(tokens)).min(most);
        self.full_at = nanos(now).saturating_add(after);
    }

    /// Puts tokens back.
    pub fn refund(&mut self, limit: Limit, tokens: u64) {
        self.full_at = self.full_at.saturating_sub(limit.cost(tokens));
    }

    /// Returns whether anything is left, however little.
    pub fn has_any(&self, limit: Limit, now: Duration) -> bool {
        self.missing(now) < nanos(limit.refill)
    }

    pub fn is_full(&self, now: Duration) -> bool {
        self.missing(now) == 0
    }

    /// Returns the time until the bucket is full.
    fn missing(&self, now: Duration) -> u64 {
        self.full_at.saturating_sub(nanos(now))
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit::per_second(2, 3);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn empties_and_refills() {
        let mut bucket = Bucket::default();
        let mut taken = |now| (0..10).filter(|_| bucket.take(LIMIT, 1, ms(now))).count();
        assert_eq!((taken(1000), taken(1499), taken(1500)), (3, 0, 1));
        assert_eq!(taken(3_600_000), 3, "it holds no more than its burst");
    }

    #[test]
    fn repays_a_debt_first() {
        let mut bucket = Bucket::default();
        bucket.charge(LIMIT, 4, ms(0));
        assert!(!bucket.has_any(LIMIT, ms(500)) && bucket.has_any(LIMIT, ms(501)));
        bucket.charge(LIMIT, u64::MAX, ms(501));
        assert!(bucket.has_any(LIMIT, ms(501 + 1501)), "the debt is limited");
        assert!(bucket.is_full(ms(501 + 3000)));
    }

    #[test]
    fn refills_slow_limits_that_are_checked_often() {
        let limit = Limit::new(30, Duration::from_secs(3600));
        let mut bucket = Bucket::default();
        let taken = (0..7200).filter(|second| bucket.take(limit, 1, Duration::from_secs(*second))).count();
        assert_eq!(taken, 30 + 59);
    }

    #[test]
    fn refuses_more_than_a_burst_at_once() {
        let mut bucket = Bucket::default();
        assert!(!bucket.take(LIMIT, 4, ms(0)) && bucket.is_full(ms(0)));
        assert!(bucket.take(LIMIT, 3, ms(0)));
    }
}
