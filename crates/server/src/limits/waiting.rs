//! Memory quotas: how many bytes may be queued for sending, per connection, address, network and in total. A client
//! that reads has nothing queued. One that does not could otherwise make the server hold a whole game's history for
//! each of its connections.
//!
//! It does not know what is sent.

use super::NETWORK;
use crate::address::{Network, Source};
use dashmap::DashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Per connection. A single message always fits, otherwise the welcome of a long game would lock its client out.
const BY_CONNECTION: usize = 2 << 20;
/// Per address: the welcomes of a few hundred clients that reconnect at once, or of a few in the longest games.
const BY_SOURCE: usize = 16 << 20;
/// For the whole server.
const SERVER: usize = 64 << 20;
/// Fairness: the second half of the server's quota is reserved for addresses with at most this much queued whose
/// network has at most eight times as much. So one network can use at most the first half.
const MODEST: usize = 1 << 20;
/// A message of this size always fits if nothing else is queued for the connection. So a client that reads loses
/// nothing because of others that do not.
const ALWAYS: usize = 16 << 10;

/// All queued bytes.
#[derive(Default)]
pub struct Bytes {
    all: Sum,
    by_source: DashMap<Source, Arc<Sum>>,
    by_network: DashMap<Network, Arc<Sum>>,
}

/// A number of queued bytes.
#[derive(Default)]
struct Sum(AtomicUsize);

impl Sum {
    /// Adds bytes if the sum stays within the limit.
    fn take(&self, bytes: usize, most: usize) -> bool {
        let fits = |now: usize| now.checked_add(bytes).filter(|sum| *sum <= most);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    /// Adds bytes unconditionally, and returns the sum.
    fn add(&self, bytes: usize) -> usize {
        self.0.fetch_add(bytes, Ordering::Relaxed) + bytes
    }

    fn give_back(&self, bytes: usize) {
        self.0.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn now(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Bytes {
    /// Returns an account for one connection from this address.
    pub fn account(self: &Arc<Bytes>, source: Source) -> Account {
        let here = self.by_source.entry(source).or_default().clone();
        let around = source.network().map(|network| self.by_network.entry(network).or_default().clone());
        Account { bytes: self.clone(), here, around, mine: Sum::default() }
    }

    /// Returns the total number of queued bytes.
    pub fn waiting(&self) -> usize {
        self.all.now()
    }

    /// Forgets addresses without a connection.
    pub fn tidy(&self) {
        self.by_source.retain(|_, here| Arc::strong_count(here) > 1);
        self.by_network.retain(|_, around| Arc::strong_count(around) > 1);
    }
}

/// The queued bytes of one connection. Released when dropped.
#[derive(Default)]
pub struct Account {
    bytes: Arc<Bytes>,
    here: Arc<Sum>,
    around: Option<Arc<Sum>>,
    mine: Sum,
}

impl Account {
    /// Adds queued bytes. Returns false, without a change, if they exceed a quota.
    #[must_use]
    pub fn take(&self, bytes: usize) -> bool {
        let alone = self.mine.now() == 0;
        let always = alone && bytes <= ALWAYS;
        let unless_always = |most: usize| if always { usize::MAX } else { most };
        if !self.mine.take(bytes, if alone { usize::MAX } else { BY_CONNECTION }) {
            return false;
        }
        if !self.here.take(bytes, unless_always(BY_SOURCE)) {
            self.mine.give_back(bytes);
            return false;
        }
        let around = self.around.as_ref().map_or(0, |around| around.add(bytes));
        let modest = self.here.now() <= MODEST && around <= NETWORK * MODEST;
        if !self.bytes.all.take(bytes, unless_always(if modest { SERVER } else { SERVER / 2 })) {
            self.give_back_around(bytes);
            self.mine.give_back(bytes);
            return false;
        }
        true
    }

    /// Releases bytes that were sent.
    pub fn give_back(&self, bytes: usize) {
        self.mine.give_back(bytes);
        self.give_back_around(bytes);
        self.bytes.all.give_back(bytes);
    }

    fn give_back_around(&self, bytes: usize) {
        self.here.give_back(bytes);
        if let Some(around) = &self.around {
            around.give_back(bytes);
        }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let left = self.mine.now();
        self.give_back_around(left);
        self.bytes.all.give_back(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderMap;

    fn source(last: u8) -> Source {
        Source::of([192, 0, 2, last].into(), &HeaderMap::new(), &[])
    }

    #[test]
    fn one_long_message_always_fits_and_a_second_does_not() {
        let bytes = Arc::new(Bytes::default());
        let account = bytes.account(source(1));
        assert!(account.take(BY_CONNECTION + 1));
        assert!(!account.take(1), "something waits already");
        account.give_back(BY_CONNECTION + 1);
        assert!(account.take(BY_CONNECTION - 1) && account.take(1) && !account.take(1));
    }

    #[test]
    fn one_address_cannot_fill_the_memory_with_many_connections() {
        let bytes = Arc::new(Bytes::default());
        let mut accounts = Vec::new();
        while accounts.len() < 1000 {
            let account = bytes.account(source(1));
            if !account.take(BY_CONNECTION) {
                break;
            }
            accounts.push(account);
        }
        assert_eq!(accounts.len(), BY_SOURCE / BY_CONNECTION);
        assert!(bytes.account(source(2)).take(BY_CONNECTION), "another address is not in its way");
        accounts.pop();
        assert!(bytes.account(source(1)).take(BY_CONNECTION), "what is gone waits no more");
        drop(accounts);
        assert_eq!(bytes.waiting(), 0);
        bytes.tidy();
        assert!(bytes.by_source.is_empty());
    }

    #[test]
    fn a_network_of_households_has_half_of_it_and_leaves_the_rest_to_others() {
        let household =
            |n: usize| Source::of(format!("2001:db8:1:{n:x}::1").parse().unwrap(), &HeaderMap::new(), &[]);
        let bytes = Arc::new(Bytes::default());
        let accounts: Vec<Account> = (0..200).map(|n| bytes.account(household(n))).collect();
        // Each household is below the threshold, but together they are not.
        let taken = accounts.iter().filter(|account| account.take(MODEST)).count();
        assert_eq!(taken, SERVER / 2 / MODEST);
        assert!(bytes.account(source(1)).take(MODEST), "others have the second half");
        drop(accounts);
        assert_eq!(bytes.waiting(), 0);
        bytes.tidy();
        assert!(bytes.by_source.is_empty() && bytes.by_network.is_empty());
    }

    #[test]
    fn many_addresses_together_cannot_either() {
        let bytes = Arc::new(Bytes::default());
        let accounts: Vec<Account> = (0..200).map(|last| bytes.account(source(last))).collect();
        let taken = accounts.iter().filter(|account| account.take(BY_CONNECTION)).count();
        assert_eq!(taken, SERVER / 2 / BY_CONNECTION);
        let friend = bytes.account(source(255));
        assert!(friend.take(MODEST) && !friend.take(1), "half is for those who read");
        let filling: Vec<Account> = (0..200).map(|last| bytes.account(source(last))).collect();
        assert!(filling.iter().filter(|account| account.take(MODEST)).count() < SERVER / 2 / MODEST);
        assert!(bytes.waiting() <= SERVER);
        assert!(
            bytes.account(source(254)).take(ALWAYS),
            "whoever has nothing waiting hears the next message"
        );
    }
}
