//! Rate limits and quotas per address, and [`NETWORK`](super::NETWORK) times as much per IPv6 network.

use super::bucket::{Bucket, Limit};
use super::per_address::PerAddress;
use crate::client_addr::ClientAddr;
use std::time::Duration;

/// A token bucket per address and per network. Without a limit everything is allowed.
pub struct RateLimit {
    limit: Option<Limit>,
    buckets: PerAddress<Bucket>,
}

impl RateLimit {
    pub fn new(limit: Option<Limit>) -> RateLimit {
        RateLimit { limit, buckets: PerAddress::default() }
    }

    /// Takes tokens of this address and its network, or returns false if there are not enough. More than a burst is
    /// never allowed.
    pub fn take(&self, client: ClientAddr, tokens: u64, now: Duration) -> bool {
        let Some(limit) = self.limit else { return true };
        let take = |bucket: &mut Bucket, factor| bucket.take(limit.times(factor), tokens, now);
        self.buckets.take(client, take, |bucket| bucket.refund(limit, tokens))
    }

    /// Returns whether this address and its network have anything left.
    pub fn has_any(&self, client: ClientAddr, now: Duration) -> bool {
        let Some(limit) = self.limit else { return true };
        self.buckets.all(client, |bucket, factor| bucket.has_any(limit.times(factor), now))
    }

    /// Charges a cost that is known only afterwards. It may exceed what is left; the debt is then repaid first.
    pub fn charge(&self, client: ClientAddr, tokens: u64, now: Duration) {
        if let Some(limit) = self.limit {
            self.buckets.change(client, |bucket, factor| bucket.charge(limit.times(factor), tokens, now));
        }
    }

    /// Cancels a charge.
    pub fn refund(&self, client: ClientAddr, tokens: u64) {
        if let Some(limit) = self.limit {
            self.buckets.change(client, |bucket, factor| bucket.refund(limit.times(factor), tokens));
        }
    }

    /// Forgets addresses whose bucket is full again.
    pub fn prune(&self, now: Duration) {
        self.buckets.prune(|bucket| !bucket.is_full(now));
    }

    /// Returns whether this address was charged since its bucket was last pruned.
    #[cfg(test)]
    pub fn was_charged(&self, client: ClientAddr) -> bool {
        self.buckets.of_address(client, |_| ()).is_some()
    }
}

/// A rate limit of failures. An address with too many failures is barred before its next attempt, so the refusal
/// reveals nothing about that attempt.
///
/// A network with too many failures is slowed down, but addresses in it that did nothing are not barred: until the
/// network has recovered, each of its addresses is barred after one failure.
pub struct FailureLimit {
    limit: Option<Limit>,
    failures: PerAddress<Failures>,
}

#[derive(Default, PartialEq)]
struct Failures {
    bucket: Bucket,
    barred_until: Duration,
}

impl FailureLimit {
    pub fn new(limit: Option<Limit>) -> FailureLimit {
        FailureLimit { limit, failures: PerAddress::default() }
    }

    /// Returns whether this address may make an attempt.
    pub fn may_try(&self, client: ClientAddr, now: Duration) -> bool {
        self.failures.of_address(client, |failures| failures.barred_until <= now).unwrap_or(true)
    }

    /// Counts a failure. Returns whether the client may learn of it. With its last allowed failure, an address is
    /// barred until the limit permits another one.
    pub fn failed(&self, client: ClientAddr, now: Duration) -> bool {
        let Some(limit) = self.limit else { return true };
        let network =
            self.failures.of_network(client, |failures| failures.bucket.has_any(limit.times(super::NETWORK), now));
        let slowed_down = network == Some(false);
        let mut may_learn = true;
        self.failures.change(client, |failures, factor| {
            if factor > 1 {
                return failures.bucket.charge(limit.times(factor), 1, now);
            }
            let was_clean = failures.bucket.is_full(now);
            may_learn = failures.bucket.take(limit, 1, now) && (was_clean || !slowed_down);
            if slowed_down {
                failures.barred_until = now + limit.refill;
            } else if !failures.bucket.clone().take(limit, 1, now) {
                failures.barred_until = now + limit.refill / u32::try_from(limit.burst).unwrap_or(1);
            }
        });
        may_learn
    }

