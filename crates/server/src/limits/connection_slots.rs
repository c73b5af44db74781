//! Connection quotas: which connections have a slot, in total and per address, and which one is evicted when slots are
//! scarce.
//!
//! Every connection is counted from the moment it is accepted, before a byte of it is read. This module knows nothing
//! about HTTP, rooms or messages.

mod ledger;

use crate::RoomCode;
use crate::client_addr::ClientAddr;
use ledger::Ledger;
use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use tokio::sync::Notify;

/// The class of a connection, in order of eviction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// It sends plain requests, or has not sent any yet.
    Plain,
    /// A WebSocket beyond the limit, which may stay for a moment to present a seat token.
    Unverified,
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
    pub unverified: usize,
    /// WebSockets without a seat.
    pub strangers: usize,
    /// WebSockets with and without a seat.
    pub sockets: usize,
}

/// The limits of one address and of the whole server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotLimits {
    pub by_source: Most,
    pub server: Most,
}

/// Identifies a seat: the room, and the player in it.
pub type SeatId = (RoomCode, u64);

/// No slot is free, and no connection can be evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSlot;

/// The slots of all connections.
pub struct ConnectionSlots {
    ledger: Mutex<Ledger>,
    /// Separately counted slots of connections into the same rooms.
    beside: OnceLock<Weak<ConnectionSlots>>,
}

impl ConnectionSlots {
    pub fn new(bounds: SlotLimits) -> Arc<ConnectionSlots> {
        Arc::new(ConnectionSlots { ledger: Mutex::new(Ledger::new(bounds)), beside: OnceLock::new() })
    }

    /// Creates separately counted slots for connections into the same rooms. A seat is the same seat, whichever way its
    /// connections come.
    pub fn beside(self: &Arc<ConnectionSlots>, bounds: SlotLimits) -> Arc<ConnectionSlots> {
        let others = ConnectionSlots::new(bounds);
        // The two refer to each other. There is never a third.
        let _ = (others.beside.set(Arc::downgrade(self)), self.beside.set(Arc::downgrade(&others)));
        others
    }

    /// Returns a slot for a newly accepted connection. There always is one: the oldest connection that is not a
    /// WebSocket is evicted, from the same address if that has reached its limit. Refusing the newest connection
    /// instead would let an attacker who keeps connections open lock everyone else out. A proxy's connection belongs to
    /// no address.
    pub fn accept(self: &Arc<ConnectionSlots>, source: Option<ClientAddr>) -> Arc<ConnectionSlot> {
        let signal = Arc::new(Signal::default());
        let number = self.ledger().accept(source, signal.clone());
        Arc::new(ConnectionSlot { slots: self.clone(), number, signal, upgraded: AtomicBool::new(false) })
    }

    /// Returns the number of connections of a class.
    pub fn count(&self, class: Class) -> usize {
        self.ledger().count(class)
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        // No operation leaves the counts half changed, so they are consistent even after a panic.
        self.ledger.lock()
    }
}

/// The slot of one connection. Released when dropped.
pub struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
    number: u64,
    signal: Arc<Signal>,
    upgraded: AtomicBool,
}

impl ConnectionSlot {
    /// Counts a proxy's connection for the client address of its current request.
    pub fn claim(&self, source: ClientAddr) {
        self.slots.ledger().claim(self.number, source);
    }

    /// Turns the connection into a WebSocket of this address. Beyond the limit it becomes [`Class::Unverified`].
    pub fn upgrade(&self, source: ClientAddr) -> Result<Class, NoSlot> {
        let class = self.slots.ledger().upgrade(self.number, source)?;
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
    pub fn seat(&self, seat: SeatId) -> Result<(), NoSlot> {
        self.slots.ledger().seat(self.number, seat)?;
        // The locks are taken one after the other, never both at once.
        if let Some(beside) = self.slots.beside.get().and_then(Weak::upgrade) {
            beside.ledger().ask_for_proof(seat);
        }
        Ok(())
    }

    /// Removes the connection's seat.
    pub fn unseat(&self) {
        self.slots.ledger().unseat(self.number);
    }

    /// Waits until the connection is evicted or has to prove that it is alive.
    pub async fn called(&self) -> ConnectionRequest {
        loop {
            // Register before checking, otherwise a notification in between would be missed.
            let notify = self.signal.notify.notified();
            if self.signal.evict.load(Ordering::Relaxed) {
                return ConnectionRequest::Evicted;
            }
            if self.signal.prove.swap(false, Ordering::Relaxed) {
                return ConnectionRequest::Prove;
            }
            notify.await;
        }
    }

    /// Waits until the connection is evicted.
    pub async fn evicted(&self) {
        loop {
            let notify = self.signal.notify.notified();
            if self.signal.evict.load(Ordering::Relaxed) {
                return;
            }
            notify.await;
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.slots.ledger().remove(self.number);
    }
}

/// A request to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionRequest {
    /// It is evicted, because another connection takes precedence.
    Evicted,
    /// Its seat was opened on another connection. If this one is dead, as connections of phones often are, that must be
    /// noticed soon.
    Prove,
}

#[derive(Default)]
struct Signal {
    evict: AtomicBool,
    prove: AtomicBool,
    notify: Notify,
}

impl Signal {
    fn evict(&self) {
        self.evict.store(true, Ordering::Relaxed);
        self.notify.notify_waiters();
    }

