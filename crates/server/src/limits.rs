//! Rate limits and quotas: how much one address or connection may request, and how much the whole server holds.
//!
//! It knows nothing about rooms or messages. `http` and `socket` ask it, and report refusals to clients.

pub mod files;
pub mod places;
mod rates;
mod talk;
mod waiting;

use crate::Config;
use crate::address::Source;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use places::{Bounds, Class, Most, Place, Places};
use rates::{Misses, Rate};
use std::num::NonZeroU32;
use std::sync::Arc;
pub use talk::Pace;
use talk::Talk;
pub use waiting::Account;

/// Factor by which the limits of a whole /48 network exceed those of one household (/64).
pub const NETWORK: usize = 8;
/// Burst of requests, in seconds of the rate: a class that opens the page at the same moment requests some two thousand
/// files.
const REQUESTS_BURST: u32 = 10;
/// Requests that cost more than a file, such as looking at a room or drawing a QR code: per second, and as a burst in
/// seconds of the rate. Everyone in a class looks at their room when they open it.
const COSTLY: u32 = 20;
const COSTLY_BURST: u32 = 20;
/// Joins: per second, and as a burst in seconds of the rate. All players who may be seated behind one address reconnect
/// together after a restart.
const JOINS: u32 = 50;
const JOINS_BURST: u32 = 24;
/// Chat lines: per second, and as a burst in seconds of the rate. This suffices for a class that chats without a pause.
/// The bytes of chat lines have the same kind of limit.
const LINES: u32 = 20;
const LINES_BURST: u32 = 20;
const LINE_BYTES: u32 = 16 << 10;
const LINE_BYTES_BURST: u32 = 16;
/// Chat lines of all clients together: per second, and as a burst. Each is written before it is sent.
const ALL_LINES: NonZeroU32 = NonZeroU32::new(1000).expect("not 0");
const ALL_LINES_BURST: NonZeroU32 = NonZeroU32::new(4000).expect("not 0");

/// Reviews per hour: more than the games anyone plays, and a few minutes of the bots' spare time.
const REVIEWS: u32 = 40;

/// The limits of the whole server.
pub struct Limits {
    rooms: Rate,
    misses: Misses,
    requests: Rate,
    costly: Rate,
    joins: Rate,
    reviews: Rate,
    chat: Chat,
    places: Arc<Places>,
    waiting: Arc<waiting::Bytes>,
    bodies: Arc<waiting::Bytes>,
    talk: Arc<Talk>,
}

/// Rate limits of chat and reactions.
struct Chat {
    lines: Rate,
    bytes: Rate,
    /// `None` if there is no limit.
    all: Option<DefaultDirectRateLimiter>,
}

impl Chat {
    fn new(counts: bool) -> Chat {
        let per_second = |rate: u32, burst| Rate::per_second(if counts { rate } else { 0 }, burst);
        let all = Quota::per_second(ALL_LINES).allow_burst(ALL_LINES_BURST);
        Chat {
            lines: per_second(LINES, LINES_BURST),
            bytes: per_second(LINE_BYTES, LINE_BYTES_BURST),
            all: counts.then(|| RateLimiter::direct(all)),
        }
    }

    fn allows(&self, source: Source, bytes: usize) -> bool {
        let bytes = u32::try_from(bytes).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN);
        // Checked in this order so that an address beyond its own limit does not use up the shared one.
        self.lines.allows(source)
            && self.bytes.allows_many(source, bytes)
            && self.all.as_ref().is_none_or(|all| all.check().is_ok())
    }
}

