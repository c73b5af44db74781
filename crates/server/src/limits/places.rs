//! Quotas of connections: who has a place, in all and by address, and who makes way when places are short.
//!
//! Every connection is counted from the moment it is accepted, before a byte of it is read. It knows nothing of HTTP, of
//! rooms or of what is said.

mod ledger;

use crate::RoomCode;
use crate::address::Source;
use ledger::Ledger;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use tokio::sync::Notify;

/// What a connection is, in the order in which they make way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// It asks plain requests, or has not asked anything yet.
    Plain,
    /// A WebSocket over the limit: it may show the token of a seat, and for a moment only.
    Vestibule,
    /// A WebSocket without a seat: somebody who looks on, or has not said who they are.
    Stranger,
    /// A WebSocket in somebody's seat.
    Seated,
}

/// How many there may be of each class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Most {
    /// Connections that are no WebSockets.
    pub plain: usize,
    /// WebSockets over the limit that may show a token.
    pub vestibule: usize,
    /// WebSockets without a seat.
    pub strangers: usize,
    /// WebSockets with and without.
    pub sockets: usize,
}

/// The bounds of one address and of the whole server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub by_source: Most,
    pub server: Most,
}

/// A line of somebody's seat: the room, and who it is in there.
pub type SeatKey = (RoomCode, u64);

/// There is no place, and nobody who would make way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoPlace;

/// Every connection's place.
pub struct Places {
    ledger: Mutex<Ledger>,
    /// Those of the same rooms whose connections are counted apart.
    beside: OnceLock<Weak<Places>>,
}

impl Places {
    pub fn new(bounds: Bounds) -> Arc<Places> {
        Arc::new(Places { ledger: Mutex::new(Ledger::new(bounds)), beside: OnceLock::new() })
    }

    /// Places for others who come into the same rooms, and are counted apart: a seat is one seat, by whichever way its lines come.
    pub fn beside(self: &Arc<Places>, bounds: Bounds) -> Arc<Places> {
        let others = Places::new(bounds);
        // The first two know each other; nobody asks for a third.
        let _ = (others.beside.set(Arc::downgrade(self)), self.beside.set(Arc::downgrade(&others)));
        others
    }

    /// A place for a connection that was just accepted. There always is one: the oldest that asked for no WebSocket makes way,
    /// of the same address if that has its fill. To refuse the newest instead would let whoever sits on connections
    /// keep everyone else out. A proxy's connection belongs to no address.
    pub fn accept(self: &Arc<Places>, source: Option<Source>) -> Arc<Place> {
        let bell = Arc::new(Bell::default());
        let number = self.ledger().accept(source, bell.clone());
        Arc::new(Place { places: self.clone(), number, bell, upgraded: AtomicBool::new(false) })
    }

