//! Rate limits and quotas: how much one address or connection may request, and how much the whole server holds. All
//! values are in [`table`].
//!
//! It knows nothing about messages. `http`, `socket` and the room task ask it, and report refusals to clients.

mod bucket;
pub mod connection_slots;
pub mod files;
pub mod messages;
mod per_address;
mod rates;
pub mod rooms;
pub mod streams;
pub mod table;
mod waiting;

pub use bucket::{Bucket, Limit};
pub use waiting::Account;

use crate::Config;
use crate::client_addr::ClientAddr;
use crate::clock::Clock;
use crate::thinkers;
use connection_slots::{Class, ConnectionSlot, ConnectionSlots, Most, SlotLimits};
use messages::{MessageLimits, MessageRate};
use parking_lot::Mutex;
use rates::{FailureLimit, RateLimit};
use rooms::RoomsEntered;
use std::sync::Arc;
use std::time::{Duration, Instant};
use streams::Streams;

/// Factor by which the limits of a whole /48 network exceed those of one household (/64).
pub const NETWORK: u64 = 8;

/// The limits of the whole server.
pub struct Limits {
    clock: Clock,
    rooms_opened: RateLimit,
    misses: FailureLimit,
    requests: RateLimit,
    costly: RateLimit,
    joins: RateLimit,
    reviews: RateLimit,
    chat_lines: RateLimit,
    chat_bytes: RateLimit,
    /// `None` if there is no limit.
    all_chat_lines: Option<Mutex<Bucket>>,
    written: RateLimit,
    loading: RateLimit,
    loading_with_token: RateLimit,
    replaying: RateLimit,
    thinking: RateLimit,
    slots: Arc<ConnectionSlots>,
    waiting: Arc<waiting::Bytes>,
    bodies: Arc<waiting::Bytes>,
    messages: Arc<MessageLimits>,
    /// Which addresses are in which rooms.
    pub rooms: Arc<RoomsEntered>,
    /// Limits how many clients read earlier games at once.
    pub game_streams: Arc<Streams>,
    /// Limits how many clients download all records of a room at once.
    pub room_streams: Arc<Streams>,
}

/// A quota of processor time. Work is charged by the time it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuQuota {
    /// Loading a room for a client without a seat token.
    Loading,
    /// Loading a room for a client that presents a seat token. The charge is cancelled if the token is valid.
    LoadingWithToken,
    /// Replaying earlier games and records.
    Replaying,
    /// Thinking of bots, and hints.
    Thinking,
}

/// Reserved processor time. It is returned when dropped.
pub struct Reservation {
    limits: Arc<Limits>,
    client: ClientAddr,
    quota: CpuQuota,
    time: Duration,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.limits.refund(self.client, self.quota, self.time);
    }
}

impl Limits {
    /// Creates the configured limits, reduced to what the number of open files allows.
    pub fn new(config: &Config, files: Option<usize>, clock: Clock) -> Limits {
        let (requests, messages) = (u64::from(config.requests_per_second), u64::from(config.acts_per_second));
        // A flag of 0 also turns off the limits that belong to it.
        let if_requests = |limit: Limit| RateLimit::new((requests > 0).then_some(limit));
        let if_messages = |limit: Limit| RateLimit::new((messages > 0).then_some(limit));
        let if_sockets = |limit: Limit| RateLimit::new((config.sockets_per_ip > 0).then_some(limit));
        let over = |count: u32, refill: Duration| (count > 0).then(|| Limit::new(u64::from(count), refill));
        let request_rate =
            (requests > 0).then(|| Limit::per_second(requests, table::REQUESTS_BURST_SECONDS * requests));
        Limits {
            rooms_opened: RateLimit::new(over(config.rooms_per_hour, Duration::from_secs(60 * 60))),
            misses: FailureLimit::new(over(config.misses_per_minute, Duration::from_secs(60))),
            requests: RateLimit::new(request_rate),
            costly: if_requests(table::COSTLY_REQUESTS),
            joins: if_sockets(table::JOINS),
            reviews: if_messages(table::REVIEWS),
            chat_lines: if_messages(table::CHAT_LINES),
            chat_bytes: if_messages(table::CHAT_BYTES),
            all_chat_lines: (messages > 0).then(Mutex::default),
            written: if_messages(table::WRITTEN_BYTES),
            loading: if_requests(table::LOADING_MICROS),
            loading_with_token: if_requests(table::LOADING_MICROS),
            replaying: if_requests(table::REPLAYING_MICROS),
            thinking: if_requests(table::THINKING_MICROS.times(thinkers::threads() as u64)),
            slots: ConnectionSlots::new(bounds(config, files)),
            waiting: Arc::default(),
            bodies: Arc::default(),
            messages: MessageLimits::new(config.acts_per_second),
            rooms: RoomsEntered::new(if config.sockets_per_ip > 0 { table::ROOMS_ENTERED } else { usize::MAX }),
            game_streams: Streams::new(table::GAME_STREAMS),
            room_streams: Streams::new(table::ROOM_STREAMS),
            clock,
        }
    }

