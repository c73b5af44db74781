//! Reports problems of a journal to the host: one log message per change of state, however many requests fail, and the
//! result of `probe`.

use crate::JournalError;
use parking_lot::Mutex;

/// The health of a journal, shared by the writer thread and the readers.
#[derive(Debug)]
pub(super) struct Health {
    pub(super) writing: Trouble,
    pub(super) reading: Trouble,
    pub(super) tidying: Trouble,
    pub(super) lock: Trouble,
    /// The first damage found. It persists until a backup is restored, and so until a restart.
    damage: Mutex<Option<JournalError>>,
}

impl Health {
    pub(super) fn new() -> Health {
        Health {
            writing: Trouble::new("the journal cannot be written", "the journal can be written again"),
            reading: Trouble::new("the journal cannot be read", "the journal can be read again"),
            tidying: Trouble::new("the journal cannot be tidied", "the journal can be tidied again"),
            lock: Trouble::new("another server could use this folder too", "this server has locked the folder again"),
            damage: Mutex::new(None),
        }
    }

    /// Records damage: some rooms cannot be read or written any more, while others can.
    pub(super) fn met_damage(&self, error: &JournalError) {
        let mut damage = self.damage.lock();
        if damage.is_none() {
            tracing::error!(%error, "some rooms are lost");
            *damage = Some(error.clone());
        }
    }

    pub(super) fn damage(&self) -> Result<(), JournalError> {
        self.damage.lock().clone().map_or(Ok(()), Err)
    }
}

/// A problem that recurs until it is solved.
#[derive(Debug)]
pub(super) struct Trouble {
    begun: &'static str,
    over: &'static str,
    /// The current error, and the number of failed requests since the last success.
    now: Mutex<Option<(JournalError, u64)>>,
}

impl Trouble {
    fn new(begun: &'static str, over: &'static str) -> Trouble {
        Trouble { begun, over, now: Mutex::new(None) }
    }

    /// Records this many failed requests. Logged only if the problem is new or its error has changed.
    pub(super) fn failed(&self, error: &JournalError, requests: usize) {
        let mut now = self.now.lock();
        let failed = now.as_ref().map_or(0, |(_, failed)| *failed) + requests as u64;
        if now.as_ref().is_none_or(|(before, _)| before != error) {
            tracing::error!(%error, "{}", self.begun);
        }
        *now = Some((error.clone(), failed));
    }

    pub(super) fn is_over(&self) {
        if let Some((_, failed)) = self.now.lock().take() {
            tracing::info!(failed, "{}", self.over);
        }
    }
}
