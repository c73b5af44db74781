//! Rate limits per address, with a burst. An IPv6 client is counted by its household (/64) and, with a larger quota, by
//! the surrounding network (/48).

use super::NETWORK;
use crate::address::{Network, Source};
use dashmap::DashMap;
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::hash::Hash;
use std::num::NonZeroU32;
use std::time::Instant;

/// A rate limit. `None` turns it off.
pub struct Rate(Option<Keyed>);

struct Keyed {
    by_source: DefaultKeyedRateLimiter<Source>,
    by_network: DefaultKeyedRateLimiter<Network>,
}

impl Rate {
    pub fn of(quota: Option<Quota>) -> Rate {
        Rate(quota.map(|quota| Keyed {
            by_source: RateLimiter::keyed(quota),
            by_network: RateLimiter::keyed(wider(quota)),
        }))
    }

    /// Creates a limit with a rate per second and a burst in seconds of the rate.
    pub fn per_second(rate: u32, burst_seconds: u32) -> Rate {
        let quota = NonZeroU32::new(rate).map(|rate| {
            let burst = rate.saturating_mul(NonZeroU32::new(burst_seconds).unwrap_or(NonZeroU32::MIN));
            Quota::per_second(rate).allow_burst(burst)
        });
        Rate::of(quota)
    }

    /// Returns whether this address may act once more, and counts it.
    pub fn allows(&self, source: Source) -> bool {
        self.allows_many(source, NonZeroU32::MIN)
    }

    /// Returns whether this address may use `count` units, and counts them. More than a burst is never allowed.
    pub fn allows_many(&self, source: Source, count: NonZeroU32) -> bool {
        let Some(limit) = &self.0 else { return true };
        matches!(limit.by_source.check_key_n(&source, count), Ok(Ok(())))
            && source
                .network()
                .is_none_or(|network| matches!(limit.by_network.check_key_n(&network, count), Ok(Ok(()))))
    }

    /// Forgets addresses that were idle long enough.
    pub fn tidy(&self) {
        if let Some(limit) = &self.0 {
            limit.by_source.retain_recent();
            limit.by_source.shrink_to_fit();
            limit.by_network.retain_recent();
            limit.by_network.shrink_to_fit();
        }
    }
}

/// Returns the quota of a whole network.
fn wider(quota: Quota) -> Quota {
    let factor = NonZeroU32::new(NETWORK as u32).unwrap_or(NonZeroU32::MIN);
    let period = quota.replenish_interval() / factor.get();
    let quota_of = Quota::with_period(period).unwrap_or(quota);
    quota_of.allow_burst(quota.burst_size().saturating_mul(factor))
}

/// A rate limit of failures. An address with too many failures is barred before its next attempt, so the refusal
/// reveals nothing about that attempt.
pub struct Misses(Option<(Barred<Source>, Barred<Network>)>);

struct Barred<K: Hash + Eq + Clone> {
    limit: DefaultKeyedRateLimiter<K, StateInformationMiddleware>,
    /// Barred keys, and until when.
    until: DashMap<K, Instant>,
}

impl Misses {
    pub fn of(quota: Option<Quota>) -> Misses {
        Misses(quota.map(|quota| (Barred::new(quota), Barred::new(wider(quota)))))
    }

    /// Returns whether this address may make an attempt.
    pub fn may_try(&self, source: Source) -> bool {
        let Some((by_source, by_network)) = &self.0 else { return true };
        by_source.may_try(&source) && source.network().is_none_or(|network| by_network.may_try(&network))
    }

    /// Counts a failure. Returns whether the client may learn of it. With its last allowed failure, an address is
    /// barred until the limit permits another one.
    pub fn missed(&self, source: Source) -> bool {
        let Some((by_source, by_network)) = &self.0 else { return true };
        let told = by_source.missed(source);
        // Count both, whatever the first returns.
        source.network().is_none_or(|network| by_network.missed(network)) && told
    }

    pub fn tidy(&self) {
        if let Some((by_source, by_network)) = &self.0 {
            by_source.tidy();
            by_network.tidy();
        }
    }
}

impl<K: Hash + Eq + Clone> Barred<K> {
    fn new(quota: Quota) -> Barred<K> {
        Barred { limit: RateLimiter::keyed(quota).with_middleware(), until: DashMap::new() }
    }

    fn may_try(&self, key: &K) -> bool {
        self.until.get(key).is_none_or(|until| *until <= Instant::now())
    }

    fn missed(&self, key: K) -> bool {
        let (may_be_told, wait) = match self.limit.check_key(&key) {
            Ok(state) if state.remaining_burst_capacity() > 0 => return true,
            Ok(state) => (true, state.quota().replenish_interval()),
            Err(not_until) => (false, not_until.wait_time_from(DefaultClock::default().now())),
        };
        self.until.insert(key, Instant::now() + wait);
        may_be_told
    }

    fn tidy(&self) {
        self.limit.retain_recent();
        self.limit.shrink_to_fit();
        self.until.retain(|_, until| *until > Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderMap;

    fn source(address: &str) -> Source {
        Source::of(address.parse().unwrap(), &HeaderMap::new(), &[])
    }

    #[test]
    fn a_network_of_households_has_eight_times_what_one_has() {
        let rate = Rate::of(Some(Quota::per_hour(NonZeroU32::new(3).unwrap())));
        let allowed = |households: u16| {
            (0..households).filter(|i| rate.allows(source(&format!("2001:db8:1:{i:x}::1")))).count()
        };
        assert_eq!(allowed(100), 24, "each of them asks for the first time");
        assert!(rate.allows(source("2001:db8:2::1")), "the neighbours are not in its way");
        assert_eq!((0..10).filter(|_| rate.allows(source("192.0.2.1"))).count(), 3);
    }

    #[test]
    fn guesses_from_many_households_of_one_network_are_barred_too() {
        let misses = Misses::of(Some(Quota::per_minute(NonZeroU32::new(2).unwrap())));
        let told = (0..100).filter(|i| misses.missed(source(&format!("2001:db8:1:{i:x}::1")))).count();
        assert_eq!(told, 16);
        assert!(!misses.may_try(source("2001:db8:1:ffff::1")), "one that has not guessed yet");
        assert!(misses.may_try(source("2001:db8:2::1")));
    }
}