    /// How many are there of a class.
    pub fn count(&self, class: Class) -> usize {
        self.ledger().count(class)
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        // What is counted stays right whoever panicked: no step leaves it half done.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection's place, given back when dropped.
pub struct Place {
    places: Arc<Places>,
    number: u64,
    bell: Arc<Bell>,
    upgraded: AtomicBool,
}

impl Place {
    /// A proxy's connection asks for this source now, and counts as its own.
    pub fn claim(&self, source: Source) {
        self.places.ledger().claim(self.number, source);
    }

    /// The connection becomes a WebSocket of this source: with a place of its own, or in the vestibule if there is none.
    pub fn upgrade(&self, source: Source) -> Result<Class, NoPlace> {
        let class = self.places.ledger().upgrade(self.number, source)?;
        self.upgraded.store(true, Ordering::Relaxed);
        Ok(class)
    }

    /// Whether it is a WebSocket.
    pub fn is_upgraded(&self) -> bool {
        self.upgraded.load(Ordering::Relaxed)
    }

    /// The connection is in somebody's seat from now on. Whoever has one comes in before all who have none; other lines of the
    /// same seat are asked whether they still live, and the oldest of them makes way if nobody else can.
    pub fn seat(&self, seat: SeatKey) -> Result<(), NoPlace> {
        self.places.ledger().seat(self.number, seat)?;
        // One lock after the other, never both.
        if let Some(beside) = self.places.beside.get().and_then(Weak::upgrade) {
            beside.ledger().ask_for_proof(seat);
        }
        Ok(())
    }

    /// The connection has no seat any more.
    pub fn unseat(&self) {
        self.places.ledger().unseat(self.number);
    }

    /// Waits until the connection must do something for its place.
    pub async fn called(&self) -> Call {
        loop {
            // Listens before it looks, or a ring between the two would be missed.
            let rung = self.bell.rung.notified();
            if self.bell.make_way.load(Ordering::Relaxed) {
                return Call::MakeWay;
            }
            if self.bell.prove.swap(false, Ordering::Relaxed) {
                return Call::Prove;
            }
            rung.await;
        }
    }

    /// Waits until the connection has to end for another.
    pub async fn must_go(&self) {
        loop {
            let rung = self.bell.rung.notified();
            if self.bell.make_way.load(Ordering::Relaxed) {
                return;
            }
            rung.await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.ledger().remove(self.number);
    }
}

/// What a connection is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// It has to end: somebody else needs its place more.
    MakeWay,
    /// Its seat was opened on another line. If this one is dead, as those of phones often are, it must be known soon.
    Prove,
}

#[derive(Default)]
struct Bell {
    make_way: AtomicBool,
    prove: AtomicBool,
    rung: Notify,
}

impl Bell {
    fn make_way(&self) {
        self.make_way.store(true, Ordering::Relaxed);
        self.rung.notify_waiters();
    }

    fn prove(&self) {
        self.prove.store(true, Ordering::Relaxed);
        self.rung.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderMap;

    const FEW: Most = Most { plain: 2, vestibule: 1, strangers: 2, sockets: 4 };
    const MANY: Most = Most { plain: 100, vestibule: 100, strangers: 100, sockets: 100 };

    fn source(address: &str) -> Source {
        Source::of(address.parse().unwrap(), &HeaderMap::new(), &[])
    }

    fn must_go(place: &Place) -> bool {
        place.bell.make_way.load(Ordering::Relaxed)
    }

    #[test]
    fn the_oldest_of_a_full_address_makes_way_and_no_other() {
        let places = Places::new(Bounds { by_source: FEW, server: MANY });
        let other = places.accept(Some(source("192.0.2.9")));
        let all: Vec<_> = (0..4).map(|_| places.accept(Some(source("192.0.2.1")))).collect();
        assert_eq!(all.iter().map(|place| must_go(place)).collect::<Vec<_>>(), [true, true, false, false]);
        assert!(!must_go(&other));
        drop(all);
        assert_eq!(places.count(Class::Plain), 1);
    }

    #[test]
    fn on_a_full_server_whoever_has_most_makes_way() {
        let places = Places::new(Bounds { by_source: MANY, server: Most { plain: 4, ..MANY } });
        let friend = places.accept(Some(source("192.0.2.9")));
        let greedy: Vec<_> = (0..3).map(|_| places.accept(Some(source("192.0.2.1")))).collect();
        let _newcomer = places.accept(Some(source("192.0.2.7")));
        assert!(!must_go(&friend) && must_go(&greedy[0]));
    }

    #[test]
    fn one_address_that_fills_the_server_makes_way_for_another() {
        let places = Places::new(Bounds { by_source: MANY, server: MANY });
        let come = |from: &str| {
            let place = places.accept(Some(source(from)));
            let class = place.upgrade(source(from));
            (place, class)
        };
        let greedy: Vec<_> = (0..100).map(|_| come("192.0.2.1").0).collect();
        for (player, place) in greedy.iter().enumerate() {
            place.seat((RoomCode::random(), player as u64)).unwrap();
        }
        assert_eq!(come("192.0.2.1").1, Ok(Class::Vestibule), "its own it cannot replace");
        let (_friend, class) = come("192.0.2.2");
        assert_eq!(class, Ok(Class::Stranger));
        assert!(must_go(&greedy[0]) && !must_go(&greedy[1]));
    }

    #[test]
    fn a_wide_network_has_eight_times_what_a_household_has() {
        let places = Places::new(Bounds { by_source: FEW, server: MANY });
        let each = |i: usize| places.accept(Some(source(&format!("2001:db8:1:{i:x}::1"))));
        let all: Vec<_> = (0..20).map(each).collect();
        assert_eq!(
            all.iter().filter(|place| must_go(place)).count(),
            4,
            "16 stay, each in a household of its own"
        );
        let sockets = all.iter().rev().filter(|place| place.upgrade(source("2001:db8:1:7::1")).is_ok());
        assert_eq!(sockets.count(), 3, "two of one household, and one who may show a token");
    }

    #[test]
    fn behind_a_proxy_a_connection_counts_for_whom_it_asks() {
        let places = Places::new(Bounds { by_source: FEW, server: MANY });
        let proxied: Vec<_> = (0..5).map(|_| places.accept(None)).collect();
        assert!(!proxied.iter().any(|place| must_go(place)), "a proxy has as many as it needs");
        for place in &proxied {
            place.claim(source("192.0.2.1"));
        }
        assert_eq!(proxied.iter().filter(|place| must_go(place)).count(), 3);
        proxied[4].claim(source("192.0.2.2"));
        assert!(!must_go(&proxied[4]));
    }

    #[test]
    fn a_seat_that_opens_asks_its_lines_for_proof_by_whichever_way_they_came() {
        let (room, here) = (RoomCode::random(), source("192.0.2.1"));
        let places = Places::new(Bounds { by_source: MANY, server: MANY });
        let relayed = places.beside(Bounds { by_source: FEW, server: MANY });
        let come = |places: &Arc<Places>, player| {
            let place = places.accept(Some(here));
            place.upgrade(here).unwrap();
            place.seat((room, player)).unwrap();
            place
        };
        let asked = |place: &Place| place.bell.prove.swap(false, Ordering::Relaxed);
        let (far, bea) = (come(&relayed, 1), come(&relayed, 2));
        let near = come(&places, 1);
        assert!(asked(&far) && !asked(&bea) && !asked(&near));
        let again = come(&relayed, 1);
        assert!(asked(&far) && asked(&near) && !asked(&bea) && !asked(&again));
    }

    #[test]
    fn a_seat_comes_before_strangers_and_after_its_own_dead_line() {
        let room = RoomCode::random();
        let here = source("192.0.2.1");
        let places = Places::new(Bounds { by_source: Most { vestibule: 9, ..FEW }, server: MANY });
        let come = || {
            let place = places.accept(Some(here));
            let class = place.upgrade(here);
            (place, class)
        };
        let (ana, _) = come();
        ana.seat((room, 1)).unwrap();
        let (bea, _) = come();
        bea.seat((room, 2)).unwrap();
        let (zoe, class) = come();
        assert_eq!(class, Ok(Class::Stranger));
        let (zac, class) = come();
        assert_eq!(class, Ok(Class::Stranger));
        let (again, class) = come();
        assert_eq!(class, Ok(Class::Vestibule));
        again.seat((room, 1)).unwrap();
        assert!(must_go(&ana) && !must_go(&zoe), "the seat's own line first");
        let (cid, _) = come();
        cid.seat((room, 3)).unwrap();
        assert!(must_go(&zoe) && !must_go(&zac), "then a stranger, the oldest");
        let (dan, _) = come();
        dan.seat((room, 4)).unwrap();
        assert!(must_go(&zac));
        let (eva, _) = come();
        assert_eq!(eva.seat((room, 5)), Err(NoPlace), "all who are there have a seat");
        assert!(!must_go(&bea) && !must_go(&cid) && !must_go(&dan));
    }
}
