//! Quotas of concurrent downloads: how many clients may stream earlier games at once.

use super::per_address::PerAddress;
use super::table::Concurrent;
use crate::client_addr::ClientAddr;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The slots for downloads of one kind.
pub struct Streams {
    most: Concurrent,
    free: Arc<Semaphore>,
    open: PerAddress<usize>,
}

/// A slot for a download. Released when dropped.
pub struct StreamSlot {
    streams: Arc<Streams>,
    client: ClientAddr,
    _permit: OwnedSemaphorePermit,
}

impl Streams {
    pub fn new(most: Concurrent) -> Arc<Streams> {
        Arc::new(Streams { most, free: Arc::new(Semaphore::new(most.server)), open: PerAddress::default() })
    }

    /// Takes a slot, or returns `None` if the address, its network or the server has too many downloads (load
    /// shedding).
    pub fn open(self: &Arc<Streams>, client: ClientAddr) -> Option<StreamSlot> {
        let permit = self.free.clone().try_acquire_owned().ok()?;
        let half = self.most.by_network();
        // Fairness: the second half of the slots is reserved for addresses that have none.
        let by_address = if self.free.available_permits() < half { 1 } else { self.most.by_address };
        let take = |open: &mut usize, factor| {
            let fits = *open < if factor == 1 { by_address } else { half };
            *open += usize::from(fits);
            fits
        };
        let fits = self.open.take(client, take, |open| *open -= 1);
        fits.then(|| StreamSlot { streams: self.clone(), client, _permit: permit })
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        self.streams.open.release(self.client, |open| {
            *open -= 1;
            *open == 0
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client_addr::client;
    use crate::limits::table::{GAME_STREAMS, ROOM_STREAMS};

    const AT_ONCE: usize = GAME_STREAMS.server;

    fn address(last: usize) -> ClientAddr {
        client(&format!("192.0.2.{last}"))
    }

    #[test]
    fn limits_streams_per_address_and_in_total() {
        let streams = Streams::new(GAME_STREAMS);
        let of = |last| (0..AT_ONCE).filter_map(|_| streams.open(address(last))).collect::<Vec<_>>();
        let first = of(1);
        assert_eq!(first.len(), GAME_STREAMS.by_address);
        let others: Vec<_> = (2..=50).flat_map(of).collect();
        assert_eq!(others.len(), AT_ONCE - first.len());
        assert!(streams.open(address(99)).is_none(), "all slots are taken");
        drop(first);
        assert!(streams.open(address(99)).is_some());
        drop(others);
        assert!(streams.open.is_empty());
    }

    #[test]
    fn reserves_half_of_the_streams_for_new_addresses() {
        let streams = Streams::new(GAME_STREAMS);
        let of = |last| (0..AT_ONCE).filter_map(|_| streams.open(address(last))).collect::<Vec<_>>();
        let greedy: Vec<_> = (1..=4).flat_map(of).collect();
        assert_eq!(greedy.len(), AT_ONCE / 2 + 2, "two got their share, two came after half was taken");
        let newcomers: Vec<_> = (5..=18).flat_map(of).collect();
        assert_eq!(newcomers.len(), AT_ONCE - greedy.len(), "one for each newcomer");
    }

    #[test]
    fn an_address_downloads_one_whole_room_at_a_time() {
        let streams = Streams::new(ROOM_STREAMS);
        let first = streams.open(address(1));
        assert!(first.is_some() && streams.open(address(1)).is_none());
        assert!(streams.open(address(2)).is_some());
        drop(first);
        assert!(streams.open(address(1)).is_some());
    }

    #[test]
    fn a_network_may_have_half_of_the_streams() {
        let streams = Streams::new(GAME_STREAMS);
        let household = |n: usize| client(&format!("2001:db8:1:{n:x}::1"));
        let open: Vec<_> = (0..AT_ONCE).filter_map(|n| streams.open(household(n))).collect();
        assert_eq!(open.len(), AT_ONCE / 2);
        assert!(streams.open(address(1)).is_some());
        drop(open);
        assert!(streams.open.is_empty());
    }
}
