//! Rate limits of what a connection says: its messages, and the control frames (pings and pongs) beside them.
//!
//! Bursts belong to the address, not to the connection: who comes back right away goes on with what was left, and does not
//! begin anew.

use crate::address::Source;
use dashmap::DashMap;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Burst of the rate limit, as seconds' worth of it: so much comes at once from somebody who taps quickly, or whose line
/// stuttered.
const BURST_SECONDS: u32 = 4;
/// Control frames in a second, and at once. Libraries ping every second at the most, and each ping of ours is answered by one.
const CONTROL: NonZeroU32 = NonZeroU32::new(5).expect("not 0");
const CONTROL_BURST: NonZeroU32 = NonZeroU32::new(50).expect("not 0");
/// After so long every burst is whole again, and nothing need be remembered.
const WHOLE_AGAIN: Duration = Duration::from_secs(10);

/// What was left to the connections of each source that ended lately.
pub struct Talk {
    messages: Option<Quota>,
    left: DashMap<Source, VecDeque<(Instant, Box<Buckets>)>>,
}

/// What one connection may say.
struct Buckets {
    messages: Option<DefaultDirectRateLimiter>,
    control: DefaultDirectRateLimiter,
}

impl Talk {
    /// So many messages a second; 0 for no limit.
    pub fn new(messages_per_second: u32) -> Arc<Talk> {
        let burst = NonZeroU32::new(BURST_SECONDS).unwrap_or(NonZeroU32::MIN);
        let messages = NonZeroU32::new(messages_per_second);
        Arc::new(Talk {
            messages: messages.map(|rate| Quota::per_second(rate).allow_burst(rate.saturating_mul(burst))),
            left: DashMap::new(),
        })
    }

    /// The limits of one connection from this source.
    pub fn begin(self: &Arc<Talk>, source: Source) -> Pace {
        // What ended first has most of its burst back: people who share an address do not pay for each other.
        let left = self.left.get_mut(&source).and_then(|mut left| left.pop_front());
        let left = left.filter(|(ended, _)| ended.elapsed() < WHOLE_AGAIN).map(|(_, buckets)| buckets);
        let buckets = left.unwrap_or_else(|| {
            let control = RateLimiter::direct(Quota::per_second(CONTROL).allow_burst(CONTROL_BURST));
            Box::new(Buckets { messages: self.messages.map(RateLimiter::direct), control })
        });
        Pace { talk: self.clone(), source, buckets: Some(buckets) }
    }

    /// Forgets what is whole again.
    pub fn tidy(&self) {
        self.left.retain(|_, left| {
            left.retain(|(ended, _)| ended.elapsed() < WHOLE_AGAIN);
            !left.is_empty()
        });
    }
}

/// One connection's limits.
pub struct Pace {
    talk: Arc<Talk>,
    source: Source,
    /// The next connection from there goes on with these; none only while this one ends.
    buckets: Option<Box<Buckets>>,
}

impl Pace {
    /// Whether one more message may be said now.
    pub fn allows_message(&self) -> bool {
        let messages = self.buckets.as_ref().and_then(|buckets| buckets.messages.as_ref());
        messages.is_none_or(|limit| limit.check().is_ok())
    }

    /// Whether one more ping or pong may be sent now.
    pub fn allows_control(&self) -> bool {
        self.buckets.as_ref().is_none_or(|buckets| buckets.control.check().is_ok())
    }
}

impl Drop for Pace {
    fn drop(&mut self) {
        // A host who has lifted the pace of messages trusts whoever comes and goes, too.
        let Some(buckets) = self.buckets.take().filter(|buckets| buckets.messages.is_some()) else { return };
        let mut left = self.talk.left.entry(self.source).or_default();
        // The oldest are whole again by now; so no more are kept than connections ended in that time.
        left.retain(|(ended, _)| ended.elapsed() < WHOLE_AGAIN);
        left.push_back((Instant::now(), buckets));
    }
}
