//! The bookkeeping of connection slots: the class of each connection, and the totals. Its lock is held for a few
//! lookups only.

use super::{Class, Most, NoSlot, SeatId, Signal, SlotLimits};
use crate::client_addr::{ClientAddr, Network};
use crate::limits::NETWORK;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::Arc;

/// Number of sockets of one address that is never too many: a class with two tabs each.
const GREEDY: usize = 60;

pub struct Ledger {
    bounds: SlotLimits,
    /// Number of the next connection. Lower numbers are older.
    next: u64,
    entries: HashMap<u64, SlotEntry>,
    all: Kinds,
    by_source: HashMap<ClientAddr, Kinds>,
    by_network: HashMap<Network, Kinds>,
    by_seat: HashMap<SeatId, BTreeSet<u64>>,
}

struct SlotEntry {
    class: Class,
    source: Option<ClientAddr>,
    seat: Option<SeatId>,
    signal: Arc<Signal>,
    /// Evicted: it no longer counts, although it may take a moment to end.
    leaving: bool,
}

/// Connections by class, oldest first.
#[derive(Default)]
struct Kinds([BTreeSet<u64>; 4]);

impl Kinds {
    fn of(&self, class: Class) -> &BTreeSet<u64> {
        &self.0[class as usize]
    }

    fn count(&self, class: Class) -> usize {
        self.of(class).len()
    }

    fn sockets(&self) -> usize {
        self.count(Class::Stranger) + self.count(Class::Seated)
    }

    fn oldest(&self, class: Class) -> Option<u64> {
        self.of(class).first().copied()
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(BTreeSet::is_empty)
    }
}

impl Most {
    /// Returns the limits of a wider network.
    fn times(self, factor: usize) -> Most {
        let times = |bound: usize| bound.saturating_mul(factor);
        Most {
            plain: times(self.plain),
            unverified: times(self.unverified),
            strangers: times(self.strangers),
            sockets: times(self.sockets),
        }
    }

    fn has_unverified(&self, kinds: &Kinds) -> bool {
        kinds.count(Class::Unverified) < self.unverified
    }

    fn has_stranger(&self, kinds: &Kinds) -> bool {
        kinds.count(Class::Stranger) < self.strangers && kinds.sockets() < self.sockets
    }
}

impl Ledger {
    pub fn new(bounds: SlotLimits) -> Ledger {
        Ledger {
            bounds,
            next: 0,
            entries: HashMap::new(),
            all: Kinds::default(),
            by_source: HashMap::new(),
            by_network: HashMap::new(),
            by_seat: HashMap::new(),
        }
    }

    pub fn count(&self, class: Class) -> usize {
        self.all.count(class)
    }

    pub fn accept(&mut self, source: Option<ClientAddr>, signal: Arc<Signal>) -> u64 {
        self.make_room(source);
        let number = self.next;
        self.next += 1;
        let entry = SlotEntry { class: Class::Plain, source, seat: None, signal, leaving: false };
        self.enter(number, &entry);
        self.entries.insert(number, entry);
        number
    }

    pub fn claim(&mut self, number: u64, source: ClientAddr) {
        let other = self.entries.get(&number).is_some_and(|entry| entry.source != Some(source));
        if other {
            self.change(number, |entry| entry.source = None);
            self.make_room(Some(source));
            self.change(number, |entry| entry.source = Some(source));
        }
    }

    /// Evicts a connection if there is no slot for another one that is not a WebSocket.
    fn make_room(&mut self, source: Option<ClientAddr>) {
        let (mine, network) = self.bounds_around(source);
        if mine.is_some_and(|here| here.count(Class::Plain) >= self.bounds.by_source.plain) {
            self.evict(mine.and_then(|here| here.oldest(Class::Plain)));
        } else if network.is_some_and(|here| here.count(Class::Plain) >= self.network().plain) {
            self.evict(network.and_then(|here| here.oldest(Class::Plain)));
        } else if self.all.count(Class::Plain) >= self.bounds.server.plain {
            self.evict(self.oldest_of_the_greediest(Class::Plain));
        }
    }

    pub fn upgrade(&mut self, number: u64, source: ClientAddr) -> Result<Class, NoSlot> {
        let (mine, network) = self.bounds_around(Some(source));
        let fits_around = |has: fn(&Most, &Kinds) -> bool| {
            mine.is_none_or(|here| has(&self.bounds.by_source, here))
                && network.is_none_or(|here| has(&self.network(), here))
        };
        let fits = |has| fits_around(has) && has(&self.bounds.server, &self.all);
        let fits_here = fits_around(Most::has_stranger);
        let class = if fits(Most::has_stranger) {
            Class::Stranger
        } else if fits_here && let Some(greedy) = self.too_greedy(source) {
            self.evict(Some(greedy));
            Class::Stranger
        } else if fits(Most::has_unverified) {
            Class::Unverified
        } else {
            return Err(NoSlot);
        };
        self.change(number, |entry| (entry.class, entry.source) = (class, Some(source)));
        Ok(class)
    }

