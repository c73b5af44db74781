//! Quotas for costs that are known only afterwards: bytes written, and time worked. Each address has a token bucket in
//! running time, and the surrounding network a larger one. The last operation may exceed the quota; the debt is then
//! repaid first.
//!
//! It does not know what it counts.

use crate::address::{Network, Source};
use crate::limits::NETWORK;
use dashmap::DashMap;
use room::Millis;
use std::hash::Hash;

/// Bytes of journal per day. 25 people who play all day behind one address write a tenth of this.
const WRITTEN: u64 = 512 << 20;
const DAY_MS: Millis = 24 * 60 * 60 * 1000;
/// Microseconds of replaying journals, to load a room or to show an earlier game. The bucket suffices to load all rooms
/// of one address many times over after a restart, and it refills at a tenth of a processor.
const WORKED: u64 = 20_000_000;
const WORKED_OVER_MS: Millis = 200 * 1000;

/// A quota per address.
pub struct Allowance {
    /// `None` if there is no limit.
    books: Option<(Book<Source>, Book<Network>)>,
}

struct Book<K: Hash + Eq> {
    most: u64,
    /// Time in which an empty bucket is full again.
    over: Millis,
    spent: DashMap<K, Spent>,
}

/// The amount used, and when it was measured.
#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    amount: u64,
    at: Millis,
}

impl<K: Hash + Eq + Copy> Book<K> {
    fn new(most: u64, over: Millis) -> Book<K> {
        Book { most, over, spent: DashMap::new() }
    }

    fn by(&self, spent: Spent, now: Millis) -> u64 {
        let back = u128::from(now.saturating_sub(spent.at)) * u128::from(self.most) / u128::from(self.over);
        spent.amount.saturating_sub(u64::try_from(back).unwrap_or(u64::MAX))
    }

    fn has_any(&self, key: K, now: Millis) -> bool {
        self.spent.get(&key).is_none_or(|spent| self.by(*spent, now) < self.most)
    }

    fn spend(&self, key: K, amount: u64, now: Millis) {
        let mut spent = self.spent.entry(key).or_default();
        *spent = Spent { amount: self.by(*spent, now).saturating_add(amount), at: now };
    }

    fn tidy(&self, now: Millis) {
        self.spent.retain(|_, spent| self.by(*spent, now) > 0);
    }
}

impl Allowance {
    /// Creates the quota for bytes of journal per day.
    pub fn of_bytes(counts: bool) -> Allowance {
        Allowance::new(counts, WRITTEN, DAY_MS)
    }

    /// Creates the quota for microseconds of replaying journals.
    pub fn of_work(counts: bool) -> Allowance {
        Allowance::new(counts, WORKED, WORKED_OVER_MS)
    }

    fn new(counts: bool, most: u64, over: Millis) -> Allowance {
        let books = || (Book::new(most, over), Book::new(most.saturating_mul(NETWORK as u64), over));
        Allowance { books: counts.then(books) }
    }

    /// Returns whether this address and its network have anything left.
    pub fn has_any(&self, source: Source, now: Millis) -> bool {
        let Some((by_source, by_network)) = &self.books else { return true };
        by_source.has_any(source, now)
            && source.network().is_none_or(|network| by_network.has_any(network, now))
    }

    /// Charges an amount to this address.
    pub fn spend(&self, source: Source, amount: u64, now: Millis) {
        let Some((by_source, by_network)) = &self.books else { return };
        by_source.spend(source, amount, now);
        if let Some(network) = source.network() {
            by_network.spend(network, amount, now);
        }
    }

    /// Returns how much of the bucket of this address is used.
    #[cfg(test)]
    pub fn spent(&self, source: Source, now: Millis) -> u64 {
        let books = self.books.as_ref();
        books.and_then(|(book, _)| book.spent.get(&source).map(|spent| book.by(*spent, now))).unwrap_or(0)
    }

    /// Forgets addresses whose bucket is full again.
    pub fn tidy(&self, now: Millis) {
        if let Some((by_source, by_network)) = &self.books {
            by_source.tidy(now);
            by_network.tidy(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderMap;

    fn source(address: &str) -> Source {
        Source::of(address.parse().unwrap(), &HeaderMap::new(), &[])
    }

    /// Spends the whole quota in equal amounts.
    fn drain(allowance: &Allowance, source: Source, piece: u64) -> u64 {
        let mut spent = 0;
        while allowance.has_any(source, 0) {
            allowance.spend(source, piece, 0);
            spent += piece;
        }
        spent
    }

    #[test]
    fn one_address_spends_so_much_and_no_more() {
        for (allowance, most, over) in
            [(Allowance::of_bytes(true), WRITTEN, DAY_MS), (Allowance::of_work(true), WORKED, WORKED_OVER_MS)]
        {
            let (greedy, other) = (source("192.0.2.1"), source("192.0.2.2"));
            assert_eq!(drain(&allowance, greedy, most / 512), most / 512 * most.div_ceil(most / 512));
            assert!(allowance.has_any(other, 0), "another address is not in its way");
            assert!(
                !allowance.has_any(greedy, 0) && allowance.has_any(greedy, 1000),
                "it comes back bit by bit"
            );
            let (by_source, _) = allowance.books.as_ref().unwrap();
            allowance.tidy(over / 2);
            assert!(by_source.spent.contains_key(&greedy));
            allowance.tidy(over + 1000);
            assert!(by_source.spent.is_empty());
        }
    }

    #[test]
    fn a_network_of_households_spends_eight_times_as_much_as_one() {
        let allowance = Allowance::of_bytes(true);
        let households = (0..20).map(|n| source(&format!("2001:db8:1:{n:x}::1")));
        let spent: u64 = households.map(|household| drain(&allowance, household, 1 << 20)).sum();
        assert_eq!(spent, WRITTEN * NETWORK as u64);
        assert!(allowance.has_any(source("2001:db8:2::1"), 0), "the neighbours are not in its way");
        allowance.tidy(2 * DAY_MS);
        assert!(allowance.books.as_ref().unwrap().1.spent.is_empty());
    }

    #[test]
    fn where_nobody_counts_everybody_may() {
        let allowance = Allowance::of_bytes(false);
        allowance.spend(source("192.0.2.1"), u64::MAX, 0);
        assert!(allowance.has_any(source("192.0.2.1"), 0));
    }
}
