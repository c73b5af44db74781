//! Quota of rooms that one address may be in at the same time. A room with a connection stays in memory, so a client
//! that could be in all rooms could lock everyone else out. The owner of a seat may exceed the quota while half of the
//! server is free. So everyone behind one address can return after a restart, and the other half remains for addresses
//! within the quota.
//!
//! It does not know what clients do in a room.

use super::per_address::PerAddress;
use crate::RoomCode;
use crate::client_addr::ClientAddr;
use std::collections::HashMap;
use std::sync::Arc;

/// Whether a connection must stay within the quota or may exceed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quota {
    Within,
    Beyond,
}

/// The rooms each address is in, with the number of connections.
pub struct RoomsEntered {
    most: usize,
    rooms: PerAddress<HashMap<RoomCode, u32>>,
}

impl RoomsEntered {
    /// Creates the counts, with the maximum number of rooms per address.
    pub fn new(most: usize) -> Arc<RoomsEntered> {
        Arc::new(RoomsEntered { most, rooms: PerAddress::default() })
    }

    /// Counts a connection from this address in a room. Returns `None` if the address or its network is in too many
    /// other rooms.
    pub fn enter(self: &Arc<Self>, client: ClientAddr, code: RoomCode, quota: Quota) -> Option<RoomEntry> {
        let enter = |rooms: &mut HashMap<RoomCode, u32>, factor: u64| {
            let most = self.most.saturating_mul(factor as usize);
            let fits = quota == Quota::Beyond || rooms.len() < most || rooms.contains_key(&code);
            if fits {
                *rooms.entry(code).or_insert(0) += 1;
            }
            fits
        };
        let fits = self.rooms.take(client, enter, |rooms| leave(rooms, code));
        fits.then(|| RoomEntry { entered: self.clone(), client, code })
    }

    /// Returns whether this address has a connection in the room.
    pub fn is_in(&self, client: ClientAddr, code: RoomCode) -> bool {
        self.rooms.of_address(client, |rooms| rooms.contains_key(&code)).unwrap_or(false)
    }
}

fn leave(rooms: &mut HashMap<RoomCode, u32>, code: RoomCode) {
    if let Some(connections) = rooms.get_mut(&code) {
        *connections -= 1;
        if *connections == 0 {
            rooms.remove(&code);
        }
    }
}

/// A counted connection in a room. Released when dropped.
pub struct RoomEntry {
    entered: Arc<RoomsEntered>,
    client: ClientAddr,
    code: RoomCode,
}

impl Drop for RoomEntry {
    fn drop(&mut self) {
        self.entered.rooms.release(self.client, |rooms| {
            leave(rooms, self.code);
            rooms.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::Quota::{Beyond, Within};
    use super::*;
    use crate::client_addr::client;
    use crate::limits::NETWORK;

    const MOST: usize = 5;

    #[test]
    fn limits_the_rooms_of_one_address_but_not_its_connections() {
        let (one, two) = (client("192.0.2.1"), client("192.0.2.2"));
        let rooms = RoomsEntered::new(MOST);
        let codes: Vec<RoomCode> = (0..=MOST).map(|_| RoomCode::random()).collect();
        let mut entries: Vec<RoomEntry> = codes.iter().filter_map(|code| rooms.enter(one, *code, Within)).collect();
        assert_eq!(entries.len(), MOST);
        entries.push(rooms.enter(one, codes[0], Within).expect("the address is in this room already"));
        assert!(rooms.is_in(one, codes[0]) && !rooms.is_in(two, codes[0]));
        let last = codes[MOST];
        assert!(rooms.enter(one, last, Within).is_none());
        assert!(rooms.enter(two, last, Within).is_some(), "other addresses are not affected");
        drop(rooms.enter(one, last, Beyond).expect("the owner of a seat may exceed the quota"));
        entries.remove(0);
        assert!(rooms.enter(one, last, Within).is_none(), "another connection is still in the first room");
        entries.pop();
        assert!(rooms.enter(one, last, Within).is_some());
        drop(entries);
        assert!(rooms.rooms.is_empty());
    }

    #[test]
    fn a_network_may_be_in_eight_times_as_many_rooms() {
        let household = |n: usize| client(&format!("2001:db8:1:{n:x}::1"));
        let rooms = RoomsEntered::new(MOST);
        let most = MOST * NETWORK as usize;
        let entries: Vec<RoomEntry> =
            (0..2 * most).filter_map(|n| rooms.enter(household(n), RoomCode::random(), Within)).collect();
        assert_eq!(entries.len(), most);
        assert!(rooms.enter(client("2001:db8:2::1"), RoomCode::random(), Within).is_some());
        drop(entries);
        assert!(rooms.rooms.is_empty());
    }
}