    pub fn seat(&mut self, number: u64, seat: SeatId) -> Result<(), NoSlot> {
        let Some(entry) = self.entries.get(&number) else { return Ok(()) };
        if entry.seat == Some(seat) {
            return Ok(());
        }
        let (source, newcomer) = (entry.source, entry.class == Class::Unverified);
        if newcomer {
            // Evict a connection of the same seat first, which is probably dead, then one without a seat, from wherever
            // the limit is reached.
            let same_seat = self.by_seat.get(&seat).and_then(|lines| lines.first().copied());
            let (mine, network) = self.bounds_around(source);
            let (per_source, per_network) = (self.bounds.by_source.sockets, self.network().sockets);
            let victim = if mine.is_some_and(|here| here.sockets() >= per_source) {
                Some(same_seat.or_else(|| mine.and_then(|here| here.oldest(Class::Stranger))))
            } else if network.is_some_and(|here| here.sockets() >= per_network) {
                Some(same_seat.or_else(|| network.and_then(|here| here.oldest(Class::Stranger))))
            } else if self.all.sockets() >= self.bounds.server.sockets {
                let mine = mine.and_then(|here| here.oldest(Class::Stranger));
                let stranger = || self.oldest_of_the_greediest(Class::Stranger);
                let greedy = || source.and_then(|source| self.too_greedy(source));
                Some(same_seat.or(mine).or_else(stranger).or_else(greedy))
            } else {
                None
            };
            match victim {
                Some(None) => return Err(NoSlot),
                Some(victim) => self.evict(victim),
                None => {}
            }
        }
        self.ask_for_proof(seat);
        self.change(number, |entry| (entry.class, entry.seat) = (Class::Seated, Some(seat)));
        Ok(())
    }

    /// Asks the connections of a seat to prove that they are alive, because the seat was opened on another one.
    pub fn ask_for_proof(&self, seat: SeatId) {
        for line in self.by_seat.get(&seat).into_iter().flatten() {
            if let Some(line) = self.entries.get(line) {
                line.signal.prove();
            }
        }
    }

    pub fn unseat(&mut self, number: u64) {
        if self.entries.get(&number).is_some_and(|entry| entry.class == Class::Seated) {
            self.change(number, |entry| (entry.class, entry.seat) = (Class::Stranger, None));
        }
    }

    pub fn remove(&mut self, number: u64) {
        if let Some(entry) = self.entries.remove(&number) {
            self.leave(number, &entry);
        }
    }

    fn network(&self) -> Most {
        self.bounds.by_source.times(NETWORK as usize)
    }

    fn bounds_around(&self, source: Option<ClientAddr>) -> (Option<&Kinds>, Option<&Kinds>) {
        let mine = source.and_then(|source| self.by_source.get(&source));
        let network = source.and_then(ClientAddr::network).and_then(|network| self.by_network.get(&network));
        (mine, network)
    }

    /// Fairness: returns the oldest connection of the address that has most of this class.
    fn oldest_of_the_greediest(&self, class: Class) -> Option<u64> {
        let greediest = self.by_source.values().max_by_key(|here| here.count(class));
        greediest.and_then(|here| here.oldest(class)).or_else(|| self.all.oldest(class))
    }

    /// Fairness on a full server: returns the oldest connection of an address that has many times as many as this one,
    /// preferably a connection without a seat. So a few addresses cannot fill the server.
    fn too_greedy(&self, source: ClientAddr) -> Option<u64> {
        let greediest = self.by_source.values().max_by_key(|here| here.sockets())?;
        let mine = self.by_source.get(&source).map_or(0, Kinds::sockets);
        let greedy = greediest.sockets() > GREEDY.max(4 * mine);
        let oldest = || greediest.oldest(Class::Stranger).or_else(|| greediest.oldest(Class::Seated));
        greedy.then(oldest).flatten()
    }

    fn evict(&mut self, number: Option<u64>) {
        let Some(number) = number else { return };
        let Some(mut entry) = self.entries.remove(&number) else { return };
        self.leave(number, &entry);
        entry.leaving = true;
        entry.signal.evict();
        self.entries.insert(number, entry);
    }

    fn change(&mut self, number: u64, change: impl FnOnce(&mut SlotEntry)) {
        let Some(mut entry) = self.entries.remove(&number) else { return };
        self.leave(number, &entry);
        change(&mut entry);
        self.enter(number, &entry);
        self.entries.insert(number, entry);
    }

    fn enter(&mut self, number: u64, entry: &SlotEntry) {
        if entry.leaving {
            return;
        }
        self.all.0[entry.class as usize].insert(number);
        if let Some(source) = entry.source {
            self.by_source.entry(source).or_default().0[entry.class as usize].insert(number);
            if let Some(network) = source.network() {
                self.by_network.entry(network).or_default().0[entry.class as usize].insert(number);
            }
        }
        if let Some(seat) = entry.seat {
            self.by_seat.entry(seat).or_default().insert(number);
        }
    }

    fn leave(&mut self, number: u64, entry: &SlotEntry) {
        if entry.leaving {
            return;
        }
        self.all.0[entry.class as usize].remove(&number);
        if let Some(source) = entry.source {
            take_out(&mut self.by_source, source, |here| {
                here.0[entry.class as usize].remove(&number);
                here.is_empty()
            });
            if let Some(network) = source.network() {
                take_out(&mut self.by_network, network, |here| {
                    here.0[entry.class as usize].remove(&number);
                    here.is_empty()
                });
            }
        }
        if let Some(seat) = entry.seat {
            take_out(&mut self.by_seat, seat, |lines| {
                lines.remove(&number);
                lines.is_empty()
            });
        }
    }
}

/// Changes the value of a key, and removes the key if the value is then empty.
fn take_out<K: Hash + Eq, V>(book: &mut HashMap<K, V>, key: K, is_empty_after: impl FnOnce(&mut V) -> bool) {
    if let std::collections::hash_map::Entry::Occupied(mut here) = book.entry(key)
        && is_empty_after(here.get_mut())
    {
        here.remove();
    }
}
