//! Connection quotas: which connections have a slot, in total and per address, and which one is evicted when slots are
//! scarce.
//!
//! Every connection is counted from the moment it is accepted, before a byte of it is read. This module knows nothing
//! about HTTP, rooms or messages.

mod ledger;

use crate::RoomCode;
use crate::address::Source;
use ledger::Ledger;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use tokio::sync::Notify;

/// The class of a connection, in order of eviction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// It sends plain requests, or has not sent any yet.
    Plain,
    /// A WebSocket beyond the limit, which may stay for a moment to present a seat token.
    Vestibule,
    /// A WebSocket without a seat: a spectator, or a client that has not joined yet.
    Stranger,
    /// A WebSocket that uses a player's seat.
    Seated,
}

/// Maximum number of connections of each class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Most {
    /// Connections that are not WebSockets.
    pub plain: usize,
    /// WebSockets beyond the limit that may present a seat token.
    pub vestibule: usize,
    /// WebSockets without a seat.
    pub strangers: usize,
    /// WebSockets with and without a seat.
    pub sockets: usize,
}

/// The limits of one address and of the whole server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub by_source: Most,
    pub server: Most,
}

/// Identifies a seat: the room, and the player in it.
pub type SeatKey = (RoomCode, u64);

/// No slot is free, and no connection can be evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoPlace;

/// The slots of all connections.
pub struct Places {
    ledger: Mutex<Ledger>,
    /// Separately counted slots of connections into the same rooms.
    beside: OnceLock<Weak<Places>>,
}

impl Places {
    pub fn new(bounds: Bounds) -> Arc<Places> {
        Arc::new(Places { ledger: Mutex::new(Ledger::new(bounds)), beside: OnceLock::new() })
    }

    /// Creates separately counted slots for connections into the same rooms. A seat is the same seat, whichever way its
    /// connections come.
    pub fn beside(self: &Arc<Places>, bounds: Bounds) -> Arc<Places> {
        let others = Places::new(bounds);
        // The two refer to each other. There is never a third.
        let _ = (others.beside.set(Arc::downgrade(self)), self.beside.set(Arc::downgrade(&others)));
        others
    }

    /// Returns a slot for a newly accepted connection. There always is one: the oldest connection that is not a
    /// WebSocket is evicted, from the same address if that has reached its limit. Refusing the newest connection
    /// instead would let an attacker who keeps connections open lock everyone else out. A proxy's connection belongs to
    /// no address.
    pub fn accept(self: &Arc<Places>, source: Option<Source>) -> Arc<Place> {
        let bell = Arc::new(Bell::default());
        let number = self.ledger().accept(source, bell.clone());
        Arc::new(Place { places: self.clone(), number, bell, upgraded: AtomicBool::new(false) })
    }

    /// Returns the number of connections of a class.
    pub fn count(&self, class: Class) -> usize {
        self.ledger().count(class)
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        // No operation leaves the counts half changed, so they are consistent even after a panic.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The slot of one connection. Released when dropped.
pub struct Place {
    places: Arc<Places>,
    number: u64,
    bell: Arc<Bell>,
    upgraded: AtomicBool,
}

impl Place {
    /// Counts a proxy's connection for the client address of its current request.
    pub fn claim(&self, source: Source) {
        self.places.ledger().claim(self.number, source);
    }

    /// Turns the connection into a WebSocket of this address. Beyond the limit it becomes [`Class::Vestibule`].
    pub fn upgrade(&self, source: Source) -> Result<Class, NoPlace> {
        let class = self.places.ledger().upgrade(self.number, source)?;
        self.upgraded.store(true, Ordering::Relaxed);
        Ok(class)
    }

    /// Returns whether the connection is a WebSocket.
    pub fn is_upgraded(&self) -> bool {
        self.upgraded.load(Ordering::Relaxed)
    }

    /// Assigns the connection to a player's seat. Connections with a seat take precedence over those without: if there
    /// is no slot, the oldest connection of the same seat is evicted, or else one without a seat. Other connections of
    /// the same seat are asked to prove that they are alive.
    pub fn seat(&self, seat: SeatKey) -> Result<(), NoPlace> {
        self.places.ledger().seat(self.number, seat)?;
        // The locks are taken one after the other, never both at once.
        if let Some(beside) = self.places.beside.get().and_then(Weak::upgrade) {
            beside.ledger().ask_for_proof(seat);
        }
        Ok(())
    }

    /// Removes the connection's seat.
    pub fn unseat(&self) {
        self.places.ledger().unseat(self.number);
    }

    /// Waits until the connection is evicted or has to prove that it is alive.
    pub async fn called(&self) -> Call {
        loop {
            // Register before checking, otherwise a notification in between would be missed.
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

    /// Waits until the connection is evicted.
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

/// A request to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// It is evicted, because another connection takes precedence.
    MakeWay,
    /// Its seat was opened on another connection. If this one is dead, as connections of phones often are, that must be
    /// noticed soon.
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
