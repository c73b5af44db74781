//! The readiness probe: one write at a time, whose result all concurrent callers share.
//!
//! The write continues when its callers have given up. Each abandoned write would leave a session waiting in the
//! database.

use super::claims::PATIENCE;
use super::link::{Link, Session};
use crate::JournalError;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

/// Timeout of a readiness probe.
const PROBE: Duration = Duration::from_millis(800);

const WRITE: &str = "UPDATE rookery.probe SET writes = writes + 1";

type ProbeResult = Option<Result<(), JournalError>>;

/// The last probe that was started.
#[derive(Debug, Default)]
pub(super) struct Probes {
    last: Mutex<Option<Probe>>,
}

#[derive(Debug, Clone)]
struct Probe {
    begun: Instant,
    /// `None` while the write is running.
    outcome: watch::Receiver<ProbeResult>,
}

impl Probe {
    fn start(session: Arc<Session>) -> Probe {
        let (sender, outcome) = watch::channel(None);
        tokio::spawn(async move {
            let written = session.ask(WRITE, &[], PATIENCE).await;
            sender.send_replace(Some(written.map(drop).map_err(JournalError::from)));
        });
        Probe { begun: Instant::now(), outcome }
    }

    fn is_running(&self) -> bool {
        // An error means that the task has ended.
        self.outcome.borrow().is_none() && self.outcome.has_changed().is_ok()
    }
}

impl Probes {
    /// Checks that the database accepts a write within [`PROBE`].
    pub(super) async fn probe(&self, link: &Link) -> Result<(), JournalError> {
        link.may_write()?;
        let probed = async {
            let session = link.session().await?;
            let Probe { begun, mut outcome } = self.join_or_start(session);
            let outcome = timeout_at(begun + PROBE, outcome.wait_for(Option::is_some)).await;
            match outcome.map_err(|_| unanswered())? {
                Ok(outcome) => outcome.clone().unwrap_or_else(|| Err(unanswered())),
                Err(_) => Err(JournalError::Closed),
            }
        };
        timeout(PROBE, probed).await.map_err(|_| unanswered())?
    }

    /// Returns the running probe, or starts one.
    fn join_or_start(&self, session: Arc<Session>) -> Probe {
        let mut last = self.last.lock();
        match &*last {
            Some(probe) if probe.is_running() => probe.clone(),
            _ => last.insert(Probe::start(session)).clone(),
        }
    }
}

fn unanswered() -> JournalError {
    JournalError::Away(format!("it did not confirm a write within {} ms", PROBE.as_millis()))
}