impl Limits {
    /// Creates the configured limits, reduced to what the number of open files allows.
    pub fn new(config: &Config, files: Option<usize>) -> Limits {
        let rooms = NonZeroU32::new(config.rooms_per_hour).map(Quota::per_hour);
        let misses = NonZeroU32::new(config.misses_per_minute).map(Quota::per_minute);
        let joins = if config.sockets_per_ip == 0 { 0 } else { JOINS };
        Limits {
            rooms: Rate::of(rooms),
            misses: Misses::of(misses),
            requests: Rate::per_second(config.requests_per_second, REQUESTS_BURST),
            costly: Rate::per_second(if config.requests_per_second == 0 { 0 } else { COSTLY }, COSTLY_BURST),
            joins: Rate::per_second(joins, JOINS_BURST),
            reviews: Rate::of(
                NonZeroU32::new(if config.acts_per_second == 0 { 0 } else { REVIEWS }).map(Quota::per_hour),
            ),
            chat: Chat::new(config.acts_per_second > 0),
            places: Places::new(bounds(config, files)),
            waiting: Arc::default(),
            bodies: Arc::default(),
            talk: Talk::new(config.acts_per_second),
        }
    }

    /// Returns whether this address may open another room now.
    pub fn may_open(&self, source: Source) -> bool {
        self.rooms.allows(source)
    }

    /// Returns whether this address may look for a room. This is checked before the lookup, so that a barred address
    /// cannot tell whether a room exists.
    pub fn may_look(&self, source: Source) -> bool {
        self.misses.may_try(source)
    }

    /// Counts a lookup of a missing room. Returns whether the client may learn that the room is missing.
    pub fn missed(&self, source: Source) -> bool {
        self.misses.missed(source)
    }

    /// Returns whether this address may make another request.
    pub fn may_ask(&self, source: Source) -> bool {
        self.requests.allows(source)
    }

    /// Returns whether this address may make another request that costs more than a file.
    pub fn may_ask_much(&self, source: Source) -> bool {
        self.costly.allows(source)
    }

    /// Returns whether this address may join another room now.
    pub fn may_join(&self, source: Source) -> bool {
        self.joins.allows(source)
    }

    /// Returns whether another game may be reviewed for this address now.
    pub fn may_review(&self, source: Source) -> bool {
        self.reviews.allows(source)
    }

    /// Returns whether this address may send another chat line or reaction of this many bytes.
    pub fn may_talk(&self, source: Source, bytes: usize) -> bool {
        self.chat.allows(source, bytes)
    }

    /// Returns a slot for a newly accepted connection. A proxy's connection belongs to no address.
    pub fn accept(&self, source: Option<Source>) -> Arc<Place> {
        self.places.accept(source)
    }

    /// Creates the slots for clients that other servers relay into rooms here.
    pub fn places_beside(&self, bounds: Bounds) -> Arc<Places> {
        self.places.beside(bounds)
    }

    /// Returns the number of open WebSockets.
    pub fn open_sockets(&self) -> usize {
        [Class::Vestibule, Class::Stranger, Class::Seated].map(|class| self.places.count(class)).iter().sum()
    }

    /// Returns the number of other open connections.
    pub fn open_plain(&self) -> usize {
        self.places.count(Class::Plain)
    }

    /// Returns the number of bytes queued for sending.
    pub fn waiting(&self) -> usize {
        self.waiting.waiting()
    }

    /// Returns an account of the bytes queued for one connection.
    pub fn account(&self, source: Source) -> Account {
        self.waiting.account(source)
    }

    /// Returns an account of the bytes of one request body, with the same limits as queued bytes.
    pub fn body_account(&self, source: Source) -> Account {
        self.bodies.account(source)
    }

    /// Returns the rate limits of one connection.
    pub fn pace(&self, source: Source) -> Pace {
        self.talk.begin(source)
    }

    /// Forgets addresses that were idle long enough.
    pub fn tidy(&self) {
        self.rooms.tidy();
        self.reviews.tidy();
        self.misses.tidy();
        self.requests.tidy();
        self.costly.tidy();
        self.joins.tidy();
        self.chat.lines.tidy();
        self.chat.bytes.tidy();
        self.waiting.tidy();
        self.bodies.tidy();
        self.talk.tidy();
    }
}

/// Number of connections with a seat that one address may have for each one without. A player with a seat was admitted
/// before, and is admitted again when strangers are not.
const SEATED: usize = 5;
/// Divisor of the limit: this fraction of it may connect beyond the limit to present a seat token.
const VESTIBULE: usize = 4;
/// Maximum number of connections that are not WebSockets. They are short-lived, so the oldest are evicted when there
/// are more.
const PLAIN: usize = 2500;

