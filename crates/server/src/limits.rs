//! Rate limits and quotas: how much one address or one connection may ask for, and what the whole server holds.
//!
//! It knows nothing of rooms or messages; `http` and `socket` ask it, and say to others what it answers.

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

/// How many times as much as one household a whole /48 of them may have.
pub const NETWORK: usize = 8;
/// Burst of requests, as seconds' worth of the rate: a class that opens the page at the same moment asks for some two
/// thousand files.
const REQUESTS_BURST: u32 = 10;
/// Requests that cost more than a file, such as looking at a room or drawing a QR code, in a second and as seconds' worth at
/// once: everyone of a class looks at their room when they open it.
const COSTLY: u32 = 20;
const COSTLY_BURST: u32 = 20;
/// Joins in a second, and at once: as many as may be seated behind one address come back together after a restart.
const JOINS: u32 = 50;
const JOINS_BURST: u32 = 24;
/// Lines of chat in a second, and as seconds' worth at once: a class that talks without a pause. Bytes of them in the same way.
const LINES: u32 = 20;
const LINES_BURST: u32 = 20;
const LINE_BYTES: u32 = 16 << 10;
const LINE_BYTES_BURST: u32 = 16;
/// Lines of chat of everybody together, in a second and at once: each is written down before it is heard.
const ALL_LINES: NonZeroU32 = NonZeroU32::new(1000).expect("not 0");
const ALL_LINES_BURST: NonZeroU32 = NonZeroU32::new(4000).expect("not 0");

/// Reviews in an hour: more than anyone plays games of, and of the bots' spare time a few minutes.
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

/// Rate limits of what is said for others to hear.
struct Chat {
    lines: Rate,
    bytes: Rate,
    /// None if nobody counts.
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
        // Whoever has used up their own does not use up what is everybody's.
        self.lines.allows(source)
            && self.bytes.allows_many(source, bytes)
            && self.all.as_ref().is_none_or(|all| all.check().is_ok())
    }
}

impl Limits {
    /// The limits a host asked for, as far as so many open files allow.
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

    /// Whether this source may open one more room now.
    pub fn may_open(&self, source: Source) -> bool {
        self.rooms.allows(source)
    }

    /// Whether this source may look for a room. Asked before the look, so that a barred source cannot tell a room that is
    /// there from one that is not.
    pub fn may_look(&self, source: Source) -> bool {
        self.misses.may_try(source)
    }

    /// This source looked for a room that is not there; answers whether it may be told so.
    pub fn missed(&self, source: Source) -> bool {
        self.misses.missed(source)
    }

    /// Whether this source may ask for anything at all.
    pub fn may_ask(&self, source: Source) -> bool {
        self.requests.allows(source)
    }

    /// Whether this source may ask for something that costs more than a file.
    pub fn may_ask_much(&self, source: Source) -> bool {
        self.costly.allows(source)
    }

    /// Whether this source may come into one more room now.
    pub fn may_join(&self, source: Source) -> bool {
        self.joins.allows(source)
    }

    /// Whether one more game may be reviewed for this source now.
    pub fn may_review(&self, source: Source) -> bool {
        self.reviews.allows(source)
    }

    /// Whether this source may say one more line of so many bytes for others to hear.
    pub fn may_talk(&self, source: Source, bytes: usize) -> bool {
        self.chat.allows(source, bytes)
    }

    /// A place for a connection that was just accepted; a proxy's belongs to no source.
    pub fn accept(&self, source: Option<Source>) -> Arc<Place> {
        self.places.accept(source)
    }

    /// Places for those who come through other servers into rooms that are here.
    pub fn places_beside(&self, bounds: Bounds) -> Arc<Places> {
        self.places.beside(bounds)
    }

    /// How many WebSockets are open.
    pub fn open_sockets(&self) -> usize {
        [Class::Vestibule, Class::Stranger, Class::Seated].map(|class| self.places.count(class)).iter().sum()
    }

    /// How many other connections are open.
    pub fn open_plain(&self) -> usize {
        self.places.count(Class::Plain)
    }

    /// How many bytes wait to be sent.
    pub fn waiting(&self) -> usize {
        self.waiting.waiting()
    }

    /// The account of what waits for one connection.
    pub fn account(&self, source: Source) -> Account {
        self.waiting.account(source)
    }

    /// The account of the bytes of one request's body, with the same bounds as what waits to be sent.
    pub fn body_account(&self, source: Source) -> Account {
        self.bodies.account(source)
    }

    /// The limits of what one connection says.
    pub fn pace(&self, source: Source) -> Pace {
        self.talk.begin(source)
    }

    /// Forgets sources that have not been heard of for long enough.
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

/// How many times as many as may be without a seat may be in one, behind the same address: whoever has a seat was let in
/// before, and comes in again when strangers do not.
const SEATED: usize = 5;
/// A part of the limit, for those beyond it who may have a seat to show.
const VESTIBULE: usize = 4;
/// Connections that are no WebSockets, in all. Each is short: whoever needs one longer than this many others makes way.
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

/// The connections of other servers. A WebSocket stands for a client and counts for the client's address, as if that had come
/// here: so nobody has more of this server by going through all the others. Without the secret nobody gets further than one request.
pub fn node_bounds(config: &Config, files: Option<usize>) -> Bounds {
    let Bounds { by_source, server } = bounds(config, files);
    Bounds { by_source: Most { plain: PLAIN, ..by_source }, server: Most { plain: PLAIN, ..server } }
}

/// The few connections of the admin address.
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
