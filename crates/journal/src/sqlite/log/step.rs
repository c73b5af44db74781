//! Steps of work that pauses for appends: a time limit for each, and whether more is to be done.

use rusqlite::Connection;
use std::time::{Duration, Instant};

/// Maximum duration of one step without its commit. An append waits at most this long.
const STEP: Duration = Duration::from_millis(4);

/// Deadline of a step.
#[derive(Debug)]
pub(super) struct Until(Instant);

impl Until {
    pub(super) fn a_step_from_now() -> Until {
        Until(Instant::now() + STEP)
    }

    #[cfg(test)]
    pub(super) fn at_once() -> Until {
        Until(Instant::now())
    }

    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.0
    }
}

/// Whether a step was the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepOutcome {
    MoreToDo,
    Done,
}

/// Returns some free pages to the disk. Each may require moving another page.
pub(super) fn shrink(connection: &Connection, until: &Until) -> rusqlite::Result<StepOutcome> {
    loop {
        // Each step of this statement frees one page, so it has to be stepped to its end.
        let mut shrink = connection.prepare_cached("PRAGMA incremental_vacuum(16)")?;
        let mut steps = shrink.query([])?;
        while steps.next()?.is_some() {}
        let free: u64 = connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
        if free == 0 {
            return Ok(StepOutcome::Done);
        }
        if until.is_over() {
            return Ok(StepOutcome::MoreToDo);
        }
    }
}
