//! Streams earlier games moment by moment or record by record. Each piece is made when the reader has taken the
//! previous one (backpressure), off the async workers and in turn with the records. The number of streams and their
//! duration are limited.
//!
//! It does not know what a line contains.

use crate::address::{Network, Source};
use crate::shared::Shared;
use axum::body::{Body, Bytes};
use dashmap::DashMap;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use serde::Serialize;
use std::error::Error;
use std::hash::Hash;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Maximum number of open streams: enough for a class of 25 that watches its games again.
const AT_ONCE: usize = 32;
/// Maximum per client address while half of the slots are free, so that one address cannot take all of them. An IPv6
/// /48 network may have half of all slots.
const BY_SOURCE: usize = 8;
/// Limits for streams of all records of a room. Each holds a journal in memory, which has at most 64 MiB.
const ROOMS_AT_ONCE: usize = 2;
const ROOMS_BY_SOURCE: usize = 1;
/// Maximum duration of a stream. The longest takes a second to make; the rest is for slow connections.
const OPEN: Duration = Duration::from_secs(60);
/// Number of bytes made at a time.
const PIECE: usize = 64 * 1024;

/// The open streams.
pub struct Openings {
    free: Arc<Semaphore>,
    /// Slots that are reserved for addresses without a stream.
    kept_for_newcomers: usize,
    most_by_source: usize,
    most_by_network: usize,
    by_source: DashMap<Source, usize>,
    by_network: DashMap<Network, usize>,
}

/// A slot for a stream, or for reading a record for one. Released when dropped.
pub struct Opening {
    openings: Arc<Openings>,
    source: Source,
    _permit: OwnedSemaphorePermit,
}

impl Openings {
    /// Creates the slots for streams of single games.
    pub fn of_games() -> Arc<Openings> {
        Openings::new(AT_ONCE, BY_SOURCE)
    }

    /// Creates the slots for streams of all records of a room.
    pub fn of_rooms() -> Arc<Openings> {
        Openings::new(ROOMS_AT_ONCE, ROOMS_BY_SOURCE)
    }

    fn new(at_once: usize, most_by_source: usize) -> Arc<Openings> {
        let free = Arc::new(Semaphore::new(at_once));
        Arc::new(Openings {
            free,
            kept_for_newcomers: at_once / 2,
            most_by_source,
            most_by_network: at_once / 2,
            by_source: DashMap::new(),
            by_network: DashMap::new(),
        })
    }

    /// Takes a slot for this address, or returns `None` if the address, its network or the server has too many streams
    /// (load shedding).
    pub fn open(self: &Arc<Openings>, source: Source) -> Option<Opening> {
        let permit = self.free.clone().try_acquire_owned().ok()?;
        // Fairness: the second half of the slots is reserved for addresses that have none.
        let most =
            if self.free.available_permits() < self.kept_for_newcomers { 1 } else { self.most_by_source };
        if !one_more(&self.by_source, source, most) {
            return None;
        }
        if source.network().is_some_and(|network| !one_more(&self.by_network, network, self.most_by_network))
        {
            one_less(&self.by_source, &source);
            return None;
        }
        Some(Opening { openings: self.clone(), source, _permit: permit })
    }
}

fn one_more<K: Hash + Eq>(open: &DashMap<K, usize>, key: K, most: usize) -> bool {
    let mut open = open.entry(key).or_insert(0);
    let fits = *open < most;
    *open += usize::from(fits);
    fits
}

fn one_less<K: Hash + Eq>(open: &DashMap<K, usize>, key: &K) {
    open.remove_if_mut(key, |_, open| {
        *open -= 1;
        *open == 0
    });
}

impl Drop for Opening {
    fn drop(&mut self) {
        one_less(&self.openings.by_source, &self.source);
        if let Some(network) = self.source.network() {
            one_less(&self.openings.by_network, &network);
        }
    }
}

/// Streams the items as JSON lines, gzip-compressed if the client accepts that, because lines are very similar. If an
/// item cannot be made, the body breaks off.
pub fn body<Line: Serialize, Failure: Error + Send + Sync + 'static>(
    shared: Arc<Shared>,
    opening: Opening,
    told: impl Iterator<Item = Result<Line, Failure>> + Send + 'static,
    packed: bool,
) -> Body {
    let until = Instant::now() + OPEN;
    let maker = Maker { told, packing: packed.then(|| GzEncoder::new(Vec::new(), Compression::fast())) };
    Body::from_stream(stream::try_unfold((Some(maker), opening), move |(maker, opening)| {
        let shared = shared.clone();
        async move {
            let Some(maker) = maker else { return Ok(None) };
            if Instant::now() > until {
                return Err(io::Error::from(io::ErrorKind::TimedOut));
            }
            let make = shared.paid_by(Some(opening.source), move || maker.piece());
            let made = shared.records.turn().await.work(make).await;
            let (piece, rest) = made.map_err(io::Error::other)??;
            Ok(Some((piece, (rest, opening))))
        }
    }))
}