    fn now(&self) -> Duration {
        Duration::from_millis(self.clock.running())
    }

    /// Returns whether this address may open another room now, and counts it.
    pub fn may_open(&self, client: ClientAddr) -> bool {
        self.rooms_opened.take(client, 1, self.now())
    }

    /// Returns whether this address may look for a room. This is checked before the lookup, so that a barred address
    /// cannot tell whether a room exists.
    pub fn may_look(&self, client: ClientAddr) -> bool {
        self.misses.may_try(client, self.now())
    }

    /// Counts a lookup of a missing room. Returns whether the client may learn that the room is missing.
    pub fn missed(&self, client: ClientAddr) -> bool {
        self.misses.failed(client, self.now())
    }

    /// Returns whether this address may make another request, and counts it.
    pub fn may_request(&self, client: ClientAddr) -> bool {
        self.requests.take(client, 1, self.now())
    }

    /// Returns whether this address may make another request that costs more than a file, and counts it.
    pub fn may_request_costly(&self, client: ClientAddr) -> bool {
        self.costly.take(client, 1, self.now())
    }

    /// Returns whether this address may join another room now, and counts it.
    pub fn may_join(&self, client: ClientAddr) -> bool {
        self.joins.take(client, 1, self.now())
    }

    /// Returns whether another game may be reviewed for this address now, and counts it.
    pub fn may_review(&self, client: ClientAddr) -> bool {
        self.reviews.take(client, 1, self.now())
    }

    /// Returns whether this address may send another chat line or reaction of this many bytes, and counts it.
    pub fn may_chat(&self, client: ClientAddr, bytes: usize) -> bool {
        let now = self.now();
        let all = |bucket: &Mutex<Bucket>| bucket.lock().take(table::ALL_CHAT_LINES, 1, now);
        // Checked in this order so that an address beyond its own limit does not use up the shared one.
        self.chat_lines.take(client, 1, now)
            && self.chat_bytes.take(client, bytes as u64, now)
            && self.all_chat_lines.as_ref().is_none_or(all)
    }

    /// Returns whether anything may be written to the journal for this address.
    pub fn may_write(&self, client: ClientAddr) -> bool {
        self.written.has_any(client, self.now())
    }

    /// Charges bytes that were written to the journal.
    pub fn wrote(&self, client: ClientAddr, bytes: u64) {
        self.written.charge(client, bytes, self.now());
    }

    fn cpu(&self, quota: CpuQuota) -> &RateLimit {
        match quota {
            CpuQuota::Loading => &self.loading,
            CpuQuota::LoadingWithToken => &self.loading_with_token,
            CpuQuota::Replaying => &self.replaying,
            CpuQuota::Thinking => &self.thinking,
        }
    }

    /// Returns whether this address has any of this quota left.
    pub fn may_work(&self, client: ClientAddr, quota: CpuQuota) -> bool {
        self.cpu(quota).has_any(client, self.now())
    }