fn bounds(config: &Config, files: Option<usize>) -> Bounds {
    let unless_0 = |bound: usize| if bound == 0 { usize::MAX } else { bound };
    let each = unless_0(config.sockets_per_ip as usize);
    let by_source = Most {
        plain: unless_0(config.connections_per_ip as usize),
        vestibule: each.div_ceil(VESTIBULE),
        strangers: each,
        sockets: each.saturating_mul(1 + SEATED),
    };
    let (sockets, plain) =
        files::fit(unless_0(config.max_sockets), PLAIN, files, config.nodes.node.is_some());
    let server =
        Most { plain, vestibule: sockets.div_ceil(VESTIBULE).min(plain), strangers: sockets, sockets };
    Bounds { by_source, server }
}

/// Returns the limits for connections of other servers. Each WebSocket stands for a client and counts for the client's
/// address, as if the client had connected here. So nobody gets more of this server by going through the others. A
/// connection without the secret gets no further than one request.
pub fn node_bounds(config: &Config, files: Option<usize>) -> Bounds {
    let Bounds { by_source, server } = bounds(config, files);
    Bounds { by_source: Most { plain: PLAIN, ..by_source }, server: Most { plain: PLAIN, ..server } }
}

/// Returns the limits for the few connections to the admin address.
pub fn admin_bounds() -> Bounds {
    let few = Most { plain: 32, vestibule: 0, strangers: 0, sockets: 0 };
    Bounds { by_source: few, server: few }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use axum::http::HeaderMap;
    use clap::Parser;

    #[test]
    fn so_many_games_are_reviewed_in_an_hour_for_one_address() {
        let limits = Limits::new(&Cli::parse_from(["rookery"]).config, None);
        let source = |last: u8| Source::of([192, 0, 2, last].into(), &HeaderMap::new(), &[]);
        let allowed = |last| (0..1000).filter(|_| limits.may_review(source(last))).count();
        assert_eq!([allowed(1), allowed(2)], [REVIEWS as usize; 2], "and it is nobody else's business");
    }

    #[test]
    fn joins_have_a_rate_that_a_restart_does_not_reach() {
        let limits = Limits::new(&Cli::parse_from(["rookery"]).config, None);
        let source = Source::of([192, 0, 2, 1].into(), &HeaderMap::new(), &[]);
        let allowed = (0..10_000).filter(|_| limits.may_join(source)).count();
        assert!((1000..2000).contains(&allowed), "{allowed}: all who may be seated there, and not much more");
    }

    fn said(limits: &Limits, from: impl Fn(u32) -> String, bytes: usize) -> usize {
        let source = |n| Source::of(from(n).parse().unwrap(), &HeaderMap::new(), &[]);
        (0..20_000).filter(|n| limits.may_talk(source(*n), bytes)).count()
    }

    #[test]
    fn one_address_says_so_many_lines_and_so_many_bytes_in_whatever_rooms() {
        let limits = Limits::new(&Cli::parse_from(["rookery"]).config, None);
        let lines = said(&limits, |_| "192.0.2.1".to_owned(), 10);
        assert!((400..500).contains(&lines), "{lines} short lines");
        let lines = said(&limits, |_| "192.0.2.2".to_owned(), 2000);
        assert!((131..200).contains(&lines), "{lines} long lines");
    }

    #[test]
    fn a_network_of_households_says_eight_times_as_much_and_all_together_so_much() {
        let limits = Limits::new(&Cli::parse_from(["rookery"]).config, None);
        let lines = said(&limits, |n| format!("2001:db8:1:{:x}::1", n % 5000), 10);
        assert!((3200..4000).contains(&lines), "{lines} of one network");
        let lines = lines + said(&limits, |n| format!("2001:db8:{:x}::1", n + 2), 10);
        assert!((4000..6000).contains(&lines), "{lines} of everybody");
    }
}
