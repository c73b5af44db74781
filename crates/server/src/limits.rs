//! Rate limits and quotas: how much one address or one connection may ask for.

use crate::Config;
use crate::address::Source;
use dashmap::DashMap;
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Burst of the rate limit, as seconds' worth of it: so much comes at once from somebody who taps quickly, or whose line
/// stuttered.
const BURST_SECONDS: u32 = 4;

/// The limits of the whole server.
pub struct Limits {
    rooms: Option<DefaultKeyedRateLimiter<Source>>,
    misses: Option<Misses>,
    /// Who guessed too often, and until when they are not answered.
    barred: DashMap<Source, Instant>,
    sockets: Arc<Sockets>,
    acts_per_second: u32,
}

/// A rate limit that also says how much of it is left: whoever has used it up is barred before the next guess, not by it.
type Misses = DefaultKeyedRateLimiter<Source, StateInformationMiddleware>;

/// Open connections, in all and by source, and how many there may be; 0 for no limit.
struct Sockets {
    open: AtomicUsize,
    by_source: DashMap<Source, u32>,
    max: usize,
    max_by_source: u32,
}

impl Limits {
    /// The limits a host asked for.
    pub fn new(config: &Config) -> Limits {
        let rooms = NonZeroU32::new(config.rooms_per_hour).map(Quota::per_hour);
        let misses = NonZeroU32::new(config.misses_per_minute).map(Quota::per_minute);
        Limits {
            rooms: rooms.map(RateLimiter::keyed),
            misses: misses.map(|quota| RateLimiter::keyed(quota).with_middleware()),
            barred: DashMap::new(),
            sockets: Arc::new(Sockets {
                open: AtomicUsize::new(0),
                by_source: DashMap::new(),
                max: config.max_sockets,
                max_by_source: config.sockets_per_ip,
            }),
            acts_per_second: config.acts_per_second,
        }
    }

    /// Whether this source may open one more room now.
    pub fn may_open(&self, source: Source) -> bool {
        self.rooms.as_ref().is_none_or(|limit| limit.check_key(&source).is_ok())
    }

    /// Whether this source may look for a room. Asked before the look, so that a barred source cannot tell a room that is
    /// there from one that is not.
    pub fn may_look(&self, source: Source) -> bool {
        self.barred.get(&source).is_none_or(|until| *until <= Instant::now())
    }

    /// This source looked for a room that is not there; answers whether it may be told so. With the last guess it
    /// has, it is barred until the limit allows another.
    pub fn missed(&self, source: Source) -> bool {
        let Some(limit) = &self.misses else { return true };
        let (may_be_told, wait) = match limit.check_key(&source) {
            Ok(state) if state.remaining_burst_capacity() > 0 => return true,
            Ok(state) => (true, state.quota().replenish_interval()),
            Err(not_until) => (false, not_until.wait_time_from(DefaultClock::default().now())),
        };
        self.barred.insert(source, Instant::now() + wait);
        may_be_told
    }

    /// A place among the open connections, given back when dropped.
    pub fn socket(&self, source: Source) -> Option<OpenSocket> {
        let sockets = &self.sockets;
        let open = sockets.open.fetch_add(1, Ordering::Relaxed);
        let mut here = sockets.by_source.entry(source).or_insert(0);
        *here += 1;
        let too_many_here = sockets.max_by_source > 0 && *here > sockets.max_by_source;
        drop(here);
        let place = OpenSocket { sockets: sockets.clone(), source };
        let too_many = sockets.max > 0 && open >= sockets.max;
        (!too_many && !too_many_here).then_some(place)
    }

    /// How many connections are open.
    pub fn open_sockets(&self) -> usize {
        self.sockets.open.load(Ordering::Relaxed)
    }

    /// A limit for the messages of one connection; none when there is no limit.
    pub fn messages(&self) -> Option<DefaultDirectRateLimiter> {
        let rate = NonZeroU32::new(self.acts_per_second)?;
        let burst = rate.saturating_mul(NonZeroU32::new(BURST_SECONDS)?);
        Some(RateLimiter::direct(Quota::per_second(rate).allow_burst(burst)))
    }

    /// Forgets sources that have not been heard of for long enough.
    pub fn tidy(&self) {
        if let Some(limit) = &self.rooms {
            limit.retain_recent();
            limit.shrink_to_fit();
        }
        if let Some(limit) = &self.misses {
            limit.retain_recent();
            limit.shrink_to_fit();
        }
        self.barred.retain(|_, until| *until > Instant::now());
    }
}

/// One open connection.
pub struct OpenSocket {
    sockets: Arc<Sockets>,
    source: Source,
}

impl OpenSocket {
    /// Whose it is.
    pub fn source(&self) -> Source {
        self.source
    }
}

impl Drop for OpenSocket {
    fn drop(&mut self) {
        self.sockets.open.fetch_sub(1, Ordering::Relaxed);
        if let dashmap::Entry::Occupied(mut here) = self.sockets.by_source.entry(self.source) {
            *here.get_mut() -= 1;
            if *here.get() == 0 {
                here.remove();
            }
        }
    }
}
