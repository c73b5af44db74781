//! Quota of the disk: how many bytes of journal one address may have written in a day, in whatever rooms. A token bucket in
//! running time. 25 people who play from morning to night behind one address write a tenth of it.
//!
//! It knows nothing of what is written.

use crate::address::Source;
use dashmap::DashMap;
use room::Millis;

/// So many bytes in a day.
const BY_SOURCE: u64 = 512 << 20;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// What was written for whom.
pub struct Written {
    /// None if nobody counts.
    by_source: Option<DashMap<Source, Spent>>,
}

/// How much of the bucket is gone, and when that was so.
#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    bytes: u64,
    at: Millis,
}

impl Spent {
    fn by(self, now: Millis) -> u64 {
        let back = u128::from(now.saturating_sub(self.at)) * u128::from(BY_SOURCE) / u128::from(DAY_MS);
        self.bytes.saturating_sub(u64::try_from(back).unwrap_or(u64::MAX))
    }
}

impl Written {
    pub fn new(counts: bool) -> Written {
        Written { by_source: counts.then(DashMap::new) }
    }

    /// Whether anything more may be written for this source.
    pub fn may_write(&self, source: Source, now: Millis) -> bool {
        let Some(by_source) = &self.by_source else { return true };
        by_source.get(&source).is_none_or(|spent| spent.by(now) < BY_SOURCE)
    }

    /// So many bytes were written for this source.
    pub fn wrote(&self, source: Source, bytes: u64, now: Millis) {
        let Some(by_source) = &self.by_source else { return };
        let mut spent = by_source.entry(source).or_default();
        *spent = Spent { bytes: spent.by(now).saturating_add(bytes), at: now };
    }

    /// Forgets the sources whose bucket is full again.
    pub fn tidy(&self, now: Millis) {
        if let Some(by_source) = &self.by_source {
            by_source.retain(|_, spent| spent.by(now) > 0);
        }
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
    fn one_address_writes_so_much_in_a_day_and_no_more() {
        let written = Written::new(true);
        let mut bytes = 0;
        while written.may_write(source(1), 0) {
            written.wrote(source(1), 1 << 20, 0);
            bytes += 1 << 20;
        }
        assert_eq!(bytes, BY_SOURCE);
        assert!(written.may_write(source(2), 0), "another address is not in its way");
        assert!(
            !written.may_write(source(1), 0) && written.may_write(source(1), 1000),
            "it comes back bit by bit"
        );
        written.tidy(DAY_MS / 2);
        assert!(written.by_source.as_ref().unwrap().contains_key(&source(1)));
        written.tidy(DAY_MS);
        assert!(written.by_source.as_ref().unwrap().is_empty());
    }

    #[test]
    fn where_nobody_counts_everybody_may_write() {
        let written = Written::new(false);
        written.wrote(source(1), u64::MAX, 0);
        assert!(written.may_write(source(1), 0));
    }
}