struct Maker<Told> {
    told: Told,
    packing: Option<GzEncoder<Vec<u8>>>,
}

impl<Line, Failure, Told> Maker<Told>
where
    Line: Serialize,
    Failure: Error + Send + Sync + 'static,
    Told: Iterator<Item = Result<Line, Failure>>,
{
    /// Makes the next piece, and returns the rest of the stream (`None` after the last piece).
    fn piece(mut self) -> io::Result<(Bytes, Option<Self>)> {
        let mut lines = Vec::with_capacity(PIECE + PIECE / 4);
        while lines.len() < PIECE {
            let Some(line) = self.told.next() else {
                let last = self.pack(lines, true)?;
                return Ok((last, None));
            };
            serde_json::to_writer(&mut lines, &line.map_err(io::Error::other)?)?;
            lines.push(b'\n');
        }
        Ok((self.pack(lines, false)?, Some(self)))
    }

    fn pack(&mut self, lines: Vec<u8>, last: bool) -> io::Result<Bytes> {
        let Some(packing) = &mut self.packing else { return Ok(lines.into()) };
        packing.write_all(&lines)?;
        if last {
            packing.try_finish()?;
        } else {
            packing.flush()?;
        }
        Ok(std::mem::take(packing.get_mut()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderMap;

    #[test]
    fn one_address_has_so_many_open_and_all_together_so_many() {
        let source = |last: u8| Source::of([192, 0, 2, last].into(), &HeaderMap::new(), &[]);
        let openings = Openings::of_games();
        let of = |last: u8| (0..AT_ONCE).filter_map(|_| openings.open(source(last))).collect::<Vec<_>>();
        let first = of(1);
        assert_eq!(first.len(), BY_SOURCE);
        let others: Vec<_> = (2..=50).flat_map(of).collect();
        assert_eq!(others.len(), AT_ONCE - BY_SOURCE);
        assert!(openings.open(source(99)).is_none(), "nobody has a place left");
        drop(first);
        assert!(openings.open(source(99)).is_some());
        drop(others);
        assert!(openings.by_source.is_empty());
    }

    #[test]
    fn half_of_them_are_for_addresses_that_have_none() {
        let source = |last: u8| Source::of([192, 0, 2, last].into(), &HeaderMap::new(), &[]);
        let openings = Openings::of_games();
        let of = |last: u8| (0..AT_ONCE).filter_map(|_| openings.open(source(last))).collect::<Vec<_>>();
        let greedy: Vec<_> = (1..=4).flat_map(of).collect();
        assert_eq!(greedy.len(), AT_ONCE / 2 + 2, "two have their share, two came when half was taken");
        let newcomers: Vec<_> = (5..=18).flat_map(of).collect();
        assert_eq!(newcomers.len(), AT_ONCE - greedy.len(), "each has one");
    }

    #[test]
    fn whole_rooms_are_open_to_two_and_one_of_each_address() {
        let source = |last: u8| Source::of([192, 0, 2, last].into(), &HeaderMap::new(), &[]);
        let openings = Openings::of_rooms();
        let first = openings.open(source(1));
        assert!(first.is_some() && openings.open(source(1)).is_none());
        let second = openings.open(source(2));
        assert!(second.is_some() && openings.open(source(3)).is_none());
        drop(first);
        assert!(openings.open(source(3)).is_some());
    }

    #[test]
    fn a_network_of_households_has_half_of_them() {
        let household =
            |n: usize| Source::of(format!("2001:db8:1:{n:x}::1").parse().unwrap(), &HeaderMap::new(), &[]);
        let openings = Openings::of_games();
        let open: Vec<_> = (0..AT_ONCE).filter_map(|n| openings.open(household(n))).collect();
        assert_eq!(open.len(), AT_ONCE / 2);
        assert!(openings.open(Source::of([192, 0, 2, 1].into(), &HeaderMap::new(), &[])).is_some());
        drop(open);
        assert!(openings.by_source.is_empty() && openings.by_network.is_empty());
    }
}