    fn prove(&self) {
        self.prove.store(true, Ordering::Relaxed);
        self.notify.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderMap;

    const FEW: Most = Most { plain: 2, unverified: 1, strangers: 2, sockets: 4 };
    const MANY: Most = Most { plain: 100, unverified: 100, strangers: 100, sockets: 100 };

    fn source(address: &str) -> ClientAddr {
        ClientAddr::of(address.parse().unwrap(), &HeaderMap::new(), &[])
    }

    fn is_evicted(slot: &ConnectionSlot) -> bool {
        slot.signal.evict.load(Ordering::Relaxed)
    }

    #[test]
    fn evicts_only_the_oldest_connection_of_a_full_address() {
        let slots = ConnectionSlots::new(SlotLimits { by_source: FEW, server: MANY });
        let other = slots.accept(Some(source("192.0.2.9")));
        let all: Vec<_> = (0..4).map(|_| slots.accept(Some(source("192.0.2.1")))).collect();
        assert_eq!(all.iter().map(|slot| is_evicted(slot)).collect::<Vec<_>>(), [true, true, false, false]);
        assert!(!is_evicted(&other));
        drop(all);
        assert_eq!(slots.count(Class::Plain), 1);
    }

    #[test]
    fn a_full_server_evicts_from_the_address_with_the_most() {
        let slots = ConnectionSlots::new(SlotLimits { by_source: MANY, server: Most { plain: 4, ..MANY } });
        let friend = slots.accept(Some(source("192.0.2.9")));
        let greedy: Vec<_> = (0..3).map(|_| slots.accept(Some(source("192.0.2.1")))).collect();
        let _newcomer = slots.accept(Some(source("192.0.2.7")));
        assert!(!is_evicted(&friend) && is_evicted(&greedy[0]));
    }

    #[test]
    fn evicts_from_an_address_that_fills_the_server() {
        let slots = ConnectionSlots::new(SlotLimits { by_source: MANY, server: MANY });
        let come = |from: &str| {
            let slot = slots.accept(Some(source(from)));
            let class = slot.upgrade(source(from));
            (slot, class)
        };
        let greedy: Vec<_> = (0..100).map(|_| come("192.0.2.1").0).collect();
        for (player, slot) in greedy.iter().enumerate() {
            slot.seat((RoomCode::random(), player as u64)).unwrap();
        }
        assert_eq!(come("192.0.2.1").1, Ok(Class::Unverified), "an address cannot evict its own connections");
        let (_friend, class) = come("192.0.2.2");
        assert_eq!(class, Ok(Class::Stranger));
        assert!(is_evicted(&greedy[0]) && !is_evicted(&greedy[1]));
    }

    #[test]
    fn a_network_has_eight_times_the_slots_of_a_household() {
        let slots = ConnectionSlots::new(SlotLimits { by_source: FEW, server: MANY });
        let each = |i: usize| slots.accept(Some(source(&format!("2001:db8:1:{i:x}::1"))));
        let all: Vec<_> = (0..20).map(each).collect();
        assert_eq!(all.iter().filter(|slot| is_evicted(slot)).count(), 4, "16 remain, each from a different household");
        let sockets = all.iter().rev().filter(|slot| slot.upgrade(source("2001:db8:1:7::1")).is_ok());
        assert_eq!(sockets.count(), 3, "two strangers of one household, and one in the unverified");
    }

    #[test]
    fn counts_proxied_connections_for_the_forwarded_address() {
        let slots = ConnectionSlots::new(SlotLimits { by_source: FEW, server: MANY });
        let proxied: Vec<_> = (0..5).map(|_| slots.accept(None)).collect();
        assert!(!proxied.iter().any(|slot| is_evicted(slot)), "connections of a proxy are not limited");
        for slot in &proxied {
            slot.claim(source("192.0.2.1"));
        }
        assert_eq!(proxied.iter().filter(|slot| is_evicted(slot)).count(), 3);
        proxied[4].claim(source("192.0.2.2"));
        assert!(!is_evicted(&proxied[4]));
    }

    #[test]
    fn a_new_seat_connection_probes_the_older_ones() {
        let (room, here) = (RoomCode::random(), source("192.0.2.1"));
        let slots = ConnectionSlots::new(SlotLimits { by_source: MANY, server: MANY });
        let relayed = slots.beside(SlotLimits { by_source: FEW, server: MANY });
        let come = |slots: &Arc<ConnectionSlots>, player| {
            let slot = slots.accept(Some(here));
            slot.upgrade(here).unwrap();
            slot.seat((room, player)).unwrap();
            slot
        };
        let asked = |slot: &ConnectionSlot| slot.signal.prove.swap(false, Ordering::Relaxed);
        let (far, bea) = (come(&relayed, 1), come(&relayed, 2));
        let near = come(&slots, 1);
        assert!(asked(&far) && !asked(&bea) && !asked(&near));
        let again = come(&relayed, 1);
        assert!(asked(&far) && asked(&near) && !asked(&bea) && !asked(&again));
    }

    #[test]
    fn a_seat_evicts_its_own_dead_connection_before_strangers() {
        let room = RoomCode::random();
        let here = source("192.0.2.1");
        let slots = ConnectionSlots::new(SlotLimits { by_source: Most { unverified: 9, ..FEW }, server: MANY });
        let come = || {
            let slot = slots.accept(Some(here));
            let class = slot.upgrade(here);
            (slot, class)
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
        assert_eq!(class, Ok(Class::Unverified));
        again.seat((room, 1)).unwrap();
        assert!(is_evicted(&ana) && !is_evicted(&zoe), "the seat's older connection is evicted first");
        let (cid, _) = come();
        cid.seat((room, 3)).unwrap();
        assert!(is_evicted(&zoe) && !is_evicted(&zac), "then the oldest stranger");
        let (dan, _) = come();
        dan.seat((room, 4)).unwrap();
        assert!(is_evicted(&zac));
        let (eva, _) = come();
        assert_eq!(eva.seat((room, 5)), Err(NoSlot), "all connected clients have seats");
        assert!(!is_evicted(&bea) && !is_evicted(&cid) && !is_evicted(&dan));
    }
}
