//! Background work of the idle writer: compacting the log, and migrating data of earlier versions. Both work in steps,
//! each a transaction of a few milliseconds, so that appends can run in between.

use super::bring_over::{BringOverError, BringingOver};
use super::sorting::Sorting;
use super::state::LogState;
use super::step::{StepOutcome, Until, shrink};
use crate::JournalError;
use crate::sqlite::transaction::in_transaction;
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long consecutive appends may delay a step.
const PATIENCE: Duration = Duration::from_millis(20);

/// Pause after an error, such as on a full disk.
const PAUSE: Duration = Duration::from_secs(10);

/// The log is also compacted at this size in bytes, however few entries it has.
const SORTED_AT_BYTES: usize = 4 << 20;

/// The state of the background work.
#[derive(Debug)]
pub(super) struct Background {
    /// The log is compacted when it has this many entries.
    sorted_at: usize,
    sorting: Option<Sorting>,
    bringing_over: Option<BringingOver>,
    /// Whether readers have to look for the old format. It may be true although nothing is left, but never false while
    /// there is something.
    pub(super) has_old: Arc<AtomicBool>,
    /// Whether the log cannot be read or the runs cannot be written because of damage. Then the log only grows until a
    /// backup is restored.
    met_damage: bool,
    not_before: Instant,
    last_step: Instant,
}

impl Background {
    pub(super) fn new(sorted_at: usize, log: &LogState) -> Background {
        Background {
            sorted_at,
            sorting: None,
            bringing_over: log.has_old.then(BringingOver::default),
            has_old: Arc::new(AtomicBool::new(log.has_old)),
            met_damage: false,
            not_before: Instant::now(),
            last_step: Instant::now(),
        }
    }

    /// Returns whether there is anything to do now.
    pub(super) fn is_due(&self, log: &LogState) -> bool {
        (self.wants_sorting(log) || self.bringing_over.is_some()) && Instant::now() >= self.not_before
    }

    /// Returns whether the work has waited long enough for an empty queue, or the log grows faster than it is
    /// compacted.
    pub(super) fn is_impatient(&self, log: &LogState) -> bool {
        let growing = self.sorting.is_some() && log.new.entries >= self.sorted_at;
        self.is_due(log) && (growing || self.last_step.elapsed() >= PATIENCE)
    }

    fn wants_sorting(&self, log: &LogState) -> bool {
        let full = log.new.entries >= self.sorted_at || log.new.bytes >= SORTED_AT_BYTES;
        !self.met_damage && (self.sorting.is_some() || full)
    }

    /// Performs one step. After an error the step had no effect and is retried later.
    pub(super) fn step(&mut self, connection: &Connection, log: &mut LogState) -> Result<(), JournalError> {
        let stepped =
            if self.wants_sorting(log) { self.sort(connection, log) } else { self.bring_over(connection, log) };
        self.last_step = Instant::now();
        stepped.map_err(|error| if error.is_damage() { error } else { self.pause(error) })
    }

    /// Suspends background work for a while because of this error.
    pub(super) fn pause(&mut self, because: JournalError) -> JournalError {
        self.not_before = Instant::now() + PAUSE;
        because
    }

    /// Compacts the whole log and frees unused space, as long as time is left. A journal closed this way opens without
    /// scanning its log, and its rooms are read from runs.
    pub(super) fn finish(
        &mut self,
        connection: &Connection,
        log: &mut LogState,
        by: Instant,
    ) -> Result<(), JournalError> {
        while Instant::now() < by && !self.met_damage && (self.sorting.is_some() || !log.index.is_empty()) {
            self.sort(connection, log)?;
        }
        let mut progress = StepOutcome::MoreToDo;
        while Instant::now() < by && progress == StepOutcome::MoreToDo {
            progress =
                in_transaction(connection, || Ok::<_, JournalError>(shrink(connection, &Until::a_step_from_now())?))?;
        }
        Ok(())
    }

    fn sort(&mut self, connection: &Connection, log: &mut LogState) -> Result<(), JournalError> {
        let sorting = self.sorting.get_or_insert_with(|| Sorting::begin(log));
        let stepped = in_transaction(connection, || sorting.step(connection, log, &Until::a_step_from_now()));
        match stepped {
            Ok((reached, StepOutcome::MoreToDo)) => *sorting = reached,
            Ok((reached, StepOutcome::Done)) => {
                reached.finish(log);
                self.sorting = None;
            }
            Err(error) => {
                self.met_damage = error.is_damage();
                return Err(error);
            }
        }
        Ok(())
    }

    fn bring_over(&mut self, connection: &Connection, log: &mut LogState) -> Result<(), JournalError> {
        let Some(bringing_over) = &mut self.bringing_over else { return Ok(()) };
        let stepped = in_transaction(connection, || bringing_over.step(connection, &Until::a_step_from_now()));
        match stepped {
            Ok((reached, StepOutcome::MoreToDo)) => *bringing_over = reached,
            Ok((reached, StepOutcome::Done)) => {
                self.bringing_over = None;
                if reached.is_whole() {
                    log.has_old = false;
                    self.has_old.store(false, Ordering::Release);
                }
            }
            Err(BringOverError { room, error }) => {
                match room {
                    Some(room) if error.is_damage() => bringing_over.leave_out(room),
                    None if error.is_damage() => self.bringing_over = None,
                    _ => {}
                }
                return Err(error);
            }
        }
        Ok(())
    }
}