    /// Charges processor time.
    pub fn worked(&self, client: ClientAddr, quota: CpuQuota, time: Duration) {
        self.cpu(quota).charge(client, time.as_micros() as u64, self.now());
    }

    /// Cancels a charge.
    pub fn refund(&self, client: ClientAddr, quota: CpuQuota, time: Duration) {
        self.cpu(quota).refund(client, time.as_micros() as u64);
    }

    #[cfg(test)]
    pub fn was_charged(&self, client: ClientAddr, quota: CpuQuota) -> bool {
        self.cpu(quota).was_charged(client)
    }

    /// Charges bytes that were sent for a replay, which costs processor time too.
    pub fn sent_replay(&self, client: ClientAddr, bytes: usize) {
        self.replaying.charge(client, bytes as u64 / table::BYTES_PER_MICRO, self.now());
    }

    /// Runs the work and charges the time it takes to the client, even if the client no longer waits for the result.
    pub fn charge<T>(&self, client: Option<ClientAddr>, quota: CpuQuota, run: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = run();
        if let Some(client) = client {
            self.worked(client, quota, begun.elapsed());
        }
        done
    }

    /// Wraps the work so that it is charged where it runs.
    pub fn charged<T>(
        self: &Arc<Limits>,
        client: ClientAddr,
        quota: CpuQuota,
        run: impl FnOnce() -> T + Send + 'static,
    ) -> impl FnOnce() -> T + Send + 'static {
        let limits = self.clone();
        move || limits.charge(Some(client), quota, run)
    }

    /// Reserves processor time for work that has to wait, if this address has so much of its quota left. The work
    /// itself is charged as it runs.
    pub fn reserve(self: &Arc<Limits>, client: ClientAddr, quota: CpuQuota, time: Duration) -> Option<Reservation> {
        let reserved = self.cpu(quota).take(client, time.as_micros() as u64, self.now());
        reserved.then(|| Reservation { limits: self.clone(), client, quota, time })
    }

    /// Returns a slot for a newly accepted connection. A proxy's connection belongs to no address.
    pub fn accept(&self, client: Option<ClientAddr>) -> Arc<ConnectionSlot> {
        self.slots.accept(client)
    }

    /// Creates the slots for clients that other servers relay into rooms here.
    pub fn slots_beside(&self, bounds: SlotLimits) -> Arc<ConnectionSlots> {
        self.slots.beside(bounds)
    }

    /// Returns the number of open WebSockets.
    pub fn open_sockets(&self) -> usize {
        [Class::Unverified, Class::Stranger, Class::Seated].map(|class| self.slots.count(class)).iter().sum()
    }

    /// Returns the number of other open connections.
    pub fn open_plain(&self) -> usize {
        self.slots.count(Class::Plain)
    }

    /// Returns the number of bytes queued for sending.
    pub fn waiting(&self) -> usize {
        self.waiting.waiting()
    }

    /// Returns an account of the bytes queued for one connection.
    pub fn account(&self, client: ClientAddr) -> Account {
        self.waiting.account(client)
    }

    /// Returns an account of the bytes of one request body, with the same limits as queued bytes.
    pub fn body_account(&self, client: ClientAddr) -> Account {
        self.bodies.account(client)
    }

    /// Returns the rate limits of one connection.
    pub fn message_rate(&self, client: ClientAddr) -> MessageRate {
        self.messages.connect(client)
    }

    /// Forgets addresses that were idle long enough.
    pub fn prune(&self) {
        let now = self.now();
        let chat = [&self.chat_lines, &self.chat_bytes];
        let cpu = [CpuQuota::Loading, CpuQuota::LoadingWithToken, CpuQuota::Replaying, CpuQuota::Thinking];
        let others = [&self.rooms_opened, &self.requests, &self.costly, &self.joins, &self.reviews, &self.written];
        for limit in chat.into_iter().chain(cpu.map(|quota| self.cpu(quota))).chain(others) {
            limit.prune(now);
        }
        self.misses.prune(now);
        self.waiting.prune();
        self.bodies.prune();
        self.messages.prune();
    }
}

