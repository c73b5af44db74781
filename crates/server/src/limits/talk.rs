//! Rate limits of what a connection sends: messages, and control frames (pings and pongs).
//!
//! Bursts belong to the address, not to the connection: a client that reconnects at once continues with what was left
//! of its burst.

use crate::address::Source;
use dashmap::DashMap;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Burst of messages, in seconds of the rate: enough for a player who taps quickly, or whose connection stalled.
const BURST_SECONDS: u32 = 4;
/// Control frames per second, and as a burst. Libraries ping at most once a second, and each of our pings is answered
/// by one pong.
const CONTROL: NonZeroU32 = NonZeroU32::new(5).expect("not 0");
const CONTROL_BURST: NonZeroU32 = NonZeroU32::new(50).expect("not 0");
/// After this time every burst is full again, and nothing need be remembered.
const WHOLE_AGAIN: Duration = Duration::from_secs(10);

/// Remaining bursts of recently closed connections, by address.
pub struct Talk {
    messages: Option<Quota>,
    left: DashMap<Source, VecDeque<(Instant, Box<Buckets>)>>,
}

/// The rate limiters of one connection.
struct Buckets {
    messages: Option<DefaultDirectRateLimiter>,
    control: DefaultDirectRateLimiter,
}

impl Talk {
    /// Creates the limits with a number of messages per second; 0 means no limit.
    pub fn new(messages_per_second: u32) -> Arc<Talk> {
        let burst = NonZeroU32::new(BURST_SECONDS).unwrap_or(NonZeroU32::MIN);
        let messages = NonZeroU32::new(messages_per_second);
        Arc::new(Talk {
            messages: messages.map(|rate| Quota::per_second(rate).allow_burst(rate.saturating_mul(burst))),
            left: DashMap::new(),
        })
    }

    /// Returns the limits of a new connection from this address.
    pub fn begin(self: &Arc<Talk>, source: Source) -> Pace {
        // The connection that ended first has recovered most of its burst, so that people who share an address do not
        // use up each other's.
        let left = self.left.get_mut(&source).and_then(|mut left| left.pop_front());
        let left = left.filter(|(ended, _)| ended.elapsed() < WHOLE_AGAIN).map(|(_, buckets)| buckets);
        let buckets = left.unwrap_or_else(|| {
            let control = RateLimiter::direct(Quota::per_second(CONTROL).allow_burst(CONTROL_BURST));
            Box::new(Buckets { messages: self.messages.map(RateLimiter::direct), control })
        });
        Pace { talk: self.clone(), source, buckets: Some(buckets) }
    }

    /// Forgets bursts that are full again.
    pub fn tidy(&self) {
        self.left.retain(|_, left| {
            left.retain(|(ended, _)| ended.elapsed() < WHOLE_AGAIN);
            !left.is_empty()
        });
    }
}

/// The rate limits of one connection.
pub struct Pace {
    talk: Arc<Talk>,
    source: Source,
    /// Passed to the next connection from the address. `None` only while this one is dropped.
    buckets: Option<Box<Buckets>>,
}

impl Pace {
    /// Returns whether another message is allowed now.
    pub fn allows_message(&self) -> bool {
        let messages = self.buckets.as_ref().and_then(|buckets| buckets.messages.as_ref());
        messages.is_none_or(|limit| limit.check().is_ok())
    }

    /// Returns whether another ping or pong is allowed now.
    pub fn allows_control(&self) -> bool {
        self.buckets.as_ref().is_none_or(|buckets| buckets.control.check().is_ok())
    }
}

impl Drop for Pace {
    fn drop(&mut self) {
        // A host who has turned off the message limit also trusts clients that reconnect.
        let Some(buckets) = self.buckets.take().filter(|buckets| buckets.messages.is_some()) else { return };
        let mut left = self.talk.left.entry(self.source).or_default();
        // Older ones are full again, so only those of recently closed connections are kept.
        left.retain(|(ended, _)| ended.elapsed() < WHOLE_AGAIN);
        left.push_back((Instant::now(), buckets));
    }
}
