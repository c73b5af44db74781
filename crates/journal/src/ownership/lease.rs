//! A lease as seen by the server that holds it: measured on its own monotonic clock, and shorter than granted by the
//! journal, so that a server stops before others take over.

use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Duration of a lease with each renewal, on the journal's clock.
pub const LEASE: Duration = Duration::from_secs(5);

/// Self-fencing: a server that could not renew for this long gives up its rooms.
pub const SELF_FENCE: Duration = Duration::from_secs(4);

/// A period in which a lease was held without interruption. Work that started in one term must not continue in the
/// next, because others may have owned the rooms in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term(u64);

/// A server's lease. It is renewed in the background, and this handle observes it.
///
/// A process that was stopped (`SIGSTOP`, a suspended machine) must check [`Lease::holds`] before it sends anything.
/// Its clock has advanced, and even if the lease is renewed first, that starts a new term.
#[derive(Clone, Debug)]
pub struct Lease {
    /// `None` for a lease that never expires.
    renewed: Option<watch::Receiver<Renewed>>,
}

#[derive(Clone, Copy, Debug)]
struct Renewed {
    term: u64,
    /// When the last successful renewal was requested, which is not later than when it was granted.
    at: Instant,
    /// Whether the lease is held since then.
    held: bool,
}

impl Renewed {
    fn ends(&self) -> Instant {
        self.at + SELF_FENCE
    }

    fn term(&self, now: Instant) -> Option<Term> {
        (self.held && now < self.ends()).then_some(Term(self.term))
    }
}

impl Lease {
    /// Returns the lease of a server that runs alone: one term without end.
    pub fn forever() -> Lease {
        Lease { renewed: None }
    }

    /// Returns the current term, or `None` if the lease is not held.
    pub fn term(&self) -> Option<Term> {
        match &self.renewed {
            Some(renewed) => renewed.borrow().term(Instant::now()),
            None => Some(Term(0)),
        }
    }

    /// Returns whether this term is still the current one.
    pub fn holds(&self, term: Term) -> bool {
        self.term() == Some(term)
    }

    /// Returns the time since the last successful renewal was requested.
    pub fn age(&self) -> Duration {
        self.renewed.as_ref().map_or(Duration::ZERO, |renewed| renewed.borrow().at.elapsed())
    }

    /// Waits until this term is over.
    pub async fn ended(&self, term: Term) {
        let Some(mut renewed) = self.renewed.clone() else { return std::future::pending().await };
        loop {
            let now = *renewed.borrow_and_update();
            if now.term(Instant::now()) != Some(term) {
                return;
            }
            tokio::select! {
                () = sleep_until(now.ends()) => {}
                changed = renewed.changed() => if changed.is_err() {
                    // The renewing end was dropped.
                    sleep_until(now.ends()).await;
                },
            }
        }
    }

    /// Waits until the lease is held and returns the term. Never returns if nothing renews it any more.
    pub async fn begun(&self) -> Term {
        let Some(mut renewed) = self.renewed.clone() else { return Term(0) };
        loop {
            if let Some(term) = renewed.borrow_and_update().term(Instant::now()) {
                return term;
            }
            if renewed.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

/// The renewing end of a lease.
#[derive(Debug)]
pub struct Renewals(watch::Sender<Renewed>);

impl Default for Renewals {
    fn default() -> Renewals {
        Renewals::new()
    }
}

impl Renewals {
    /// Creates a lease that is not held yet.
    pub fn new() -> Renewals {
        Renewals(watch::Sender::new(Renewed { term: 0, at: Instant::now(), held: false }))
    }

    /// Returns a handle to observe the lease.
    pub fn lease(&self) -> Lease {
        Lease { renewed: Some(self.0.subscribe()) }
    }

    /// Records a renewal. `asked` is when the request was sent. After a lapse this starts a new term.
    pub fn renewed(&self, asked: Instant) {
        self.0.send_modify(|renewed| {
            let lapsed = renewed.term(Instant::now()).is_none();
            *renewed = Renewed { term: renewed.term + u64::from(lapsed), at: asked, held: true };
        });
    }

    /// Records that the lease was lost.
    pub fn lost(&self) {
        self.0.send_modify(|renewed| renewed.held = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{advance, timeout};

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_renewed_lease_is_the_same_term() {
        let renewals = Renewals::new();
        let lease = renewals.lease();
        assert_eq!(lease.term(), None, "no lease was granted yet");
        renewals.renewed(Instant::now());
        let term = lease.begun().await;
        for _ in 0..10 {
            advance(3 * SECOND).await;
            assert!(lease.holds(term));
            renewals.renewed(Instant::now());
        }
        advance(SELF_FENCE).await;
        assert!(!lease.holds(term));
        assert_eq!(lease.age(), SELF_FENCE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_renewed_after_expiry_starts_a_new_term() {
        let renewals = Renewals::new();
        let lease = renewals.lease();
        renewals.renewed(Instant::now());
        let before = lease.begun().await;
        advance(10 * SECOND).await;
        // The renewal comes first, as can happen when a stopped process wakes up.
        renewals.renewed(Instant::now());
        assert!(!lease.holds(before));
        lease.ended(before).await;
        assert_ne!(lease.begun().await, before);
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_of_a_term_is_signalled_exactly_when_it_expires() {
        let renewals = Renewals::new();
        let lease = renewals.lease();
        renewals.renewed(Instant::now());
        let term = lease.begun().await;
        let begun = Instant::now();
        advance(3 * SECOND).await;
        renewals.renewed(Instant::now());
        lease.ended(term).await;
        assert_eq!(begun.elapsed(), 3 * SECOND + SELF_FENCE);

        renewals.renewed(Instant::now());
        let term = lease.begun().await;
        renewals.lost();
        timeout(SECOND, lease.ended(term)).await.expect("the lease was lost");
    }

    #[tokio::test(start_paused = true)]
    async fn a_term_is_counted_from_the_renewal_request() {
        let renewals = Renewals::new();
        let asked = Instant::now();
        advance(SELF_FENCE).await;
        renewals.renewed(asked);
        assert_eq!(renewals.lease().term(), None, "the renewal was confirmed too late");
    }

    #[tokio::test(start_paused = true)]
    async fn a_single_server_has_an_endless_term() {
        let lease = Lease::forever();
        let term = lease.begun().await;
        advance(1000 * SECOND).await;
        assert!(lease.holds(term));
        assert_eq!(lease.age(), Duration::ZERO);
        assert!(timeout(SECOND, lease.ended(term)).await.is_err());
    }
}
