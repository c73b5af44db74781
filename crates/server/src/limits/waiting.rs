//! Memory quotas: how many bytes may be queued for sending, per connection, address, network and in total. A client
//! that reads has nothing queued. One that does not could otherwise make the server hold a whole game's history for
//! each of its connections.
//!
//! It does not know what is sent.

use super::NETWORK;
use super::per_address::PerAddress;
use super::table::{WAITING_ALWAYS, WAITING_BY_ADDRESS, WAITING_BY_CONNECTION, WAITING_MODEST, WAITING_SERVER};
use crate::client_addr::ClientAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// All queued bytes.
#[derive(Default)]
pub struct Bytes {
    all: Sum,
    by_address: PerAddress<Arc<Sum>>,
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
    pub fn account(self: &Arc<Bytes>, client: ClientAddr) -> Account {
        let (address, network) = self.by_address.handles(client);
        Account { bytes: self.clone(), address, network, mine: Sum::default() }
    }

    /// Returns the total number of queued bytes.
    pub fn waiting(&self) -> usize {
        self.all.now()
    }

    /// Forgets addresses without a connection.
    pub fn prune(&self) {
        self.by_address.prune(|sum| Arc::strong_count(sum) > 1);
    }
}

/// The queued bytes of one connection. Released when dropped.
#[derive(Default)]
pub struct Account {
    bytes: Arc<Bytes>,
    address: Arc<Sum>,
    network: Option<Arc<Sum>>,
    mine: Sum,
}

impl Account {
    /// Adds queued bytes. Returns false, without a change, if they exceed a quota.
    #[must_use]
    pub fn take(&self, bytes: usize) -> bool {
        let alone = self.mine.now() == 0;
        let always = alone && bytes <= WAITING_ALWAYS;
        let unless_always = |most: usize| if always { usize::MAX } else { most };
        if !self.mine.take(bytes, if alone { usize::MAX } else { WAITING_BY_CONNECTION }) {
            return false;
        }
        if !self.address.take(bytes, unless_always(WAITING_BY_ADDRESS)) {
            self.mine.give_back(bytes);
            return false;
        }
        let network = self.network.as_ref().map_or(0, |network| network.add(bytes));
        let modest = self.address.now() <= WAITING_MODEST && network <= NETWORK as usize * WAITING_MODEST;
        if !self.bytes.all.take(bytes, unless_always(if modest { WAITING_SERVER } else { WAITING_SERVER / 2 })) {
            self.give_back_shared(bytes);
            self.mine.give_back(bytes);
            return false;
        }
        true
    }

    /// Releases bytes that were sent.
    pub fn give_back(&self, bytes: usize) {
        self.mine.give_back(bytes);
        self.give_back_shared(bytes);
        self.bytes.all.give_back(bytes);
    }

    fn give_back_shared(&self, bytes: usize) {
        self.address.give_back(bytes);
        if let Some(network) = &self.network {
            network.give_back(bytes);
        }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let left = self.mine.now();
        self.give_back_shared(left);
        self.bytes.all.give_back(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client_addr::client;

    fn source(last: u8) -> ClientAddr {
        client(&format!("192.0.2.{last}"))
    }

    #[test]
    fn accepts_one_long_message_but_not_a_second() {
        let bytes = Arc::new(Bytes::default());
        let account = bytes.account(source(1));
        assert!(account.take(WAITING_BY_CONNECTION + 1));
        assert!(!account.take(1), "the connection already has bytes waiting");
        account.give_back(WAITING_BY_CONNECTION + 1);
        assert!(account.take(WAITING_BY_CONNECTION - 1) && account.take(1) && !account.take(1));
    }

    #[test]
    fn one_address_cannot_fill_memory_with_many_connections() {
        let bytes = Arc::new(Bytes::default());
        let mut accounts = Vec::new();
        while accounts.len() < 1000 {
            let account = bytes.account(source(1));
            if !account.take(WAITING_BY_CONNECTION) {
                break;
            }
            accounts.push(account);
        }
        assert_eq!(accounts.len(), WAITING_BY_ADDRESS / WAITING_BY_CONNECTION);
        assert!(bytes.account(source(2)).take(WAITING_BY_CONNECTION), "other addresses are not affected");
        accounts.pop();
        assert!(bytes.account(source(1)).take(WAITING_BY_CONNECTION), "a closed connection releases its bytes");
        drop(accounts);
        assert_eq!(bytes.waiting(), 0);
        bytes.prune();
        assert!(bytes.by_address.is_empty());
    }

    #[test]
    fn a_network_may_use_half_and_leaves_the_rest_to_others() {
        let household = |n: usize| client(&format!("2001:db8:1:{n:x}::1"));
        let bytes = Arc::new(Bytes::default());
        let accounts: Vec<Account> = (0..200).map(|n| bytes.account(household(n))).collect();
        // Each household is below the threshold, but together they are not.
        let taken = accounts.iter().filter(|account| account.take(WAITING_MODEST)).count();
        assert_eq!(taken, WAITING_SERVER / 2 / WAITING_MODEST);
        assert!(bytes.account(source(1)).take(WAITING_MODEST), "the other half is left to other addresses");
        drop(accounts);
        assert_eq!(bytes.waiting(), 0);
        bytes.prune();
        assert!(bytes.by_address.is_empty());
    }

    #[test]
    fn many_addresses_together_cannot_fill_memory() {
        let bytes = Arc::new(Bytes::default());
        let accounts: Vec<Account> = (0..200).map(|last| bytes.account(source(last))).collect();
        let taken = accounts.iter().filter(|account| account.take(WAITING_BY_CONNECTION)).count();
        assert_eq!(taken, WAITING_SERVER / 2 / WAITING_BY_CONNECTION);
        let friend = bytes.account(source(255));
        assert!(friend.take(WAITING_MODEST) && !friend.take(1), "half is reserved for addresses with little waiting");
        let filling: Vec<Account> = (0..200).map(|last| bytes.account(source(last))).collect();
        assert!(
            filling.iter().filter(|account| account.take(WAITING_MODEST)).count() < WAITING_SERVER / 2 / WAITING_MODEST
        );
        assert!(bytes.waiting() <= WAITING_SERVER);
        assert!(
            bytes.account(source(254)).take(WAITING_ALWAYS),
            "a connection with nothing waiting always gets its next message"
        );
    }
}
