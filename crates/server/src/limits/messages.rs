//! Rate limits of what a connection sends: messages, and control frames (pings and pongs).
//!
//! Bursts belong to the address, not to the connection: a client that reconnects at once continues with what was left
//! of its burst. Nothing is counted for networks, whose connections have bursts of their own, so this is a plain map
//! and not [`PerAddress`](super::per_address::PerAddress).

use super::bucket::{Bucket, Limit};
use super::table::{CONTROL_FRAMES, MESSAGES_BURST_SECONDS};
use crate::client_addr::ClientAddr;
use dashmap::DashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// After this time every burst is full again, and nothing need be remembered.
const WHOLE_AGAIN: Duration = CONTROL_FRAMES.refill;

/// Remaining bursts of recently closed connections, by address.
pub struct MessageLimits {
    /// `None` if there is no limit.
    messages: Option<Limit>,
    started: Instant,
    left: DashMap<ClientAddr, VecDeque<(Instant, Buckets)>>,
}

/// The buckets of one connection.
#[derive(Clone, Copy, Default)]
struct Buckets {
    messages: Bucket,
    control: Bucket,
}

impl MessageLimits {
    /// Creates the limits with a number of messages per second; 0 means no limit.
    pub fn new(per_second: u32) -> Arc<MessageLimits> {
        let rate = u64::from(per_second);
        let messages = (rate > 0).then(|| Limit::per_second(rate, MESSAGES_BURST_SECONDS * rate));
        Arc::new(MessageLimits { messages, started: Instant::now(), left: DashMap::new() })
    }

    /// Returns the limits of a new connection from this address.
    pub fn connect(self: &Arc<MessageLimits>, client: ClientAddr) -> MessageRate {
        // The connection that ended first has recovered most of its burst, so that people who share an address do not
        // use up each other's.
        let left = self.left.get_mut(&client).and_then(|mut left| left.pop_front());
        let left = left.filter(|(ended, _)| ended.elapsed() < WHOLE_AGAIN).map(|(_, buckets)| buckets);
        MessageRate { limits: self.clone(), client, buckets: left.unwrap_or_default() }
    }

    /// Forgets bursts that are full again.
    pub fn prune(&self) {
        self.left.retain(|_, left| {
            left.retain(|(ended, _)| ended.elapsed() < WHOLE_AGAIN);
            !left.is_empty()
        });
    }
}

/// The rate limits of one connection.
pub struct MessageRate {
    limits: Arc<MessageLimits>,
    client: ClientAddr,
    /// Passed to the next connection from the address.
    buckets: Buckets,
}

impl MessageRate {
    /// Returns whether another message is allowed now, and counts it.
    pub fn allows_message(&mut self) -> bool {
        let now = self.limits.started.elapsed();
        self.limits.messages.is_none_or(|limit| self.buckets.messages.take(limit, 1, now))
    }

    /// Returns whether another ping or pong is allowed now, and counts it.
    pub fn allows_control(&mut self) -> bool {
        self.buckets.control.take(CONTROL_FRAMES, 1, self.limits.started.elapsed())
    }
}

impl Drop for MessageRate {
    fn drop(&mut self) {
        // A host who has turned off the message limit also trusts clients that reconnect.
        if self.limits.messages.is_none() {
            return;
        }
        let mut left = self.limits.left.entry(self.client).or_default();
        // Older ones are full again, so only those of recently closed connections are kept.
        left.retain(|(ended, _)| ended.elapsed() < WHOLE_AGAIN);
        left.push_back((Instant::now(), self.buckets));
    }
}