fn bounds(config: &Config, files: Option<usize>) -> SlotLimits {
    let unless_0 = |bound: usize| if bound == 0 { usize::MAX } else { bound };
    let each = unless_0(config.sockets_per_ip as usize);
    let by_source = Most {
        plain: unless_0(config.connections_per_ip as usize),
        unverified: each.div_ceil(table::UNVERIFIED_DIVISOR),
        strangers: each,
        sockets: each.saturating_mul(1 + table::SEATED_PER_STRANGER),
    };
    let (sockets, plain) =
        files::fit(unless_0(config.max_sockets), table::PLAIN_CONNECTIONS, files, config.nodes.node.is_some());
    let server =
        Most { plain, unverified: sockets.div_ceil(table::UNVERIFIED_DIVISOR).min(plain), strangers: sockets, sockets };
    SlotLimits { by_source, server }
}

/// Returns the limits for connections of other servers. Each WebSocket stands for a client and counts for the client's
/// address, as if the client had connected here. So no client gets more of this server through the others. A
/// connection without the secret gets no further than one request.
pub fn node_bounds(config: &Config, files: Option<usize>) -> SlotLimits {
    let SlotLimits { by_source, server } = bounds(config, files);
    SlotLimits {
        by_source: Most { plain: table::PLAIN_CONNECTIONS, ..by_source },
        server: Most { plain: table::PLAIN_CONNECTIONS, ..server },
    }
}

/// Returns the limits for the few connections to the admin address.
pub fn admin_bounds() -> SlotLimits {
    let few = Most { plain: 32, unverified: 0, strangers: 0, sockets: 0 };
    SlotLimits { by_source: few, server: few }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use crate::client_addr::client;
    use clap::Parser;

    /// Creates the default limits. The tests stop the clock, so nothing refills.
    fn limits() -> Limits {
        Limits::new(&Cli::parse_from(["rookery"]).config, None, Clock::start(0))
    }

    #[tokio::test(start_paused = true)]
    async fn limits_reviews_per_hour_and_address() {
        let limits = limits();
        let source = |last: u8| client(&format!("192.0.2.{last}"));
        let allowed = |last| (0..1000).filter(|_| limits.may_review(source(last))).count();
        assert_eq!([allowed(1), allowed(2)], [table::REVIEWS.burst as usize; 2], "each address has its own limit");
    }

    #[tokio::test(start_paused = true)]
    async fn the_join_rate_limit_allows_reconnects_after_a_restart() {
        let limits = limits();
        let source = client("192.0.2.1");
        let allowed = (0..10_000).filter(|_| limits.may_join(source)).count();
        assert!((1000..2000).contains(&allowed), "{allowed}: all seated players of an address, and not many more");
    }

    fn said(limits: &Limits, from: impl Fn(u32) -> String, bytes: usize) -> usize {
        let source = |n| client(&from(n));
        (0..20_000).filter(|n| limits.may_chat(source(*n), bytes)).count()
    }

    #[tokio::test(start_paused = true)]
    async fn limits_chat_lines_and_bytes_per_address() {
        let limits = limits();
        let lines = said(&limits, |_| "192.0.2.1".to_owned(), 10);
        assert_eq!(lines, 400, "short lines");
        let lines = said(&limits, |_| "192.0.2.2".to_owned(), 2000);
        assert_eq!(lines, 131, "long lines");
    }

    #[tokio::test(start_paused = true)]
    async fn limits_chat_lines_per_network_and_in_total() {
        let limits = limits();
        let lines = said(&limits, |n| format!("2001:db8:1:{:x}::1", n % 5000), 10);
        assert_eq!(lines, 3200, "lines from one network");
        let lines = lines + said(&limits, |n| format!("2001:db8:{:x}::1", n + 2), 10);
        assert_eq!(lines, 4000, "lines in total");
    }
}