    pub fn prune(&self, now: Duration) {
        self.failures.prune(|failures| !failures.bucket.is_full(now) || failures.barred_until > now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client_addr::client;
    use crate::limits::NETWORK;

    const HOUR: Duration = Duration::from_secs(3600);
    const NOW: Duration = Duration::ZERO;

    #[test]
    fn a_network_has_eight_times_the_rate_of_a_household() {
        let rate = RateLimit::new(Some(Limit::new(3, HOUR)));
        let allowed = |households: u16| {
            (0..households).filter(|i| rate.take(client(&format!("2001:db8:1:{i:x}::1")), 1, NOW)).count()
        };
        assert_eq!(allowed(100), 24, "eight times the limit of one household");
        assert!(rate.take(client("2001:db8:2::1"), 1, NOW), "other networks are not affected");
        assert_eq!((0..10).filter(|_| rate.take(client("192.0.2.1"), 1, NOW)).count(), 3);
        rate.prune(HOUR);
        assert!(rate.buckets.is_empty());
    }

    /// Spends the whole quota in equal amounts.
    fn drain(quota: &RateLimit, client: ClientAddr, piece: u64) -> u64 {
        let mut spent = 0;
        while quota.has_any(client, NOW) {
            quota.charge(client, piece, NOW);
            spent += piece;
        }
        spent
    }

    #[test]
    fn charges_an_address_afterwards_and_refuses_it_until_the_debt_is_repaid() {
        let quota = RateLimit::new(Some(Limit::new(1000, HOUR)));
        let (greedy, other) = (client("192.0.2.1"), client("192.0.2.2"));
        assert_eq!(drain(&quota, greedy, 300), 1200);
        assert!(quota.has_any(other, NOW), "another address is not affected");
        assert!(!quota.has_any(greedy, HOUR / 5) && quota.has_any(greedy, HOUR / 5 + HOUR / 1000));
        quota.prune(HOUR);
        assert!(!quota.buckets.is_empty());
        quota.prune(2 * HOUR);
        assert!(quota.buckets.is_empty());
    }

    #[test]
    fn a_refund_cancels_a_charge() {
        let quota = RateLimit::new(Some(Limit::new(1000, HOUR)));
        let household = client("2001:db8:1::1");
        quota.charge(household, 8000, NOW);
        assert!(!quota.has_any(household, NOW));
        quota.refund(household, 8000);
        quota.prune(NOW);
        assert!(quota.buckets.is_empty());
    }

    #[test]
    fn a_network_spends_eight_times_the_quota_of_a_household() {
        let quota = RateLimit::new(Some(Limit::new(1000, HOUR)));
        let households = (0..20).map(|n| client(&format!("2001:db8:1:{n:x}::1")));
        let spent: u64 = households.map(|household| drain(&quota, household, 10)).sum();
        assert_eq!(spent, 1000 * NETWORK);
        assert!(quota.has_any(client("2001:db8:2::1"), NOW), "other networks are not affected");
    }

    #[test]
    fn allows_everything_without_a_limit() {
        let quota = RateLimit::new(None);
        quota.charge(client("192.0.2.1"), u64::MAX, NOW);
        assert!(quota.has_any(client("192.0.2.1"), NOW) && quota.take(client("192.0.2.1"), u64::MAX, NOW));
    }

    fn guesses() -> FailureLimit {
        FailureLimit::new(Some(Limit::new(4, Duration::from_secs(60))))
    }

    #[test]
    fn bars_an_address_with_its_last_allowed_failure() {
        let guesses = guesses();
        let guesser = client("192.0.2.1");
        let learned = (0..10).filter(|_| guesses.may_try(guesser, NOW) && guesses.failed(guesser, NOW)).count();
        assert_eq!(learned, 4);
        let later = Duration::from_secs(15);
        assert!(!guesses.may_try(guesser, later / 2) && guesses.may_try(guesser, later));
        assert!(guesses.failed(guesser, later) && !guesses.may_try(guesser, later));
        assert!(guesses.may_try(client("192.0.2.2"), NOW), "another address is not affected");
        guesses.prune(Duration::from_secs(200));
        assert!(guesses.failures.is_empty());
    }

    #[test]
    fn a_guessing_network_is_slowed_down_but_bars_no_other_household() {
        let guesses = guesses();
        let household = |n: u32| client(&format!("2001:db8:1:{n:x}::1"));
        let tries = |n: u32| {
            (0..10).filter(|_| guesses.may_try(household(n), NOW) && guesses.failed(household(n), NOW)).count()
        };
        let learned: Vec<usize> = (0..10).map(tries).collect();
        assert_eq!(learned, [4, 4, 4, 4, 4, 4, 4, 4, 1, 1], "after eight households each gets a single guess");
        assert!(guesses.may_try(household(11), NOW), "a household that did nothing is not barred");
        assert!(!guesses.may_try(household(9), Duration::from_secs(59)), "a guess costs a whole minute now");
        assert_eq!((0..10).filter(|_| guesses.failed(client("2001:db8:2::1"), NOW)).count(), 4);
    }
}
