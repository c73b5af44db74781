//! Rate limits by address: so many in a while, with a burst. An IPv6 source is counted by its household and, with a wider
//! quota, by the network of households around it.

use super::NETWORK;
use crate::address::{Network, Source};
use dashmap::DashMap;
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::hash::Hash;
use std::num::NonZeroU32;
use std::time::Instant;

/// A rate limit; without one if the host wants none.
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

    /// So many a second, and a burst of so many seconds' worth.
    pub fn per_second(rate: u32, burst_seconds: u32) -> Rate {
        let quota = NonZeroU32::new(rate).map(|rate| {
            let burst = rate.saturating_mul(NonZeroU32::new(burst_seconds).unwrap_or(NonZeroU32::MIN));
            Quota::per_second(rate).allow_burst(burst)
        });
        Rate::of(quota)
    }

    /// Whether this source may once more.
    pub fn allows(&self, source: Source) -> bool {
        self.allows_many(source, NonZeroU32::MIN)
    }

    /// Whether this source may so often, or have so much. More than a burst is never allowed.
    pub fn allows_many(&self, source: Source, count: NonZeroU32) -> bool {
        let Some(limit) = &self.0 else { return true };
        matches!(limit.by_source.check_key_n(&source, count), Ok(Ok(())))
            && source
                .network()
                .is_none_or(|network| matches!(limit.by_network.check_key_n(&network, count), Ok(Ok(()))))
    }

    /// Forgets sources that have not been heard of for long enough.
    pub fn tidy(&self) {
        if let Some(limit) = &self.0 {
            limit.by_source.retain_recent();
            limit.by_source.shrink_to_fit();
            limit.by_network.retain_recent();
            limit.by_network.shrink_to_fit();
        }
    }
}

/// The quota of a whole network.
fn wider(quota: Quota) -> Quota {
    let factor = NonZeroU32::new(NETWORK as u32).unwrap_or(NonZeroU32::MIN);
    let period = quota.replenish_interval() / factor.get();
    let quota_of = Quota::with_period(period).unwrap_or(quota);
    quota_of.allow_burst(quota.burst_size().saturating_mul(factor))
}

/// A rate limit of failures: whoever has failed too often is barred before the next try, not by it, and so learns nothing
/// from being refused.
pub struct Misses(Option<(Barred<Source>, Barred<Network>)>);

struct Barred<K: Hash + Eq + Clone> {
    limit: DefaultKeyedRateLimiter<K, StateInformationMiddleware>,
    /// Who failed too often, and until when they are not answered.
    until: DashMap<K, Instant>,
}

impl Misses {
    pub fn of(quota: Option<Quota>) -> Misses {
        Misses(quota.map(|quota| (Barred::new(quota), Barred::new(wider(quota)))))
    }

    /// Whether this source may try.
    pub fn may_try(&self, source: Source) -> bool {
        let Some((by_source, by_network)) = &self.0 else { return true };
        by_source.may_try(&source) && source.network().is_none_or(|network| by_network.may_try(&network))
    }

    /// This source has failed; answers whether it may be told so. With the last try it has, it is barred until the limit
    /// allows another.
    pub fn missed(&self, source: Source) -> bool {
        let Some((by_source, by_network)) = &self.0 else { return true };
        let told = by_source.missed(source);
        // Both are counted, whatever the first says.
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
