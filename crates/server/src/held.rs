//! Quota of rooms: in how many one address may be at a time. A room somebody is in stays in memory, so whoever could be in
//! all of them could keep everybody else out.
//!
//! It knows nothing of what they do there.

use crate::RoomCode;
use crate::address::Source;
use dashmap::DashMap;
use std::collections::HashMap;
use std::sync::Arc;

/// A class of 25 with two tabs each, every one of them elsewhere, and more.
const BY_SOURCE: usize = 64;

/// Who is in which rooms, and with how many connections.
pub struct Held {
    by_source: DashMap<Source, HashMap<RoomCode, u32>>,
    most: usize,
}

impl Held {
    /// With the quota or without.
    pub fn new(counts: bool) -> Arc<Held> {
        Arc::new(Held { by_source: DashMap::new(), most: if counts { BY_SOURCE } else { usize::MAX } })
    }

    /// Somebody at this address comes into a room; none if they are in too many others.
    pub fn hold(self: &Arc<Held>, source: Source, code: RoomCode) -> Option<Hold> {
        let mut rooms = self.by_source.entry(source).or_default();
        if rooms.len() >= self.most && !rooms.contains_key(&code) {
            return None;
        }
        *rooms.entry(code).or_insert(0) += 1;
        Some(Hold { held: self.clone(), source, code })
    }
}

/// One connection in a room; given back when dropped.
pub struct Hold {
    held: Arc<Held>,
    source: Source,
    code: RoomCode,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let dashmap::Entry::Occupied(mut here) = self.held.by_source.entry(self.source) else { return };
        let rooms = here.get_mut();
        if let Some(connections) = rooms.get_mut(&self.code) {
            *connections -= 1;
            if *connections == 0 {
                rooms.remove(&self.code);
            }
        }
        if rooms.is_empty() {
            here.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderMap;

    #[test]
    fn one_address_is_in_so_many_rooms_and_in_each_as_often_as_it_likes() {
        let source = |last: u8| Source::of([192, 0, 2, last].into(), &HeaderMap::new(), &[]);
        let held = Held::new(true);
        let codes: Vec<RoomCode> = (0..=BY_SOURCE).map(|_| RoomCode::random()).collect();
        let mut holds: Vec<Hold> = codes.iter().filter_map(|code| held.hold(source(1), *code)).collect();
        assert_eq!(holds.len(), BY_SOURCE);
        holds.push(held.hold(source(1), codes[0]).expect("a room they are in"));
        assert!(held.hold(source(1), codes[BY_SOURCE]).is_none());
        assert!(held.hold(source(2), codes[BY_SOURCE]).is_some(), "another address is not in its way");
        holds.remove(0);
        assert!(
            held.hold(source(1), codes[BY_SOURCE]).is_none(),
            "they are in the first with another connection"
        );
        holds.pop();
        assert!(held.hold(source(1), codes[BY_SOURCE]).is_some());
        drop(holds);
        assert!(held.by_source.is_empty());
    }
}
