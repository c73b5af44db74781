//! What a host is told of a journal that is not well: one line in the log for each state of affairs, however many
//! requests meet it, and what `probe` answers.

use crate::JournalError;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How a journal does. Shared by the thread that writes and those that read.
#[derive(Debug)]
pub(super) struct Health {
    pub(super) writing: Trouble,
    pub(super) reading: Trouble,
    pub(super) tidying: Trouble,
    pub(super) lock: Trouble,
    /// The first damage that was met. It stays until somebody restores a backup, and so until a restart.
    damage: Mutex<Option<JournalError>>,
}

impl Health {
    pub(super) fn new() -> Health {
        Health {
            writing: Trouble::new("the journal cannot be written", "the journal can be written again"),
            reading: Trouble::new("the journal cannot be read", "the journal can be read again"),
            tidying: Trouble::new("the journal cannot be tidied", "the journal can be tidied again"),
            lock: Trouble::new(
                "another server could use this folder too",
                "the folder is this server's again",
            ),
            damage: Mutex::new(None),
        }
    }

    /// Some rooms cannot be read or written any more; the others can.
    pub(super) fn met_damage(&self, error: &JournalError) {
        let mut damage = held(&self.damage);
        if damage.is_none() {
            tracing::error!(%error, "some rooms are lost");
            *damage = Some(error.clone());
        }
    }

    pub(super) fn damage(&self) -> Result<(), JournalError> {
        held(&self.damage).clone().map_or(Ok(()), Err)
    }
}

/// Something that fails again and again until it is well.
#[derive(Debug)]
pub(super) struct Trouble {
    begun: &'static str,
    over: &'static str,
    /// Why it fails now, and how many requests have failed since it was last well.
    now: Mutex<Option<(JournalError, u64)>>,
}

impl Trouble {
    fn new(begun: &'static str, over: &'static str) -> Trouble {
        Trouble { begun, over, now: Mutex::new(None) }
    }

    /// So many requests failed. That is news if it was well before, or failed for another reason.
    pub(super) fn failed(&self, error: &JournalError, requests: usize) {
        let mut now = held(&self.now);
        let failed = now.as_ref().map_or(0, |(_, failed)| *failed) + requests as u64;
        if now.as_ref().is_none_or(|(before, _)| before != error) {
            tracing::error!(%error, "{}", self.begun);
        }
        *now = Some((error.clone(), failed));
    }

    pub(super) fn is_over(&self) {
        if let Some((_, failed)) = held(&self.now).take() {
            tracing::info!(failed, "{}", self.over);
        }
    }
}

/// Nothing here panics halfway through a change, so what a poisoned lock holds is whole.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
