//! Quota of rooms that one address may be in at the same time. A room with a connection stays in memory, so a client
//! that could be in all rooms could lock everyone else out. The owner of a seat may exceed the quota while half of the
//! server is free. So everyone behind one address can return after a restart, and the other half remains for addresses
//! within the quota.
//!
//! It does not know what clients do in a room.

use crate::RoomCode;
use crate::address::{Network, Source};
use crate::limits::NETWORK;
use dashmap::DashMap;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Rooms per address: enough for a class of 25 with two tabs each, all in different rooms.
const BY_SOURCE: usize = 64;

/// Whether a connection must stay within the quota or may exceed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quota {
    Within,
    Beyond,
}

/// The rooms each address is in, with the number of connections.
pub struct Held {
    by_source: Book<Source>,
    by_network: Book<Network>,
}

struct Book<K: Hash + Eq> {
    most: usize,
    rooms: DashMap<K, HashMap<RoomCode, u32>>,
}

impl<K: Hash + Eq> Book<K> {
    fn new(most: usize) -> Book<K> {
        Book { most, rooms: DashMap::new() }
    }

    /// Counts another connection in a room. Returns false if that would be one room too many.
    fn enter(&self, key: K, code: RoomCode, quota: Quota) -> bool {
        let mut rooms = self.rooms.entry(key).or_default();
        let fits = quota == Quota::Beyond || rooms.len() < self.most || rooms.contains_key(&code);
        if fits {
            *rooms.entry(code).or_insert(0) += 1;
        }
        fits
    }

    fn leave(&self, key: K, code: RoomCode) {
        let dashmap::Entry::Occupied(mut here) = self.rooms.entry(key) else { return };
        let rooms = here.get_mut();
        if let Some(connections) = rooms.get_mut(&code) {
            *connections -= 1;
            if *connections == 0 {
                rooms.remove(&code);
            }
        }
        if rooms.is_empty() {
            here.remove();
        }
    }
}

impl Held {
    /// Creates the counts, with or without a quota.
    pub fn new(counts: bool) -> Arc<Held> {
        let most = if counts { BY_SOURCE } else { usize::MAX };
        Arc::new(Held { by_source: Book::new(most), by_network: Book::new(most.saturating_mul(NETWORK)) })
    }

    /// Counts a connection from this address in a room. Returns `None` if the address or its network is in too many
    /// other rooms.
    pub fn hold(self: &Arc<Held>, source: Source, code: RoomCode, quota: Quota) -> Option<Hold> {
        if !self.by_source.enter(source, code, quota) {
            return None;
        }
        if source.network().is_some_and(|network| !self.by_network.enter(network, code, quota)) {
            self.by_source.leave(source, code);
            return None;
        }
        Some(Hold { held: self.clone(), source, code })
    }

    /// Returns whether this address has a connection in the room.
    pub fn is_in(&self, source: Source, code: RoomCode) -> bool {
        self.by_source.rooms.get(&source).is_some_and(|rooms| rooms.contains_key(&code))
    }
}

/// A counted connection in a room. Released when dropped.
pub struct Hold {
    held: Arc<Held>,
    source: Source,
    code: RoomCode,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let Hold { held, source, code } = self;
        held.by_source.leave(*source, *code);
        if let Some(network) = source.network() {
            held.by_network.leave(network, *code);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Quota::{Beyond, Within};
    use super::*;
    use axum::http::HeaderMap;

    #[test]
    fn one_address_is_in_so_many_rooms_and_in_each_as_often_as_it_likes() {
        let source = |last: u8| Source::of([192, 0, 2, last].into(), &HeaderMap::new(), &[]);
        let held = Held::new(true);
        let codes: Vec<RoomCode> = (0..=BY_SOURCE).map(|_| RoomCode::random()).collect();
        let mut holds: Vec<Hold> =
            codes.iter().filter_map(|code| held.hold(source(1), *code, Within)).collect();
        assert_eq!(holds.len(), BY_SOURCE);
        holds.push(held.hold(source(1), codes[0], Within).expect("a room they are in"));
        assert!(held.hold(source(1), codes[BY_SOURCE], Within).is_none());
        assert!(
            held.hold(source(2), codes[BY_SOURCE], Within).is_some(),
            "another address is not in its way"
        );
        drop(
            held.hold(source(1), codes[BY_SOURCE], Beyond)
                .expect("whoever has a seat there comes in all the same"),
        );
        holds.remove(0);
        assert!(
            held.hold(source(1), codes[BY_SOURCE], Within).is_none(),
            "they are in the first with another connection"
        );
        holds.pop();
        assert!(held.hold(source(1), codes[BY_SOURCE], Within).is_some());
        drop(holds);
        assert!(held.by_source.rooms.is_empty());
    }

    #[test]
    fn a_network_of_households_is_in_eight_times_as_many() {
        let household =
            |n: usize| Source::of(format!("2001:db8:1:{n:x}::1").parse().unwrap(), &HeaderMap::new(), &[]);
        let held = Held::new(true);
        let most = BY_SOURCE * NETWORK;
        let holds: Vec<Hold> =
            (0..2 * most).filter_map(|n| held.hold(household(n), RoomCode::random(), Within)).collect();
        assert_eq!(holds.len(), most);
        let neighbour = Source::of("2001:db8:2::1".parse().unwrap(), &HeaderMap::new(), &[]);
        assert!(
            held.hold(neighbour, RoomCode::random(), Within).is_some(),
            "the neighbours are not in its way"
        );
        drop(holds);
        assert!(held.by_source.rooms.is_empty() && held.by_network.rooms.is_empty());
    }
}
