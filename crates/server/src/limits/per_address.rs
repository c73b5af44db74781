//! State per client address and, for IPv6, per surrounding network. Every limit that counts by address is built on it.

use super::NETWORK;
use crate::client_addr::{ClientAddr, Network};
use dashmap::DashMap;
use std::hash::Hash;

/// A value per address (an IPv4 address or an IPv6 /64) and per IPv6 /48. Values equal to the default are not stored.
pub struct PerAddress<T> {
    by_address: DashMap<ClientAddr, T>,
    by_network: DashMap<Network, T>,
}

impl<T> Default for PerAddress<T> {
    fn default() -> PerAddress<T> {
        PerAddress { by_address: DashMap::new(), by_network: DashMap::new() }
    }
}

impl<T: Default + PartialEq> PerAddress<T> {
    /// Takes from the address and from its network, or from neither. `take` is called with the value and with the
    /// factor of its limit: 1 for the address and [`NETWORK`] for the network.
    pub fn take(&self, client: ClientAddr, take: impl Fn(&mut T, u64) -> bool, undo: impl Fn(&mut T)) -> bool {
        let network = client.network();
        let taken = take(&mut self.by_address.entry(client).or_default(), 1);
        let fits =
            taken && network.is_none_or(|network| take(&mut self.by_network.entry(network).or_default(), NETWORK));
        if !fits {
            // A refused client leaves nothing behind.
            self.by_address.remove_if_mut(&client, |_, value| {
                if taken {
                    undo(value);
                }
                *value == T::default()
            });
            network.map(|network| self.by_network.remove_if(&network, |_, value| *value == T::default()));
        }
        fits
    }

    /// Changes the value of the address, then that of its network.
    pub fn change(&self, client: ClientAddr, mut change: impl FnMut(&mut T, u64)) {
        change(&mut self.by_address.entry(client).or_default(), 1);
        if let Some(network) = client.network() {
            change(&mut self.by_network.entry(network).or_default(), NETWORK);
        }
    }

    /// Releases what was taken. `release` returns whether the value is empty now and need not be stored.
    pub fn release(&self, client: ClientAddr, release: impl Fn(&mut T) -> bool) {
        self.by_address.remove_if_mut(&client, |_, value| release(value));
        if let Some(network) = client.network() {
            self.by_network.remove_if_mut(&network, |_, value| release(value));
        }
    }

    /// Returns whether the values of the address and of its network both pass the test. A value that is not stored
    /// does.
    pub fn all(&self, client: ClientAddr, test: impl Fn(&T, u64) -> bool) -> bool {
        self.of_address(client, |value| test(value, 1)).unwrap_or(true)
            && self.of_network(client, |value| test(value, NETWORK)).unwrap_or(true)
    }

    /// Reads the value of the address, if there is one.
    pub fn of_address<R>(&self, client: ClientAddr, read: impl FnOnce(&T) -> R) -> Option<R> {
        self.by_address.get(&client).map(|value| read(&value))
    }

    /// Reads the value of the network, if there is one.
    pub fn of_network<R>(&self, client: ClientAddr, read: impl FnOnce(&T) -> R) -> Option<R> {
        client.network().and_then(|network| self.by_network.get(&network).map(|value| read(&value)))
    }
}

impl<T> PerAddress<T> {
    /// Forgets values that need not be stored.
    pub fn prune(&self, is_needed: impl Fn(&T) -> bool) {
        prune(&self.by_address, &is_needed);
        prune(&self.by_network, &is_needed);
    }

    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.by_address.is_empty() && self.by_network.is_empty()
    }
}

impl<T: Clone + Default> PerAddress<T> {
    /// Returns the values of the address and of its network, which are shared handles.
    pub fn handles(&self, client: ClientAddr) -> (T, Option<T>) {
        let network = client.network().map(|network| self.by_network.entry(network).or_default().clone());
        (self.by_address.entry(client).or_default().clone(), network)
    }
}

fn prune<K: Hash + Eq, T>(values: &DashMap<K, T>, is_needed: impl Fn(&T) -> bool) {
    values.retain(|_, value| is_needed(value));
    values.shrink_to_fit();
}
